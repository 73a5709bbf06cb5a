package handouts_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
	"cairn/internal/workshops/handouts"
)

// startJupyter starts a real server on a folder, and returns the way to it.
func startJupyter(t *testing.T, program, class, work string) handouts.Target {
	t.Helper()
	folder := t.TempDir()
	socket := filepath.Join(folder, "j.sock")
	if len(socket) > 100 {
		t.Fatalf("%s is too long for a socket", socket)
	}
	root := "--" + class + ".root_dir="
	if class == "NotebookApp" {
		root = "--NotebookApp.notebook_dir="
	}
	command := exec.Command(program, "--no-browser", "--allow-root", "--"+class+".sock="+socket, root+work, "--"+class+".base_url=/s/"+sessionID+"/",
		"--KernelManager.transport=ipc", "--"+class+".terminals_enabled=False")
	command.Env = []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "JUPYTER_RUNTIME_DIR=" + folder, "JUPYTER_TOKEN=token", "JUPYTER_NO_CONFIG=1", "PYTHONDONTWRITEBYTECODE=1",
	}
	command.Stderr = t.Output()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = command.Process.Kill(), command.Wait() })
	connections := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	t.Cleanup(connections.CloseIdleConnections)
	to := handouts.Target{Session: sessionID, Target: engine.Target{
		Transport: connections, URL: &url.URL{Scheme: "http", Host: "localhost"}, Authorization: "token token",
	}}
	ticks := time.NewTicker(25 * time.Millisecond)
	defer ticks.Stop()
	for late := time.After(time.Minute); ; {
		err := toJupyter(to).Call(t.Context(), http.MethodGet, "api/status", nil, nil)
		if err == nil {
			return to
		}
		select {
		case <-ticks.C:
		case <-late:
			t.Fatalf("Jupyter isn't responding: %v", err)
		}
	}
}

func toJupyter(to handouts.Target) jupyterkernel.Server {
	return jupyterkernel.NewServer(to.URL.JoinPath("/s/"+sessionID+"/"), to.Authorization, to.Transport)
}

// The rules hold with real servers, and the names, links and refusals that only these know.
func TestRealJupyter(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts Jupyter")
	}
	for program, class := range map[string]string{"/usr/bin/jupyter-server": "ServerApp", "/usr/bin/jupyter-notebook": "NotebookApp"} {
		t.Run(filepath.Base(program), func(t *testing.T) {
			work := t.TempDir()
			write := func(name, content string) {
				t.Helper()
				path := filepath.Join(work, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			notebook := func(text string) string {
				return `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["` + text + `"]}],` + "\r\n" + ` "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`
			}
			write("r/unchanged.ipynb", notebook("old"))
			write("r/open.ipynb", notebook("old"))
			write("r/damaged.ipynb", "{")
			write("r/changed.txt", "mine")
			write("r/binary.bin", "\x00\xff\xfe\r\n")
			write("r/same ü#?%&+.txt", "new")
			write("r/folder.txt/x", "mine")
			write("r/file", "mine")
			write("r/target.txt", "mine")
			err := errors.Join(
				os.Symlink("target.txt", filepath.Join(work, "r/link.txt")), os.Symlink("nowhere/at/all.txt", filepath.Join(work, "r/dangling.txt")),
				os.Symlink("folder.txt", filepath.Join(work, "r/linked")),
			)
			if err != nil {
				t.Fatal(err)
			}
			to := startJupyter(t, program, class, work)
			if _, err := toJupyter(to).Start(t.Context(), "python3", "r/open.ipynb"); err != nil {
				t.Fatal(err)
			}
			files := []handouts.File{
				file("r/unchanged.ipynb", notebook("new"), notebook("old")), file("r/open.ipynb", notebook("new"), notebook("old")), file("r/damaged.ipynb", notebook("new"), "{"),
				file("r/changed.txt", "new"), file("r/binary.bin", "\xff\n\x00", "\x00\xff\xfe\r\n"), file("r/same ü#?%&+.txt", "new"), file("r/folder.txt", "new"),
				file("r/file/a.txt", "new"), file("r/link.txt", "new", "old"), file("r/dangling.txt", "new"), file("r/linked/y.txt", "new"),
				file("r/a b/演習 1/é;=@:'\".txt", "new"), file("r/checkpoints/checkpoints", "new"), file("r/x/checkpoints/1", "new"), file("checkpoints", "new"), file("r/trust", "new"),
				file("empty.txt", ""),
				{Path: "large.bin", Content: []byte(strings.Repeat("\x00\xff", handouts.FileLimit/2))},
			}
			want := []string{
				"replaced r/unchanged.ipynb", "beside r/open (from the host).ipynb", "replaced r/damaged.ipynb",
				"beside r/changed (from the host).txt", "replaced r/binary.bin", "there r/same ü#?%&+.txt", "beside r/folder (from the host).txt",
				"beside r/a (from the host).txt", "beside r/link (from the host).txt", "beside r/dangling (from the host).txt", "new r/linked/y.txt",
				"new r/a b/演習 1/é;=@:'\".txt", "new r/checkpoints/checkpoints", "new r/x/checkpoints/1", "new checkpoints", "new r/trust", "new empty.txt", "new large.bin",
			}
			deliver := func() (said []string) {
				t.Helper()
				delivered, err := handouts.Deliver(t.Context(), to, handouts.Bundle{Files: files})
				if err != nil {
					t.Fatal(err)
				}
				for i, one := range delivered.Files {
					said = append(said, string(one.How)+" "+one.At)
					if content, err := os.ReadFile(filepath.Join(work, one.At)); err != nil || string(content) != string(files[i].Content) {
						t.Errorf("%s has %.100q, %v", one.At, content, err)
					}
				}
				return said
			}
			same(t, deliver(), want)
			for name, content := range map[string]string{
				"r/open.ipynb": notebook("old"), "r/changed.txt": "mine", "r/folder.txt/x": "mine", "r/file": "mine", "r/target.txt": "mine", "r/folder.txt/y.txt": "new",
			} {
				if got, err := os.ReadFile(filepath.Join(work, name)); err != nil || string(got) != content {
					t.Errorf("%s has %q, %v", name, got, err)
				}
			}
			before := listed(t, work)
			for i := range want {
				want[i] = strings.NewReplacer("replaced ", "there ", "new ", "there ").Replace(want[i])
			}
			same(t, deliver(), want)
			same(t, listed(t, work), before)
		})
	}
}

// listed returns the paths of all files in a folder, with the times at which they were last changed.
func listed(t *testing.T, folder string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		about, err := entry.Info()
		names = append(names, path+" "+about.ModTime().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
