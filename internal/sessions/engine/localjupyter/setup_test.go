package localjupyter_test

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
)

// bench is an engine's data, the repositories and datasets around it, and the engine that is open on it.
type bench struct {
	testing.TB
	options localjupyter.Options
	engine  *localjupyter.Engine
	folder  string // of repositories and datasets

	repositories *enginetest.Repositories
	kernels      map[string]*enginetest.Kernel // by session
	throttle     int                           // bytes a second that the server sends; 0: as many as it can
}

// newBench is the bench of the tests of the full run: with -short, representativeBench has to do.
func newBench(t testing.TB, change ...func(*localjupyter.Options)) *bench {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs sessions, of which TestLevelHere is enough here")
	}
	return representativeBench(t, change...)
}

// representativeBench puts the data below a folder that only its owner may enter, as /root is.
func representativeBench(t testing.TB, change ...func(*localjupyter.Options)) *bench {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"closed", "public"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{TB: t, folder: filepath.Join(folder, "public"), kernels: map[string]*enginetest.Kernel{}}
	b.repositories = enginetest.ServeRepositories(t, b.folder)
	b.repositories.Around = func(w http.ResponseWriter) http.ResponseWriter {
		if b.throttle == 0 {
			return w
		}
		return &slowWriter{ResponseWriter: w, rate: b.throttle, clock: time.NewTicker(100 * time.Millisecond)}
	}
	b.options = localjupyter.Options{
		Dir: filepath.Join(folder, "closed", "sessions"), Jupyter: jupyter, FrameAncestors: "http://localhost:8080", Web: localWeb(nil),
	}
	for _, change := range change {
		change(&b.options)
	}
	b.repository("working.git", nil)
	b.repository("slow.git", nil)
	b.write("spikes/values.csv", "1,2,3\n")
	t.Cleanup(b.finish)
	return b
}

func (b *bench) open() *localjupyter.Engine {
	b.Helper()
	if b.engine != nil {
		b.engine.Abandon()
	}
	opened, err := localjupyter.New(b.options)
	if err != nil {
		b.Fatal(err)
	}
	b.engine = opened
	return opened
}

// finish removes everything and makes sure that no process is left.
func (b *bench) finish() {
	b.repositories.Release()
	if b.engine == nil {
		return
	}
	_ = b.engine.Close()
	opened, err := localjupyter.New(b.options)
	if err != nil {
		b.Fatal(err)
	}
	all, _ := opened.List(context.Background())
	for _, status := range all {
		if err := opened.Remove(context.Background(), status.ID); err != nil {
			b.Error(err)
		}
	}
	for _, status := range all {
		b.nothingLeft(status.ID)
	}
	if err := opened.Close(); err != nil {
		b.Error(err)
	}
	if left, _ := filepath.Glob("/sys/fs/cgroup/*/" + filepath.Base(opened.RuntimeDir()) + "-*"); len(left) != 0 {
		b.Errorf("Control groups are left: %v", left)
	}
	if left, err := os.ReadDir(opened.RuntimeDir()); err == nil {
		b.Errorf("Sockets are left: %v", left)
	}
}

// nothingLeft looks for living processes whose environment or command line names the session.
func (b *bench) nothingLeft(id string) {
	b.Helper()
	for _, pid := range processesNaming(id) {
		if pid != os.Getpid() {
			b.Errorf("process %d of session %s is left", pid, id)
		}
	}
}

func processesNaming(text string) []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		environment, _ := os.ReadFile("/proc/" + entry.Name() + "/environ")
		command, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if strings.Contains(string(environment)+string(command), text) {
			found = append(found, pid)
		}
	}
	return found
}

func (b *bench) write(name, text string) string { return b.repositories.Write(name, text) }

func (b *bench) repository(name string, fill func(folder string)) string {
	return b.repositories.Make(name, fill)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) git(arguments ...string) { b.repositories.Git(arguments...) }

func (b *bench) url(name string) engine.Repository { return b.repositories.Repository(name) }

func (b *bench) spec(repository engine.Repository) engine.Spec {
	return engine.Spec{
		ID: uuid.Must(uuid.NewV7()).String(), Owner: "ann@example.org", Repository: repository,
		Datasets: []engine.Dataset{b.dataset()},
	}
}

func (b *bench) dataset() engine.Dataset {
	return engine.Dataset{Name: "Spikes", Folder: "spikes", Path: filepath.Join(b.folder, "spikes")}
}

func (b *bench) start(spec engine.Spec) {
	b.Helper()
	if err := b.engine.Start(b.Context(), spec); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) running(repository engine.Repository) engine.Spec {
	b.Helper()
	spec := b.spec(repository)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	return spec
}

func (b *bench) await(id string, phase engine.Phase) engine.Status {
	b.Helper()
	late := time.After(8 * time.Minute)
	for {
		status, err := b.engine.Status(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		if status.Phase == phase {
			return status
		}
		if status.Phase == engine.Failed {
			b.Fatalf("The session failed: %s\n%s", status.Reason, status.Log)
		}
		select {
		case <-b.engine.Changed():
		case <-late:
			b.Fatalf("The session is not %s: %+v", phase, status)
		}
	}
}

func (b *bench) stop(id string) {
	b.Helper()
	if err := b.engine.Stop(b.Context(), id); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) work(id, name string) string { return filepath.Join(b.engine.Dir(), id, "work", name) }

// awaitFailed waits for a launch or a session to fail.
func (b *bench) awaitFailed(id string) engine.Status {
	b.Helper()
	return b.awaitThat(id, func(status engine.Status) bool { return status.Phase == engine.Failed })
}

func (b *bench) awaitThat(id string, holds func(engine.Status) bool) engine.Status {
	b.Helper()
	late := time.After(8 * time.Minute)
	for {
		status, err := b.engine.Status(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		if holds(status) {
			return status
		}
		select {
		case <-b.engine.Changed():
		case <-late:
			b.Fatalf("What is waited for does not come: %+v", status)
		}
	}
}

// clock is moved by the test.
type clock struct {
	mu    sync.Mutex
	moved time.Duration
}

func newClock() *clock { return &clock{} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.moved)
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved += by
}

// slowWriter sends at most so many bytes a second.
type slowWriter struct {
	http.ResponseWriter

	rate  int
	clock *time.Ticker
}

func (w *slowWriter) Write(content []byte) (int, error) {
	written := 0
	for len(content) > 0 {
		<-w.clock.C
		part := content[:min(len(content), w.rate/10)]
		count, err := w.ResponseWriter.Write(part)
		written += count
		if err != nil {
			return written, err
		}
		_ = http.NewResponseController(w.ResponseWriter).Flush()
		content = content[len(part):]
	}
	return written, nil
}

// noise fills a repository with an incompressible file.
func noise(length int) func(folder string) {
	return func(folder string) {
		content := make([]byte, length)
		_, _ = rand.Read(content)
		_ = os.WriteFile(folder+"/noise.bin", content, 0o644)
	}
}

// tarGz packs the content of a folder.
func tarGz(t testing.TB, folder, to string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"-C", folder, "-czf", to, "--"}
	for _, entry := range entries {
		arguments = append(arguments, entry.Name())
	}
	if output, err := exec.Command("/usr/bin/tar", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v %s", err, output)
	}
}

// localWeb reaches this machine, where the servers of the tests are.
func localWeb(certificates *x509.CertPool) *safehttp.Client {
	return safehttp.New(safehttp.Options{
		Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, AllowHTTP: true, RootCAs: certificates,
	})
}

// strictWeb reaches public addresses alone, as in earnest.
func strictWeb() *safehttp.Client { return safehttp.New(safehttp.Options{}) }

func serve(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}
