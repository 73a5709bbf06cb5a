package boxssh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/machine/boxssh"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// serve starts a server on a folder, and returns it with a way to it.
func serve(t *testing.T) (folder string, dial func() *ssh.Client) {
	t.Helper()
	folder = t.TempDir()
	socket := filepath.Join(t.TempDir(), "s.sock")
	listener, err := boxssh.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = boxssh.Serve(listener, boxssh.Options{
			Folder: folder, Shell: "/bin/sh", Environment: boxssh.Environment([]string{"PATH=/usr/bin:/bin", "JUPYTER_TOKEN=secret", "HOME=" + folder}),
		})
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	if about, err := os.Stat(socket); err != nil || about.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may connect: %v %v", about.Mode(), err)
	}
	return folder, func() *ssh.Client {
		t.Helper()
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		way, channels, requests, err := ssh.NewClientConn(connection, "session", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
		if err != nil {
			t.Fatal(err)
		}
		client := ssh.NewClient(way, channels, requests)
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
}

// run runs a command, and returns what it printed and its exit status.
func run(t *testing.T, client *ssh.Client, command, input string) (out, errs string, status int) {
	t.Helper()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var printed, said bytes.Buffer
	session.Stdout, session.Stderr, session.Stdin = &printed, &said, strings.NewReader(input)
	err = session.Run(command)
	var ended *ssh.ExitError
	switch {
	case err == nil:
	case errors.As(err, &ended):
		status = ended.ExitStatus()
	default:
		t.Fatal(err)
	}
	return printed.String(), said.String(), status
}

func TestCommandsRunInTheFolder(t *testing.T) {
	t.Parallel()
	folder, dial := serve(t)
	client := dial()
	for command, want := range map[string]struct {
		input, out, errors string
		status             int
	}{
		"pwd":                              {"", folder + "\n", "", 0},
		"cat; echo end >&2":                {"piped", "piped", "end\n", 0},
		"exit 7":                           {"", "", "", 7},
		"kill -9 $$":                       {"", "", "", 137},
		"none-such":                        {"", "", "none-such", 127},
		`echo "[$JUPYTER_TOKEN] $HOME"`:    {"", "[] " + folder + "\n", "", 0},
		"head -c 300000 /dev/zero | wc -c": {"", "300000\n", "", 0},
	} {
		out, errs, status := run(t, client, command, want.input)
		if out != want.out || !strings.Contains(errs, want.errors) || want.errors == "" && errs != "" || status != want.status {
			t.Errorf("%s: %q %q %d", command, out, errs, status)
		}
	}
}

func TestAShellHasATerminal(t *testing.T) {
	t.Parallel()
	_, dial := serve(t)
	session, err := dial().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.RequestPty("vt100", 33, 99, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	session.Stdout = &out
	input, err := session.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Shell(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(input, "stty size; echo $TERM; test -t 0 && echo terminal; exit 3\n")
	var ended *ssh.ExitError
	if err := session.Wait(); !errors.As(err, &ended) || ended.ExitStatus() != 3 {
		t.Errorf("it ends with %v", err)
	}
	for _, want := range []string{"33 99", "vt100", "terminal\r\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it prints %q", out.String())
		}
	}
}

func TestFilesAreCopied(t *testing.T) {
	t.Parallel()
	folder, dial := serve(t)
	client, err := sftp.NewClient(dial())
	if err != nil {
		t.Fatal(err)
	}
	file, err := client.Create("made.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write([]byte("by sftp"))
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(folder, "made.txt")); string(content) != "by sftp" {
		t.Errorf("%q %v", content, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheBoxItselfIsReached(t *testing.T) {
	t.Parallel()
	_, dial := serve(t)
	client := dial()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			_, _ = io.WriteString(connection, "hello")
			_ = connection.Close()
		}
	}()
	connection, err := client.DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(connection); string(got) != "hello" {
		t.Errorf("%q %v", got, err)
	}
	for _, address := range []string{"192.0.2.1:80", "example.org:80", "169.254.169.254:80"} {
		if _, err := client.Dial("tcp", address); err == nil {
			t.Errorf("%s is reached", address)
		}
	}
	if _, err := client.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("a port in the box can be forwarded to the client")
	}
	if _, _, err := client.OpenChannel("direct-streamlocal@openssh.com", nil); err == nil {
		t.Error("sockets are reached")
	}
}

// A command ends with its connection, and so do its children.
func TestCommandsEndWithTheirConnection(t *testing.T) {
	t.Parallel()
	folder, dial := serve(t)
	client := dial()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(folder, "alive")
	if err := session.Start("mkfifo alive; echo ready; sleep 1000 >alive"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	alive, err := os.Open(pipe) // its end says that nobody holds it any longer
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	context.AfterFunc(ctx, func() { _ = alive.Close() })
	if _, err := io.ReadAll(alive); err != nil {
		t.Error(err)
	}
}
