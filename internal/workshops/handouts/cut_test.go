package handouts_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/workshops/handouts"
)

// crowded is a session in which every rule applies to one of the files.
func crowded(t *testing.T) (*session, []handouts.File) {
	s := newSession(t, map[string]string{
		"r": folder, "r/unchanged.txt": "old", "r/changed.txt": "mine", "r/open.ipynb": "old", "r/same.txt": "new", "r/folder": folder,
		"r/full.txt": "mine", "r/full (from the host).txt": "mine too", "r/file": "mine",
	})
	s.open = []string{"r/open.ipynb"}
	return s, []handouts.File{
		file("r/unchanged.txt", "new", "old"), file("r/changed.txt", "new 2", "old"), file("r/open.ipynb", "new 3", "old"), file("r/same.txt", "new"),
		file("r/folder", "new 4"), file("r/full.txt", "new 5", "old"), file("r/file/x.txt", "new 6"), file("r/a/b/new.txt", "new 7"), file("r/a/b/ü 2.txt", "new 8", "old"),
	}
}

// However a delivery is cut, at whatever request, the next one brings the session to where one that isn't cut does.
func TestCutDeliveriesAreCompleted(t *testing.T) {
	whole, files := crowded(t)
	at := whole.delivers(files...)
	mine := map[string]string{}
	for name, content := range whole.files {
		if content == "mine" || content == "mine too" {
			mine[name] = content
		}
	}
	if len(mine) != 4 {
		t.Fatalf("what people had isn't all there: %q", mine)
	}
	answered := func(status int) func(func() *http.Response) (*http.Response, error) {
		return func(func() *http.Response) (*http.Response, error) {
			answer := httptest.NewRecorder()
			refuse(answer, status, "no")
			return answer.Result(), nil
		}
	}
	served := func(then func(func() *http.Response) (*http.Response, error)) func(func() *http.Response) (*http.Response, error) {
		return func(serve func() *http.Response) (*http.Response, error) {
			serve()
			return then(serve)
		}
	}
	cut := func(func() *http.Response) (*http.Response, error) { return nil, errCut }
	for name, way := range map[string]func(serve func() *http.Response) (*http.Response, error){
		"cut before it is served": cut, "cut after it was served": served(cut),
		"a proxy refuses": answered(http.StatusBadGateway), "a proxy refuses after it was served": served(answered(http.StatusGatewayTimeout)),
		"refused after it was served": served(answered(http.StatusInternalServerError)), "overloaded": answered(http.StatusTooManyRequests),
	} {
		t.Run(name, func(t *testing.T) {
			for k := 1; k <= len(whole.requests); k++ {
				s, files := crowded(t)
				s.cut = func(number int, serve func() *http.Response) (*http.Response, error) {
					if number == k {
						return way(serve)
					}
					return serve(), nil
				}
				delivered, err := s.deliver(files...)
				if err != nil && fault.KindOf(err) != fault.Unavailable && fault.KindOf(err) != fault.BadUpstream {
					t.Errorf("cut at %d: %v", k, err)
				}
				for i, one := range delivered.Files {
					if j := slices.IndexFunc(files, func(file handouts.File) bool { return file.Path == one.Path }); j < i || s.files[one.At] != string(files[j].Content) {
						t.Errorf("cut at %d: %+v is said to be delivered", k, one)
					}
				}
				again := s.delivers(files...)
				for i := range again {
					if placeOf(again[i]) != placeOf(at[i]) {
						t.Errorf("cut at %d: %q, want %q", k, again[i], at[i])
					}
				}
				s.has(whole.files)
			}
		})
	}
}

// placeOf returns where a file lies, of what delivers returns.
func placeOf(said string) string {
	for i, letter := range said {
		if letter == ' ' {
			return said[i:]
		}
	}
	return said
}

// A save that is refused once for no lasting reason can leave a file beside a path where nothing is, though no second copy.
func TestRefusedRequestsMakeNoSecondCopies(t *testing.T) {
	whole, _ := crowded(t)
	people := maps.Clone(whole.files)
	_, files := crowded(t)
	whole.delivers(files...)
	for k := 1; k <= len(whole.requests); k++ {
		s, files := crowded(t)
		s.cut = func(number int, serve func() *http.Response) (*http.Response, error) {
			if number == k {
				answer := httptest.NewRecorder()
				refuse(answer, http.StatusInternalServerError, "no")
				return answer.Result(), nil
			}
			return serve(), nil
		}
		_, _ = s.deliver(files...)
		s.delivers(files...)
		count := map[string]int{}
		for name, content := range s.files {
			count[content]++
			if before, there := people[name]; there && before != content && name != "r/unchanged.txt" {
				t.Errorf("refused at %d: %s was %q and is %q", k, name, before, content)
			}
		}
		for _, one := range files {
			if most := count[string(one.Content)]; most != 1 && (string(one.Content) != "new" || most != 2) {
				t.Errorf("refused at %d: %q is there %d times: %q", k, one.Content, most, s.files)
			}
		}
	}
}
