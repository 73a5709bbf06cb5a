package hosttest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// StartGit serves real repositories over HTTP with git's own server.
func StartGit(t *testing.T, repositories []Repository) *StandIn {
	t.Helper()
	folder := t.TempDir()
	served := filepath.Join(folder, "served")
	backend := &cgi.Handler{
		Path: "/usr/lib/git-core/git-http-backend", Env: []string{"GIT_PROJECT_ROOT=" + served, "GIT_HTTP_EXPORT_ALL=1", "HOME=" + folder}, Stderr: io.Discard,
		InheritEnv: []string{"PATH"},
	}
	s := start(t, repositories, func(s *StandIn, w http.ResponseWriter, r *http.Request) {
		parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 3)
		if len(parts) == 3 {
			s.mu.Lock()
			asks, isRefused := s.person(r)
			found, renamed := s.find(parts[0]+"/"+strings.TrimSuffix(parts[1], ".git"), asks)
			s.mu.Unlock()
			if found == nil || isRefused { // as usual, it isn't said whether there is a private one
				w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
				http.Error(w, "Authentication required", http.StatusUnauthorized)
				return
			}
			if renamed {
				http.Redirect(w, r, "/"+found.Name+"/"+parts[2]+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
				return
			}
		}
		backend.ServeHTTP(w, r)
	})
	s.changed = func(one *Repository) {
		makeRepository(t, folder, filepath.Join(served, filepath.FromSlash(one.Name)), one)
	}
	for _, one := range s.repositories {
		s.changed(one)
	}
	return s
}

// makeRepository makes a repository with a commit on each branch, or has the branches of one begin anew.
func makeRepository(t *testing.T, home, bare string, of *Repository) {
	t.Helper()
	git := func(folder, input string, arguments ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "/usr/bin/git", append([]string{"-C", folder}, arguments...)...)
		command.Env = []string{
			"PATH=/usr/bin:/bin", "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
			"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
		}
		command.Stdin = strings.NewReader(input)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v %s", arguments, err, output)
		}
	}
	if err := os.MkdirAll(bare, 0o755); err != nil {
		t.Fatal(err)
	}
	git(bare, "", "init", "--quiet", "--bare", "--template=", "--initial-branch="+of.Default)
	git(bare, "", "config", "uploadpack.allowFilter", "true")
	var history strings.Builder
	for _, name := range branches(of) {
		fmt.Fprintf(&history, "commit refs/heads/%s\ncommitter Ann <ann@example.org> 1767225600 +0000\ndata 8\nA commit\n", name)
		for path, content := range of.Branch(name) {
			switch {
			case slices.Contains(of.Modules, path):
				fmt.Fprintf(&history, "M 160000 1111111111111111111111111111111111111111 %s\n", path)
				continue
			case of.Links[path] != "":
				fmt.Fprintf(&history, "M 120000 inline %s\n", path)
			default:
				fmt.Fprintf(&history, "M 100644 inline %s\n", path)
			}
			fmt.Fprintf(&history, "data %d\n%s\n", len(content), content)
		}
	}
	git(bare, history.String(), "fast-import", "--quiet", "--force")
	for _, name := range of.Tags {
		git(bare, "", "tag", "--force", name, branches(of)[0])
	}
}
