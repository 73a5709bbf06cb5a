package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
)

// allocated returns how many bytes some work allocates in total.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// create creates a sparse file of a size, with a text at its beginning.
func create(t *testing.T, path, begin string, size int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(begin); err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
}

// CVE-2026-54338 and similar ones: a file may be arbitrarily large and odd.
func TestFloodsOfLargeFilesAreBounded(t *testing.T) {
	root := t.TempDir()
	const gigabyte = 1 << 30
	create(t, filepath.Join(root, "sparse.csv"), "", 5*gigabyte)
	create(t, filepath.Join(root, "begun.csv"), "a,b\n"+strings.Repeat("1,2\n", 2<<20), 5*gigabyte)
	for name, sign := range map[string]string{"line.csv": "x", "commas.csv": ",", "lines.csv": "\n"} {
		create(t, filepath.Join(root, name), strings.Repeat(sign, tableBytes+10), 100<<20)
	}
	write(t, root, map[string]string{
		"quotes.csv": strings.Repeat(`"`, tableBytes-1),
		"open.csv":   strings.Repeat("\"a,b\n", tableBytes/6),
		"wide.csv":   strings.Repeat(strings.Repeat("7,", 800)+"7\n", 3000),
		"cells.csv":  strings.Repeat(strings.Repeat("é", 10_000)+","+strings.Repeat("w", 10_000)+"\n", 150),
		"marks.csv":  strings.Repeat("#\n", tableBytes/2),
		"bomb.csv.gz": func() string {
			var packed bytes.Buffer
			writer := gzip.NewWriter(&packed)
			for range 200 {
				_, _ = writer.Write(bytes.Repeat([]byte("1,2,3\n"), 1<<18))
			}
			_ = writer.Close()
			return packed.String()
		}(),
	})
	tree := openTree(t, root, ".")
	for name, want := range map[string]struct {
		rows, columns, more int
		refused             bool
	}{
		"sparse.csv": {refused: true}, "begun.csv": {rows: rowsRead, columns: 2}, "line.csv": {rows: 1, columns: 1},
		"commas.csv": {rows: 1, columns: columnsLimit, more: tableBytes + 1 - columnsLimit}, "quotes.csv": {rows: 1, columns: 1},
		"open.csv": {rows: rowsRead, columns: 2}, "lines.csv": {}, "wide.csv": {rows: cellsRead / columnsLimit, columns: columnsLimit, more: 801 - columnsLimit},
		"cells.csv": {rows: tableBytes/30_002 - 1, columns: 2}, "marks.csv": {}, "bomb.csv.gz": {rows: rowsRead, columns: 3},
	} {
		t.Run(name, func(t *testing.T) {
			var table Table
			var err error
			bytesAsked := allocated(func() { table, err = tree.Table(t.Context(), name, "") })
			if want.refused {
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || table.RowsRead != want.rows || len(table.Columns) != want.columns || table.MoreColumns != want.more {
				t.Errorf("%d rows, %d columns and %d more, %v", table.RowsRead, len(table.Columns), table.MoreColumns, err)
			}
			answer, err := json.Marshal(table)
			if err != nil || len(answer) > 2<<20 {
				t.Errorf("an answer of %d bytes, %v", len(answer), err)
			}
			if limit := uint64(64 << 20); bytesAsked > limit {
				t.Errorf("it took %d MB", bytesAsked>>20)
			}
		})
	}
}

func TestFloodsOfEntriesAreBounded(t *testing.T) {
	root := t.TempDir()
	for i := range entriesRead + 10 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprint("f", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if i != 1499 {
			continue
		}
		folder, err := openTree(t, root, ".").List("")
		if err != nil || folder.Total != 1500 || folder.More || len(folder.Entries) != entriesShown || folder.Entries[0].Name != "f0" {
			t.Errorf("%d of %d, more: %v, %v", len(folder.Entries), folder.Total, folder.More, err)
		}
	}
	folder, err := openTree(t, root, ".").List("")
	if err != nil || folder.Total != entriesRead || !folder.More || len(folder.Entries) != entriesShown {
		t.Errorf("%d of %d, more: %v, %v", len(folder.Entries), folder.Total, folder.More, err)
	}
}

// Reading a pipe waits for a writer, and reading /dev/zero never ends.
func TestFloodsOfPipesAndDevicesNeverBlock(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"pipe.csv", "pipe.md", "pipe"} {
		if err := syscall.Mkfifo(filepath.Join(root, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, map[string]string{"zero.csv -> /dev/zero": "", "linked.csv -> pipe.csv": ""})
	zero := int(1<<8 | 5) // major 1, minor 5
	if err := syscall.Mknod(filepath.Join(root, "device.csv"), syscall.S_IFCHR|0o600, zero); err != nil {
		t.Logf("devices are for the superuser alone to make: %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tree := openTree(t, root, ".")
		for _, name := range []string{"pipe.csv", "pipe.md", "pipe", "zero.csv", "linked.csv", "device.csv"} {
			if answer, err := everyCall(tree, name); err == nil || fault.KindOf(err) == fault.Internal {
				t.Errorf("%s: %s %v", name, answer, err)
			}
		}
		if folder, err := tree.List(""); err != nil || folder.Entries[0].Type != typeOther {
			t.Errorf("got %+v, %v", folder, err)
		}
		for _, address := range []string{"pipe", "zero.csv"} {
			if _, err := Open(root, address); err == nil {
				t.Errorf("%s was opened as a dataset", address)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits for something that never comes")
	}
}
