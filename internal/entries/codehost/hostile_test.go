package codehost_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/hosttest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
)

// Two links that lead to each other end in a sentence.
func TestGitLabLinkLoop(t *testing.T) {
	stand := hosttest.StartGitLab(t, []hosttest.Repository{{Name: "owner/name", Files: map[string]string{"x.txt": "x"}, Links: map[string]string{"a": "b", "b": "a"}}})
	var ahead atomic.Int64 // which ends the loop, because what is known is too old
	defer ahead.Store(int64(30 * 24 * time.Hour))
	host := codehost.NewGitLab(stand.Options(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := host.List(ctx, codehost.Repository{Host: "gitlab.com", Owner: "owner", Name: "name"}, "a")
		done <- err
	}()
	select {
	case err := <-done:
		t.Log(err)
	case <-time.After(4 * time.Second):
		t.Error("still listing 3 s after the context ended")
	}
}

func page403(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, "<html><title>Just a moment...</title></html>")
	return true
}

// A page of a proxy that wants to know whether somebody looks at it says nothing about the repository, whatever its status.
func TestChallengeIsNotAbsence(t *testing.T) {
	for _, kind := range []string{"gitlab", "gitea", "git"} {
		t.Run(kind, func(t *testing.T) {
			now := time.Now()
			repositories := []hosttest.Repository{{Name: "owner/name", Files: map[string]string{"x.txt": "x"}}}
			var host codehost.Host
			var stand *hosttest.StandIn
			switch kind {
			case "gitlab":
				stand = hosttest.StartGitLab(t, repositories)
				host = codehost.NewGitLab(stand.Options(t, func() time.Time { return now }))
			case "gitea":
				stand = hosttest.StartGitea(t, repositories)
				host = codehost.NewGitea(stand.Options(t, func() time.Time { return now }))
			default:
				w := newGitWorld(t, 1<<30, nil, repositories...)
				stand, host = w.stand, w
				defer func() { now = w.now }()
				if _, err := host.List(t.Context(), at("name"), ""); err != nil {
					t.Fatal(err)
				}
				w.now = w.now.Add(10 * time.Minute)
				stand.Disturb(page403)
				if listing, err := host.List(t.Context(), at("name"), ""); err != nil || !listing.Stale {
					t.Errorf("%v %v", listing, err)
				}
				return
			}
			if _, err := host.List(t.Context(), at("name"), ""); err != nil {
				t.Fatal(err)
			}
			now = now.Add(10 * time.Minute)
			stand.Disturb(page403)
			if listing, err := host.List(t.Context(), at("name"), ""); err != nil || !listing.Stale {
				t.Errorf("%v %v", listing, err)
			}
		})
	}
}

// Servers that keep Git LFS in object storage redirect there. The file is said to be in Git LFS, as anywhere else.
func TestLFSInObjectStorage(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	stand := hosttest.StartGitLab(t, []hosttest.Repository{{Name: "owner/name", Files: map[string]string{"big.bin": pointer}}})
	host := codehost.NewHosts(map[string]codehost.Host{"git.example.org": codehost.NewGitLab(stand.Options(t, time.Now))}, nil)
	stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("lfs") != "true" {
			return false
		}
		http.Redirect(w, r, strings.Replace(stand.URL, "127.0.0.1", "localhost", 1)+"/bucket/x", http.StatusFound)
		return true
	})
	if _, err := host.File(t.Context(), at("name"), "big.bin", 1<<20); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// A page for people isn't taken for a raw file.
func TestSignInPageIsNoFile(t *testing.T) {
	stand := hosttest.StartGitea(t, []hosttest.Repository{{Name: "owner/name", Files: map[string]string{"cairn.yml": "x"}}})
	host := codehost.NewGitea(stand.Options(t, time.Now))
	stand.Disturb(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.Contains(r.URL.Path, "/raw/"):
			http.Redirect(w, r, "/user/login", http.StatusSeeOther)
		case r.URL.Path == "/user/login":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>Sign in</html>")
		default:
			return false
		}
		return true
	})
	if file, err := host.Fresh(t.Context(), at("name"), []string{"cairn.yml"}, 1<<20); err == nil {
		t.Errorf("got %q", file.Content)
	}
}

// Older servers of GitLab don't tell strangers the visibility: what they see is public.
func TestGitLabWithoutVisibility(t *testing.T) {
	stand := hosttest.StartGitLab(t, nil)
	host := codehost.NewGitLab(stand.Options(t, time.Now))
	stand.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = io.WriteString(w, `{"id":5,"path_with_namespace":"owner/name","default_branch":"main","description":"","topics":[]}`)
		return true
	})
	if _, err := host.About(t.Context(), at("name")); err != nil {
		t.Error(err)
	}
}

// Names of owners, repositories and branches may be those of a host's pages.
func TestEditPagesOfOddNames(t *testing.T) {
	hosts := codehost.NewHosts(map[string]codehost.Host{
		"github.com": codehost.NewGitHub(codehost.Options{}), "codeberg.org": codehost.NewGitea(codehost.Options{}), "bitbucket.org": codehost.NewGit(codehost.GitOptions{URL: codehost.PublicBitbucket, FilesURL: "/src"}),
	}, nil)
	for _, one := range []struct{ host, owner, name, branch, want string }{
		{"github.com", "o", "blob", "main", "https://github.com/o/blob/edit/main/f"},
		{"github.com", "blob", "n", "main", "https://github.com/blob/n/edit/main/f"},
		{"github.com", "o", "n", "x/src/branch/y", "https://github.com/o/n/edit/x/src/branch/y/f"},
		{"codeberg.org", "o", "src", "main", "https://codeberg.org/o/src/_edit/main/f"},
		{"codeberg.org", "src", "branch", "main", "https://codeberg.org/src/branch/_edit/main/f"},
		{"bitbucket.org", "o", "blob", "main", "https://bitbucket.org/o/blob/src/main/f?mode=edit"},
	} {
		if got := hosts.EditPage(codehost.Repository{Host: one.host, Owner: one.owner, Name: one.name}, one.branch, "f", false); got != one.want {
			t.Errorf("%+v: %s", one, got)
		}
	}
}

// Other spellings of a host are the same host, and private names and odd ports aren't read.
func TestHostSpellings(t *testing.T) {
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.NewGitHub(codehost.Options{Name: "GitHub"})}, codehost.NewGit(codehost.GitOptions{}))
	for _, address := range []string{"https://github.com:/o/n", "https://github.com./o/n", "http://github.com:443/o/n", "https://github.com:80/o/n"} {
		if repository, err := codehost.Parse(address); err == nil && hosts.Knows(repository) && hosts.Name(repository) != "GitHub" {
			t.Errorf("%s is read by git as %q, key %s", address, repository.Host, repository.Key())
		}
	}
	for _, address := range []string{"https://example.org:22/o/n", "https://example.org:25/o/n", "https://example.org:0/o/n", "https://example.org:99999/o/n", "https://8.8.8.8./o/n", "https://localhost./o/n", "https://a.localhost./o/n", "https://127.1/o/n", "https://db.internal/o/n", "https://x.local/o/n", "https://a..b/o/n"} {
		if repository, err := codehost.Parse(address); err == nil && hosts.Knows(repository) {
			t.Errorf("%s is read by git", address)
		}
	}
}

// size returns how many bytes a folder takes.
func sizeOf(folder string) (size int64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// What fetches that fail leave behind is deleted.
func TestFailedFetchesLeaveNothing(t *testing.T) {
	noise, err := os.ReadFile("/usr/bin/git")
	if err != nil {
		t.Fatal(err)
	}
	noise = noise[:min(len(noise), 3_000_000)]
	var repositories []hosttest.Repository
	for i := range 4 {
		repositories = append(repositories, hosttest.Repository{Name: fmt.Sprintf("owner/n%d", i), Files: map[string]string{"a.bin": string(noise)}})
	}
	w := newGitWorld(t, 400_000, func(options *codehost.GitOptions) { options.Git.Limit = 900_000 }, repositories...)
	for i := range repositories {
		if _, err := w.List(t.Context(), at(fmt.Sprintf("n%d", i)), ""); err == nil {
			t.Fatal("it was read")
		} else {
			t.Log(err)
		}
		t.Logf("after %d: %d bytes of at most 400000", i+1, sizeOf(w.folder))
	}
	if size := sizeOf(w.folder); size > 1_500_000 {
		t.Errorf("%d bytes are kept, and the limit is 400000", size)
	}
}

// Hosts that don't answer leave nothing behind.
func TestSilentHostsLeaveNothing(t *testing.T) {
	w := newGitWorld(t, 1<<30, nil)
	w.stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool { answer.WriteHeader(500); return true })
	for i := range 20 {
		_, _ = w.About(t.Context(), at(fmt.Sprintf("n%d", i)))
	}
	if entries, _ := os.ReadDir(w.folder); len(entries) > 0 {
		t.Errorf("%d folders of repositories that were never read", len(entries))
	}
}

// advertise has the stand-in say that main is at a commit.
func advertise(stand *hosttest.StandIn, commit string) {
	packet := func(line string) string { return fmt.Sprintf("%04x%s", len(line)+4, line) }
	stand.Disturb(func(answer http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/info/refs") {
			answer.WriteHeader(http.StatusInternalServerError)
			return true
		}
		answer.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = io.WriteString(answer, packet("# service=git-upload-pack\n")+"0000"+packet(commit+" HEAD\x00symref=HEAD:refs/heads/main\n")+packet(commit+" refs/heads/main\n")+"0000")
		return true
	})
}

// If the data folder is in a working tree, a host that names one of its commits can't have its files shown.
func TestEnclosingRepository(t *testing.T) {
	outer := t.TempDir()
	git := func(arguments ...string) string {
		command := exec.CommandContext(t.Context(), "/usr/bin/git", append([]string{"-C", outer, "-c", "user.name=x", "-c", "user.email=x@example.org"}, arguments...)...)
		said, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, said)
		}
		return strings.TrimSpace(string(said))
	}
	git("init", "--quiet")
	if err := os.WriteFile(filepath.Join(outer, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("add", "secret.txt")
	git("commit", "--quiet", "-m", "x")
	commit := git("rev-parse", "HEAD")
	stand := hosttest.StartGit(t, nil)
	clones, err := codehost.OpenClones(filepath.Join(outer, "data", "clones"), 1<<30, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	host := newGitWorldAt(stand, clones)
	advertise(stand, commit)
	if file, err := host.File(t.Context(), at("name"), "secret.txt", 100); err == nil {
		t.Errorf("it shows %q", file.Content)
	} else {
		t.Log(err)
	}
}

func newGitWorldAt(stand *hosttest.StandIn, clones *codehost.Clones) *codehost.Git {
	return codehost.NewGit(codehost.GitOptions{
		URL: stand.URL, Clones: clones, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Git: gitclient.Options{Web: hosttest.Client()},
	})
}

// An operator's token may read code that the public can't: of a public project with hidden code, or of an owner whom only people see who have
// signed in there.
func TestHiddenCodeOfPublicProjectsIsAbsent(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"gitlab": `{"id": 5, "path_with_namespace": "owner/name", "visibility": "public", "default_branch": "main", "repository_access_level": "private"}`,
		"gitea":  `{"id": 5, "full_name": "owner/name", "private": false, "internal": false, "default_branch": "main", "owner": {"visibility": "limited"}}`,
	} {
		stand := hosttest.StartGitea(t, nil)
		stand.Disturb(func(answer http.ResponseWriter, _ *http.Request) bool {
			_, _ = answer.Write([]byte(said))
			return true
		})
		options := stand.Options(t, time.Now)
		options.Token = "secret"
		host := map[string]codehost.Host{"gitlab": codehost.NewGitLab(options), "gitea": codehost.NewGitea(options)}[name]
		if about, err := host.About(t.Context(), at("name")); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: %+v %v", name, about, err)
		}
		if len(stand.Paths()) != 1 {
			t.Errorf("%s: more was asked", name)
		}
	}
}
