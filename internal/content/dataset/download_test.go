package dataset

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cairn/internal/foundation/fault"
)

func unpacked(t *testing.T, archive []byte) map[string]string {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, each := range reader.File {
		if each.Method != zip.Store {
			t.Errorf("%s is compressed", each.Name)
		}
		opened, err := each.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		files[each.Name] = string(content)
	}
	return files
}

func TestArchivesHoldWhatListingsShow(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{
		"secret.txt": "secret", "data/a.csv": "1,2", "data/deep/er/b.txt": "b", "data/.git/config": "hidden", "data/deep/.env": "hidden",
		"data/empty/": "", "data/out -> ../secret.txt": "", "data/loop -> .": "", "data/alias.csv -> a.csv": "", "data/gone -> nowhere": "",
	})
	if err := syscall.Mkfifo(filepath.Join(folder, "data/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := openTree(t, folder, "data")
	parts, size, err := tree.Parts()
	if err != nil || size != 7 {
		t.Fatal(parts, size, err)
	}
	var archive bytes.Buffer
	if err := tree.Zip(&archive, parts); err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, archive.Bytes())
	want := map[string]string{"a.csv": "1,2", "alias.csv": "1,2", "deep/er/b.txt": "b"}
	for name, text := range want {
		if files[name] != text {
			t.Errorf("%s: %q", name, files[name])
		}
	}
	if len(files) != len(want) {
		t.Errorf("got %q", files)
	}
}

func TestArchiveOfOneFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"data/a.csv": "1,2", "data/b.csv": "other"})
	tree := openTree(t, folder, "data/a.csv")
	parts, size, err := tree.Parts()
	if err != nil || size != 3 || !slices.Equal(parts, []Part{{"a.csv", 3}}) {
		t.Fatal(parts, size, err)
	}
	file, err := tree.File("a.csv")
	if err != nil || file.Name != "a.csv" || file.Size != 3 {
		t.Fatal(file, err)
	}
	_ = file.Close()
	if _, err := tree.File("b.csv"); fault.KindOf(err) != fault.NotFound {
		t.Error(err)
	}
}

func TestArchiveOfFilesThatChange(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"grows.txt": "12", "shrinks.txt": "1234", `a\b.txt`: "x"})
	tree := openTree(t, folder, ".")
	parts, _, err := tree.Parts()
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, map[string]string{"grows.txt": "1234"})
	var archive bytes.Buffer
	if err := tree.Zip(&archive, parts); err != nil {
		t.Fatal(err)
	}
	if files := unpacked(t, archive.Bytes()); files["grows.txt"] != "12" || files["a_b.txt"] != "x" {
		t.Errorf("got %q", files)
	}
	write(t, folder, map[string]string{"shrinks.txt": "1"})
	if err := tree.Zip(io.Discard, parts); err == nil || !strings.Contains(err.Error(), "shrinks.txt") {
		t.Errorf("a file that became shorter: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "shrinks.txt")); err != nil {
		t.Fatal(err)
	}
	if err := tree.Zip(io.Discard, parts); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a file that is gone: %v", err)
	}
}

func TestFilesOutsideAreNotOpened(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"secret.txt": "secret", "data/out -> ../secret.txt": "", "data/away -> /etc/passwd": "", "data/.env": "x", "data/deep/": ""})
	if err := syscall.Mkfifo(filepath.Join(folder, "data/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	tree := openTree(t, folder, "data")
	for _, name := range []string{"", "out", "away", ".env", "deep", "pipe", "../secret.txt", "/etc/passwd", "deep/../../secret.txt", "a\x00b"} {
		if file, err := tree.File(name); err == nil {
			t.Errorf("%q: opened %v", name, file.Name)
		}
	}
}
