package app

import (
	"errors"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
)

func TestDatasetsWithoutDataAreMarked(t *testing.T) {
	t.Parallel()
	p := newDatasetPresence(sources{root: dataRoot(t)}, time.Now)
	p.pause = time.Hour
	link := p.Link()
	for _, one := range []struct {
		entry catalog.Entry
		want  bool
	}{
		{catalog.Entry{Type: catalog.Dataset, DatasetURL: "spikes"}, false},
		{catalog.Entry{Type: catalog.Dataset, DatasetURL: "nowhere"}, true},
		{catalog.Entry{Type: catalog.Dataset, DatasetURL: "bundled:nothing"}, true},
		{catalog.Entry{Type: catalog.Dataset, DatasetURL: "https://data.example.org/spikes"}, false},
		{catalog.Entry{Type: catalog.Notebook, NotebookPath: "bundled:nothing.ipynb"}, false},
	} {
		answer := one.entry.Resource()
		if link.Add(&answer, catalog.Reader{}); answer.DataMissing != one.want {
			t.Errorf("%s%s: missing %v", one.entry.DatasetURL, one.entry.NotebookPath, answer.DataMissing)
		}
	}
}

func TestPresenceIsAskedOnceInAWhile(t *testing.T) {
	t.Parallel()
	now, asked := time.Unix(0, 0), 0
	p := &datasetPresence{pause: time.Hour, now: func() time.Time { return now }, known: map[string]presenceAnswer{}}
	p.find = func(string) (string, error) {
		asked++
		if asked == 1 {
			return "", errNotHere
		}
		return "", errors.New("it can't be read on this server")
	}
	for range 2 {
		if !p.missing("spikes") || asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	}
	if now = now.Add(presenceTime); p.missing("spikes") || asked != 2 {
		t.Errorf("later: asked %d times", asked)
	}
}

func TestPresenceDoesNotWaitForAFileSystemThatHangs(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	release := make(chan struct{})
	p := &datasetPresence{pause: time.Millisecond, now: func() time.Time { return time.Unix(0, 0) }, known: map[string]presenceAnswer{}}
	p.find = func(address string) (string, error) {
		asked <- address
		<-release
		return "", errNotHere
	}
	defer close(release)
	for _, address := range []string{"one", "two", "three"} {
		if p.missing(address) {
			t.Errorf("%s is reported as missing", address)
		}
	}
	if first := <-asked; first != "one" || len(asked) != 0 {
		t.Errorf("asked for %s and %d others", first, len(asked))
	}
}
