package localjupyter_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/boxssh"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// serveShell makes this test binary the SSH server in a box.
func serveShell() {
	if len(os.Args) != 4 || os.Args[1] != localjupyter.ShellCommand {
		return
	}
	listener, err := boxssh.Listen(os.Args[2])
	if err == nil {
		err = boxssh.Serve(listener, boxssh.Options{Folder: os.Args[3], Shell: "/bin/sh", Environment: boxssh.Environment(os.Environ())})
	}
	if err != nil {
		os.Exit(1)
	}
}

func (b *bench) shell(id string) *ssh.Client {
	b.Helper()
	var connected *ssh.Client
	b.awaitThat(id, func(engine.Status) bool { // it starts beside the server, and takes a moment
		connection, err := b.engine.DialShell(b.Context(), id)
		if fault.KindOf(err) == fault.Conflict || fault.KindOf(err) == fault.Unavailable {
			return false
		}
		if err != nil {
			b.Fatal(err)
		}
		way, channels, requests, err := ssh.NewClientConn(connection, "session", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
		if err != nil {
			b.Fatal(err)
		}
		connected = ssh.NewClient(way, channels, requests)
		return true
	})
	b.Cleanup(func() { _ = connected.Close() })
	return connected
}

func (b *bench) runShell(client *ssh.Client, command string) string {
	b.Helper()
	session, err := client.NewSession()
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	printed, err := session.CombinedOutput(command)
	var ended *ssh.ExitError
	if err != nil && !errors.As(err, &ended) {
		b.Fatal(err)
	}
	return string(printed)
}

// TestShellsAreInTheBox reaches a session by SSH: it is where its notebooks are, and nowhere else.
func TestShellsAreInTheBox(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(options *localjupyter.Options) { options.Program, options.SSH = program, true })
	b.open()
	spec := b.running(b.url("working.git"))
	client := b.shell(spec.ID)
	_, account := b.engine.Process(spec.ID)
	work := filepath.Join(b.options.Dir, spec.ID, "work")
	seen := b.cell(spec.ID, "import os; print(os.getcwd(), os.getuid())")
	if got := b.runShell(client, `echo "$(pwd) $(id -u)"`); strings.TrimSpace(got) != strings.TrimSpace(seen) {
		t.Errorf("a shell is at %q, a notebook at %q", got, seen)
	}
	if os.Getuid() == 0 && !strings.HasSuffix(strings.TrimSpace(seen), " "+itoa(account)) {
		t.Errorf("the account is %q, not %d", seen, account)
	}
	if got := b.runShell(client, `cat /proc/self/oom_score_adj; echo "[$JUPYTER_TOKEN]"; ls`); !strings.HasPrefix(got, "500\n[]\n") || !strings.Contains(got, "working") {
		t.Errorf("a shell prints %q", got)
	}
	if b.engine.Isolation().Level.Mounts() {
		for _, path := range []string{"/etc/shadow", b.options.Dir, "/root"} {
			if got := b.runShell(client, "ls "+path); !strings.Contains(got, "No such file") && !strings.Contains(got, "Permission denied") {
				t.Errorf("a shell sees %s: %q", path, got)
			}
		}
	}
	files, err := sftp.NewClient(client)
	if err != nil {
		t.Fatal(err)
	}
	made, err := files.Create("by-sftp.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(made, "copied")
	if err := errors.Join(err, made.Close()); err != nil {
		t.Fatal(err)
	}
	if b.engine.Isolation().Level.Mounts() && b.read(filepath.Join(work, "by-sftp.txt")) != "copied" {
		t.Error("a copied file isn't in the session's work")
	}

	b.open()
	b.await(spec.ID, engine.Running)
	if got := b.runShell(b.shell(spec.ID), "cat by-sftp.txt"); got != "copied" {
		t.Errorf("after a restart of the server it prints %q", got)
	}
	client = b.shell(spec.ID)
	if err := b.engine.Stop(b.Context(), spec.ID); err != nil {
		t.Fatal(err)
	}
	if err := client.Wait(); err == nil {
		t.Error("the connection outlives the session")
	}
	if _, err := b.engine.DialShell(b.Context(), spec.ID); fault.CodeOf(err) != fault.SessionNotRunning {
		t.Errorf("a stopped session: %v", err)
	}
}

func TestWithoutSSHThereIsNoShell(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	spec := b.running(b.url("working.git"))
	if _, err := b.engine.DialShell(b.Context(), spec.ID); fault.KindOf(err) != fault.NotFound {
		t.Errorf("it is offered: %v", err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.options.Program, b.options.SSH = program, true
	b.open() // operators turn it on while the session runs
	b.await(spec.ID, engine.Running)
	if _, err := b.engine.DialShell(b.Context(), spec.ID); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a session from before has one: %v", err)
	}
}
