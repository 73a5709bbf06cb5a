package codehost

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheCacheIsBoundedAndForgetsWhatNobodyAsksFor(t *testing.T) {
	folder := t.TempDir()
	now := time.Now()
	cache, err := OpenCache(folder, 10*blockSize)
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(strings.Repeat("x", 900))
	for i := range 30 {
		now = now.Add(time.Second)
		if err := cache.put(fmt.Sprint("address ", i), kept{200, `"tag"`, now, body}); err != nil {
			t.Fatal(err)
		}
		if _, ok := cache.find("address 0", now); !ok {
			t.Fatalf("what is asked for went after %d others", i)
		}
	}
	if _, ok := cache.find("address 5", now); ok {
		t.Error("an old answer is still there")
	}
	found, err := os.ReadDir(folder)
	if err != nil || len(found) != 10 {
		t.Errorf("%d files, %v", len(found), err)
	}
	if err := cache.put("huge", kept{200, "", now, []byte(strings.Repeat("x", 11*blockSize))}); err != nil {
		t.Error(err)
	}
	if cache.total > 10*blockSize {
		t.Error(cache.total)
	}
}

func TestTheCacheIsTakenUpAgain(t *testing.T) {
	folder := t.TempDir()
	now := time.Now().Truncate(time.Second)
	cache, err := OpenCache(folder, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	for address, answer := range map[string]kept{"a": {200, `W/"t\n"`, now, []byte("one\ntwo\n")}, "b": {404, "", now, nil}, "damaged": {200, "", now, []byte("x")}} {
		if err := cache.put(address, answer); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, nameOf("damaged")), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".new-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if cache, err = OpenCache(folder, 1_000_000); err != nil {
		t.Fatal(err)
	}
	if a, ok := cache.find("a", now); !ok || string(a.body) != "one\ntwo\n" || a.tag != `W/"t\n"` || a.status != 200 || !a.checked.Equal(now) {
		t.Errorf("%+v", a)
	}
	if b, ok := cache.find("b", now); !ok || b.status != 404 || len(b.body) != 0 {
		t.Errorf("%+v", b)
	}
	if _, ok := cache.find("damaged", now); ok {
		t.Error("what is damaged is used")
	}
	if _, err := os.Stat(filepath.Join(folder, ".new-123")); err == nil {
		t.Error("half a file is left")
	}
	if _, err := OpenCache(filepath.Join(folder, nameOf("a"), "below"), 10); err == nil {
		t.Error("a file is no folder")
	}
}
