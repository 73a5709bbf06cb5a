package localjupyter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"cairn/internal/sessions/engine"
)

// refsRepository has the text of a version in version.txt: on main, on a branch with a long name, and at a tag; the tag's
// commit is on no branch.
func (b *bench) refsRepository() (commit string) {
	b.Helper()
	bare := b.repository("refs.git", func(folder string) {
		writeFile(b, filepath.Join(folder, "version.txt"), "main")
		writeFile(b, filepath.Join(folder, "cairn.yml"), "project:\n  name: Refs\n  open: \"docs/start #1.ipynb\"\n")
	})
	tree := bare + ".tree"
	commitAs := func(text string) {
		writeFile(b, filepath.Join(tree, "version.txt"), text)
		b.git("-C", tree, "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--all", "-m", text)
	}
	b.git("-C", tree, "checkout", "--quiet", "-b", "feature/é&x")
	if err := os.Mkdir(filepath.Join(tree, "docs"), 0o755); err != nil {
		b.Fatal(err)
	}
	writeFile(b, filepath.Join(tree, "docs/start #1.ipynb"), "{}")
	b.git("-C", tree, "add", "docs")
	commitAs("branch")
	b.git("-C", tree, "checkout", "--quiet", "--detach")
	commitAs("tag")
	b.git("-C", tree, "tag", "v1.0")
	b.git("-C", tree, "push", "--quiet", bare, "refs/heads/feature/é&x", "refs/tags/v1.0")
	content, err := os.ReadFile(filepath.Join(tree, ".git/refs/tags/v1.0"))
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}

func TestASessionGetsTheRefThatWasAskedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	commit := b.refsRepository()
	b.open()
	for ref, want := range map[string]struct{ text, opens, note string }{
		"":            {"main", "refs/README.md", `The repository's descriptor opens "docs/start #1.ipynb", which isn't there.`},
		"main":        {"main", "refs/README.md", `The repository's descriptor opens "docs/start #1.ipynb", which isn't there.`},
		"feature/é&x": {"branch", "refs/docs/start #1.ipynb", ""},
		"v1.0":        {"tag", "refs/docs/start #1.ipynb", ""},
		commit:        {"tag", "refs/docs/start #1.ipynb", ""},
		commit[:10]:   {"tag", "refs/docs/start #1.ipynb", ""},
	} {
		for _, local := range []bool{false, true} {
			repository := b.url("refs.git")
			if repository.Ref = ref; local {
				repository.LocalPath = filepath.Join(b.folder, "refs.git")
			}
			spec := b.running(repository)
			status := b.await(spec.ID, engine.Running)
			content, err := os.ReadFile(b.work(spec.ID, "refs/version.txt"))
			if err != nil || string(content) != want.text || status.Opens != want.opens || status.OpenNote != want.note {
				t.Errorf("%q holds %q (%v) and opens %q with the note %q", ref, content, err, status.Opens, status.OpenNote)
			}
			b.stop(spec.ID)
		}
	}
}

func TestALaunchNamesTheRefsThatThereAre(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.refsRepository()
	b.open()
	for _, ref := range []string{"v2.0", "0123456789abcdef", "origin/main", "heads/main"} {
		repository := b.url("refs.git")
		repository.Ref = ref
		spec := engine.Spec{ID: uuid.NewString(), Owner: "ann@example.org", Repository: repository}
		b.start(spec)
		want := `The repository has no branch, tag or commit "` + ref + `". It has "feature/é&x", "main", "v1.0".`
		if got := b.awaitFailed(spec.ID).Reason; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
