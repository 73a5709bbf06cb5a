package chaos

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/bench/program"
)

func TestWhatWasLostIsFound(t *testing.T) {
	people := &people{emails: []string{"ann@example.org"}}
	l := newLedger("test", people, "", 1)
	began := time.Now()
	l.stars[0] = map[string]*known{
		"set": {may: []string{here}, last: began}, "removed": {may: []string{absent}, last: began}, "unsure": {may: []string{absent, here}, last: began},
	}
	l.projects[0] = map[string]*known{"p": {may: []string{"New name"}, last: began}}
	right := func() owned {
		return owned{stars: map[string]string{"set": here}, projects: map[string]string{"p": "New name"}}
	}
	for name, test := range map[string]struct {
		change func(o owned)
		before time.Time
		lost   int
	}{
		"nothing":                      {func(owned) {}, began.Add(1), 0},
		"either is right":              {func(o owned) { o.stars["unsure"] = here }, began.Add(1), 0},
		"a lost star":                  {func(o owned) { delete(o.stars, "set") }, began.Add(1), 1},
		"a star that was removed":      {func(o owned) { o.stars["removed"] = here }, began.Add(1), 1},
		"an old name":                  {func(o owned) { o.projects["p"] = "Old name" }, began.Add(1), 1},
		"a lost project":               {func(o owned) { delete(o.projects, "p") }, began.Add(1), 1},
		"all, in a backup from before": {func(o owned) { clear(o.stars); clear(o.projects) }, began, 0},
	} {
		found := right()
		test.change(found)
		if lost := l.compare(0, found, test.before); len(lost) != test.lost {
			t.Errorf("%s: %q", name, lost)
		}
	}
}

func TestOrphanedAndDoubledSessionsAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		sessions []string
		runs     map[string]int
		wrong    int
	}{
		"the same":   {[]string{"a", "b"}, map[string]int{"a": 1, "b": 1}, 0},
		"orphaned":   {[]string{"a"}, map[string]int{"a": 1, "b": 1}, 1},
		"doubled":    {[]string{"a"}, map[string]int{"a": 2}, 1},
		"not there":  {[]string{"a", "b"}, map[string]int{"a": 1}, 1},
		"all at all": {[]string{"a", "b"}, map[string]int{"b": 2, "c": 1}, 3},
	} {
		if wrong := different("the servers", test.sessions, "the hub", test.runs); len(wrong) != test.wrong {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// A server that isn't ready gets no requests. One that breaks a connection gets no more, and the client asks again.
func TestTheBalancerTurnsToServersThatAreReady(t *testing.T) {
	answers := func(name string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Break") == name {
				panic(http.ErrAbortHandler)
			}
			_, _ = w.Write([]byte(name))
		}))
		t.Cleanup(server.Close)
		return server
	}
	b := newBalancer(strings.TrimPrefix(answers("first").URL, "http://"), strings.TrimPrefix(answers("second").URL, "http://"))
	front := httptest.NewServer(b)
	t.Cleanup(front.Close)
	ask := func() string {
		came := request(t.Context(), strings.TrimPrefix(front.URL, "http://"), program.Call{Method: http.MethodGet, Path: "/"})
		if came.status != http.StatusOK {
			return http.StatusText(came.status)
		}
		return string(came.body)
	}
	if got := ask(); got != http.StatusText(http.StatusServiceUnavailable) {
		t.Errorf("with no server: %s", got)
	}
	b.backends[1].ready.Store(true)
	if got := []string{ask(), ask()}; !slices.Equal(got, []string{"second", "second"}) {
		t.Errorf("with one server: %s", got)
	}
	b.backends[0].ready.Store(true)
	broken, err := http.NewRequestWithContext(t.Context(), http.MethodPut, front.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	broken.Header.Set("Break", "first")
	for range 2 {
		if came, err := front.Client().Do(broken); err == nil {
			_ = came.Body.Close()
		}
	}
	if got := []string{ask(), ask()}; !slices.Equal(got, []string{"second", "second"}) {
		t.Errorf("after a broken connection: %s", got)
	}
}
