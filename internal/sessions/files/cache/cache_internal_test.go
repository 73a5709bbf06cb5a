package cache

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
)

func TestWhoWaitsForAnEntryHearsNothingOfEarlierWork(t *testing.T) {
	cache, err := Open(t.TempDir(), 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	lock := func(hear func(string)) func() {
		t.Helper()
		unlock, err := cache.Lock(t.Context(), "key", hear)
		if err != nil {
			t.Fatal(err)
		}
		return unlock
	}
	first := lock(nil)
	heard := make(chan string)
	done := make(chan func())
	go func() { done <- lock(func(said string) { heard <- said }) }()
	<-heard
	cache.say("key", "half of it")
	first()
	second := receive(heard, done)
	if said := cache.heard("key"); said != "" {
		t.Errorf("%q is left of the first one's work", said)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cache.Lock(over, "key", func(string) {}); err == nil {
		t.Error("Two work on one entry")
	}
	second()
	if len(cache.jobs) != 0 {
		t.Errorf("%d entries are remembered though nobody is at them", len(cache.jobs))
	}
}

// receive takes what comes of two channels until the second gives a value.
func receive(heard chan string, done chan func()) func() {
	for {
		select {
		case <-heard:
		case unlock := <-done:
			return unlock
		}
	}
}

// A session notes what it uses while it holds the entry's lock: looked up without it, the note may come a moment later.
func TestWhetherAnEntryIsInUseIsAskedUnderItsLock(t *testing.T) {
	cache, err := Open(t.TempDir(), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"used", "idle"} {
		root, err := cache.Create(key, os.Geteuid())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(root.WriteFile("file", []byte("x"), 0o600), root.Close(), cache.Complete(key)); err != nil {
			t.Fatal(err)
		}
	}
	err = cache.Evict(func(key string) bool {
		if current := cache.jobs[key]; current == nil || len(current.token) == 0 {
			t.Errorf("A session can take %q right now", key)
		}
		return key == "used"
	}, func() bool { return false })
	if err != nil || !cache.Has("used") || cache.Has("idle") {
		t.Errorf("used: %t, idle: %t, %v", cache.Has("used"), cache.Has("idle"), err)
	}
}

func TestAnEntryIsReplacedWhenNobodyReadsIt(t *testing.T) {
	cache, err := Open(t.TempDir(), 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	put := func(key, text string) {
		t.Helper()
		root, err := cache.Create(key, os.Geteuid())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(root.WriteFile("file", []byte(text), 0o600), root.Close()); err != nil {
			t.Fatal(err)
		}
	}
	put("key", "old")
	unlock, err := cache.Lock(t.Context(), "key", nil)
	if err != nil {
		t.Fatal(err)
	}
	done := cache.Hold("key")
	put("key"+NextSuffix, "new")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cache.Replace(over, "key"); err == nil || readText(t, cache.Path("key")+"/file") != "old" {
		t.Errorf("It was replaced while somebody read it: %v", err)
	}
	if err := cache.Evict(func(string) bool { return false }, func() bool { return false }); err != nil {
		t.Error(err)
	}
	replaced := make(chan error)
	go func() { replaced <- cache.Replace(t.Context(), "key") }()
	done()
	if err := <-replaced; err != nil || readText(t, cache.Path("key")+"/file") != "new" {
		t.Errorf("It was not replaced: %v", err)
	}
	unlock()
	if len(cache.jobs) != 0 {
		t.Error("It is remembered though nobody is at it")
	}
}

// What an entry brings counts as the disk counts it: an empty file or a folder takes room too. And while the disk lacks room,
// the cache keeps nothing that isn't used.
func TestEmptyFilesCount(t *testing.T) {
	for name, fill := range map[string]func(root *os.Root, i int) error{
		"empty files": func(root *os.Root, i int) error { return root.WriteFile(strconv.Itoa(i), nil, 0o600) },
		"folders":     func(root *os.Root, i int) error { return root.Mkdir(strconv.Itoa(i), 0o700) },
		"links":       func(root *os.Root, i int) error { return root.Symlink("nowhere", strconv.Itoa(i)) },
		"sparse files": func(root *os.Root, i int) error {
			file, err := root.Create(strconv.Itoa(i))
			if err == nil {
				err = errors.Join(file.Truncate(1<<30), file.Close())
			}
			return err
		},
	} {
		cache, err := Open(t.TempDir(), 1<<20, false)
		if err != nil {
			t.Fatal(err)
		}
		put := func(key string, files int) {
			t.Helper()
			root, err := cache.Create(key, os.Geteuid())
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			for i := range files {
				if err := fill(root, i); err != nil {
					t.Fatal(err)
				}
			}
			if err := cache.Complete(key); err != nil {
				t.Fatal(err)
			}
		}
		put("many", 300)
		put("used", 3)
		put("few", 3)
		evict := func(lacking func() bool) {
			t.Helper()
			if err := cache.Evict(func(key string) bool { return key == "used" }, lacking); err != nil {
				t.Fatal(err)
			}
		}
		evict(func() bool { return false })
		if cache.Has("many") || !cache.Has("few") {
			t.Errorf("%s: many are kept: %t, few: %t", name, cache.Has("many"), cache.Has("few"))
		}
		evict(func() bool { return cache.Has("few") })
		if cache.Has("few") || !cache.Has("used") {
			t.Errorf("%s: on a full disk few are kept: %t, what is used: %t", name, cache.Has("few"), cache.Has("used"))
		}
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(content)
}
