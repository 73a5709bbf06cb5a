package kept_test

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
)

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// sha256sum is the digest of a folder by the program of that name.
func sha256sum(t *testing.T, folder string) string {
	t.Helper()
	names := slices.Sorted(maps.Keys(contents(t, folder)))
	list := exec.CommandContext(t.Context(), "sha256sum", append([]string{"--"}, names...)...)
	list.Dir = folder
	said, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	sum := exec.CommandContext(t.Context(), "sha256sum")
	sum.Stdin = bytes.NewReader(said)
	if said, err = sum.Output(); err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(said))[0]
}

// git runs git and returns what it says.
func git(t *testing.T, arguments ...string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "git", append([]string{"-c", "safe.directory=*"}, arguments...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v %s", arguments, err, said)
	}
	return strings.TrimSpace(string(said))
}

func TestNotebookIsKept(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Notebook, "Spikes", w.send(ada, []byte(notebookOf("Spikes")), "filename", "spikes.ipynb"))
	entry, err := w.Readable(w.as(ada), id)
	if err != nil || entry.NotebookPath != "kept:"+id+"/v1/spikes.ipynb" {
		t.Fatalf("%q %v", entry.NotebookPath, err)
	}
	path, ok, err := w.files.Path(entry.NotebookPath)
	if err != nil || !ok || contents(t, filepath.Dir(path))["spikes.ipynb"] != notebookOf("Spikes") {
		t.Errorf("%s %v %v", path, ok, err)
	}
	text, _, err := w.files.Read(t.Context(), entry.NotebookPath, 1<<20)
	if err != nil || string(text) != notebookOf("Spikes") {
		t.Errorf("%q %v", text, err)
	}
	if left := w.left(ada); len(left) > 0 {
		t.Errorf("the upload is left: %v", left)
	}
	for what, ids := range map[string][]string{
		"not a notebook":  {w.send(ada, []byte("print()"), "filename", "a.ipynb")},
		"another file":    {w.send(ada, []byte("print()"), "filename", "a.py")},
		"two notebooks":   {w.file(ada, "a.ipynb", notebookOf("A")), w.file(ada, "b.ipynb", notebookOf("B"))},
		"one in a folder": {w.file(ada, "f/a.ipynb", notebookOf("A"))},
	} {
		if _, err := w.tryAdd(ada, catalog.Notebook, "N", ids...); err == nil || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestDatasetOfFiles(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{"data/a.csv": "a,b\n1,2\n", "data/deep/b.csv": "x\n", "README.md": "# Spikes\n\nOf mice.\n", "größe.txt": "ß", "empty": ""}
	var ids []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		ids = append(ids, w.file(ada, name, want[name]))
	}
	id := w.add(ada, catalog.Dataset, "Spikes", ids...)
	w.has(id, 1, want)
	one := w.versions(ada, id)[0]
	if one.Digest != sha256sum(t, w.tree(id, 1)) || one.Files != len(want) || one.Note != "first" || !one.Kept || one.By != ada {
		t.Errorf("%+v, want the digest %s", one, sha256sum(t, w.tree(id, 1)))
	}
	entry, err := w.Readable(w.as(ada), id)
	if err != nil || entry.DatasetURL != fmt.Sprintf("kept:%s/v1", id) {
		t.Errorf("%s %v", entry.DatasetURL, err)
	}
	tree, ok, err := w.files.OpenDataset(entry.DatasetURL)
	if err != nil || !ok {
		t.Fatal(err)
	}
	if err := tree.Close(); err != nil {
		t.Error(err)
	}
	w.dropTrees()
	w.has(id, 1, want)
}

func TestArchivesAreUnpacked(t *testing.T) {
	w := newWorld(t)
	want := map[string]string{"a.csv": "1", "deep/b.csv": "2"}
	inFolder := []member{{name: "top/", kind: tar.TypeDir}, {name: "top/a.csv", text: "1"}, {name: "top/deep/b.csv", text: "2"}, {name: "__MACOSX/top/._a.csv", text: "x"}, {name: "top/.git/config", text: "x"}}
	zipped := []member{{name: "top/a.csv", text: "1"}, {name: "top/deep/b.csv", text: "2"}, {name: "top/.git/config", text: "x"}, {name: "top/.DS_Store", text: "x"}}
	bare := []member{{name: "a.csv", text: "1"}, {name: "./deep/b.csv", text: "2"}}
	for name, archive := range map[string][]byte{
		"a.zip": zipOf(t, zipped...), "b.tar": tarOf(t, inFolder...), "c.tar.gz": gzipOf(t, tarOf(t, inFolder...)), "d.TGZ": gzipOf(t, tarOf(t, bare...)), "e.zip": zipOf(t, bare...),
	} {
		id := w.add(ada, catalog.Dataset, "D "+name, w.send(ada, archive, "filename", name))
		w.has(id, 1, want)
		if digest := w.versions(ada, id)[0].Digest; digest != sha256sum(t, w.tree(id, 1)) {
			t.Errorf("%s: the digest is %s", name, digest)
		}
	}
	// Beside others an archive is a file.
	id := w.add(ada, catalog.Dataset, "Two", w.send(ada, []byte("PK"), "filename", "a.zip"), w.send(ada, []byte("x"), "filename", "b.csv"))
	w.has(id, 1, map[string]string{"a.zip": "PK", "b.csv": "x"})
}

func TestPackedFilesBesideSingleOnes(t *testing.T) {
	w := newWorld(t)
	packed := w.send(ada, tarOf(t, member{name: "f/a.csv", text: "1"}, member{name: "f/b.csv", text: "2"}), "filename", "small", "packed", "tar")
	large := w.file(ada, "f/large.bin", "large")
	id := w.add(ada, catalog.Dataset, "Both", packed, large)
	w.has(id, 1, map[string]string{"a.csv": "1", "b.csv": "2", "large.bin": "large"})
	if digest := w.versions(ada, id)[0].Digest; digest != sha256sum(t, w.tree(id, 1)) {
		t.Errorf("the digest is %s", digest)
	}
}

// A repository can be cloned, and its commit is the same wherever and whenever it is made.
func TestRepositoryIsCloned(t *testing.T) {
	w := newWorld(t)
	const descriptor = "project:\n  name: \"Own\"\n  description: \"Mine\"\n  authors:\n    - \"ada@example.org\"\n"
	for name, files := range map[string]map[string]string{
		"Without descriptor": {"a.py": "print(1)\n", "src/größe ü.py": "print(2)\n", `src/it's "quoted".py`: "x"},
		"With descriptor":    {"a.py": "print(1)\n", "cairn.yml": descriptor},
	} {
		var ids []string
		for _, path := range slices.Sorted(maps.Keys(files)) {
			ids = append(ids, w.file(ada, path, files[path]))
		}
		id := w.add(ada, catalog.Repository, name, ids...)
		found := contents(t, w.tree(id, 1))
		written := found["cairn.yml"]
		if name == "With descriptor" && written != descriptor {
			t.Errorf("the descriptor was changed: %s", written)
		}
		if name == "Without descriptor" && (!strings.Contains(written, name) || !strings.Contains(written, ada)) {
			t.Errorf("the descriptor says %s", written)
		}
		files["cairn.yml"] = written
		w.has(id, 1, files)
		if digest := w.versions(ada, id)[0].Digest; digest != sha256sum(t, w.tree(id, 1)) {
			t.Errorf("%s: the digest is %s", name, digest)
		}
		entry, err := w.Readable(w.as(ada), id)
		if err != nil || !strings.HasPrefix(entry.RepositoryURL, public+"/kept/"+id+"/v1/") {
			t.Fatalf("%s %v", entry.RepositoryURL, err)
		}
		bare := w.files.RepositoryPath(entry.RepositoryURL)
		target := filepath.Join(t.TempDir(), "clone")
		git(t, "clone", "--quiet", bare, target)
		commit := git(t, "-C", target, "rev-parse", "HEAD")
		if err := os.RemoveAll(filepath.Join(target, ".git")); err != nil {
			t.Fatal(err)
		}
		if cloned := contents(t, target); !maps.Equal(cloned, files) {
			t.Errorf("the clone has %v", slices.Sorted(maps.Keys(cloned)))
		}
		w.dropTrees()
		if again := git(t, "-C", w.files.RepositoryPath(entry.RepositoryURL), "rev-parse", "main"); again != commit {
			t.Errorf("made again, the commit is %s, not %s", again, commit)
		}
		w.clock.add(1000)
		elsewhere, _, _, _ := w.another(t.TempDir())
		if again := git(t, "-C", elsewhere.RepositoryPath(entry.RepositoryURL), "rev-parse", "main"); again != commit {
			t.Errorf("on another server, the commit is %s, not %s", again, commit)
		}
	}
}

// What a version was stays byte for byte what it was.
func TestVersionsStay(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Repository, "Work", w.file(ada, "a.py", "1"), w.file(ada, "b/c.py", "1"))
	address := func(number int) string {
		return catalog.Kept{ID: id, Number: number}.Repository(public, "work")
	}
	before, listed := contents(t, w.tree(id, 1)), w.versions(ada, id)[0]
	commit := git(t, "-C", w.files.RepositoryPath(address(1)), "rev-parse", "main")
	w.renew(ada, id, w.file(ada, "a.py", "2"), w.file(ada, "b/c.py", "1"))
	w.renew(ada, id, w.send(ada, zipOf(t, member{name: "x/new.py", text: "3"}), "filename", "x.zip"))
	for range 2 {
		w.has(id, 1, before)
		if found := contents(t, w.tree(id, 2)); found["a.py"] != "2" || found["b/c.py"] != "1" {
			t.Errorf("version 2 has %v", found)
		}
		if found := contents(t, w.tree(id, 3)); found["new.py"] != "3" || found["a.py"] != "" {
			t.Errorf("version 3 has %v", found)
		}
		if again := git(t, "-C", w.files.RepositoryPath(address(1)), "rev-parse", "main"); again != commit {
			t.Errorf("version 1's commit is %s, not %s", again, commit)
		}
		text, _, err := w.files.Read(t.Context(), catalog.Kept{ID: id, Number: 1, File: "a.py"}.String(), 100)
		if err != nil || string(text) != "1" {
			t.Errorf("%q %v", text, err)
		}
		if after := w.versions(ada, id); len(after) != 3 || jsonOf(t, after[0]) != jsonOf(t, listed) || after[1].Number != 2 || after[2].Number != 3 || after[1].Note != "later" {
			t.Errorf("%s, want %s first", jsonOf(t, after), jsonOf(t, listed))
		}
		w.dropTrees()
	}
	entry, err := w.Readable(w.as(ada), id)
	if err != nil || !strings.Contains(entry.RepositoryURL, id+"/v3/") {
		t.Errorf("%s %v", entry.RepositoryURL, err)
	}
	was, _, shown, err := w.Versions().Get(w.as(ada), id, 1)
	if err != nil || !strings.Contains(was.RepositoryURL, id+"/v1/") || shown.Latest != 3 {
		t.Errorf("%s %+v %v", was.RepositoryURL, shown, err)
	}
}

// Saying something else about an entry makes no version.
func TestEditsMakeNoVersion(t *testing.T) {
	w := newWorld(t)
	id := w.add(ada, catalog.Dataset, "Work", w.file(ada, "a.csv", "1"))
	entry, err := w.Readable(w.as(ada), id)
	if err != nil {
		t.Fatal(err)
	}
	description, tags, people, authors := "Other words", []string{"mice"}, []catalog.Credit{{Name: "Ada L"}}, []string{ada, bob}
	if _, err := w.contribute.Update(w.as(ada), id, contribute.Edit{Description: &description, Tags: &tags, People: &people, Authors: &authors}, entry.UpdatedAt); err != nil {
		t.Fatal(err)
	}
	if found := w.versions(ada, id); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	w.renew(bob, id, w.file(bob, "a.csv", "2")) // who is an author by now
	found := w.versions(ada, id)
	if len(found) != 2 || found[1].By != bob || found[0].By != ada {
		t.Errorf("%+v", found)
	}
}

// An entry from before there were versions gets its first one when it changes.
func TestOlderEntryGetsItsFirstVersion(t *testing.T) {
	w := newWorld(t, catalogtest.Entry("old"))
	id := w.ID("old")
	if found := w.versions(ada, id); len(found) != 1 || found[0].Number != 1 || found[0].Kept {
		t.Fatalf("%+v", found)
	}
	w.renew(ada, id, w.file(ada, "a.csv", "2"))
	w.has(id, 2, map[string]string{"a.csv": "2"})
	found := w.versions(ada, id)
	if len(found) != 2 || found[0].Kept || !found[1].Kept || found[1].Number != 2 {
		t.Errorf("%+v", found)
	}
	was, _, _, err := w.Versions().Get(w.as(ada), id, 1)
	if err != nil || was.DatasetURL != "spikes" {
		t.Errorf("%s %v", was.DatasetURL, err)
	}
	if _, ok, err := w.files.Path(catalog.Kept{ID: id, Number: 1}.String()); !ok || fault.KindOf(err) != fault.NotFound {
		t.Errorf("version 1, whose files are elsewhere: %v %v", ok, err)
	}
}

// Twenty versions of a large file of which little changes take little more than one.
func TestVersionsShareWhatIsEqual(t *testing.T) {
	w := newWorld(t)
	const size, count = 32 << 20, 20
	content := random(1, size)
	id := ""
	for i := range count {
		if i > 0 {
			copy(content[(i*7919*1024)%(size-size/100):], random(uint64(100+i), size/100))
		}
		upload := w.send(ada, content, "filename", "a.bin")
		if i == 0 {
			id = w.add(ada, catalog.Dataset, "Large", upload)
			continue
		}
		w.renew(ada, id, upload)
		w.dropTrees()
	}
	stored, bytes, err := w.files.StoredVersions(t.Context(), id)
	if err != nil || len(stored) != count || float64(bytes) > 1.3*size {
		t.Errorf("%d versions take %.3f times one: %v", len(stored), float64(bytes)/size, err)
	}
}
