package schedules_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/schedules"
	"cairn/internal/sessions/schedules/recurrence"
	"cairn/internal/sessions/sessionstest"
)

type world struct{ *sessionstest.World }

// each runs a test on both databases, at noon of Sunday, 1 March 2026.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	sessionstest.Each(t, func(t *testing.T, w *sessionstest.World) {
		w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/values.ipynb"})
		test(t, &world{w})
	})
}

var mondays = schedules.When{Every: recurrence.Week, On: 1, At: "03:00", Timezone: "Europe/Berlin"}

func (w *world) add(when schedules.When) schedules.Schedule {
	w.T.Helper()
	made, err := w.Server.Schedules.Add(w.As(w.Ann), w.asked(), when, "")
	sessionstest.Check(w.T, err)
	return made
}

func (w *world) asked() jobs.Asked {
	return jobs.Asked{ResourceID: w.ID("values"), Parameters: map[string]json.RawMessage{"rate": json.RawMessage("2")}}
}

// at moves the clock, also back, and has a server look at what is due.
func (w *world) at(at time.Time) {
	w.T.Helper()
	w.Clock.Advance(at.Sub(w.Clock.Now()))
	sessionstest.Check(w.T, w.Server.Schedules.Look(w.T.Context()))
}

// jobs returns the jobs of a schedule, the oldest first.
func (w *world) jobs(schedule string) (found []jobs.Job) {
	w.T.Helper()
	all, _, err := w.Server.Jobs.List(w.As(w.Ann), false, 0, 100)
	sessionstest.Check(w.T, err)
	for _, one := range all {
		if one.ScheduleID == schedule {
			found = append([]jobs.Job{one}, found...)
		}
	}
	return found
}

func (w *world) count(schedule string, want int) {
	w.T.Helper()
	if found := w.jobs(schedule); len(found) != want {
		w.T.Errorf("at %v there are %d jobs, want %d", w.Clock.Now(), len(found), want)
	}
}

// end ends all jobs.
func (w *world) end() {
	w.T.Helper()
	sessionstest.Check(w.T, w.Database.Write(w.T.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(w.T.Context(), `UPDATE job SET state = 'DONE', ended_at = 1 WHERE state = 'QUEUED'`)
		return err
	}))
}

func (w *world) get(id string) schedules.Schedule {
	w.T.Helper()
	found, err := w.Server.Schedules.Get(w.As(w.Ann), id)
	sessionstest.Check(w.T, err)
	return found
}

func day(month time.Month, day, hour int) time.Time {
	return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC)
}

// An outage of more than a week, and a clock that steps forward and back, and back once more: each due time is one job at most, and a
// missed one is made up for once.
func TestAWeeklyJobFiresOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		made := w.add(mondays)
		if !made.NextAt.Equal(day(time.March, 2, 2)) || made.Last != "" || made.Name != "values.ipynb" {
			t.Errorf("it is %+v", made)
		}
		w.count(made.ID, 0) // it doesn't run at once
		w.at(day(time.March, 2, 1))
		w.count(made.ID, 0)
		w.at(day(time.March, 2, 2))
		w.at(day(time.March, 2, 2))
		w.count(made.ID, 1)
		if first := w.jobs(made.ID)[0]; string(first.Parameters["rate"]) != "2" || w.get(made.ID).Last != first.ID {
			t.Errorf("its job is %+v", first)
		}
		w.end()
		w.at(day(time.March, 18, 12)) // two were missed
		w.end()                       // so that nothing is skipped
		w.at(day(time.March, 18, 13))
		w.count(made.ID, 2)
		if next := w.get(made.ID).NextAt; !next.Equal(day(time.March, 23, 2)) {
			t.Errorf("it is due next at %v", next)
		}
		w.at(day(time.March, 23, 3)) // the clock steps forward, and the job fires
		w.count(made.ID, 3)
		w.end()
		w.at(day(time.March, 22, 3)) // and back
		for _, paused := range []bool{true, false} {
			_, err := w.Server.Schedules.Pause(w.As(w.Ann), made.ID, paused)
			sessionstest.Check(t, err)
		}
		if next := w.get(made.ID).NextAt; !next.Equal(day(time.March, 30, 1)) {
			t.Errorf("going on, it is due at %v, although it has fired then", next)
		}
		w.at(day(time.March, 23, 2))
		w.at(day(time.March, 23, 3))
		w.count(made.ID, 3)
		w.at(day(time.March, 30, 0)) // an hour earlier in UTC, because of the summer
		w.count(made.ID, 3)
		w.at(day(time.March, 30, 1))
		w.count(made.ID, 4)
	})
}

// Several servers look at the same time.
func TestOnlyOneServerFires(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		made := w.add(mondays)
		w.Clock.Advance(day(time.March, 2, 2).Sub(w.Clock.Now()))
		var looking sync.WaitGroup
		for range 5 {
			server := w.NewService()
			looking.Go(func() {
				if err := server.Schedules.Look(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		looking.Wait()
		w.count(made.ID, 1)
	})
}

func TestWhatIsDueWhileTheJobBeforeGoesOnIsSkipped(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		made := w.add(schedules.When{Every: recurrence.Day, At: "03:00", Timezone: "UTC"})
		w.at(day(time.March, 2, 3))
		w.at(day(time.March, 3, 3))
		w.count(made.ID, 1)
		if note := w.get(made.ID).Note; !strings.Contains(note, "2026-03-03 03:00 UTC") {
			t.Errorf("it says %q", note)
		}
		w.end()
		w.at(day(time.March, 3, 4))
		w.count(made.ID, 1) // it isn't made up for
		w.at(day(time.March, 4, 3))
		w.count(made.ID, 2)
		if note := w.get(made.ID).Note; note != "" {
			t.Errorf("it still says %q", note)
		}
	})
}

func TestPausedAndDeletedSchedules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		until := day(time.March, 20, 0)
		when := mondays
		when.Until = &until
		made := w.add(when)
		paused, err := w.Server.Schedules.Pause(w.As(w.Ann), made.ID, true)
		sessionstest.Check(t, err)
		if !paused.Paused || paused.NextAt != nil {
			t.Errorf("paused, it is %+v", paused)
		}
		w.at(day(time.March, 10, 0))
		w.count(made.ID, 0)
		going, err := w.Server.Schedules.Pause(w.As(w.Ann), made.ID, false)
		sessionstest.Check(t, err)
		if going.Paused || !going.NextAt.Equal(day(time.March, 16, 2)) {
			t.Errorf("it goes on as %+v", going)
		}
		w.at(day(time.March, 10, 1))
		w.count(made.ID, 0)
		w.at(day(time.March, 16, 2))
		w.count(made.ID, 1)
		if ended := w.get(made.ID); ended.NextAt != nil {
			t.Errorf("after its end it is due at %v", ended.NextAt)
		}
		w.end()
		w.at(day(time.April, 1, 0))
		w.count(made.ID, 1)
		sessionstest.Check(t, w.Server.Schedules.Delete(w.As(w.Ann), made.ID))
		if _, err := w.Server.Schedules.Get(w.As(w.Ann), made.ID); fault.KindOf(err) != fault.NotFound {
			t.Errorf("it is still there: %v", err)
		}
		w.count(made.ID, 1) // its job stays
	})
}

func TestSchedulesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := sessionstest.New(t)
	w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/values.ipynb"})
	own := &world{w}
	past := day(time.January, 1, 0)
	for what, one := range map[string]struct {
		change func(when *schedules.When, asked *jobs.Asked)
		code   fault.Code
	}{
		"an unknown time zone": {func(when *schedules.When, _ *jobs.Asked) { when.Timezone = "Europe/Atlantis" }, fault.TimezoneUnknown},
		"an unknown hour":      {func(when *schedules.When, _ *jobs.Asked) { when.At = "25:00" }, "invalid"},
		"an unknown day":       {func(when *schedules.When, _ *jobs.Asked) { when.On = 8 }, "invalid"},
		"an end in the past":   {func(when *schedules.When, _ *jobs.Asked) { when.Until = &past }, "invalid"},
		"an unknown value": {func(_ *schedules.When, asked *jobs.Asked) {
			asked.Parameters = map[string]json.RawMessage{"x": json.RawMessage("1")}
		}, "invalid"},
		"an unknown entry": {func(_ *schedules.When, asked *jobs.Asked) { asked.ResourceID = sqldb.NewID() }, "not_found"},
	} {
		when, asked := mondays, own.asked()
		one.change(&when, &asked)
		if _, err := w.Server.Schedules.Add(w.As(w.Ann), asked, when, ""); fault.CodeOf(err) != one.code {
			t.Errorf("%s: %v", what, err)
		}
	}
	made, err := w.Server.Schedules.Add(w.As(w.Ann), own.asked(), mondays, "key")
	sessionstest.Check(t, err)
	if again, err := w.Server.Schedules.Add(w.As(w.Ann), own.asked(), mondays, "key"); err != nil || again.ID != made.ID {
		t.Errorf("with the same key: %+v, %v", again, err)
	}
	for name, call := range map[string]func() error{
		"read":    func() error { _, err := w.Server.Schedules.Get(w.As(w.Bob), made.ID); return err },
		"paused":  func() error { _, err := w.Server.Schedules.Pause(w.As(w.Bob), made.ID, true); return err },
		"deleted": func() error { return w.Server.Schedules.Delete(w.As(w.Bob), made.ID) },
	} {
		if err := call(); fault.KindOf(err) != fault.NotFound {
			t.Errorf("somebody else's is %s: %v", name, err)
		}
	}
}

func post(api http.Handler, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, httpapi.Base+"/jobs", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	return answer
}

// The same call starts a job now, or again and again.
func TestTheCallThatAsksForJobs(t *testing.T) {
	t.Parallel()
	w := sessionstest.New(t)
	w.AddEntries(catalog.Entry{ExternalID: "values", Type: catalog.Notebook, NotebookPath: "https://example.org/values.ipynb"})
	api := w.APIAs(w.Ann)
	now := post(api, `{"resourceId": "`+w.ID("values")+`", "parameters": {"rate": 2}}`)
	w.WantStatus("a job now", now, http.StatusAccepted)
	if body := now.Body.String(); !strings.Contains(body, `"state":"QUEUED"`) || !strings.Contains(body, `"parameters":{"rate":2}`) {
		t.Errorf("a job is answered as %s", body)
	}
	later := post(api, `{"resourceId": "`+w.ID("values")+`", "schedule": {"every": "month", "on": 31, "at": "03:00", "timezone": "Europe/Berlin"}}`)
	w.WantStatus("a schedule", later, http.StatusAccepted)
	if body := later.Body.String(); !strings.Contains(body, `"nextAt":"2026-03-31T01:00:00Z"`) {
		t.Errorf("a schedule is answered as %s", body)
	}
}
