package handouts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/workshops/handouts"
)

// repository is a real repository, with a bare copy that others read: from this machine, or over HTTP, where hosts differ in what they
// give.
type repository struct {
	*testing.T

	tree, bare string
	url        string
	temporary  string // where the package makes its folders
	options    gitclient.Options
}

func newRepository(t *testing.T, format string) *repository {
	t.Helper()
	folder := t.TempDir()
	r := &repository{T: t, tree: filepath.Join(folder, "tree"), bare: filepath.Join(folder, "served", "course.git"), temporary: t.TempDir()}
	r.git("init", "--quiet", "--template=", "--initial-branch=main", "--object-format="+format, r.tree)
	r.git("init", "--quiet", "--template=", "--bare", "--initial-branch=main", "--object-format="+format, r.bare)
	backend := &cgi.Handler{
		Path: "/usr/lib/git-core/git-http-backend", Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(r.bare), "GIT_HTTP_EXPORT_ALL=1", "HOME=" + folder}, Stderr: io.Discard,
	}
	mux := http.NewServeMux()
	mux.Handle("/new/", http.StripPrefix("/new", backend))
	mux.Handle("/old/", http.StripPrefix("/old", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Git-Protocol") // then it gives only commits that it advertises
		backend.ServeHTTP(w, r)
	})))
	mux.Handle("/dumb/", http.StripPrefix("/dumb", http.FileServer(http.Dir(filepath.Dir(r.bare)))))
	mux.HandleFunc("/private/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		http.Error(w, "no", http.StatusUnauthorized)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r.url = server.URL
	r.options = gitclient.Options{
		Web: safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}),
	}
	return r
}

func (r *repository) git(arguments ...string) string {
	r.Helper()
	command := exec.Command("/usr/bin/git", arguments...)
	command.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.org",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.org",
	}
	output, err := command.CombinedOutput()
	if err != nil {
		r.Fatalf("git %q: %v\n%s", arguments, err, output)
	}
	return strings.TrimSpace(string(output))
}

// commit commits a tree with what change does to it, and pushes it.
func (r *repository) commit(change func()) string {
	r.Helper()
	change()
	r.git("-C", r.tree, "add", "--all", "--force")
	r.git("-C", r.tree, "commit", "--quiet", "--allow-empty", "-m", "a change")
	r.push()
	return r.git("-C", r.tree, "rev-parse", "HEAD")
}

func (r *repository) push() {
	r.Helper()
	r.git("-C", r.tree, "push", "--quiet", "--force", "--all", r.bare)
	r.git("-C", r.tree, "push", "--quiet", "--force", "--tags", r.bare)
	r.git("-C", r.bare, "update-server-info")
}

func (r *repository) write(name, content string) {
	r.Helper()
	path := filepath.Join(r.tree, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		r.Fatal(err)
	}
}

// at returns the repository as sessions ask for it: "" is on this machine.
func (r *repository) at(way string) engine.Repository {
	found := engine.Repository{URL: r.url + "/" + way + "/course.git", Folder: "course"}
	if way == "" {
		found.URL, found.LocalPath = "https://example.org/git/course.git", r.bare
	}
	return found
}

// leavesNothing fails if the package has left something in its folder.
func (r *repository) leavesNothing() {
	r.Helper()
	if left, err := os.ReadDir(r.temporary); err != nil || len(left) > 0 {
		r.Errorf("left: %v, %v", left, err)
	}
}

var ways = []string{"", "new", "old", "dumb"}

func TestChangesBetweenCommits(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			if testing.Short() && format != "sha1" {
				t.Skip("it starts git often")
			}
			r := newRepository(t, format)
			from := r.commit(func() {
				for name, content := range map[string]string{
					"same.txt": "same", "changed.ipynb": "old", "a b/ü\t.txt": "x", "a b/演習.txt": "old", "binary": "\x00\xff", "deleted.txt": "x", "mode.sh": "x",
					"large-before.bin": string(bytes.Repeat([]byte("x"), handouts.FileLimit+1)), ".binder/environment.yml": "x", "crlf.txt": "a\r\n", "moved.txt": strings.Repeat("moved", 99),
					"pointer.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 5\n",
				} {
					r.write(name, content)
				}
				if err := errors.Join(os.Symlink("same.txt", filepath.Join(r.tree, "was-link")), os.Symlink("same.txt", filepath.Join(r.tree, "link"))); err != nil {
					t.Fatal(err)
				}
			})
			r.commit(func() { r.write("changed.ipynb", "between") })
			pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("b", 64) + "\nsize 5\n"
			to := r.commit(func() {
				for name, content := range map[string]string{
					"changed.ipynb": "new", "a b/演習.txt": "new", "binary": "\xff\x00", "new/one.txt": "", ".binder/environment.yml": "y", "a b/ü\t.txt": "y",
					"large-before.bin": "small", "crlf.txt": "a\r\nb\r\n", "pointer.bin": pointer, ".gitattributes": "*.txt text eol=lf\n*.bin filter=lfs\n",
				} {
					r.write(name, content)
				}
				if err := errors.Join(
					os.Remove(filepath.Join(r.tree, "deleted.txt")), os.Remove(filepath.Join(r.tree, "was-link")), os.Remove(filepath.Join(r.tree, "link")),
					os.Symlink("changed.ipynb", filepath.Join(r.tree, "link")), os.Chmod(filepath.Join(r.tree, "mode.sh"), 0o755),
					os.Rename(filepath.Join(r.tree, "moved.txt"), filepath.Join(r.tree, "moved there.txt")),
				); err != nil {
					t.Fatal(err)
				}
				r.write("was-link", "a file")
			})
			want := []handouts.File{
				file("course/a b/演習.txt", "new", "old"), file("course/binary", "\xff\x00", "\x00\xff"), file("course/changed.ipynb", "new", "old"),
				file("course/crlf.txt", r.git("-C", r.bare, "show", to+":crlf.txt")+"\n", "a\r\n"), file("course/large-before.bin", "small"), file("course/moved there.txt", strings.Repeat("moved", 99)),
				file("course/new/one.txt", ""), file("course/pointer.bin", pointer, "version https://git-lfs.github.com/spec/v1\noid sha256:"+strings.Repeat("a", 64)+"\nsize 5\n"),
				file("course/was-link", "a file"),
			}
			for _, way := range ways {
				if way == "dumb" && format == "sha256" {
					continue // a dumb host doesn't say which it has
				}
				t.Run("from "+way, func(t *testing.T) {
					changed, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at(way), from, to)
					if err != nil {
						t.Fatal(err)
					}
					if changed.Bundle.Label != "commit "+to[:7] {
						t.Errorf("label %q", changed.Bundle.Label)
					}
					checkFiles(t, changed.Bundle.Files, want, way == "old" || way == "dumb")
					same(t, changed.LeftOut, []string{"course/.binder/environment.yml", "course/.gitattributes", "course/a b/ü\t.txt", "course/link"})
					s := newSession(t, map[string]string{"course": folder, "course/changed.ipynb": "old", "course/binary": "mine"})
					if _, err := handouts.Deliver(t.Context(), s.target(), changed.Bundle); err != nil || s.files["course/changed.ipynb"] != "new" || s.files["course/binary"] != "mine" {
						t.Errorf("delivering: %v and %q", err, s.files)
					}
				})
			}
			same(t, namesOf(t, r, to, to), nil)
			r.leavesNothing()
		})
	}
}

// checkFiles compares files. From hosts that give all of a repository, the large content before is known too.
func checkFiles(t *testing.T, got, want []handouts.File, whole bool) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
	for i, one := range want {
		if got[i].Path != one.Path || !bytes.Equal(got[i].Content, one.Content) || !slices.Equal(got[i].Before, one.Before) {
			t.Errorf("got %q %.200q %q, want %q %.200q %q (whole: %v)", got[i].Path, got[i].Content, got[i].Before, one.Path, one.Content, one.Before, whole)
		}
	}
}

func namesOf(t *testing.T, r *repository, from, to string) (names []string) {
	t.Helper()
	changed, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at("new"), from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range changed.Bundle.Files {
		names = append(names, one.Path)
	}
	return names
}

// A commit that no branch has any more is still found where hosts give it. Otherwise the fault says so.
func TestCommitsThatBranchesLeft(t *testing.T) {
	r := newRepository(t, "sha1")
	first := r.commit(func() { r.write("a.txt", "1") })
	from := r.commit(func() { r.write("a.txt", "2") })
	r.git("-C", r.tree, "reset", "--quiet", "--hard", first)
	to := r.commit(func() { r.write("a.txt", "3") })
	for way, there := range map[string]bool{"": true, "new": true, "old": false} {
		changed, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at(way), from, to)
		if !there {
			if fault.CodeOf(err) != fault.RefNotFound {
				t.Errorf("%q: got %v", way, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkFiles(t, changed.Bundle.Files, []handouts.File{file("course/a.txt", "3", "2")}, false)
	}
	r.leavesNothing()
}

func TestChangesThatAreTooMuch(t *testing.T) {
	r := newRepository(t, "sha1")
	from := r.commit(func() { r.write("a.txt", "1") })
	many := r.commit(func() {
		for i := range handouts.FilesLimit + 1 {
			r.write(fmt.Sprintf("many/%d.txt", i), "x")
		}
	})
	large := r.commit(func() { r.write("large.bin", string(bytes.Repeat([]byte("x"), handouts.FileLimit+1))) })
	together := r.commit(func() {
		content := string(bytes.Repeat([]byte("x"), handouts.FileLimit))
		for i := range 6 {
			r.write(fmt.Sprintf("large %d.bin", i), content) // one content, so that git is fast
		}
	})
	for name, c := range map[string][3]string{
		"many": {from, many, "new"}, "many from here": {from, many, ""}, "large": {many, large, "new"}, "large, of all": {many, large, "old"}, "large together": {large, together, "new"},
	} {
		if testing.Short() && c[2] == "old" {
			continue
		}
		_, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at(c[2]), c[0], c[1])
		if fault.KindOf(err) != fault.TooLarge {
			t.Errorf("%s: got %v", name, err)
		}
	}
	r.leavesNothing()
}

func TestHostsThatSendTooMuch(t *testing.T) {
	r := newRepository(t, "sha1")
	from := r.commit(func() { r.write("a.txt", "1") })
	to := r.commit(func() {
		noise := make([]byte, 1<<20)
		_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
		r.write("a.bin", string(noise))
	})
	r.options.Limit = 500_000
	if _, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at("new"), from, to); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("got %v", err)
	}
	r.options.Limit = 2_000_000
	same(t, namesOf(t, r, from, to), []string{"course/a.bin"})
	r.leavesNothing()
}

func TestResolveOfRefs(t *testing.T) {
	r := newRepository(t, "sha1")
	if _, err := handouts.NewGit(r.options, r.temporary).Resolve(t.Context(), r.at(""), ""); fault.CodeOf(err) != fault.RefNotFound {
		t.Errorf("an empty repository: got %v", err)
	}
	first := r.commit(func() { r.write("a.txt", "1") })
	r.git("-C", r.tree, "tag", "plain")
	r.git("-C", r.tree, "tag", "-a", "-m", "x", "annotated")
	r.git("-C", r.tree, "branch", "früher/eins")
	second := r.commit(func() { r.write("a.txt", "2") })
	absent := strings.Repeat("a", 40)
	for _, way := range ways {
		for ref, want := range map[string]string{
			"": second, "main": second, "plain": first, "annotated": first, "früher/eins": first, first: first, absent: absent,
			"none": "", "mai": "", "--upload-pack=x": "", "refs/heads/main": "", "main~1": "", first[:7]: "",
		} {
			if way != "new" && ref != "" && ref != "annotated" && ref != "none" {
				continue // it's the same with all, and git takes its time
			}
			got, err := handouts.NewGit(r.options, r.temporary).Resolve(t.Context(), r.at(way), ref)
			if got != want || want == "" && fault.CodeOf(err) != fault.RefNotFound {
				t.Errorf("%q from %q: got %q and %v, want %q", ref, way, got, err, want)
			}
		}
	}
	r.leavesNothing()
}

func TestRepositoriesThatCantBeRead(t *testing.T) {
	r := newRepository(t, "sha1")
	commit := r.commit(func() { r.write("a.txt", "1") })
	moved := r.at("")
	moved.LocalPath += ".old"
	strict, none, missing := r.options, r.options, r.options
	strict.Web, none.Web, missing.Program = safehttp.New(safehttp.Options{AllowHTTP: true}), nil, "/nonexistent/git"
	option := r.at("new")
	option.URL = "--upload-pack=x"
	transport := r.at("new")
	transport.URL = "ext::sh -c id"
	ssh := r.at("new")
	ssh.URL = "ssh://git@example.org/course.git"
	for name, c := range map[string]struct {
		options gitclient.Options
		asked   engine.Repository
		kind    fault.Kind
	}{
		"none": {r.options, engine.Repository{}, fault.Invalid}, "private": {r.options, r.at("private"), fault.Unavailable}, "absent": {r.options, r.at("absent"), fault.Unavailable},
		"no longer here": {r.options, moved, fault.Unavailable}, "in a private network": {strict, r.at("new"), fault.Unavailable}, "elsewhere": {none, r.at("new"), fault.Unavailable},
		"without git": {missing, r.at("new"), fault.Unavailable}, "an option": {r.options, option, fault.Invalid}, "another transport": {r.options, transport, fault.Invalid},
		"with a key": {r.options, ssh, fault.Invalid},
	} {
		_, err := handouts.NewGit(c.options, r.temporary).Changes(t.Context(), c.asked, commit, commit)
		_, asked := handouts.NewGit(c.options, r.temporary).Resolve(t.Context(), c.asked, "main")
		if fault.KindOf(err) != c.kind || fault.KindOf(asked) != c.kind {
			t.Errorf("%s: got %v and %v", name, err, asked)
		}
	}
	for _, id := range []string{"", "main", "HEAD", commit[:39], strings.ToUpper(strings.Repeat("a", 40)), "--output=x", strings.Repeat("a", 64)} {
		if _, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at("new"), commit, id); fault.CodeOf(err) != fault.RefNotFound {
			t.Errorf("%q: got %v", id, err)
		}
	}
	r.leavesNothing()
}

// Nothing that is configured on the machine, or in the environment of this process, is used by git.
func TestConfigurationOfTheMachineIsIgnored(t *testing.T) {
	r := newRepository(t, "sha1")
	from := r.commit(func() { r.write("a.txt", "1") })
	to := r.commit(func() { r.write("a.txt", "2"); r.write(".gitattributes", "* diff=evil\n") })
	home, proof := t.TempDir(), filepath.Join(t.TempDir(), "proof")
	evil := "[core]\n\tsshCommand = touch " + proof + "\n\tfsmonitor = touch " + proof + "\n[diff \"evil\"]\n\ttextconv = touch " + proof + "\n[diff]\n\texternal = touch " + proof + "\n" +
		"[credential]\n\thelper = \"!touch " + proof + "\"\n[url \"ext::touch " + proof + "\"]\n\tinsteadOf = " + r.url + "\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(evil), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_EXTERNAL_DIFF", "touch "+proof)
	t.Setenv("GIT_ASKPASS", "/nonexistent")
	t.Setenv("GIT_DIR", "/nonexistent")
	same(t, namesOf(t, r, from, to), []string{"course/a.txt"})
	_, _ = handouts.NewGit(r.options, r.temporary).Resolve(t.Context(), r.at("private"), "main")
	if _, err := os.Stat(proof); err == nil {
		t.Error("something else was run")
	}
}

// The repositories of this server can belong to another account than the one that asks.
func TestRepositoriesOfAnotherAccount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	r := newRepository(t, "sha1")
	from := r.commit(func() { r.write("a.txt", "1") })
	to := r.commit(func() { r.write("a.txt", "2") })
	err := filepath.WalkDir(r.bare, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, 65534, 65534))
	})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := handouts.NewGit(r.options, r.temporary).Changes(t.Context(), r.at(""), from, to)
	if err != nil || len(changed.Bundle.Files) != 1 {
		t.Errorf("got %v and %v", changed, err)
	}
	if got, err := handouts.NewGit(r.options, r.temporary).Resolve(t.Context(), r.at(""), "main"); got != to {
		t.Errorf("got %q and %v", got, err)
	}
}

func TestCanceledQuestionsEnd(t *testing.T) {
	r := newRepository(t, "sha1")
	commit := r.commit(func() { r.write("a.txt", "1") })
	ctx, cancel := context.WithCancel(t.Context())
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer slow.Close()
	asked := r.at("new")
	asked.URL = slow.URL + "/course.git"
	if _, err := handouts.NewGit(r.options, r.temporary).Changes(ctx, asked, commit, commit); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.leavesNothing()
}
