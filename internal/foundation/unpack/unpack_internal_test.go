package unpack

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CVE-2023-51449, CVE-2026-39378: archives led out of their folder, by names and by links.
func TestArchivesStayInTheirFolder_CVE_2023_51449(t *testing.T) {
	outside := t.TempDir()
	for name, test := range map[string]struct {
		fill func(*tar.Writer)
		want string // in the fault; "" when it is unpacked
	}{
		"up":       {func(w *tar.Writer) { tarFile(w, "../x", 3) }, "points elsewhere"},
		"deep up":  {func(w *tar.Writer) { tarFile(w, "a/../../x", 3) }, "points elsewhere"},
		"absolute": {func(w *tar.Writer) { tarFile(w, outside+"/x", 3) }, "points elsewhere"},
		"link": {func(w *tar.Writer) {
			_ = w.WriteHeader(&tar.Header{Name: "out", Linkname: outside, Typeflag: tar.TypeSymlink})
			tarFile(w, "out/x", 3)
		}, ""},
		"hard link": {func(w *tar.Writer) {
			_ = w.WriteHeader(&tar.Header{Name: "passwd", Linkname: "/etc/passwd", Typeflag: tar.TypeLink})
		}, ""},
		"bomb":  {func(w *tar.Writer) { tarFile(w, "zeros", 9<<20) }, "larger than 8 MiB"},
		"twice": {func(w *tar.Writer) { tarFile(w, "a", 1); tarFile(w, "a", 1) }, "exists"},
		"device": {func(w *tar.Writer) {
			_ = w.WriteHeader(&tar.Header{Name: "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3})
		}, ""},
	} {
		folder := t.TempDir()
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		file, err := root.Create("archive")
		if err != nil {
			t.Fatal(err)
		}
		packed := gzip.NewWriter(file)
		archive := tar.NewWriter(packed)
		test.fill(archive)
		if err := errors.Join(archive.Close(), packed.Close()); err != nil {
			t.Fatal(err)
		}
		err = New(t.Context(), Options{Most: 8 << 20}).Unpack(root, file, 0, TarGz)
		if (test.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", name, err)
		}
		_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, _ error) error {
			if !entry.IsDir() && !entry.Type().IsRegular() {
				t.Errorf("%s left %s", name, path)
			}
			return nil
		})
		if entries, _ := os.ReadDir(outside); len(entries) != 0 {
			t.Errorf("%s wrote outside: %v", name, entries)
		}
	}
}

// An empty file or a folder takes a block, also a folder that an archive only has in the name of a file.
func TestEverythingInAnArchiveCounts(t *testing.T) {
	for name, test := range map[string]struct {
		pack func(*tar.Writer)
		fits bool
	}{
		"empty files":       {func(w *tar.Writer) { each(w, "%d") }, false},
		"folders":           {func(w *tar.Writer) { each(w, "%d/") }, false},
		"folders by a path": {func(w *tar.Writer) { each(w, "%d/"+strings.Repeat("d/", 40)+"f") }, false},
		"small files": {func(w *tar.Writer) {
			for i := range 100 {
				tarFile(w, fmt.Sprint(i), 4000)
			}
		}, true},
	} {
		if _, err := unpackTar(t, test.pack, nil); (err == nil) != test.fits || err != nil && !strings.Contains(err.Error(), "larger than 1 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unpackTar unpacks at most a MiB.
func unpackTar(t *testing.T, pack func(*tar.Writer), lacks func() bool) (written int64, err error) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := tar.NewWriter(file)
	pack(archive)
	root, err := os.OpenRoot(t.TempDir())
	if err := errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	unpacking := New(t.Context(), Options{Most: 1 << 20, Lacks: lacks})
	err = unpacking.Unpack(root, file, 0, Tar)
	return unpacking.Written(), err
}

// While an archive is unpacked the disk is looked at: what it takes is nobody's growth, and others wait for the room.
func TestUnpackingLeavesTheReserve(t *testing.T) {
	for name, pack := range map[string]func(*tar.Writer){
		"empty files":  func(w *tar.Writer) { each(w, "%d") },
		"a large file": func(w *tar.Writer) { tarFile(w, "zeros", 1<<20) },
	} {
		written, err := unpackTar(t, pack, func() bool { return true })
		if !errors.Is(err, errFull) || written > 1<<20 {
			t.Errorf("%s: after %d bytes %v", name, written, err)
		}
	}
}

// each packs 300 empty files or folders.
func each(w *tar.Writer, name string) {
	for i := range 300 {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(name, "/") {
			kind = tar.TypeDir
		}
		_ = w.WriteHeader(&tar.Header{Name: fmt.Sprintf(name, i), Typeflag: kind, Mode: 0o755})
	}
}

func tarFile(w *tar.Writer, name string, length int) {
	_ = w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(length), Mode: 0o644})
	_, _ = w.Write(make([]byte, length))
}
