package backup

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What changes while a folder is copied is copied again, what goes is gone, and a link that takes a folder's name isn't
// followed.
func TestATreeThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, "secret")
	work := filepath.Join(folder, "work")
	for _, name := range []string{"a", "b/c"} {
		if err := os.MkdirAll(filepath.Join(work, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"same", "grows", "goes", "a/inner", "b/c/deep", "replaced"} {
		write(t, filepath.Join(work, name), name)
	}
	from, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenRoot(out)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	c := &treeCopy{writer: &writer{root: to}, from: from, to: ".", done: map[string]item{}, seen: map[string]fileState{}}
	if first, err := c.pass(t.Context(), "work"); err != nil || len(first) != 6 {
		t.Fatalf("%v %v", first, err)
	}
	if again, err := c.pass(t.Context(), "work"); err != nil || len(again) != 0 {
		t.Fatalf("nothing changed, but %v was copied (%v)", again, err)
	}

	write(t, filepath.Join(work, "grows"), "grown larger")
	write(t, filepath.Join(work, "new"), "new")
	for _, name := range []string{"goes", "b", "replaced"} {
		if err := os.RemoveAll(filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(work, "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(work, "replaced"), 0o700); err != nil {
		t.Fatal(err)
	}
	changed, err := c.pass(t.Context(), "work")
	if want := []string{"work/b", "work/grows", "work/new"}; err != nil || !slices.Equal(changed, want) {
		t.Errorf("copied %v (%v), want %v", changed, err, want)
	}
	var names []string
	for _, name := range sorted(c.done) {
		names = append(names, name+" "+c.done[name].Type)
	}
	if want := []string{"work folder", "work/a folder", "work/a/inner file", "work/b link", "work/grows file", "work/new file", "work/replaced folder", "work/same file"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
	if grown, err := os.ReadFile(filepath.Join(out, "work/grows")); err != nil || string(grown) != "grown larger" {
		t.Errorf("%s %v", grown, err)
	}
	if target, err := os.Readlink(filepath.Join(out, "work/b")); err != nil || target != filepath.Dir(outside) {
		t.Errorf("%s %v", target, err)
	}
	for _, gone := range []string{"goes", "b/c"} {
		if _, err := os.Lstat(filepath.Join(out, "work", gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}
