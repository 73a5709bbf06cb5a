package main

import (
	"bufio"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// mainVariable makes this test binary cairn itself.
const mainVariable = "CAIRN_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		main()
		return
	}
	m.Run()
}

func cairn(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, os.Args[0], arguments...)
	command.Env = append(os.Environ(), mainVariable+"=1", "CAIRN_RUNS_EVERY=never")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	return command
}

// startServer serves the demo and returns when the database answers.
func startServer(t *testing.T, data string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	server := cairn(ctx, "serve", "--demo", "--data", data, "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0")
	var log strings.Builder
	server.Stderr = &log
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		cancel()
		_ = server.Wait()
		t.Fatalf("The server said %q %v\n%s", line, err, log.String())
	}
	return func() {
		cancel()
		_ = server.Wait()
	}
}

// shown is what sessions of other accounts see of the data folder.
var shown = regexp.MustCompile(`^(sessions/local/(hosts|resolv\.conf|gitconfig|cache/(environments|repositories))|demo/(datasets|git)/.*)$`)

// isClosed checks that nothing in a data folder is open to other accounts but what sessions see.
func isClosed(t *testing.T, data string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(data, path)
		if about.Mode().Perm()&0o077 != 0 && !shown.MatchString(name) {
			t.Errorf("%s has the permissions %s", name, about.Mode())
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return names
}

func TestTheDataFolderIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	stop := startServer(t, data)
	names := isClosed(t, data)
	for _, name := range []string{"cairn.db", "cairn.db-wal", "cairn.db-shm", "lock", "idp", "sessions/local/cache/datasets"} {
		if !slices.Contains(names, name) {
			t.Errorf("There is no %s among %v", name, names)
		}
	}
	stop()

	// What a version before left, and an operator opened.
	if err := exec.Command("/usr/bin/chmod", "-R", "a+rX", data).Run(); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for path, content := range map[string]string{elsewhere: "", filepath.Join(data, "theirs.csv"): ""} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(data, "cairn.db-link")); err != nil {
		t.Fatal(err)
	}
	stop = startServer(t, data)
	defer stop()
	for _, path := range []string{elsewhere, filepath.Join(data, "theirs.csv")} {
		if about, err := os.Stat(path); err != nil || about.Mode().Perm() != 0o644 {
			t.Errorf("%s was changed: %v %v", path, about.Mode(), err)
		}
	}
	if err := os.Remove(filepath.Join(data, "theirs.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(data, "cairn.db-link")); err != nil {
		t.Fatal(err)
	}
	isClosed(t, data)
}

func TestCommandsCreateTheDataFolderClosed(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	if output, err := cairn(t.Context(), "accounts", "enable", "researcher@example.org", "--data", data).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	if names := isClosed(t, data); !slices.Contains(names, "cairn.db") {
		t.Errorf("There is no database among %v", names)
	}
}
