package kept_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
)

// nothingIsLeft asserts that what was refused left no files, no stored versions and no entry.
func (w *world) nothingIsLeft(what string) {
	w.T.Helper()
	if found, err := os.ReadDir(w.cache); err != nil || len(found) > 0 {
		w.T.Errorf("%s: trees are left: %v %v", what, found, err)
	}
	if found, err := w.files.Entries(); err != nil || len(found) > 0 {
		w.T.Errorf("%s: stores are left: %v %v", what, found, err)
	}
	if found := w.Find(ada, catalog.Query{}); len(found.Resources) > 0 {
		w.T.Errorf("%s: %d entries", what, len(found.Resources))
	}
}

// refused asserts that uploads can't become a dataset, with a sentence, and that they are still there.
func (w *world) refused(what string, ids ...string) {
	w.T.Helper()
	_, err := w.tryAdd(ada, catalog.Dataset, "Bad", ids...)
	known, _ := errors.AsType[*fault.Fault](err)
	if known == nil || known.Code == "internal" || !strings.Contains(known.Message, " ") {
		w.T.Errorf("%s: %v", what, err)
	}
	for _, id := range ids {
		if _, err := os.Stat(w.uploads.Path(id)); err != nil {
			w.T.Errorf("%s: the upload is gone: %v", what, err)
		}
	}
	w.nothingIsLeft(what)
	if err := w.uploads.Delete(w.T.Context(), ids); err != nil {
		w.T.Error(err)
	}
}

func TestHostileArchives(t *testing.T) {
	w := newWorld(t)
	text := func(name string) member { return member{name: name, text: "x"} }
	for what, members := range map[string][]member{
		"a folder above":        {text("../a")},
		"a folder above inside": {text("a/../../b")},
		"an absolute name":      {text("/etc/passwd")},
		"no UTF-8":              {text("a\xff")},
		"case":                  {text("Data.csv"), text("data.csv")},
		"case of folders":       {text("Data/a"), text("data/b")},
		"the same name twice":   {text("a"), text("a")},
		"a file and a folder":   {text("a"), text("a/b")},
		"a folder and a file":   {text("a/b"), text("a")},
		"a line break":          {text("a\nb")},
		"a backslash":           {text(`a\b`)},
		"a long name":           {text(strings.Repeat("a", 300))},
		"a long path":           {text(strings.Repeat("abcdefghi/", 150) + "a")},
		"many folders":          {text(strings.Repeat("a/", 400) + "a")},
		"nothing":               {},
		"nothing but history":   {text(".git/config"), text("a/.git/HEAD")},
	} {
		w.refused("tar: "+what, w.send(ada, tarOf(t, members...), "filename", "a.tar"))
		w.refused("zip: "+what, w.send(ada, zipOf(t, members...), "filename", "a.zip"))
		w.refused("packed: "+what, w.send(ada, tarOf(t, members...), "filename", "a", "packed", "tar"))
	}
	whole := zipOf(t, text("a"), text("b"))
	packed := gzipOf(t, tarOf(t, text("a"), member{name: "b", text: string(random(1, 5000))}))
	for name, content := range map[string][]byte{
		"a.zip": whole[:len(whole)-10], "b.zip": []byte("PK"), "c.zip": nil, "d.tar.gz": packed[:len(packed)/2], "e.tar.gz": []byte("x"), "f.tar": bytes.Repeat([]byte("x"), 2000),
		"g.tar": tarOf(t, member{name: "a", text: string(random(1, 5000))})[:2000], "h.zip": broken(whole), "i.tgz": broken(packed),
	} {
		w.refused("damaged "+name, w.send(ada, content, "filename", name))
	}
}

// broken is an archive with other bytes in its middle.
func broken(archive []byte) []byte {
	made := bytes.Clone(archive)
	for i := 35; i < min(len(made), 60); i++ {
		made[i] ^= 0x5a
	}
	return made
}

// What isn't a file is left out; nothing outside is read or written through it.
func TestLinksAndDevicesAreLeftOut(t *testing.T) {
	w := newWorld(t)
	for i, id := range []string{
		w.send(ada, tarOf(t, member{name: "a", text: "1"}, member{name: "link", kind: tar.TypeSymlink, link: "/etc/passwd"}, member{name: "hard", kind: tar.TypeLink, link: "/etc/passwd"},
			member{name: "self", kind: tar.TypeLink, link: "a"}, member{name: "null", kind: tar.TypeChar}, member{name: "pipe", kind: tar.TypeFifo}, member{name: "disk", kind: tar.TypeBlock}), "filename", "a.tar"),
		w.send(ada, zipOf(t, member{name: "a", text: "1"}, member{name: "link", link: "/etc/passwd"}), "filename", "a.zip"),
	} {
		made := w.add(ada, catalog.Dataset, fmt.Sprint("D", i), id)
		w.has(made, 1, map[string]string{"a": "1"})
	}
}

// A file below a link is not written where the link leads.
func TestNothingIsWrittenThroughLinks(t *testing.T) {
	w := newWorld(t)
	outside := t.TempDir()
	id := w.add(ada, catalog.Dataset, "D", w.send(ada, tarOf(t, member{name: "a", text: "1"}, member{name: "out", kind: tar.TypeSymlink, link: outside}, member{name: "out/b", text: "2"}), "filename", "a.tar"))
	w.has(id, 1, map[string]string{"a": "1", "out/b": "2"})
	if found, err := os.ReadDir(outside); err != nil || len(found) > 0 {
		t.Errorf("outside: %v %v", found, err)
	}
}

// An archive that would fill the disk is refused before it does.
func TestBombs(t *testing.T) {
	w := newWorld(t)
	var bomb bytes.Buffer
	archive := zip.NewWriter(&bomb)
	to, err := archive.Create("zeros")
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range most>>20 + 1 {
		if _, err := to.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	w.refused("a bomb", w.send(ada, bomb.Bytes(), "filename", "a.zip"))
	// The end of a zip file announces a million files.
	end := make([]byte, 56+20+22)
	copy(end, "PK\x06\x06")
	binary.LittleEndian.PutUint64(end[4:], 44)
	binary.LittleEndian.PutUint64(end[24:], 1_000_001)
	binary.LittleEndian.PutUint64(end[32:], 1_000_001)
	copy(end[56:], "PK\x06\x07")
	binary.LittleEndian.PutUint32(end[56+16:], 1)
	copy(end[76:], "PK\x05\x06")
	for i := 8; i < 20; i++ {
		end[76+i] = 0xff
	}
	w.refused("a million files", w.send(ada, end, "filename", "a.zip"))
}

func TestHostileFiles(t *testing.T) {
	w := newWorld(t)
	w.refused("case", w.file(ada, "f/Data.csv", "1"), w.file(ada, "f/data.csv", "2"))
	w.refused("the same name twice", w.file(ada, "f/a", "1"), w.file(ada, "f/a", "2"))
	w.refused("a file and a folder", w.file(ada, "f/a", "1"), w.file(ada, "f/a/b", "2"))
	w.refused("a folder and a file", w.file(ada, "f/a/b", "1"), w.file(ada, "f/a", "2"))
	w.refused("history alone", w.file(ada, "f/.git/config", "1"))
	w.refused("a line break", w.send(ada, []byte("x"), "filename", "a\nb"))
	w.refused("packed over single", w.file(ada, "f/a", "1"), w.send(ada, tarOf(t, member{name: "f/a", text: "2"}), "filename", "p", "packed", "tar"))
	id := w.add(ada, catalog.Dataset, "D", w.file(ada, "f/.git/config", "1"), w.file(ada, "f/a", "1"))
	w.has(id, 1, map[string]string{"a": "1"})
}
