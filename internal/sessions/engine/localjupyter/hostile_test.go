package localjupyter_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"

	"golang.org/x/sys/unix"
)

// fails starts a session on a repository and returns how the launch ended.
func (b *bench) fails(repository engine.Repository) engine.Status {
	b.Helper()
	spec := b.spec(repository)
	b.start(spec)
	status := b.awaitFailed(spec.ID)
	b.nothingLeft(spec.ID)
	return status
}

func TestAHugeRepositoryHasAClearEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(options *localjupyter.Options) { options.Limits.Disk = 1 << 20 })
	b.repository("huge.git", noise(3<<20))
	b.open()
	const want = "The repository is larger than the 1 MiB that a session's files may take."
	if status := b.fails(b.url("huge.git")); status.Reason != want {
		t.Errorf("The launch ended with %q\n%s", status.Reason, status.Log)
	}
}

func TestAnEmptyRepositoryStarts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.git("init", "--quiet", "--bare", "--initial-branch=main", filepath.Join(b.folder, "empty.git"))
	b.open()
	for range 2 { // copied, then brought up to date
		spec := b.running(b.url("empty.git"))
		b.wants("the folder", b.cell(spec.ID, `import os; print(os.listdir("empty"))`), "['.git']")
	}
}

func TestARepositoryThatIsGoneHasAClearEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.open()
	status := b.fails(b.url("absent.git"))
	if !strings.HasPrefix(status.Reason, "The repository couldn't be copied: ") {
		t.Errorf("The launch ended with %q", status.Reason)
	}
	b.running(b.url("working.git"))
	if err := os.Rename(filepath.Join(b.folder, "working.git"), filepath.Join(b.folder, "away.git")); err != nil {
		t.Fatal(err)
	}
	if status := b.fails(b.url("working.git")); !strings.HasPrefix(status.Reason, "The repository couldn't be copied: ") {
		t.Errorf("A kept copy of a repository that is gone was used: %q", status.Reason)
	}
}

// Look-alikes of options, commands and paths in the names of files are names.
func TestNamesInRepositoriesAreData(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	names := []string{"--help", "-rf", "$(touch pwned)", "`id`", ";id", "a\nb", "\x1b[2J", "ünï ☃", strings.Repeat("x", 200)}
	b.repository("names.git", func(folder string) {
		for _, name := range names {
			writeFile(t, filepath.Join(folder, name), "text")
		}
	})
	b.open()
	spec := b.running(b.url("names.git"))
	b.wants("the names", b.cell(spec.ID, `import os; print(len(os.listdir("names")), os.path.exists("pwned"))`), itoa(len(names)+2)+" False")
	var archive bytes.Buffer
	if err := b.engine.Archive(t.Context(), spec.ID, &archive); err != nil {
		t.Error(err)
	}
}

// The address, and where it redirects to, must be public.
func TestGitReachesNoPrivateAddress_CVE_2026_104636(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	private := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	t.Cleanup(private.Close)
	strict := newBench(t, func(options *localjupyter.Options) { options.Web = safehttp.New(safehttp.Options{AllowHTTP: true}) })
	strict.open()
	const want = "The repository couldn't be copied: its host can't be reached on the public internet."
	if status := strict.fails(engine.Repository{URL: private.URL + "/x.git", Folder: "x"}); status.Reason != want {
		t.Errorf("The launch ended with %q", status.Reason)
	}
	b := newBench(t)
	b.open()
	redirect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://[::1]"+private.URL[strings.LastIndex(private.URL, ":"):]+r.URL.RequestURI(), http.StatusFound)
	}))
	t.Cleanup(redirect.Close)
	if status := b.fails(engine.Repository{URL: redirect.URL + "/x.git", Folder: "x"}); status.Reason != want {
		t.Errorf("The launch ended with %q", status.Reason)
	}
	if len(asked) != 0 {
		t.Errorf("The private server was asked for %s", <-asked)
	}
}

// The disk of the data is a small one in memory; only here is it full.
func TestAFullDiskHasAClearEnd(t *testing.T) {
	t.Parallel()
	disk := filepath.Join(openFolder(t), "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command("/usr/bin/mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Fatalf("mount: %v %s", err, output)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	b := newBench(t, func(options *localjupyter.Options) {
		options.Dir = filepath.Join(disk, "sessions")
		// The reserve is checked every second. A look while the disk is full would have sessions wait, and only who uses the
		// engine starts those again.
		options.Statfs = func(string, *unix.Statfs_t) error { return unix.ENOSYS }
	})
	b.repository("large.git", noise(3<<20))
	b.open()
	const want = "This server's disk is full, so the session couldn't be started. Tell the operators."
	if status := b.fails(b.url("large.git")); status.Reason != want {
		t.Errorf("The launch ended with %q\n%s", status.Reason, status.Log)
	}
	fill, err := os.Create(filepath.Join(disk, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	for part := make([]byte, 4096); err == nil; {
		_, err = fill.Write(part)
	}
	err = b.engine.Start(t.Context(), b.spec(b.url("working.git")))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(fault.MessageOf(err), "server's disk is full") {
		t.Errorf("Start on a full disk: %v", err)
	}
	// A program that another test starts at this moment has the file open
	// until it runs, so removing the file alone may not free its space yet.
	if err := errors.Join(fill.Truncate(0), fill.Close(), os.Remove(fill.Name())); err != nil {
		t.Fatal(err)
	}
	b.stop(b.running(b.url("working.git")).ID)
}
