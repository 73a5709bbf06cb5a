package versions

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that fails at any write loses nothing that was saved, and once it works again, the store does too.
func TestAFailingDiskLosesNothing(t *testing.T) {
	t.Parallel()
	for _, why := range []struct{ said, means error }{{syscall.ENOSPC, ErrFull}, {syscall.EDQUOT, ErrFull}, {syscall.EROFS, ErrReadOnly}, {syscall.EIO, syscall.EIO}} {
		t.Run(why.said.Error(), func(t *testing.T) {
			t.Parallel()
			from := rand.New(rand.NewPCG(3, 4))
			s := newScene(t)
			s.play(from, 3)
			for countdown := range 40 {
				s.change(from)
				left := countdown % 12
				s.disk.fail = func(one operation) error {
					if left--; left < 0 && (one.what == "write" || one.what == "sync" || one.what == "create" || one.what == "rename" && errors.Is(why.means, ErrReadOnly)) {
						return why.said
					}
					return nil
				}
				saved, err := s.save("0")
				if err != nil && !errors.Is(err, why.means) {
					t.Fatalf("got %v, want %v", err, why.means)
				}
				if err == nil {
					s.states[saved.Version.ID] = s.contents()
				}
				if countdown%5 == 0 {
					left = countdown % 7
					for id := range s.states {
						if !s.deleted[id] {
							if s.store.Delete(id) == nil {
								s.deleted[id] = true
							}
							break
						}
					}
					_, _ = s.store.Sweep(t.Context())
				}
				s.disk.fail = nil
				for id, want := range s.states {
					if got, err := contentsOf(t, s.store, id); !s.deleted[id] && (err != nil || !maps.Equal(got, want)) {
						t.Fatalf("version %s isn't what was saved: %v", id, err)
					}
				}
				s.must(s.store.Verify(t.Context()))
			}
			saved, err := s.save("1")
			s.must(err)
			s.states[saved.Version.ID] = s.contents()
			again, err := openOn(s.disk, Options{})
			s.must(err)
			for id, want := range s.states {
				if got, err := contentsOf(t, again, id); !s.deleted[id] && (err != nil || !maps.Equal(got, want)) {
					t.Fatalf("version %s isn't what was saved: %v", id, err)
				}
			}
		})
	}
}

// Whatever is at the end of the files, what is before it stays.
func TestTornTails(t *testing.T) {
	t.Parallel()
	from := rand.New(rand.NewPCG(5, 6))
	s := newScene(t)
	s.play(from, 8)
	last := s.disk.files[s.disk.names[logName]]
	for _, tail := range []string{"x", string(recordMark[:]), string(last.text[:60]), strings.Repeat("\xff", 5000)} {
		left := s.disk.crashed(len(s.disk.done), rand.New(rand.NewPCG(1, 1)))
		for name, number := range left.names {
			if name == logName || strings.HasSuffix(name, ".pack") {
				left.files[number].text = append(left.files[number].text, tail...)
			}
		}
		store, err := openOn(left, Options{})
		s.must(err)
		s.must(store.Verify(t.Context()))
		if len(store.byID) != len(s.states)-len(s.deleted) {
			t.Errorf("%d versions are left, want %d", len(store.byID), len(s.states)-len(s.deleted))
		}
		_, err = store.Save(t.Context(), Request{Line: "0", Always: true, Roots: []Root{{Name: "work", Folder: s.root}}})
		s.must(err)
		s.must(store.Verify(t.Context()))
	}
}

// What Delete took can't be read any more after a Sweep, and what is kept can.
func TestDeletedContentIsGone(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.must(os.WriteFile(filepath.Join(s.folder, "kept"), []byte(strings.Repeat("kept", 50_000)), 0o644))
	_, err := s.save("kept")
	s.must(err)
	s.must(os.WriteFile(filepath.Join(s.folder, "secret-name"), []byte("the secret"), 0o644))
	saved, err := s.save("gone")
	s.must(err)
	there := func(text string) bool {
		for _, number := range s.disk.names {
			if strings.Contains(string(s.disk.files[number].text), text) {
				return true
			}
		}
		return false
	}
	if !there("the secret") {
		t.Fatal("a short text should be stored as it is")
	}
	s.must(s.store.DeleteLine("gone"))
	before := s.store.StoredBytes()
	freed, err := s.store.Sweep(t.Context())
	s.must(err)
	if there("the secret") || there(saved.Version.ID) || freed <= 0 || s.store.StoredBytes() != before-freed {
		t.Errorf("freed %d of %d, and the secret is there: %v", freed, before, there("the secret"))
	}
	s.must(s.store.Verify(t.Context()))
	if len(s.store.Lines()) != 1 {
		t.Errorf("got %+v", s.store.Lines())
	}
}
