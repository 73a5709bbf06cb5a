package hosttest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitlfs"
)

// Kind is a kind of host, and what it can do.
type Kind struct {
	// Start returns a host that reads these repositories from a stand-in.
	Start func(t *testing.T, repositories []Repository, now func() time.Time) (codehost.Host, *StandIn)

	Host      string // of the addresses
	FilesURL  string // of the pages of files on main of owner/name, after the host's own address; "": there are none
	Sizes     bool   // listings have the sizes of files
	Facts     bool   // it knows ids, descriptions and topics
	StoresLFS bool   // it sends the files that Git LFS keeps
	IsRenamed bool   // the new name of a renamed repository is known
}

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// repositories are what the suite reads.
var repositories = []Repository{
	{
		Name: "owner/name", Description: "Waves and rocks", Topics: []string{"waves"}, License: "MIT", Languages: map[string]int64{"Python": 600, "R": 400},
		Files: map[string]string{
			"README.md": "# Hello", "src/main.py": "print(1)\n", "src/deep/er/x.R": "1", "a b/ü#1?.txt": "odd", "data/big.bin": pointer, "empty.txt": "", "Zed": "z", "100%.md": "percent",
		},
		Stored: map[string]string{"data/big.bin": "the real content"},
		Links:  map[string]string{"link.md": "README.md", "source": "src", "out": "../../etc/passwd"}, Modules: []string{"inner"},
		Branches: map[string]map[string]string{"feature/x": {"only.txt": "on a branch"}}, Tags: []string{"v1.0", "v2/rc"},
	},
	{Name: "owner/old", Default: "master", Files: map[string]string{"cairn.yml": "old", "README.rst": "Old"}},
	{Name: "owner/both", Default: "dev", Files: map[string]string{"cairn.yml": "on dev"}, Branches: map[string]map[string]string{"main": {"x": "1"}, "master": {"cairn.yml": "on master"}}},
	{Name: "owner/odd", Default: "release/2", Files: map[string]string{"cairn.yml": "on release/2"}},
	{Name: "owner/secret", Private: true, Files: map[string]string{"cairn.yml": "secret"}},
	{Name: "owner/nothing"},
	{Name: "owner/many", Files: map[string]string{"cairn.yml": "x"}, Many: map[string]int{"many": 230}},
	{Name: "owner/better", Former: []string{"owner/worse"}, Files: map[string]string{"cairn.yml": "moved"}},
	{Name: "owner/huge", Files: map[string]string{"cairn.yml": strings.Repeat("a: b\n", 60_000)}},
	{
		Name: "owner/pushed", Former: []string{"owner/pulled"}, Files: map[string]string{"cairn.yml": "first", "b.txt": "b"},
		Branches: map[string]map[string]string{"side/way": {"cairn.yml": "beside"}},
	},
}

// suite is a host under test.
type suite struct {
	*testing.T

	kind  Kind
	host  codehost.Host
	stand *StandIn
	now   time.Time
}

// Run runs the suite.
func Run(t *testing.T, kind Kind) {
	t.Helper()
	s := &suite{T: t, kind: kind, now: time.Now()}
	s.host, s.stand = kind.Start(t, repositories, func() time.Time { return s.now })
	for name, test := range map[string]func(*suite){
		"about": (*suite).about, "folders": (*suite).folders, "files": (*suite).files, "names that need escaping": (*suite).odd, "symbolic links": (*suite).links, "Git LFS": (*suite).lfs,
		"branches and tags": (*suite).refs, "descriptors": (*suite).descriptors, "what isn't there": (*suite).absent, "a renamed repository": (*suite).moved,
		"a large folder": (*suite).many, "languages": (*suite).languages, "submodules": (*suite).submodules, "commits": (*suite).commits,
	} {
		t.Run(name, func(t *testing.T) {
			one := *s
			one.T = t
			test(&one)
		})
	}
	t.Run("trouble", func(t *testing.T) { // last, because the clock goes on
		s.T = t
		s.trouble()
		s.withdrawn()
	})
}

func (s *suite) at(name string) codehost.Repository {
	return codehost.Repository{Host: s.kind.Host, Owner: "owner", Name: name}
}

func (s *suite) list(name, path string) codehost.Listing {
	s.Helper()
	found, err := s.host.List(s.Context(), s.at(name), path)
	if err != nil {
		s.Fatalf("List of %q in %s: %v", path, name, err)
	}
	return found
}

func (s *suite) wantEntries(listing codehost.Listing, want ...string) {
	s.Helper()
	var got []string
	for _, one := range listing.Entries {
		got = append(got, one.Type+" "+one.Path)
	}
	if !slices.Equal(got, want) {
		s.Errorf("got  %q\nwant %q", got, want)
	}
}

func (s *suite) wantFile(name, path, content, at string) codehost.File {
	s.Helper()
	file, err := s.host.File(s.Context(), s.at(name), path, 1000)
	if err != nil || string(file.Content) != content || file.Path != at {
		s.Errorf("%s is %q at %q, %v", path, file.Content, file.Path, err)
	}
	return file
}

func (s *suite) wantKind(what string, err error, kind fault.Kind) {
	s.Helper()
	if fault.KindOf(err) != kind || !strings.HasSuffix(fault.MessageOf(err), ".") {
		s.Errorf("%s: %v (%s)", what, err, fault.MessageOf(err))
	}
}

func (s *suite) about() {
	about, err := s.host.About(s.Context(), s.at("name"))
	if err != nil || about.Branch != "main" || about.Repository != s.at("name") {
		s.Fatalf("%+v %v", about, err)
	}
	if s.kind.Facts && (!strings.HasPrefix(about.ID, s.kind.Host+"/") || about.Description != "Waves and rocks" || !slices.Equal(about.Topics, []string{"waves"})) {
		s.Errorf("%+v", about)
	}
	other, err := s.host.About(s.Context(), s.at("old"))
	if err != nil || other.Branch != "master" || s.kind.Facts && other.ID == about.ID {
		s.Errorf("%+v %v", other, err)
	}
}

func (s *suite) folders() {
	root := s.list("name", "")
	s.wantEntries(root, "dir a b", "dir data", "dir source", "dir src", "file 100%.md", "file empty.txt", "submodule inner", "file link.md", "file out", "file README.md", "file Zed")
	if root.Branch != "main" || root.Path != "" || root.Stale || root.AsOf.After(s.now) || s.now.Sub(root.AsOf) > time.Minute {
		s.Errorf("%q %q %+v", root.Branch, root.Path, root.Age)
	}
	if s.kind.FilesURL == "" && root.FilesURL != "" || !strings.HasSuffix(root.FilesURL, s.kind.FilesURL) {
		s.Errorf("the pages of files are at %s", root.FilesURL)
	}
	for _, one := range root.Entries {
		want := map[string]int64{"README.md": 7, "empty.txt": 0, "link.md": 7}
		if size, known := want[one.Path]; known && s.kind.Sizes && one.Size != size || !s.kind.Sizes && one.Type == codehost.TypeFile && one.Path != "out" && one.Size != codehost.SizeUnknown {
			s.Errorf("the size of %s is %d", one.Path, one.Size)
		}
		if one.Type == codehost.TypeFolder && one.Size != 0 {
			s.Errorf("the folder %s has the size %d", one.Path, one.Size)
		}
		if one.SHA == "" {
			s.Errorf("%s has no id", one.Path)
		}
	}
	s.wantEntries(s.list("name", "/src/"), "dir src/deep", "file src/main.py")
	s.wantEntries(s.list("name", "src/deep"), "dir src/deep/er")
	s.wantEntries(s.list("old", ""), "file cairn.yml", "file README.rst")
	s.wantEntries(s.list("both", ""), "file x")
	if listing := s.list("odd", ""); listing.Branch != "release/2" {
		s.Errorf("the branch is %s", listing.Branch)
	}
}

func (s *suite) files() {
	file := s.wantFile("name", "README.md", "# Hello", "README.md")
	if file.Branch != "main" || file.Stale {
		s.Errorf("%+v", file)
	}
	s.wantFile("name", "src/deep/er/x.R", "1", "src/deep/er/x.R")
	s.wantFile("name", "empty.txt", "", "empty.txt")
	s.wantFile("odd", "cairn.yml", "on release/2", "cairn.yml")
	_, err := s.host.File(s.Context(), s.at("huge"), "cairn.yml", 1000)
	s.wantKind("a large file", err, fault.TooLarge)
}

func (s *suite) odd() {
	s.wantEntries(s.list("name", "a b"), "file a b/ü#1?.txt")
	s.wantFile("name", "a b/ü#1?.txt", "odd", "a b/ü#1?.txt")
	s.wantFile("name", "100%.md", "percent", "100%.md")
	for _, path := range []string{"../x", "a//b", "./a", "a/..", "\x00", "\xff"} {
		_, err := s.host.List(s.Context(), s.at("name"), path)
		s.wantKind(fmt.Sprintf("%q", path), err, fault.Invalid)
		_, err = s.host.File(s.Context(), s.at("name"), path, 10)
		s.wantKind(fmt.Sprintf("%q", path), err, fault.Invalid)
	}
}

func (s *suite) links() {
	s.wantFile("name", "link.md", "# Hello", "README.md")
	s.wantEntries(s.list("name", "source"), "dir src/deep", "file src/main.py")
	_, err := s.host.File(s.Context(), s.at("name"), "out", 1000)
	s.wantKind("a link that leads out", err, fault.NotFound)
}

func (s *suite) submodules() {
	_, err := s.host.File(s.Context(), s.at("name"), "inner", 1000)
	s.wantKind("a submodule as a file", err, fault.NotFound)
}

func (s *suite) lfs() {
	file, err := s.host.File(s.Context(), s.at("name"), "data/big.bin", 20_000)
	switch {
	case err != nil:
		s.Error(err)
	case s.kind.StoresLFS && string(file.Content) != "the real content", !s.kind.StoresLFS && !gitlfs.IsPointer(file.Content):
		s.Errorf("got %q", file.Content)
	}
}

func (s *suite) refs() {
	for ref, want := range map[string]bool{"main": true, "feature/x": true, "v1.0": true, "v2/rc": true, "v2": false, "feature": false, "Main": false, "x y": false} {
		there, names, err := s.host.HasRef(s.Context(), s.at("name"), ref)
		if err != nil || there != want || !there && !slices.Equal(names, []string{"feature/x", "main", "v1.0", "v2/rc"}) {
			s.Errorf("%s: %v %q %v", ref, there, names, err)
		}
	}
}

func (s *suite) commit(name, branch string) string {
	s.Helper()
	commit, err := s.host.Commit(s.Context(), s.at(name), branch)
	if err != nil || len(commit) != 40 || strings.Trim(commit, "0123456789abcdef") != "" {
		s.Fatalf("the commit of %q in %s is %q, %v", branch, name, commit, err)
	}
	return commit
}

// commits follow the content, and are asked for anew each time.
func (s *suite) commits() {
	for name, shown := range map[string]string{"name": "main", "old": "master", "both": "main", "odd": "release/2"} {
		if s.commit(name, "") != s.commit(name, shown) {
			s.Errorf("%s: the commit isn't that of %s", name, shown)
		}
	}
	if s.commit("both", "master") == s.commit("both", "main") || s.commit("name", "feature/x") == s.commit("name", "main") {
		s.Error("branches with other files have the same commit")
	}
	first, beside := s.commit("pushed", "main"), s.commit("pushed", "side/way")
	if again := s.commit("pushed", ""); again != first {
		s.Errorf("nothing has changed, and the commit %s is %s", first, again)
	}
	if renamed := s.commit("pulled", "main"); renamed != first || s.commit("pulled", "") != first {
		s.Errorf("by its former name, the commit %s is %s", first, renamed)
	}
	s.stand.Change("owner/pushed", func(r *Repository) { r.Files = map[string]string{"cairn.yml": "second", "b.txt": "b"} })
	second := s.commit("pushed", "main")
	if second == first || s.commit("pushed", "") != second || s.commit("pulled", "main") != second || s.commit("pulled", "") != second {
		s.Errorf("after a change of a file, the commit %s is %s", first, second)
	}
	if again := s.commit("pushed", "side/way"); again != beside {
		s.Errorf("the commit of a branch that hasn't changed was %s and is %s", beside, again)
	}
	s.wantFresh("pushed", "second")
	s.stand.Change("owner/pushed", func(r *Repository) { r.Files = map[string]string{"cairn.yml": "second", "c.txt": "b"} })
	if third := s.commit("pushed", "main"); third == second {
		s.Errorf("after a file was renamed, the commit is still %s", third)
	}
}

// wantFresh checks a descriptor.
func (s *suite) wantFresh(name, content string) {
	s.Helper()
	if file, err := s.host.Fresh(s.Context(), s.at(name), []string{"cairn.yml"}, 100); err != nil || string(file.Content) != content {
		s.Errorf("%s: %q %v", name, file.Content, err)
	}
}

func (s *suite) descriptors() {
	for name, want := range map[string]string{"old": "master old", "both": "master on master", "odd": "release/2 on release/2"} {
		file, err := s.host.Fresh(s.Context(), s.at(name), []string{"cairn.yaml", "cairn.yml"}, 1000)
		if err != nil || file.Branch+" "+string(file.Content) != want || file.Path != "cairn.yml" {
			s.Errorf("%s: %q on %s, %v", name, file.Content, file.Branch, err)
		}
	}
	_, err := s.host.Fresh(s.Context(), s.at("name"), []string{"cairn.yml"}, 1000)
	s.wantKind("without a descriptor", err, fault.NotFound)
	_, err = s.host.Fresh(s.Context(), s.at("huge"), []string{"cairn.yml"}, 1000)
	s.wantKind("a large descriptor", err, fault.TooLarge)
}

func (s *suite) absent() {
	for what, ask := range map[string]func() error{
		"a missing repository":      func() error { _, err := s.host.List(s.Context(), s.at("missing"), ""); return err },
		"a private one":             func() error { _, err := s.host.List(s.Context(), s.at("secret"), ""); return err },
		"a private one's file":      func() error { _, err := s.host.File(s.Context(), s.at("secret"), "cairn.yml", 9); return err },
		"a private one's facts":     func() error { _, err := s.host.About(s.Context(), s.at("secret")); return err },
		"a private one's ref":       func() error { _, _, err := s.host.HasRef(s.Context(), s.at("secret"), "main"); return err },
		"a private one's commit":    func() error { _, err := s.host.Commit(s.Context(), s.at("secret"), "main"); return err },
		"a private one's only one":  func() error { _, err := s.host.Commit(s.Context(), s.at("secret"), ""); return err },
		"a missing one's commit":    func() error { _, err := s.host.Commit(s.Context(), s.at("missing"), "main"); return err },
		"an empty one's commit":     func() error { _, err := s.host.Commit(s.Context(), s.at("nothing"), ""); return err },
		"a missing branch's commit": func() error { _, err := s.host.Commit(s.Context(), s.at("name"), "feature"); return err },
		"a tag's commit":            func() error { _, err := s.host.Commit(s.Context(), s.at("name"), "v1.0"); return err },
		"a private one's languages": func() error { _, err := s.host.Languages(s.Context(), s.at("secret")); return err },
		"a private descriptor": func() error {
			_, err := s.host.Fresh(s.Context(), s.at("secret"), []string{"cairn.yml"}, 9)
			return err
		},
		"an empty repository": func() error { _, err := s.host.List(s.Context(), s.at("nothing"), ""); return err },
		"a file of an empty repository": func() error {
			_, err := s.host.File(s.Context(), s.at("nothing"), "README.md", 9)
			return err
		},
		"an empty repository's descriptor": func() error {
			_, err := s.host.Fresh(s.Context(), s.at("nothing"), []string{"cairn.yml"}, 9)
			return err
		},
		"a missing folder": func() error { _, err := s.host.List(s.Context(), s.at("name"), "nowhere"); return err },
		"a missing file":   func() error { _, err := s.host.File(s.Context(), s.at("name"), "nowhere.txt", 9); return err },
		"a file as folder": func() error { _, err := s.host.List(s.Context(), s.at("name"), "README.md"); return err },
		"a folder as file": func() error { _, err := s.host.File(s.Context(), s.at("name"), "src", 9); return err },
	} {
		s.wantKind(what, ask(), fault.NotFound)
	}
	for _, path := range s.stand.Paths() {
		if strings.Contains(path, "secret") && strings.Contains(path, "cairn.yml") {
			s.Errorf("a file of the private repository was asked for: %s", path)
		}
	}
}

func (s *suite) moved() {
	about, err := s.host.About(s.Context(), s.at("worse"))
	if err != nil || s.kind.IsRenamed && about.Repository != s.at("better") {
		s.Errorf("%+v %v", about.Repository, err)
	}
	s.wantFile("worse", "cairn.yml", "moved", "cairn.yml")
	s.wantFresh("worse", "moved")
}

func (s *suite) many() {
	listing := s.list("many", "many")
	if len(listing.Entries) != 230 || listing.Truncated || listing.Entries[229].Path != "many/file-00229.txt" {
		s.Errorf("%d entries, truncated %v", len(listing.Entries), listing.Truncated)
	}
}

func (s *suite) languages() {
	found, err := s.host.Languages(s.Context(), s.at("name"))
	if err != nil || len(found) != 2 || found[0].Name != "Python" || found[1].Name != "R" || found[0].Bytes <= found[1].Bytes {
		s.Errorf("%+v %v", found, err)
	}
}

// trouble has the host fail in every way, at first and when something is known of it.
func (s *suite) trouble() {
	status := func(status int, header ...string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			http.Error(w, "<html>Retry later</html>", status)
			return true
		}
	}
	private := func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		return true
	}
	s.list("name", "src")
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"429": status(http.StatusTooManyRequests, "Retry-After", "20"), "500": status(http.StatusInternalServerError), "503": status(http.StatusServiceUnavailable),
		"a challenge page": status(http.StatusOK, "Content-Type", "text/html"), "a redirect into a private network": private,
	} {
		s.stand.Disturb(answer)
		s.now = s.now.Add(time.Hour)
		if name != "a challenge page" { // which is an answer, of which nothing can be made
			if listing, err := s.host.List(s.Context(), s.at("name"), "src"); err != nil || !listing.Stale || len(listing.Entries) != 2 {
				s.Errorf("%s: what is known isn't shown: %+v %v", name, listing.Age, err)
			}
		}
		s.now = s.now.Add(time.Hour)
		_, err := s.host.Fresh(s.Context(), s.at("name"), []string{"cairn.yml"}, 100)
		if kind := fault.KindOf(err); kind != fault.Unavailable && kind != fault.BadUpstream || !strings.HasSuffix(fault.MessageOf(err), ".") || strings.Contains(fault.MessageOf(err), "<html>") {
			s.Errorf("%s: a descriptor: %v", name, err)
		}
		commit, err := s.host.Commit(s.Context(), s.at("name"), "main")
		if kind := fault.KindOf(err); commit != "" || kind != fault.Unavailable && kind != fault.BadUpstream || !strings.HasSuffix(fault.MessageOf(err), ".") {
			s.Errorf("%s: a commit: %q %v", name, commit, err)
		}
	}
	s.stand.Disturb(nil)
	s.now = s.now.Add(time.Hour)
	if listing := s.list("name", "src"); listing.Stale {
		s.Errorf("it doesn't come back by itself: %+v", listing.Age)
	}
}

// withdrawn makes a repository private that was read before.
func (s *suite) withdrawn() {
	s.wantFile("old", "cairn.yml", "old", "cairn.yml")
	s.stand.Change("owner/old", func(r *Repository) { r.Private = true })
	s.now = s.now.Add(10 * time.Minute)
	for range 2 {
		_, err := s.host.File(s.Context(), s.at("old"), "cairn.yml", 100)
		s.wantKind("a file that was withdrawn", err, fault.NotFound)
		_, err = s.host.List(s.Context(), s.at("old"), "")
		s.wantKind("a folder that was withdrawn", err, fault.NotFound)
		s.stand.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
			http.Error(w, "", http.StatusServiceUnavailable)
			return true
		})
	}
}
