package environments

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/files/cache"
)

func TestADownloadIsKeptWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	opened, err := cache.Open(filepath.Join(t.TempDir(), "downloads"), 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	kept, digest := downloads{opened}, strings.Repeat("0a", 32)
	for _, whole := range []bool{false, true} {
		draft, err := kept.Create(digest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kept.Create(digest); err == nil {
			t.Error("two sessions write the same file")
		}
		if _, err := io.WriteString(draft, "wheel"); err != nil {
			t.Fatal(err)
		}
		if _, err := kept.Open(digest); err == nil {
			t.Error("a file that still comes is there")
		}
		if err := opened.Evict(func(string) bool { return false }, func() bool { return false }); err != nil {
			t.Fatal(err)
		}
		if whole {
			err = draft.Keep()
		} else {
			draft.Drop()
		}
		if entries, _ := os.ReadDir(opened.Folder()); err != nil || (len(entries) > 0) != whole {
			t.Errorf("whole %v: the cache has %v (%v)", whole, entries, err)
		}
	}
	file, err := kept.Open(digest)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if content, err := io.ReadAll(file); err != nil || string(content) != "wheel" {
		t.Errorf("the file is %q %v", content, err)
	}
}
