package datasets

import (
	"archive/tar"
	"compress/gzip"
	"errors"
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
		"bomb":  {func(w *tar.Writer) { tarFile(w, "zeros", 9<<20) }, "larger than 8.0 MB"},
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
		file, err := root.Create(downloadName)
		if err != nil {
			t.Fatal(err)
		}
		packed := gzip.NewWriter(file)
		archive := tar.NewWriter(packed)
		test.fill(archive)
		if err := errors.Join(archive.Close(), packed.Close()); err != nil {
			t.Fatal(err)
		}
		unpacking := unpacker{ctx: t.Context(), most: 8 << 20, tell: func(string) {}}
		err = unpacking.unpack(root, file, 0, "tar.gz")
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

func tarFile(w *tar.Writer, name string, length int) {
	_ = w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(length), Mode: 0o644})
	_, _ = w.Write(make([]byte, length))
}
