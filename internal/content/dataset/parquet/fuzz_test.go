package parquet

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzFile: reading any file neither panics nor runs on, and gives no more and no longer texts than promised.
func FuzzFile(f *testing.F) {
	names, err := filepath.Glob("../testdata/*.parquet")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		const rows = 50
		file, err := Open(t.Context(), bytes.NewReader(content), int64(len(content)), rows)
		if err != nil {
			withoutPanic(t, err)
			return
		}
		for i := range file.Columns[:min(len(file.Columns), 60)] {
			read := 0
			withoutPanic(t, file.Read(i, rows, func(row int64, text string) bool {
				if row != int64(read) || len(text) > 4*longestText || !utf8.ValidString(text) {
					t.Errorf("row %d after %d: %d bytes", row, read, len(text))
				}
				read++
				return true
			}))
			if read > rows || file.work.held != heldBytes {
				t.Errorf("%d rows, %d bytes are held", read, file.work.held)
			}
		}
	})
}

func withoutPanic(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), "panic") {
		t.Fatal(err)
	}
}
