package localjupyter_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

// TestOneSessionCannotReachAnother tries from a cell what a hostile user would: level A, data below a closed folder.
func TestOneSessionCannotReachAnother(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	mine, other := b.running(b.url("working.git")), b.running(b.url("working.git"))
	pid, _ := b.engine.Process(other.ID)
	code := fmt.Sprintf(`
import glob, os, socket, urllib.request
def attempt(what, work):
    try:
        print(what, "REACHED", work())
    except Exception as error:
        print(what, "refused", type(error).__name__)
attempt("folder", lambda: os.listdir(%q))
attempt("runtime", lambda: os.listdir("/run"))
attempt("root", lambda: os.listdir("/root"))
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("record", lambda: open("/session/record.json").read())
attempt("environment", lambda: open("/proc/%d/environ").read())
attempt("loopback", lambda: urllib.request.urlopen(%q, timeout=5).read())
attempt("account", lambda: os.setuid(0))
print("processes", sorted(set(open(p).read().split("\0")[0] for p in glob.glob("/proc/[0-9]*/cmdline"))))
print("user", os.getuid(), "groups", os.getgroups())
`, b.options.Dir, pid, b.repositories.URL)
	printed := b.cell(mine.ID, code)
	if strings.Contains(printed, "REACHED") || strings.Count(printed, "refused") != 8 {
		t.Errorf("The cell got through:\n%s", printed)
	}
	if strings.Contains(printed, other.ID) || strings.Contains(printed, "user 0") {
		t.Errorf("The cell sees too much:\n%s", printed)
	}
	_, first := b.engine.Process(mine.ID)
	_, second := b.engine.Process(other.ID)
	if first == second || first == 0 {
		t.Errorf("The accounts are %d and %d", first, second)
	}
}

// TestLinksOutOfTheWorkFolder: a repository that leads to /etc, and a user who puts links where the engine works.
func TestLinksOutOfTheWorkFolder_CVE_2023_51449(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outside := b.write("outside/secret.txt", "outside")
	b.repository("hostile.git", func(folder string) {
		for name, to := range map[string]string{"data": "/etc", "up": "../../../..", "secret.txt": outside} {
			if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	})
	b.open()
	spec := b.running(b.url("hostile.git"))
	b.stop(spec.ID)
	// What a user can do in the session: links in place of the data folder, the socket's folder, the next clone.
	if err := os.RemoveAll(b.work(spec.ID, "data")); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"data": filepath.Dir(outside), "more": "/etc", "../clone": filepath.Dir(outside)} {
		if err := os.Symlink(to, b.work(spec.ID, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("the dataset", b.cell(spec.ID, `print(open("data/spikes/values.csv").read())`), "1,2,3")
	var archive strings.Builder
	if err := b.engine.Archive(t.Context(), spec.ID, &archive); err != nil {
		t.Error(err)
	}
	if strings.Contains(archive.String(), "secret.txt") || strings.Contains(archive.String(), "passwd") {
		t.Error("The archive holds what links lead to")
	}
	if err := b.engine.Remove(t.Context(), spec.ID); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Dir(outside))
	if text, _ := os.ReadFile(outside); err != nil || len(entries) != 1 || string(text) != "outside" {
		t.Errorf("What links lead to was touched: %v %v", entries, err)
	}
	about, err := os.Stat("/etc/passwd")
	if err != nil || about.Mode().Perm() != 0o644 {
		t.Errorf("/etc was touched: %v %v", about, err)
	}
}

// A user could configure git in the session's home, and the next clone, which has the network, would obey.
func TestCloneIgnoresTheUsersGitConfiguration(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	spec := b.running(b.url("working.git"))
	b.stop(spec.ID)
	config := "[url \"http://127.0.0.1:1/\"]\n\tinsteadOf = http\n"
	if err := os.WriteFile(filepath.Join(b.options.Dir, spec.ID, "home", ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.work(spec.ID, "working")); err != nil {
		t.Fatal(err)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running) // with the user's configuration the clone would find nothing
}

func TestHangingCloneEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.LaunchDeadline = 10 * time.Second })
	b.open()
	spec := b.spec(b.url("slow.git"))
	b.start(spec)
	for {
		status, err := b.engine.Status(t.Context(), spec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if status.Phase == engine.Failed {
			if status.Reason != "The launch was stopped because it made no progress for 10s while the repository was copied." {
				t.Errorf("The reason is %q", status.Reason)
			}
			break
		}
		select {
		case <-b.engine.Changed():
		case <-t.Context().Done():
			t.Fatal("It never ends")
		}
	}
	b.nothingLeft(spec.ID)
}
