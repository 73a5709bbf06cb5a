package demo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/githttp"
)

// firstStepsCommit is the bundled repository's commit; it changes only with the files of first-steps.
const firstStepsCommit = "5b342e2b0e08ccb4086f201e6980ae1c08aeebe1"

func install(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Install(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func git(t *testing.T, arguments ...string) string {
	t.Helper()
	output, err := tryGit(arguments...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return output
}

func tryGit(arguments ...string) (string, error) {
	command := exec.Command("git", arguments...)
	command.Env = githttp.Environment()
	output, err := command.CombinedOutput()
	return strings.TrimSpace(string(output)), err
}

func TestInstallMakesTheSameCommitEverywhere(t *testing.T) {
	t.Setenv("GIT_AUTHOR_NAME", "Somebody Else") // must not leak in
	t.Setenv("GIT_DIR", "/nonexistent")
	t.Setenv("GIT_DEFAULT_HASH", "sha256")
	dir := install(t)
	repository, ok := RepositoryPath(dir, "http://localhost", "http://localhost/demo/git/first-steps.git")
	if !ok {
		t.Fatal("the repository's address is not known")
	}
	if got := git(t, "-C", repository, "rev-parse", "HEAD"); got != firstStepsCommit {
		t.Errorf("commit %s, want %s: set the constant when first-steps was changed on purpose", got, firstStepsCommit)
	}
	if got := git(t, "-C", repository, "log", "--format=%an <%ae> %aI %cn %cI"); got !=
		"Cairn demo <researcher@example.org> 2026-01-01T00:00:00+00:00 Cairn demo 2026-01-01T00:00:00+00:00" {
		t.Errorf("log %q", got)
	}
	git(t, "-C", repository, "fsck", "--strict")
	if entries, err := os.ReadDir(filepath.Join(repository, "hooks")); err == nil {
		t.Errorf("%d hooks", len(entries))
	}
}

func TestInstallMendsWhatIsMissingOrChanged(t *testing.T) {
	dir := install(t)
	dataset, ok := DatasetPath(dir, "bundled:argon-energy")
	if !ok {
		t.Fatal("the dataset is not known")
	}
	table := filepath.Join(dataset, "argon-energy.csv")
	damages := map[string]func() error{
		"nothing":            func() error { return nil },
		"file gone":          func() error { return os.Remove(table) },
		"file cut short":     func() error { return os.Truncate(table, 100) },
		"file changed":       func() error { return os.WriteFile(table, []byte("other"), 0o600) },
		"file added":         func() error { return os.WriteFile(filepath.Join(dataset, "more"), nil, 0o600) },
		"file became a link": func() error { return errors.Join(os.Remove(table), os.Symlink("/etc/passwd", table)) },
		"folder gone":        func() error { return os.RemoveAll(dataset) },
		"folder is a file":   func() error { return errors.Join(os.RemoveAll(dataset), os.WriteFile(dataset, nil, 0o600)) },
		"killed in the swap": func() error {
			staging := filepath.Join(dir, "staging")
			return errors.Join(os.MkdirAll(filepath.Join(staging, "argon-energy"), 0o755),
				os.Rename(repositoryPath(dir), filepath.Join(staging, "old-first-steps.git")))
		},
		"older repository": func() error {
			return os.WriteFile(filepath.Join(repositoryPath(dir), digestFile), []byte("older"), 0o600)
		},
		"repository without digest": func() error { return os.Remove(filepath.Join(repositoryPath(dir), digestFile)) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if err := Install(dir); err != nil {
				t.Fatal(err)
			}
			for name, tree := range datasets() {
				if got, want := listing(t, os.DirFS(filepath.Join(dir, "datasets", name))), listing(t, tree); got != want {
					t.Errorf("installed\n%s\nwant\n%s", got, want)
				}
			}
			if got := git(t, "-C", repositoryPath(dir), "rev-parse", "HEAD"); got != firstStepsCommit {
				t.Errorf("commit %s", got)
			}
			if _, err := os.Stat(filepath.Join(dir, "staging")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("staging is still there: %v", err)
			}
		})
	}
}

// listing returns a tree as text: paths, kinds and contents.
func listing(t *testing.T, tree fs.FS) string {
	t.Helper()
	var lines strings.Builder
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var data []byte
		if entry.Type().IsRegular() {
			data, err = fs.ReadFile(tree, name)
		}
		fmt.Fprintf(&lines, "%v %s %x\n", entry.Type(), name, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func TestInstallLeavesRightContentAlone(t *testing.T) {
	dir := install(t)
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	kept := []string{
		filepath.Join(dir, "datasets", "argon-energy", "README.md"), filepath.Join(repositoryPath(dir), "HEAD"),
	}
	for _, path := range kept {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", "/nonexistent") // if everything is installed, git isn't needed
	if err := Install(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s was written again: %v", path, err)
		}
	}
}

func TestInstallIsReadableByTheUsersOfSessions(t *testing.T) {
	dir := install(t)
	for _, part := range []string{"datasets", "git"} {
		err := filepath.WalkDir(filepath.Join(dir, part), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if want := map[bool]fs.FileMode{true: 0o005, false: 0o004}[entry.IsDir()]; err == nil && info.Mode()&0o007 != want {
				t.Errorf("%s has the mode %v", path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestInstallSaysWhatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Install(t.TempDir())
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "Install git") {
		t.Errorf("without git: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Install(file); fault.KindOf(err) != fault.Internal || !strings.Contains(fault.MessageOf(err), file) {
		t.Errorf("on a file: %v", err)
	}
}
