package sessions_test

import (
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// A dataset that turned private in the meantime isn't available at the next launch; the session goes on without it.
func TestPrivatePartsAreForThoseWhoMayReadThemAtResumeToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	stop := func() {
		_, err := w.Server.Terminate(w.As(w.Ann), session.ID)
		sessionstest.Check(t, err)
	}
	restart := func(without ...string) {
		_, err := w.Server.Restart(w.As(w.Ann), session.ID, without...)
		sessionstest.Check(t, err)
	}
	stop()
	w.Publish("spikes", catalog.Dataset, "a/spikes", catalog.PrivacyPrivate)
	restart()
	if got, want := w.WaitFor(session.ID, sessions.Failed), `The dataset "Entry spikes" isn't available: it is gone or no longer visible to you.`; got.StatusReason != want {
		t.Errorf("the reason is %q, want %q", got.StatusReason, want)
	}
	restart(w.ID("spikes"))
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	got := w.WaitFor(session.ID, sessions.Running)
	if parts := got.Project.Datasets; !parts[0].Skipped || parts[1].Skipped {
		t.Errorf("it holds %+v", parts)
	}
	stop()
	restart()
	w.Launched(session.ID)
	w.Machine.Ready(session.ID)
	w.WaitFor(session.ID, sessions.Running) // what it goes without is remembered

	stop()
	w.Publish("tools", catalog.Repository, "https://github.com/example/tools.git", catalog.PrivacyPrivate)
	restart()
	if got := w.WaitFor(session.ID, sessions.Failed); !strings.HasPrefix(got.StatusReason, `The repository "Entry tools" isn't available: it is gone or no longer visible to you.`) {
		t.Errorf("the reason is %q", got.StatusReason)
	}
	if launches := w.Machine.Launches(session.ID); launches != 4 {
		t.Errorf("%d launches, want none for the hidden repository", launches)
	}
}

func TestSkippedDatasetsLeaveTheFoldersOfTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Start("Session")
	session.Project = session.Project.Without([]string{w.ID("spikes")})
	spec := w.SpecOf(session)
	if len(spec.Datasets) != 1 || spec.Datasets[0].Folder != "spikes-2" {
		t.Errorf("the engine is asked for %+v", spec.Datasets)
	}
	remote := sessions.Session{ID: session.ID, UserID: "ann@example.org", Project: sessions.Holds{
		Repository: session.Project.Repository, Datasets: []sessions.Part{{ID: "x", Name: "Far", Address: "https://data.example.org/far.zip"}},
	}}
	if got := w.SpecOf(remote).Datasets[0]; got.URL != "https://data.example.org/far.zip" || got.Path != "" || got.Unavailable != "" {
		t.Errorf("a dataset by https is asked for as %+v", got)
	}
}
