package contribute_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// What a descriptor asks of a session comes and goes with it.
func TestNeedsFollowTheDescriptor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub("")
	put := func(needs string) {
		host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": spikes + needs}})
	}
	put("  needs: {memory: 8GiB, gpus: 1}\n")
	want := catalog.Needs{MemoryBytes: 8 << 30, GPUs: 1}
	var pulled contribute.Descriptor
	w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+spikesURL, http.StatusOK, &pulled)
	if pulled.Needs == nil || *pulled.Needs != want {
		t.Errorf("pulled %+v", pulled.Needs)
	}
	entry := w.add(catalogtest.Ada)
	if entry.Needs == nil || *entry.Needs != want {
		t.Errorf("added %+v", entry.Needs)
	}
	put("  needs: {memory: 8 gigs}\n")
	var refused refusal
	if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(entry.ID, ""), &refused); status != http.StatusUnprocessableEntity {
		t.Errorf("a size that can't be read: %d %+v", status, refused)
	}
	if kept := w.Entry(catalogtest.Ada, entry.ID); kept.Needs == nil || *kept.Needs != want {
		t.Errorf("a refused sync left %+v", kept.Needs)
	}
	for _, one := range []struct {
		text string
		want *catalog.Needs
	}{{"  needs: {cpus: 4}\n", &catalog.Needs{CPUs: 4}}, {"", nil}} {
		put(one.text)
		var synced catalog.Resource
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(entry.ID, ""), http.StatusOK, &synced)
		if (synced.Needs == nil) != (one.want == nil) || one.want != nil && *synced.Needs != *one.want {
			t.Errorf("%q: synced %+v", one.text, synced.Needs)
		}
	}
}
