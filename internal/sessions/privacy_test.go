package sessions

import (
	"strings"
	"testing"

	"cairn/internal/catalog"
)

// publish imports an entry again with another privacy.
func (w *world) publish(externalID string, kind catalog.Type, address string, privacy catalog.Privacy) {
	w.t.Helper()
	entry := catalog.Resource{
		ExternalID: externalID, Name: "Entry " + externalID, Type: kind, Authors: []string{"bob@example.org"}, Privacy: privacy,
	}
	if kind == catalog.Dataset {
		entry.DatasetURL = address
	} else {
		entry.RepositoryURL = address
	}
	check(w.t, w.catalog.Import(w.t.Context(), []catalog.Resource{entry}))
}

// A dataset that turned private in the meantime isn't available at the next launch; the session goes on without it.
func TestPrivatePartsAreForThoseWhoMayReadThemAtResumeToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	stop := func() {
		_, err := w.service.Terminate(w.as(w.ann), session.ID)
		check(t, err)
	}
	restart := func(without ...string) {
		_, err := w.service.Restart(w.as(w.ann), session.ID, without...)
		check(t, err)
	}
	stop()
	w.publish("spikes", catalog.Dataset, "a/spikes", catalog.PrivacyPrivate)
	restart()
	if got, want := w.waitFor(session.ID, Failed), `The dataset "Entry spikes" isn't available: it is gone or no longer visible to you.`; got.StatusReason != want {
		t.Errorf("the reason is %q, want %q", got.StatusReason, want)
	}
	restart(w.id("spikes"))
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	got := w.waitFor(session.ID, Running)
	if parts := got.Project.Datasets; !parts[0].Skipped || parts[1].Skipped {
		t.Errorf("it holds %+v", parts)
	}
	stop()
	restart()
	w.launched(session.ID)
	w.machine.Ready(session.ID)
	w.waitFor(session.ID, Running) // what it goes without is remembered

	stop()
	w.publish("tools", catalog.Repository, "https://github.com/example/tools.git", catalog.PrivacyPrivate)
	restart()
	if got := w.waitFor(session.ID, Failed); !strings.HasPrefix(got.StatusReason, `The repository "Entry tools" isn't available: it is gone or no longer visible to you.`) {
		t.Errorf("the reason is %q", got.StatusReason)
	}
	if launches := w.machine.Launches(session.ID); launches != 4 {
		t.Errorf("%d launches, want none for the hidden repository", launches)
	}
}

func TestSkippedDatasetsLeaveTheFoldersOfTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.start("Session")
	session.Project = session.Project.without([]string{w.id("spikes")})
	spec := specOf(session)
	if len(spec.Datasets) != 1 || spec.Datasets[0].Folder != "spikes-2" {
		t.Errorf("the engine is asked for %+v", spec.Datasets)
	}
	remote := Session{ID: session.ID, UserID: "ann@example.org", Project: Holds{
		Repository: session.Project.Repository, Datasets: []Part{{ID: "x", Name: "Far", Address: "https://data.example.org/far.zip"}},
	}}
	if got := specOf(remote).Datasets[0]; got.URL != "https://data.example.org/far.zip" || got.Path != "" || got.Unavailable != "" {
		t.Errorf("a dataset by https is asked for as %+v", got)
	}
}
