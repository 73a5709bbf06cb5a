package sessions_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
)

func TestForecastIsDrawnFromFinishedLaunches(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.Run(w.Server)
		api := w.API()
		empty := sessionstest.Call(api, http.MethodGet, "/sessions/forecast", "ann")
		if got := sessionstest.Decode[sessions.Forecast](t, empty); got.Launches != 0 || got.Engine != "local" || got.Steps == nil {
			t.Errorf("without any launch: %s", empty.Body)
		}
		session := w.Start("Session")
		w.Launched(session.ID)
		w.Machine.Progress(session.ID, engine.StepRepository, engine.Active, "")
		w.Clock.Advance(2 * time.Second)
		w.Machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
		w.Machine.Progress(session.ID, engine.StepServer, engine.Active, "")
		w.Clock.Advance(3 * time.Second)
		w.Machine.Ready(session.ID)
		w.WaitFor(session.ID, sessions.Running)
		var got sessions.Forecast
		sessionstest.Eventually(t, "the launch is remembered", func() bool {
			got = sessionstest.Decode[sessions.Forecast](t, sessionstest.Call(api, http.MethodGet, "/sessions/forecast?engine=local", "ann"))
			return got.Launches == 1
		})
		times := map[string]float64{}
		for _, step := range got.Steps {
			times[step.Step] = step.P90
		}
		if got.Total.P50 != 5 || times["repository"] != 2 || times["server"] != 3 || times["queued"] != 0 {
			t.Errorf("got %+v", got)
		}
		w.WantStatus("an unknown engine", sessionstest.Call(api, http.MethodGet, "/sessions/forecast?engine=moon", "ann"), http.StatusUnprocessableEntity)
		w.WantStatus("signed out", sessionstest.Call(api, http.MethodGet, "/sessions/forecast", ""), http.StatusUnauthorized)

		next := w.Start("Next")
		w.Launched(next.ID)
		page := w.LaunchPage(next)
		for _, want := range []string{"Usually ready in 5 s.", `<span class="usual">usually 2 s</span>`, `<span class="usual">usually 3 s</span>`} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in the page:\n%s", want, page)
			}
		}
		// A failed launch says nothing of how long one takes.
		w.Machine.Fail(next.ID, engine.StepServer, "Crashed.")
		w.WaitFor(next.ID, sessions.Failed)
		if launches, err := sessions.NewLaunchTimes(w.Database).Of(t.Context(), "local"); err != nil || len(launches) != 1 {
			t.Errorf("%d launches are remembered, %v", len(launches), err)
		}
	})
}

func TestHistoryOfLaunchesIsBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		launches := sessions.NewLaunchTimes(w.Database)
		for i := range sessions.LaunchesKept + 5 {
			w.Clock.Advance(time.Second)
			sessionstest.Check(t, launches.Add(t.Context(), "local", sessions.Durations{sessions.StepTotal: int64(i)}))
		}
		sessionstest.Check(t, launches.Add(t.Context(), "hub", sessions.Durations{sessions.StepTotal: 1}))
		kept, err := launches.Of(t.Context(), "local")
		sessionstest.Check(t, err)
		if len(kept) != sessions.LaunchesKept || kept[0][sessions.StepTotal] != sessions.LaunchesKept+4 {
			t.Errorf("%d launches are kept, the newest is %v", len(kept), kept[0])
		}
		var rows int
		sessionstest.Check(t, w.Database.QueryRowContext(t.Context(), `SELECT count(*) FROM launch`).Scan(&rows))
		if rows != sessions.LaunchesKept+1 {
			t.Errorf("%d rows are kept", rows)
		}
	})
}
