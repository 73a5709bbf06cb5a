package localjupyter_test

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/machine/sandbox"
)

const indexPassword = "S3cretPw"

// index is a package index on this machine's loopback that wants a password.
type index struct {
	*httptest.Server

	folder string

	mu   sync.Mutex
	sent map[string]int // files
}

func serveIndex(t testing.TB, folder string) *index {
	t.Helper()
	served := &index{folder: folder, sent: map[string]int{}}
	served.Server = httptest.NewServer(served)
	t.Cleanup(served.Close)
	return served
}

// address holds the password, as operators configure it.
func (i *index) address() string {
	return strings.Replace(i.URL, "http://", "http://svc:"+url.QueryEscape(indexPassword)+"@", 1) + "/simple"
}

func (i *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := r.BasicAuth(); password != indexPassword {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if name, isFile := strings.CutPrefix(r.URL.Path, "/files/"); isFile {
		i.mu.Lock()
		i.sent[name]++
		i.mu.Unlock()
		http.ServeFileFS(w, r, os.DirFS(i.folder), name)
		return
	}
	found, _ := filepath.Glob(filepath.Join(i.folder, filepath.Base(r.URL.Path)+"-*"))
	if len(found) == 0 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	for _, file := range found {
		content, _ := os.ReadFile(file)
		fmt.Fprintf(w, "<a href=\"/files/%s#sha256=%x\">x</a>\n", filepath.Base(file), sha256.Sum256(content))
	}
}

func (i *index) sentTimes(name string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.sent[name]
}

// probe adds a package to a folder whose code, when it is built, dials what it must not reach and looks for the password;
// what it found is its description.
func probe(t testing.TB, folder string, addresses []string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "cairnprobe-1.0")
	if err := os.Mkdir(source, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, source+"/setup.py", fmt.Sprintf(`
import glob, os, socket
from setuptools import setup
found = []
for address in %q.split():
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
        found.append(address + " REACHED")
    except OSError:
        found.append(address + " refused")
secret = "S3cret" + "Pw"
texts = {"environment": str(os.environ)}
for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/tmp/**", recursive=True) + glob.glob(os.environ["HOME"] + "/*"):
    try:
        texts[name] = open(name, errors="replace").read()
    except OSError:
        pass
found += [name + " HOLDS the password" for name, text in texts.items() if secret in text]
if [name for _, name in socket.if_nameindex()] != ["lo"]:
    found.append("SEES a network of others")
setup(name="cairnprobe", version="1.0", py_modules=[], description="; ".join(found + [os.urandom(8).hex()]))
`, strings.Join(addresses, " ")))
	tarGz(t, filepath.Dir(source), folder+"/cairnprobe-1.0.tar.gz")
}

// forbidden are the addresses of a service on this machine, and of a provider's metadata.
func forbidden(t testing.TB) []string {
	t.Helper()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	found := []string{"127.0.0.1:" + port, "169.254.169.254:80"}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if one, ok := address.(*net.IPNet); ok && one.IP.To4() != nil && !one.IP.IsLoopback() {
			found = append(found, net.JoinHostPort(one.IP.String(), port))
		}
	}
	return found
}

// local is a repository that asks for packages and needs no network itself.
func (b *bench) local(name, requirements string) engine.Repository {
	b.Helper()
	b.repository(name, func(folder string) { writeFile(b, folder+"/requirements.txt", requirements) })
	return b.localRepository(name)
}

// builtWithoutANetwork starts a session with the probe, and returns what that found, in all environments.
func (b *bench) builtWithoutANetwork(repository engine.Repository, addresses []string) []string {
	b.Helper()
	log := b.await(b.running(repository).ID, engine.Running).Log
	if !strings.Contains(log, "Downloading cairnprobe-1.0.tar.gz") || strings.Contains(log, sandbox.Loopback) {
		b.Errorf("The log tells of the guard: %s", log)
	}
	files, _ := filepath.Glob(filepath.Join(b.options.Dir, "cache/environments/*/venv/lib/python3*/site-packages/cairnprobe-1.0*-info/METADATA"))
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		_, summary, _ := strings.Cut(string(text), "Summary: ")
		summary, _, _ = strings.Cut(summary, "\n")
		if strings.Count(summary, "refused") != len(addresses) || strings.Contains(summary, "REACHED") || strings.Contains(summary, "HOLDS") || strings.Contains(summary, "SEES") {
			b.Errorf("The code of a package got through: %s", summary)
		}
		found = append(found, summary)
	}
	return found
}

// TestPackagesAreBuiltWithoutANetwork builds a hostile package from an index in a private network.
func TestPackagesAreBuiltWithoutANetwork(t *testing.T) {
	t.Parallel()
	for _, network := range []sandbox.Network{sandbox.Internet, sandbox.None} {
		t.Run(string(network), func(t *testing.T) {
			t.Parallel()
			folder, addresses := wheels(t), forbidden(t)
			probe(t, folder, addresses)
			served := serveIndex(t, folder)
			b := newBench(t, func(options *localjupyter.Options) {
				options.Pip.IndexURL, options.Network, options.Web = served.address(), network, strictWeb()
			})
			b.open()
			if found := b.builtWithoutANetwork(b.local("one.git", "cairnprobe"), addresses); len(found) != 1 {
				t.Errorf("%d environments", len(found))
			}
			if network == sandbox.None {
				return
			}
			// What was downloaded is shared, and what was built isn't.
			found := b.builtWithoutANetwork(b.local("two.git", "cairnprobe\ncairndemo"), addresses)
			if sent := served.sentTimes("cairnprobe-1.0.tar.gz"); len(found) != 2 || found[0] == found[1] || sent != 1 {
				t.Errorf("%d environments, of the index it was asked %d times: %q", len(found), sent, found)
			}
		})
	}
}

// Whether the network failed or the package decides what can be done about it.
func TestAnIndexThatCannotBeReachedFailsTheLaunchAsSuch(t *testing.T) {
	t.Parallel()
	served := serveIndex(t, wheels(t))
	b := newBench(t, func(options *localjupyter.Options) {
		options.Pip.IndexURL, options.Web = served.address(), strictWeb()
	})
	b.open()
	status := b.await(b.running(b.local("known.git", "cairnunknown\ncairnextra==3")).ID, engine.Running)
	if left := status.LeftOut; len(left) != 2 || left[0].Why != "The package index doesn't have it." || !strings.HasPrefix(left[1].Why, "The package index has no version that fits, for Python 3.") {
		t.Errorf("Left out: %+v", left)
	}
	served.Close()
	spec := b.spec(b.local("unknown.git", "cairndemo\nnumpy"))
	b.start(spec)
	if status := b.awaitFailed(spec.ID); !strings.HasPrefix(status.Reason, "The package index can't be reached") || status.Code != diagnosis.IndexUnreachable || strings.Contains(status.Log, indexPassword) {
		t.Errorf("It ended with %q and the log %s", status.Reason, status.Log)
	}
}

// An address that can't be read may hold a password.
func TestAnAddressOfAnIndexThatCannotBeReadIsNotShown(t *testing.T) {
	t.Parallel()
	_, err := localjupyter.New(localjupyter.Options{
		Dir: filepath.Join(t.TempDir(), "sessions"), Web: strictWeb(), Pip: localjupyter.Pip{IndexURL: "https://svc:" + indexPassword + "@\x7f"},
	})
	if err == nil || strings.Contains(err.Error()+fault.MessageOf(err), indexPassword) {
		t.Errorf("It is taken, or shown: %v", err)
	}
}
