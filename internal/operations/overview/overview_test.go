package overview

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
)

var now = time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)

// stored is what a database would count.
type stored struct {
	since time.Time
	err   error
	asked time.Time
}

func (s *stored) CountPeople(context.Context) (identity.PeopleCount, error) {
	return identity.PeopleCount{All: 50, Waiting: 2, Today: 7, Week: 20}, s.err
}

func (s *stored) Counts(context.Context) ([]sessions.StateCount, error) {
	return []sessions.StateCount{
		{Engine: "local", State: "QUEUED", Count: 3},
		{Engine: "local", State: "CREATED", Count: 1},
		{Engine: "local", State: "RUNNING", Count: 5},
		{Engine: "removed", State: "ERROR", Count: 2},
		{Engine: "local", State: "FINISHED", Count: 8},
		{Engine: "local", State: "TERMINATED", Count: 9},
	}, nil
}

func (s *stored) LongestWait(context.Context) (time.Time, error) { return s.since, nil }

func (s *stored) FailedSince(_ context.Context, since time.Time) ([]sessions.Failure, error) {
	s.asked = since
	memory := &diagnosis.Cause{Code: "memory", Sentence: "It needed more memory."}
	return []sessions.Failure{
		{Engine: "local", Reason: "It failed.", At: now.Add(-time.Minute)},
		{Engine: "local", Cause: memory, At: now.Add(-2 * time.Minute)},
		{Engine: "hub", Cause: memory, At: now.Add(-3 * time.Minute)},
		{Engine: "local", Cause: memory, At: now.Add(-4 * time.Minute)},
	}, nil
}

func service(from *stored, checks ...Check) *Service {
	return New(Options{
		Version: "1", StartedAt: now.Add(-time.Hour), Now: func() time.Time { return now }, Capacity: 16, Engines: []Engine{{Name: "hub", Label: "Hub"}, {Name: "local", Label: "Here"}},
		Accounts: from, Sessions: from, Disks: func() []Disk { return []Disk{{Name: "data", FreeBytes: 1, SizeBytes: 2}} }, Checks: checks,
		Machine: func() Machine { return Machine{Load: 0.5, Processors: 2} },
		Runs: func(_ context.Context, since time.Time) (Runs, error) {
			if !since.Equal(now.Add(-30 * 24 * time.Hour)) {
				return Runs{}, fmt.Errorf("runs since %s", since)
			}
			return Runs{Waiting: 1, Clean: 4}, nil
		},
	})
}

func TestTheOverviewCountsAndGroups(t *testing.T) {
	t.Parallel()
	since := now.Add(-90 * time.Second)
	from := &stored{since: since}
	found, err := service(from).Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := Overview{
		Version: "1", StartedAt: now.Add(-time.Hour), People: People{Accounts: 50, Waiting: 2, Today: 7, Week: 20},
		Engines: []Engine{
			{Name: "hub", Label: "Hub"}, {Name: "local", Label: "Here", Queued: 3, Starting: 1, Running: 5, Finished: 8, Terminated: 9}, {Name: "removed", Failed: 2},
		},
		Machine: Machine{Load: 0.5, Processors: 2}, Runs: Runs{Waiting: 1, Clean: 4},
		Queue: Queue{Waiting: 3, Since: &since, Capacity: 16}, Disks: []Disk{{Name: "data", FreeBytes: 1, SizeBytes: 2}},
		Failures: []Failure{
			{Code: "memory", Count: 3, Engines: []string{"local", "hub"}, LastAt: now.Add(-2 * time.Minute), Example: "It needed more memory."},
			{Count: 1, Engines: []string{"local"}, LastAt: now.Add(-time.Minute), Example: "It failed."},
		},
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("got %+v\nwant %+v", found, want)
	}
	if !from.asked.Equal(now.Add(-time.Hour)) {
		t.Error("failures since", from.asked)
	}
	if found, err = service(&stored{}).Look(t.Context()); err != nil || found.Queue.Since != nil {
		t.Error("nobody waits:", found.Queue, err)
	}
	if _, err = service(&stored{err: errors.New("away")}).Look(t.Context()); err == nil {
		t.Error("a lost database isn't noticed")
	}
}

func TestHealthNamesWhatToFix(t *testing.T) {
	t.Parallel()
	asked := 0
	hangs := make(chan struct{})
	t.Cleanup(func() { close(hangs) })
	s := service(&stored{},
		Check{Name: "good", Run: func(context.Context) Result { asked++; return Result{Saw: "fine"} }},
		Check{Name: "bad", Run: func(context.Context) Result {
			return Result{Saw: "half", Fixes: []string{"The disk is full. Make room."}}
		}},
		Check{Name: "absent", Run: func(context.Context) Result { return Result{} }},
		Check{Name: "backup", Run: func(context.Context) Result { return Result{Advice: []string{"Set one up."}} }},
	)
	for range 2 { // the second answer is the first one
		found := s.Check(t.Context())
		want := Health{CheckedAt: now, Checks: []Finding{
			{Name: "good", OK: true, Saw: "fine", Fixes: []string{}},
			{Name: "bad", Fixes: []string{"The disk is full. Make room."}},
			{Name: "backup", OK: true, Fixes: []string{}, Advice: []string{"Set one up."}},
		}}
		if !reflect.DeepEqual(found, want) {
			t.Errorf("got %+v, want %+v", found, want)
		}
	}
	if asked != 1 {
		t.Errorf("it was checked %d times", asked)
	}
	if well := service(&stored{}, Check{Name: "good", Run: func(context.Context) Result { return Result{Saw: "fine"} }}).Check(t.Context()); !well.OK {
		t.Error(well)
	}
	s = service(&stored{}, Check{Name: "hangs", Run: func(context.Context) Result { <-hangs; return Result{Saw: "late"} }})
	ended, end := context.WithCancel(t.Context())
	end()
	if found := s.check(ended, now); found.OK || len(found.Checks) != 1 || found.Checks[0].Fixes[0] != "It doesn't answer within 5s." {
		t.Errorf("a disk that hangs: %+v", found)
	}
}
