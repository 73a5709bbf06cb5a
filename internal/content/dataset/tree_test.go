package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
)

// write creates files in a folder; names that end with a slash are folders, and "a -> b" is a link to b.
func write(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		link, target, isLink := strings.Cut(name, " -> ")
		path := filepath.Join(folder, link)
		err := os.MkdirAll(filepath.Dir(path), 0o750)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o750)
		default:
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func openTree(t testing.TB, folder, address string) *Tree {
	t.Helper()
	tree, err := Open(folder, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree
}

// everyCall asks a tree for a path in every way and returns the messages and contents.
func everyCall(tree *Tree, path string) (string, error) {
	folder, err := tree.List(path)
	table, tableErr := tree.Table(context.Background(), path, "")
	text, textErr := tree.Text(path)
	for _, each := range []error{err, tableErr, textErr} {
		if each == nil {
			return fmt.Sprint(folder, table, text), nil
		}
	}
	return "", errors.Join(err, tableErr, textErr)
}

const secret = "secret"

// hostileData is a dataset beside data that nobody may reach, with links between them.
func hostileData(t testing.TB) (root string) {
	t.Helper()
	base := t.TempDir()
	outside := filepath.Join(base, "outside")
	write(t, base, map[string]string{
		"outside/secret.csv": secret + ",x\n1,2\n", "outside/secret.md": secret, "root/second/secret.csv": secret + ",x\n1,2\n",
		"root/data/a.csv": "a,b\n1,2\n", "root/data/deep/b.csv": "a,b\n1,2\n", "root/data/.hidden.csv": secret + "\n", "root/data/.git/secret.csv": secret + "\n",
		"root/data/out -> ../../outside": "", "root/data/absolute -> " + outside: "", "root/data/sibling -> ../second": "", "root/data/up -> ..": "",
		"root/data/leak.csv -> ../../outside/secret.csv": "", "root/data/leak2.csv -> " + outside + "/secret.csv": "", "root/data/chain.csv -> leak.csv": "",
		"root/data/proc.csv -> /proc/self/environ": "", "root/data/loop.csv -> loop.csv": "", "root/data/gone.csv -> nowhere.csv": "",
		"root/data/deep/leak.md -> ../../../outside/secret.md": "", "root/data/inner.csv -> deep/b.csv": "", "root/data/within -> deep": "",
		"root/escape -> ../outside": "", "root/one.csv": "a,b\n1,2\n", "root/leak.csv -> ../outside/secret.csv": "",
	})
	return filepath.Join(base, "root")
}

// CVE-2023-51449, CVE-2026-39378: encoded dots, absolute paths and links led out of the folder.
func TestTraversalOutOfADatasetIsRefused(t *testing.T) {
	root := hostileData(t)
	tree := openTree(t, root, "data")
	for _, path := range []string{
		"..", "../second/secret.csv", "../../outside/secret.csv", "deep/../../second/secret.csv", "./a.csv", "deep/..", "a.csv/..", "/", "//",
		filepath.Join(root, "second/secret.csv"), "/etc/passwd", "/proc/self/environ", "out", "out/secret.csv", "absolute", "absolute/secret.csv", "sibling/secret.csv",
		"up", "up/second/secret.csv", "leak.csv", "leak2.csv", "chain.csv", "proc.csv", "loop.csv", "gone.csv", "deep/leak.md", ".hidden.csv", ".git", ".git/secret.csv",
		"..%2fsecond%2fsecret.csv", `..\second\secret.csv`, "a.csv\x00.md", "a.csv/", "a.csv/x", "deep//b.csv", "\xff", "%2e%2e", "．．/second/secret.csv", strings.Repeat("a/", 5000) + "a", "nowhere.csv",
	} {
		answer, err := everyCall(tree, path)
		if err == nil {
			t.Errorf("%q gives %s", path, answer)
			continue
		}
		if fault.KindOf(err) != fault.NotFound || strings.Contains(err.Error(), root) {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, path := range []string{"", "a.csv", "deep", "deep/b.csv", "inner.csv", "within", "within/b.csv"} {
		if _, err := everyCall(tree, path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestTraversalByTheAddressOfADatasetIsRefused(t *testing.T) {
	root := hostileData(t)
	for _, address := range []string{"..", "../outside", "/etc", filepath.Join(root, "..", "outside"), "escape", "leak.csv", "data/out", "data/leak.csv", "", "data\x00", "nowhere", "data/a.csv/x"} {
		if tree, err := Open(root, address); err == nil {
			t.Errorf("%q opens %s", address, tree.root.Name())
		}
	}
	if _, err := Open(filepath.Join(root, "nowhere"), "data"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a root that is gone: %v", err)
	}
}

func TestADatasetOfOneFileShowsNothingElse(t *testing.T) {
	root := hostileData(t)
	tree := openTree(t, root, "one.csv")
	folder, err := tree.List("")
	if err != nil || folder.Total != 1 || folder.Entries[0] != (ListingEntry{Type: "file", Path: "one.csv", Name: "one.csv", Size: 8, Preview: "TABLE"}) {
		t.Errorf("got %+v, %v", folder, err)
	}
	if table, err := tree.Table(t.Context(), "one.csv", ""); err != nil || table.RowsRead != 1 {
		t.Errorf("got %+v, %v", table, err)
	}
	for _, path := range []string{"data", "data/a.csv", "second/secret.csv", "leak.csv", "../one.csv", "x/one.csv"} {
		if answer, err := everyCall(tree, path); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %s %v", path, answer, err)
		}
	}
	deep := openTree(t, root, "data/deep/b.csv")
	if _, err := deep.Table(t.Context(), "b.csv", ""); err != nil {
		t.Error(err)
	}
}

func TestFolderIsListed(t *testing.T) {
	root := hostileData(t)
	write(t, filepath.Join(root, "data"), map[string]string{
		"Z/": "", "B.CSV": "", "b.tsv.gz": "", "picture.png": "12345", "README": "", "<img src=x onerror=alert(1)>.csv": "", "\u202egnp.csv": "", "bad\xff.csv": "x", "bad\xff/": "",
	})
	if err := syscall.Mkfifo(filepath.Join(root, "data", "pipe.csv"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := openTree(t, root, "data").List("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range folder.Entries {
		got = append(got, fmt.Sprintf("%s %s %d %s", e.Type, e.Name, e.Size, e.Preview))
	}
	want := []string{
		"dir deep 0 NONE", "dir within 0 NONE", "dir Z 0 NONE", "file <img src=x onerror=alert(1)>.csv 0 TABLE", "file a.csv 8 TABLE", "other absolute 0 NONE",
		"file B.CSV 0 TABLE", "file b.tsv.gz 0 TABLE", "other bad\ufffd 0 NONE", "other bad\ufffd.csv 0 NONE", "other chain.csv 0 NONE", "other gone.csv 0 NONE",
		"file inner.csv 8 TABLE", "other leak.csv 0 NONE", "other leak2.csv 0 NONE", "other loop.csv 0 NONE", "other out 0 NONE", "file picture.png 5 NONE",
		"other pipe.csv 0 NONE", "other proc.csv 0 NONE", "file README 0 TEXT", "other sibling 0 NONE", "other up 0 NONE", "file \u202egnp.csv 0 TABLE",
	}
	slices.SortFunc(want, func(a, b string) int { // in the order of the list: folders, then names
		fold := func(line string) string {
			kind, name, _ := strings.Cut(line, " ")
			return fmt.Sprint(kind != "dir") + strings.ToLower(name)
		}
		return strings.Compare(fold(a), fold(b))
	})
	if !slices.Equal(got, want) || folder.Total != len(want) || folder.More || !folder.Available {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if inner, err := openTree(t, root, "data").List("deep"); err != nil || inner.Path != "deep" || inner.Entries[0].Path != "deep/b.csv" {
		t.Errorf("got %+v, %v", inner, err)
	}
}

func TestErrorsOfTheFileSystem(t *testing.T) {
	for number, want := range map[syscall.Errno]fault.Kind{
		syscall.EACCES: fault.Forbidden, syscall.EPERM: fault.Forbidden, syscall.EIO: fault.Unavailable, syscall.ESTALE: fault.Unavailable, syscall.EMFILE: fault.Unavailable,
		syscall.ENOENT: fault.NotFound, syscall.ENOTDIR: fault.NotFound, syscall.ELOOP: fault.NotFound, syscall.ENAMETOOLONG: fault.NotFound, syscall.EINVAL: fault.NotFound,
	} {
		err := faultOf(&fs.PathError{Op: "open", Path: "/srv/data/x", Err: number})
		if fault.KindOf(err) != want || strings.Contains(fault.MessageOf(err), "/srv") {
			t.Errorf("%v: %v", number, err)
		}
	}
}

func TestTextOfAFile(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"README.md": "# Title\r\n\r\nText", "long.txt": strings.Repeat("é", textBytes), "binary.txt": "a\x00b", "latin.txt": "caf\xe9", "picture.png": "x", "empty.md": "", "folder.md/": "",
	})
	tree := openTree(t, root, ".")
	if got, err := tree.Text("README.md"); err != nil || got != (TextFile{Path: "README.md", Size: 15, Text: "# Title\n\nText", Complete: true, Markdown: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := tree.Text("long.txt"); err != nil || got.Complete || len(got.Text) != textBytes || strings.Trim(got.Text, "é") != "" || got.Markdown {
		t.Errorf("got %d bytes, %v, %v", len(got.Text), got.Complete, err)
	}
	if got, err := tree.Text("latin.txt"); err != nil || got.Text != "café" {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := tree.Text("empty.md"); err != nil || got.Text != "" || !got.Complete {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, want := range map[string]string{"binary.txt": "isn't text", "picture.png": "can't be previewed", "folder.md": "isn't a file"} {
		if _, err := tree.Text(name); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
