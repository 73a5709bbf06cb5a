package dataset

import (
	"crypto/sha256"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// later returns digests for which all files have been left alone for an hour.
func later(prompt int64) *Digests {
	digests := NewDigests()
	digests.now = func() time.Time { return time.Now().Add(time.Hour) }
	digests.prompt = prompt
	return digests
}

func digestOf(t *testing.T, digests *Digests, tree *Tree, name string) (Digest, bool) {
	t.Helper()
	file, err := tree.File(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return digests.Of(tree, file)
}

func stateOf(t *testing.T, path string) version {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	state, err := versionOf(file)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// wait waits for all that is computed in the background.
func (d *Digests) wait() {
	for range digestsAtOnce {
		d.slots <- struct{}{}
	}
	for range digestsAtOnce {
		<-d.slots
	}
}

func TestSmallFilesHaveTheirDigestAtOnce(t *testing.T) {
	t.Parallel()
	for name, digests := range map[string]*Digests{"settled": later(4), "just written": NewDigests()} {
		folder := t.TempDir()
		tree := openTree(t, folder, ".")
		for _, text := range []string{"1234", "4321", ""} {
			write(t, folder, map[string]string{"a.bin": text})
			if got, ok := digestOf(t, digests, tree, "a.bin"); !ok || got != sha256.Sum256([]byte(text)) {
				t.Errorf("%s: %q: %x, %t", name, text, got, ok)
			}
		}
	}
}

func TestLargeFilesHaveTheirDigestAfterAWhile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	tree, digests := openTree(t, folder, "."), later(4)
	path := filepath.Join(folder, "a.bin")
	past := time.Now().Add(-time.Hour)
	var state version
	// The second has the size and the time of modification of the first, the third another inode, too.
	for i, change := range []func(){
		func() { write(t, folder, map[string]string{"a.bin": "first"}) },
		func() { write(t, folder, map[string]string{"a.bin": "other"}) },
		func() {
			write(t, folder, map[string]string{"b.bin": "third"})
			if err := os.Rename(filepath.Join(folder, "b.bin"), path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		// The kernel's clock may tick more slowly than this test writes.
		for before := state; state == before; state = stateOf(t, path) {
			if err := os.Chtimes(path, past, past); err != nil {
				t.Fatal(err)
			}
		}
		if got, ok := digestOf(t, digests, tree, "a.bin"); ok {
			t.Errorf("change %d: a digest at once: %x", i, got)
		}
		digests.wait()
		want := sha256.Sum256([]byte([]string{"first", "other", "third"}[i]))
		if got, ok := digestOf(t, digests, tree, "a.bin"); !ok || got != want {
			t.Errorf("change %d: %x, %t", i, got, ok)
		}
	}
}

// The times of a file are coarse: a second change at nearly the same moment would go unseen.
func TestDigestsOfFilesJustWrittenAreNotKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"a.bin": "12345"})
	tree, digests := openTree(t, folder, "."), later(10)
	digests.now = func() time.Time { return time.Now().Add(-time.Hour) }
	if _, ok := digestOf(t, digests, tree, "a.bin"); !ok {
		t.Error("no digest of a small file")
	}
	digests.prompt = 4
	for range 2 {
		if got, ok := digestOf(t, digests, tree, "a.bin"); ok {
			t.Errorf("kept %x", got)
		}
		digests.wait()
	}
}

func TestFewDigestsAreComputedAtOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"huge.bin": ""})
	// Reading it would take longer than any test may.
	if err := os.Truncate(filepath.Join(folder, "huge.bin"), 1<<42); err != nil {
		t.Skip(err)
	}
	tree, digests := openTree(t, folder, "."), later(4)
	for range digestsAtOnce {
		digests.slots <- struct{}{}
	}
	for range 3 {
		if _, ok := digestOf(t, digests, tree, "huge.bin"); ok || len(digests.slots) != digestsAtOnce {
			t.Error("a digest of a huge file")
		}
	}
}

func TestFilesThatChangeWhileTheyAreReadHaveNoDigest(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"a.bin": "12345"})
	tree, digests := openTree(t, folder, "."), later(4)
	file, err := tree.File("a.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before, err := versionOf(file.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"123456789", "1"} {
		write(t, folder, map[string]string{"a.bin": text})
		if got, err := digests.compute(file.File, before); err == nil {
			t.Errorf("%q: %x", text, got)
		}
	}
}

func TestTotals(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{
		"data/a.csv": "1,2", "data/deep/er/b.txt": "b", "data/.git/config": "hidden", "data/loop -> .": "", "data/alias.csv -> a.csv": "",
	})
	tree := openTree(t, folder, "data")
	if total, err := tree.Total(); err != nil || total != (Total{3, 7, false}) {
		t.Errorf("got %+v, %v", total, err)
	}
	if _, more, err := tree.walk(7); err != nil || more {
		t.Errorf("all of it: %t, %v", more, err)
	}
	// The hidden folder counts, too: reading it costs as much.
	if parts, more, err := tree.walk(6); err != nil || !more || len(parts) > 3 {
		t.Errorf("more than is counted: %v, %t, %v", parts, more, err)
	}
	if size := sizeOf([]Part{{"a", math.MaxInt64}, {"b", math.MaxInt64}}); size != math.MaxInt64 {
		t.Errorf("sizes beyond numbers: %d", size)
	}
	single := openTree(t, folder, "data/a.csv")
	if total, err := single.Total(); err != nil || total != (Total{1, 3, false}) {
		t.Errorf("one file: %+v, %v", total, err)
	}
}
