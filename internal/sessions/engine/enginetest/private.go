package enginetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
)

// secretOfClone is in what Clone leaves in its folder, and must not get into a session.
const secretOfClone = "the-token-of-the-owner"

// hidden is a private repository of a test. Nothing answers at its address.
type hidden struct {
	spec   engine.Spec
	commit string
	calls  atomic.Int64 // of Clone
	fails  atomic.Pointer[fault.Fault]
}

func (b *bench) hidden() *hidden {
	b.Helper()
	served := &Repositories{TB: b.TB, Folder: b.TempDir()}
	bare := served.Make("hidden.git", func(folder string) {
		if err := os.WriteFile(filepath.Join(folder, "mine.py"), []byte("print(1)\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	})
	commit, err := os.ReadFile(filepath.Join(bare+".tree", ".git/refs/heads/main"))
	if err != nil {
		b.Fatal(err)
	}
	made := &hidden{commit: strings.TrimSpace(string(commit))}
	made.spec = b.spec(engine.Repository{URL: "https://hidden.invalid/ann/hidden", Folder: "hidden", Private: true})
	made.spec.Clone = func(ctx context.Context, folder string) (string, error) {
		made.calls.Add(1)
		if refused := made.fails.Load(); refused != nil {
			return "", refused
		}
		path := filepath.Join(folder, "cloned")
		err := exec.CommandContext(ctx, "/usr/bin/git", "-c", "safe.directory=*", "clone", "--quiet", "--bare", "--no-hardlinks", bare, path).Run()
		if err == nil { // as the server's umask has it
			err = filepath.WalkDir(path, func(name string, file os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Chmod(name, map[bool]os.FileMode{true: 0o700, false: 0o600}[file.IsDir()])
			})
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "credentials"), []byte(secretOfClone), 0o600)
		}
		return path, err
	}
	return made
}

// nothingSecluded checks that nothing is left of what a session of a private repository was made from.
func (b *bench) nothingSecluded(id string) {
	b.Helper()
	for _, name := range []string{folders.Secluded, folders.Source, folders.Clone} {
		if _, err := os.Lstat(filepath.Join(b.Folder(id), name)); !os.IsNotExist(err) {
			b.Errorf("the folder %s is left: %v", name, err)
		}
	}
}

func private(b *bench) {
	if b.Folder == nil {
		return // nothing of its sessions is on a disk
	}
	made := b.hidden()
	spec := made.spec
	b.start(spec)
	status := b.await(spec.ID, engine.Running)
	files := b.archive(spec.ID)
	if files["hidden/mine.py"] != "print(1)\n" || files["hidden/README.md"] == "" || strings.TrimSpace(files["hidden/.git/refs/heads/main"]) != made.commit {
		b.Errorf("The work isn't the repository: %q", files)
	}
	if status.Commit != "" && status.Commit != made.commit {
		b.Errorf("The commit is %s, want %s", status.Commit, made.commit)
	}
	config := files["hidden/.git/config"]
	if !strings.Contains(config, "url = "+spec.Repository.URL+"\n") || strings.Contains(config, "insteadOf") || strings.Contains(config, "xtraHeader") {
		b.Errorf("The configuration is %s", config)
	}
	for name, text := range files {
		if strings.Contains(text, secretOfClone) || strings.HasPrefix(name, "hidden/.git/") && strings.Contains(text, folders.Secluded) {
			b.Errorf("%s has what isn't for the session: %q", name, text)
		}
	}
	b.nothingSecluded(spec.ID)
	b.stop(spec.ID)
	made.fails.Store(fault.New(fault.NotFound, "The host doesn't show it any more."))
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if calls := made.calls.Load(); calls != 1 {
		b.Errorf("The repository was cloned %d times", calls)
	}
	b.nothingSecluded(spec.ID)
}

// privateRefused is a session whose owner may not read the repository, until that is put right.
func privateRefused(b *bench) {
	if b.Folder == nil {
		return // nothing of its sessions is on a disk
	}
	const why = "The host of the repository doesn't show it to you."
	made := b.hidden()
	made.fails.Store(fault.New(fault.NotFound, why))
	b.start(made.spec)
	status := b.await(made.spec.ID, engine.Failed)
	if status.Reason != why || b.step(status, engine.StepRepository).State != engine.Broken {
		b.Errorf("The launch failed with %+v", status)
	}
	b.nothingSecluded(made.spec.ID)
	made.fails.Store(nil)
	b.start(made.spec)
	b.await(made.spec.ID, engine.Running)
	b.nothingSecluded(made.spec.ID)
}
