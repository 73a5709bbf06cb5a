package localjupyter_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

func (b *bench) cached(kind string) []string {
	b.Helper()
	found, err := filepath.Glob(filepath.Join(b.options.Dir, "cache", kind, "????????*"))
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// TestSessionsOutliveTheCache: a clone borrows nothing from the copy that it was made from.
func TestSessionsOutliveTheCache(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.Pip.FindLinks = wheels(t) })
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo==1.0") })
	b.open()
	spec := b.running(b.url("packages.git"))
	if len(b.cached("repositories")) == 0 || len(b.cached("environments")) == 0 {
		t.Fatal("Nothing is cached")
	}
	b.options.CacheBytes = 1
	b.open()
	b.engine.Evict()
	if left := b.cached("repositories"); len(left) != 0 {
		t.Errorf("The cache keeps %v", left)
	}
	b.wants("git's history and whole repository", b.cell(spec.ID, `
import subprocess
for command in (["log", "--oneline"], ["fsck", "--full", "--strict"], ["status", "--short", "--branch"]):
    print(subprocess.run(["git", "-C", "packages", *command], check=True, capture_output=True, text=True).stdout)`), "First")
	b.wants("the packages, which are in use", b.cell(spec.ID, `import cairndemo; print(cairndemo.answer())`), "demo 1.0")
	b.stop(spec.ID)
	b.engine.Evict()
	if left := b.cached("environments"); len(left) != 0 {
		t.Errorf("The cache keeps %v although nobody uses it", left)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.wants("the packages, installed again", b.cell(spec.ID, `import cairndemo; print(cairndemo.answer())`), "demo 1.0")
}

func TestACopyFollowsItsRepository(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bare := filepath.Join(b.folder, "working.git")
	b.open()
	b.stop(b.running(b.url("working.git")).ID)
	tree := filepath.Join(b.folder, "working.git.tree")
	writeFile(t, tree+"/new.txt", "new")
	b.git("-C", tree, "checkout", "--quiet", "-b", "next")
	b.git("-C", tree, "add", "--all")
	b.git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "-m", "Second")
	b.git("-C", tree, "push", "--quiet", bare, "next")
	b.git("-C", bare, "symbolic-ref", "HEAD", "refs/heads/next")
	b.git("-C", bare, "branch", "-D", "main")
	spec := b.running(b.url("working.git"))
	b.wants("the new default branch", b.cell(spec.ID, `
import subprocess
print(open("working/new.txt").read(), subprocess.run(["git", "-C", "working", "branch", "--all"], capture_output=True, text=True).stdout.split())`),
		"new ['*', 'next', 'remotes/origin/HEAD', '->', 'origin/next', 'remotes/origin/next']")
	if len(b.cached("repositories")) != 2 { // the copy and its size
		t.Errorf("The cache holds %v", b.cached("repositories"))
	}

	// A damaged copy is created again.
	objects, _ := filepath.Glob(filepath.Join(b.options.Dir, "cache/repositories/*/mirror.git/objects"))
	if err := os.RemoveAll(objects[0]); err != nil {
		t.Fatal(err)
	}
	b.running(b.url("working.git"))
}

// TestPackagesFromAnIndex uses the operator's own index, which is in a private network, through the proxy.
func TestPackagesFromAnIndex(t *testing.T) {
	t.Parallel()
	folder := wheels(t)
	var asked atomic.Int64
	b := newBench(t, func(options *localjupyter.Options) { options.Web = strictWeb() })
	files := http.StripPrefix("/simple/cairndemo/", http.FileServer(http.Dir(folder)))
	index := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path == "/simple/cairndemo/" {
			_, _ = w.Write([]byte(`<a href="cairndemo-1.0-py3-none-any.whl">cairndemo-1.0-py3-none-any.whl</a>`))
			return
		}
		files.ServeHTTP(w, r)
	})
	b.options.Pip.IndexURL = index + "/simple"
	b.repository("packages.git", func(folder string) { writeFile(t, folder+"/requirements.txt", "cairndemo==1.0") })
	b.open()
	repository := b.url("packages.git")
	repository.LocalPath = filepath.Join(b.folder, "packages.git")
	spec := b.running(repository)
	b.wants("the package", b.cell(spec.ID, `import cairndemo; print(cairndemo.answer())`), "demo 1.0")
	if status := b.await(spec.ID, engine.Running); asked.Load() < 2 || !strings.Contains(status.Log, "Successfully installed cairndemo-1.0") {
		t.Errorf("The index was asked %d times:\n%s", asked.Load(), status.Log)
	}
}

// A class starts the same project, whose repository is slow but moves: it is waited for, however long it takes. Those who
// wait see how far the first is, and are not given up either.
func TestThoroughWaitingForTheSameIsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.LaunchDeadline = 15 * time.Second })
	b.repository("large.git", noise(4<<20))
	b.throttle = 96 << 10 // bytes a second, so that the deadline passes several times if progress doesn't renew it
	b.open()
	specs := []engine.Spec{b.spec(b.url("large.git")), b.spec(b.url("large.git")), b.spec(b.url("large.git"))}
	for _, spec := range specs {
		b.start(spec)
	}
	heard := false
	b.awaitThat(specs[2].ID, func(status engine.Status) bool {
		for _, spec := range specs {
			other, err := b.engine.Status(t.Context(), spec.ID)
			heard = heard || (err == nil && strings.HasPrefix(stepOf(other, engine.StepRepository).Detail, "Another session is doing the same: Receiving objects"))
		}
		return status.Phase == engine.Running
	})
	b.await(specs[0].ID, engine.Running)
	b.await(specs[1].ID, engine.Running)
	b.wants("the file", b.cell(specs[0].ID, `import os; print(os.path.getsize("large/noise.bin"))`), "4194304")
	if !heard {
		t.Error("Those who waited heard nothing")
	}
}
