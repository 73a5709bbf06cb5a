// Package overview shows operators what their server does and whether it is well.
package overview

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
)

// Options are where everything comes from.
type Options struct {
	Version   string
	StartedAt time.Time
	Now       func() time.Time
	Capacity  int // the maximum number of sessions that all local engines run together; 0: no limit
	Engines   []Engine

	Accounts Accounts
	Sessions Sessions
	Disks    func() []Disk
	Machine  func() Machine
	Runs     func(ctx context.Context, since time.Time) (Runs, error)
	Checks   []Check
}

// Accounts counts people.
type Accounts interface {
	CountPeople(ctx context.Context) (identity.PeopleCount, error)
}

// Sessions counts sessions.
type Sessions interface {
	Counts(ctx context.Context) ([]sessions.StateCount, error)
	LongestWait(ctx context.Context) (time.Time, error)
	FailedSince(ctx context.Context, since time.Time) ([]sessions.Failure, error)
}

// Check is something that a healthy server fulfills.
type Check struct {
	Name string
	Run  func(ctx context.Context) Result
}

// Result is what a check found: all of it is empty where there is nothing to look at.
type Result struct {
	Saw    string   // in a few words
	Fixes  []string // what is wrong, and what to do
	Advice []string // what to set up, though nothing is wrong yet
}

// Service answers operators.
type Service struct {
	options Options

	mu     sync.Mutex
	health Health
}

// New returns a service.
func New(options Options) *Service { return &Service{options: options} }

// Overview is what a server does.
type Overview struct {
	Version   string    `json:"version"`
	StartedAt time.Time `json:"startedAt" doc:"Of this server"`
	People    People    `json:"people"`
	Engines   []Engine  `json:"engines" doc:"The configured ones first"`
	Queue     Queue     `json:"queue"`
	Machine   Machine   `json:"machine" doc:"Of this server"`
	Disks     []Disk    `json:"disks" doc:"Of this server"`
	Runs      Runs      `json:"runs" doc:"Of entries: those that wait or run now, and what those of the last 30 days came to"`
	Failures  []Failure `json:"failures" doc:"Of the last hour by cause, the most frequent first; without sessions that were started again or deleted"`
}

// People are how many people there are.
type People struct {
	Accounts int `json:"accounts"`
	Waiting  int `json:"waiting" doc:"To be enabled"`
	Today    int `json:"today" doc:"Seen in the last 24 hours"`
	Week     int `json:"week" doc:"Seen in the last seven days"`
}

// Engine is an engine with its sessions by state.
type Engine struct {
	Name       string `json:"name"`
	Label      string `json:"label" doc:"Empty for an engine that isn't configured anymore"`
	Queued     int    `json:"queued" doc:"Waiting for room"`
	Starting   int    `json:"starting"`
	Running    int    `json:"running"`
	Finished   int    `json:"finished"`
	Terminated int    `json:"terminated"`
	Failed     int    `json:"failed"`
}

// Queue is who waits for room.
type Queue struct {
	Waiting  int        `json:"waiting"`
	Since    *time.Time `json:"since,omitempty" doc:"When the one asked who has waited longest"`
	Capacity int        `json:"capacity,omitempty" doc:"How many sessions all local engines run together; absent: no limit"`
}

// Runs counts runs of entries.
type Runs struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
	Clean   int `json:"clean"`
	Nothing int `json:"nothing" doc:"They ran, and had no outputs to compare with"`
	Differs int `json:"differs"`
	Failed  int `json:"failed"`
	Needs   int `json:"needs" doc:"They need what runs don't have"`
}

// runsTime is how far back verdicts of runs are counted.
const runsTime = 30 * 24 * time.Hour

// Disk is a disk of the server.
type Disk struct {
	Name      string `json:"name" enum:"data,sessions"`
	FreeBytes int64  `json:"freeBytes"`
	SizeBytes int64  `json:"sizeBytes"`
}

// Failure is a cause of failures.
type Failure struct {
	Code    diagnosis.Code `json:"code" doc:"Of the cause; empty: unknown"`
	Count   int            `json:"count"`
	Engines []string       `json:"engines"`
	LastAt  time.Time      `json:"lastAt"`
	Example string         `json:"example" doc:"What the owner of the last one reads"`
}

// failureTime is how far back failures are counted.
const failureTime = time.Hour

// Look returns what the server does.
func (s *Service) Look(ctx context.Context) (Overview, error) {
	o := s.options
	found := Overview{Version: o.Version, StartedAt: o.StartedAt, Disks: o.Disks(), Machine: o.Machine(), Queue: Queue{Capacity: o.Capacity}}
	people, err := o.Accounts.CountPeople(ctx)
	if err != nil {
		return found, err
	}
	found.People = People{Accounts: people.All, Waiting: people.Waiting, Today: people.Today, Week: people.Week}
	counts, err := o.Sessions.Counts(ctx)
	if err != nil {
		return found, err
	}
	found.Engines = enginesOf(o.Engines, counts)
	for _, engine := range found.Engines {
		found.Queue.Waiting += engine.Queued
	}
	if found.Runs, err = o.Runs(ctx, o.Now().Add(-runsTime)); err != nil {
		return found, err
	}
	since, err := o.Sessions.LongestWait(ctx)
	if err != nil {
		return found, err
	}
	if !since.IsZero() {
		found.Queue.Since = &since
	}
	failed, err := o.Sessions.FailedSince(ctx, o.Now().Add(-failureTime))
	found.Failures = byCause(failed)
	return found, err
}

func enginesOf(configured []Engine, counts []sessions.StateCount) []Engine {
	engines := slices.Clone(configured)
	for _, count := range counts {
		at := slices.IndexFunc(engines, func(one Engine) bool { return one.Name == count.Engine })
		if at < 0 {
			at = len(engines)
			engines = append(engines, Engine{Name: count.Engine})
		}
		engine := &engines[at]
		switch count.State {
		case sessions.Queued:
			engine.Queued += count.Count
		case string(sessions.Created):
			engine.Starting += count.Count
		case string(sessions.Running):
			engine.Running += count.Count
		case string(sessions.Finished):
			engine.Finished += count.Count
		case string(sessions.Terminated):
			engine.Terminated += count.Count
		case string(sessions.Failed):
			engine.Failed += count.Count
		}
	}
	return engines
}

// byCause groups failures, which come newest first.
func byCause(failed []sessions.Failure) []Failure {
	groups := []Failure{}
	for _, one := range failed {
		code, example := diagnosis.Code(""), one.Reason
		if one.Cause != nil {
			code, example = one.Cause.Code, one.Cause.Sentence
		}
		at := slices.IndexFunc(groups, func(group Failure) bool { return group.Code == code })
		if at < 0 {
			at = len(groups)
			groups = append(groups, Failure{Code: code, LastAt: one.At, Example: example, Engines: []string{}})
		}
		groups[at].Count++
		if !slices.Contains(groups[at].Engines, one.Engine) {
			groups[at].Engines = append(groups[at].Engines, one.Engine)
		}
	}
	slices.SortStableFunc(groups, func(a, b Failure) int { return cmp.Compare(b.Count, a.Count) })
	return groups
}
