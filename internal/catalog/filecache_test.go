package catalog

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func isPNG(format string) bool { return format == "png" }

func TestFileCacheIsBounded(t *testing.T) {
	folder := t.TempDir()
	cache, err := openFileCache(folder, 3000, isPNG)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_000_000, 0)
	put := func(address string, size int) {
		t.Helper()
		now = now.Add(time.Minute)
		if err := cache.put(address, "png", bytes.Repeat([]byte(address[:1]), size), version{}, now); err != nil {
			t.Fatal(err)
		}
	}
	has := func(address string) bool {
		image, ok := cache.find(address, now)
		if _, err := os.Stat(cache.path(image)); ok != (err == nil) {
			t.Errorf("%s: known %v, file %v", address, ok, err)
		}
		return ok
	}
	files := func() int {
		found, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	put("a", 1000)
	put("b", 1000)
	put("c", 1000)
	now = now.Add(time.Minute)
	has("a") // asked for, so b is the oldest
	put("d", 1000)
	if !has("a") || has("b") || !has("c") || !has("d") || files() != 3 || cache.total != 3000 {
		t.Errorf("a %v b %v c %v d %v, %d files, %d bytes", has("a"), has("b"), has("c"), has("d"), files(), cache.total)
	}
	put("d", 500) // another file at the same address
	if !has("d") || files() != 3 || cache.total != 2500 {
		t.Errorf("after a change: %d files, %d bytes", files(), cache.total)
	}
	put("huge", 4000)
	if has("huge") || cache.total > 3000 {
		t.Errorf("a file larger than all room is kept: %d bytes", cache.total)
	}
}

func TestFileCacheAfterARestart(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "deep", "cache")
	cache, err := openFileCache(folder, 3000, isPNG)
	if err != nil {
		t.Fatal(err)
	}
	fetched := time.Unix(1_000_000, 0)
	if err := cache.put("a", "png", []byte("content"), version{}, fetched); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".new-123", "notes.txt", digestOf([]byte("x")) + "-" + digestOf([]byte("y")) + ".svg"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if cache, err = openFileCache(folder, 3000, isPNG); err != nil {
		t.Fatal(err)
	}
	if image, ok := cache.find("a", time.Now()); !ok || !image.fetched.Equal(fetched) || image.digest != digestOf([]byte("content")) || cache.total != 7 {
		t.Errorf("%+v %v, %d bytes", image, ok, cache.total)
	}
	if err := cache.renew("a", fetched.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if cache, err = openFileCache(folder, 3000, isPNG); err != nil {
		t.Fatal(err)
	}
	if file, _ := cache.find("a", time.Now()); !file.fetched.Equal(fetched.Add(time.Hour)) {
		t.Errorf("after it was renewed, and one more restart, it is of %s", file.fetched)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%v %v is left of what is none", left, err)
	}
}
