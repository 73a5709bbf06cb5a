package enginetest

import (
	"io/fs"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"cairn/internal/sessions/engine"
)

// Repositories are bare repositories in a folder, served over HTTP by git's own program.
type Repositories struct {
	testing.TB
	Folder string
	URL    string
	gate   chan struct{} // open: the server answers for slow.git

	// Release opens the gate.
	Release func()
	// Around wraps an answer of the server, when it is set.
	Around func(http.ResponseWriter) http.ResponseWriter
}

// ServeRepositories serves the repositories of a folder until the test ends; slow.git is not answered for before Release.
func ServeRepositories(t testing.TB, folder string) *Repositories {
	served := &Repositories{TB: t, Folder: folder, gate: make(chan struct{})}
	served.Release = sync.OnceFunc(func() { close(served.gate) })
	backend := &cgi.Handler{
		Path:   "/usr/lib/git-core/git-http-backend",
		Env:    []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + folder},
		Stderr: t.Output(), // it complains of repositories that are not there
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/slow.git") {
			select {
			case <-served.gate:
			case <-r.Context().Done():
				return
			}
		}
		if served.Around != nil {
			w = served.Around(w)
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	served.URL = server.URL
	return served
}

// Repository says where one lies, as sessions ask for it.
func (r *Repositories) Repository(name string) engine.Repository {
	return engine.Repository{URL: r.URL + "/" + name, Folder: strings.TrimSuffix(name, ".git")}
}

// Write writes a file below the folder and returns its path.
func (r *Repositories) Write(name, text string) string {
	r.Helper()
	path := filepath.Join(r.Folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
	return path
}

// made holds the repositories that Make made without a fill, by name: copying one takes less than running git.
var made sync.Map

// Make creates a bare repository with a README.md and what fill puts beside it. The tree that it is made from stays at the
// name with ".tree".
func (r *Repositories) Make(name string, fill func(folder string)) string {
	r.Helper()
	_ = os.RemoveAll(filepath.Join(r.Folder, name))
	tree, bare := filepath.Join(r.Folder, name+".tree"), filepath.Join(r.Folder, name)
	if known, found := made.Load(name); found && fill == nil {
		files, _ := known.(fstest.MapFS)
		if err := os.CopyFS(r.Folder, files); err != nil {
			r.Fatal(err)
		}
		return bare
	}
	r.Write(name+".tree/README.md", "# "+name+"\n")
	if fill != nil {
		fill(tree)
	}
	r.Git("init", "--quiet", "--template=", "--initial-branch=main", tree)
	r.Git("-C", tree, "add", "--all")
	r.Git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--allow-empty", "-m", "First")
	r.Git("clone", "--quiet", "--template=", "--bare", tree, bare)
	if fill == nil {
		made.Store(name, r.read(name, name+".tree"))
	}
	return bare
}

// read reads whole folders.
func (r *Repositories) read(names ...string) fstest.MapFS {
	r.Helper()
	files, from := fstest.MapFS{}, os.DirFS(r.Folder)
	for _, name := range names {
		if err := fs.WalkDir(from, name, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				files[path] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
				return err
			}
			content, err := fs.ReadFile(from, path)
			files[path] = &fstest.MapFile{Data: content, Mode: 0o644}
			return err
		}); err != nil {
			r.Fatal(err)
		}
	}
	return files
}

// Git runs git.
func (r *Repositories) Git(arguments ...string) {
	r.Helper()
	command := exec.Command("/usr/bin/git", arguments...)
	command.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + r.Folder, "GIT_CONFIG_NOSYSTEM=1"}
	if output, err := command.CombinedOutput(); err != nil {
		r.Fatalf("git %v: %v\n%s", arguments, err, output)
	}
}
