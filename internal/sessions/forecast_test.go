package sessions

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

func TestUsualTimesAreNearestRankPercentiles(t *testing.T) {
	t.Parallel()
	var launches []durations
	for i := 1; i <= 10; i++ {
		launches = append(launches, durations{stepTotal: int64(i) * 1000})
	}
	launches = append(launches, durations{stepQueued: 1500})
	if got, ok := usual(launches, stepTotal); !ok || got != (Usual{P50: 5, P90: 9}) {
		t.Errorf("got %+v", got)
	}
	if got, ok := usual(launches, stepQueued); !ok || got != (Usual{P50: 1.5, P90: 1.5}) {
		t.Errorf("one time: got %+v", got)
	}
	if _, ok := usual(launches, "server"); ok {
		t.Error("a step that no launch had is known")
	}
	for want, times := range map[string]Usual{
		"0.4 s": {0.4, 0.4}, "3 to 5 s": {3.2, 5.1}, "1 to 1.5 min": {59, 90}, "2 min": {119, 121}, "1.2 to 2 s": {1.2, 2.3},
	} {
		if got := times.String(); got != want {
			t.Errorf("%+v: got %q, want %q", times, got, want)
		}
	}
}

func TestForecastIsDrawnFromFinishedLaunches(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		w.run(w.service)
		api := w.api()
		empty := call(api, http.MethodGet, "/sessions/forecast", "ann")
		if got := decode[Forecast](t, empty); got.Launches != 0 || got.Engine != "local" || got.Steps == nil {
			t.Errorf("without any launch: %s", empty.Body)
		}
		session := w.start("Session")
		w.launched(session.ID)
		w.machine.Progress(session.ID, engine.StepRepository, engine.Active, "")
		w.clock.advance(2 * time.Second)
		w.machine.Progress(session.ID, engine.StepRepository, engine.Done, "")
		w.machine.Progress(session.ID, engine.StepServer, engine.Active, "")
		w.clock.advance(3 * time.Second)
		w.machine.Ready(session.ID)
		w.waitFor(session.ID, Running)
		var got Forecast
		eventually(t, "the launch is remembered", func() bool {
			got = decode[Forecast](t, call(api, http.MethodGet, "/sessions/forecast?engine=local", "ann"))
			return got.Launches == 1
		})
		times := map[string]float64{}
		for _, step := range got.Steps {
			times[step.Step] = step.P90
		}
		if got.Total.P50 != 5 || times["repository"] != 2 || times["server"] != 3 || times["queued"] != 0 {
			t.Errorf("got %+v", got)
		}
		w.wantStatus("an unknown engine", call(api, http.MethodGet, "/sessions/forecast?engine=moon", "ann"), http.StatusUnprocessableEntity)
		w.wantStatus("signed out", call(api, http.MethodGet, "/sessions/forecast", ""), http.StatusUnauthorized)

		next := w.start("Next")
		w.launched(next.ID)
		page := w.launchPage(next)
		for _, want := range []string{"Usually ready after 5 s.", `<span class="usual">usually 2 s</span>`, `<span class="usual">usually 3 s</span>`} {
			if !strings.Contains(page, want) {
				t.Errorf("%q is not in the page:\n%s", want, page)
			}
		}
		// A failed launch says nothing of how long one takes.
		w.machine.Fail(next.ID, engine.StepServer, "Crashed.")
		w.waitFor(next.ID, Failed)
		if launches, err := w.store.Launches(t.Context(), "local"); err != nil || len(launches) != 1 {
			t.Errorf("%d launches are remembered, %v", len(launches), err)
		}
	})
}

func TestHistoryOfLaunchesIsBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		for i := range launchesKept + 5 {
			w.clock.advance(time.Second)
			check(t, w.store.Remember(t.Context(), "local", durations{stepTotal: int64(i)}))
		}
		check(t, w.store.Remember(t.Context(), "hub", durations{stepTotal: 1}))
		launches, err := w.store.Launches(t.Context(), "local")
		check(t, err)
		if len(launches) != launchesKept || launches[0][stepTotal] != launchesKept+4 {
			t.Errorf("%d launches are kept, the newest is %v", len(launches), launches[0])
		}
		var rows int
		check(t, w.store.db.QueryRowContext(t.Context(), `SELECT count(*) FROM launch`).Scan(&rows))
		if rows != launchesKept+1 {
			t.Errorf("%d rows are kept", rows)
		}
	})
}

// A step that an earlier launch did, such as the copy of the repository, isn't part of this one.
func TestStepsOfEarlierLaunchesDoNotCount(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	session := Session{queuedAt: now, launchedAt: now.Add(time.Second)}
	taken := launchDurations(session, []engine.Step{
		{Name: engine.StepRepository, State: engine.Done, StartedAt: now.Add(-time.Hour), EndedAt: now.Add(-time.Hour + time.Second)},
		{Name: engine.StepServer, State: engine.Done, StartedAt: now.Add(time.Second), EndedAt: now.Add(3 * time.Second)},
	}, now.Add(4*time.Second))
	if len(taken) != 3 || taken["server"] != 2000 || taken[stepQueued] != 1000 || taken[stepTotal] != 3000 {
		t.Errorf("got %v", taken)
	}
}
