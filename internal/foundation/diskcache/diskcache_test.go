package diskcache

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type about struct {
	Status int
	Tag    string
}

var begin = time.Unix(1_000_000, 0)

func openCache(t *testing.T, folder string, limit int64) *Cache[about] {
	t.Helper()
	cache, err := Open[about](folder, limit)
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

func put(t *testing.T, cache *Cache[about], key, content string) {
	t.Helper()
	if err := cache.Put(key, about{200, `W/"t` + "\n" + `"`}, []byte(content), begin); err != nil {
		t.Fatal(err)
	}
}

// get returns the content of a key; false if there is none.
func get(t *testing.T, cache *Cache[about], key string) (string, bool) {
	t.Helper()
	item := cache.Get(key)
	if item == nil {
		return "", false
	}
	defer item.Close()
	content, err := io.ReadAll(item)
	if err != nil || int64(len(content)) != item.Size() || item.Digest != DigestOf(content) || item.About != (about{200, `W/"t` + "\n" + `"`}) {
		t.Errorf("%s is %q %+v (%v)", key, content, item, err)
	}
	return string(content), true
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(found))
	for i, entry := range found {
		names[i] = entry.Name()
	}
	return names
}

func TestItemsThatNobodyReadsMakeRoom(t *testing.T) {
	folder := t.TempDir()
	cache := openCache(t, folder, 10*blockSize)
	for i := range 30 {
		put(t, cache, fmt.Sprint("key ", i), strings.Repeat("x", 900))
		if _, ok := get(t, cache, "key 0"); !ok {
			t.Fatalf("an item in use went after %d others", i)
		}
	}
	if _, ok := get(t, cache, "key 5"); ok {
		t.Error("an old item is still there")
	}
	if names := namesIn(t, folder); len(names) != 10 || cache.total != 10*blockSize {
		t.Errorf("%d files, %d bytes", len(names), cache.total)
	}
	put(t, cache, "key 0", strings.Repeat("y", 3*blockSize)) // the same key with other content
	if content, ok := get(t, cache, "key 0"); !ok || content[0] != 'y' || cache.total > 10*blockSize {
		t.Errorf("replaced: %v, %d bytes", ok, cache.total)
	}
	put(t, cache, "huge", strings.Repeat("x", 11*blockSize))
	if _, ok := get(t, cache, "huge"); ok || cache.total != 0 || len(namesIn(t, folder)) != 0 {
		t.Errorf("an item larger than the cache is kept: %v, %d bytes", ok, cache.total)
	}
}

func TestARestartTakesItemsOver(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deep", "cache")
	cache := openCache(t, folder, 1_000_000)
	put(t, cache, "a", "one\ntwo\n")
	put(t, cache, "empty", "")
	put(t, cache, "damaged", "x")
	for name, content := range map[string]string{DigestOf([]byte("damaged")): "nonsense", ".new-123": "half", "notes.txt": "foreign"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	later := begin.Add(time.Hour)
	if err := cache.Touch("a", later); err != nil {
		t.Fatal(err)
	}
	cache = openCache(t, folder, 1_000_000)
	if content, ok := get(t, cache, "a"); !ok || content != "one\ntwo\n" {
		t.Errorf("%q %v", content, ok)
	}
	if item := cache.Get("a"); item == nil || !item.Checked.Equal(later) || item.Close() != nil {
		t.Errorf("%+v", item)
	}
	if content, ok := get(t, cache, "empty"); !ok || content != "" {
		t.Errorf("%q %v", content, ok)
	}
	if _, ok := get(t, cache, "damaged"); ok {
		t.Error("a damaged file is used")
	}
	if names := namesIn(t, folder); len(names) != 2 || cache.total != 2*blockSize {
		t.Errorf("%v are left, %d bytes", names, cache.total)
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[about](filepath.Join(folder, "file", "below"), 10); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func TestDeletedItemsAreGone(t *testing.T) {
	folder := t.TempDir()
	cache := openCache(t, folder, 1_000_000)
	put(t, cache, "a", "content")
	open := cache.Get("a")
	defer open.Close()
	for range 2 { // the second time there is nothing to delete
		if err := cache.Delete("a"); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := get(t, cache, "a"); ok || cache.total != 0 || len(namesIn(t, folder)) != 0 {
		t.Errorf("%v, %d bytes", ok, cache.total)
	}
	if content, err := io.ReadAll(open); err != nil || string(content) != "content" {
		t.Errorf("a reader who had it open reads %q (%v)", content, err)
	}
	if err := cache.Touch("a", begin); err != nil {
		t.Error(err)
	}
}
