// Package schedules starts jobs every day, week or month. A schedule is stored; each of its due times becomes one job at most, in the
// transaction that says when the next one is due, however many servers there are and whatever their clocks do.
//
// The package may import jobs, and what that may.
package schedules

import (
	"encoding/json"
	"time"

	"cairn/internal/sessions/jobs"
	"cairn/internal/sessions/schedules/recurrence"
)

// When says when a schedule is due.
type When struct {
	Every    recurrence.Every `json:"every" enum:"day,week,month"`
	On       int              `json:"on,omitempty" minimum:"0" maximum:"31" doc:"week: 1 (Monday) to 7; month: 1 to 31, the last day where the month is shorter. Absent: the day on which it was made"`
	At       string           `json:"at" maxLength:"5" example:"03:00" doc:"The time of the day. One that is skipped when clocks are changed happens right after it, one that comes twice the first time"`
	Timezone string           `json:"timezone" maxLength:"100" example:"Europe/Berlin" doc:"The name of a time zone of the IANA database"`
	Until    *time.Time       `json:"until,omitempty" doc:"Nothing is due after it"`
}

// rule returns it as a rule. Without a day it's due on that of a time.
func (w When) rule(made time.Time) recurrence.Rule {
	rule := recurrence.Rule{Every: w.Every, On: w.On, At: w.At, Timezone: w.Timezone}
	if w.Until != nil {
		rule.Until = *w.Until
	}
	if zone, err := time.LoadLocation(w.Timezone); err == nil && rule.On == 0 {
		switch local := made.In(zone); w.Every {
		case recurrence.Week:
			rule.On = (int(local.Weekday())+6)%7 + 1
		case recurrence.Month:
			rule.On = local.Day()
		case recurrence.Day:
		}
	}
	return rule
}

// Schedule has a job carried out again and again.
type Schedule struct {
	ID         string                     `json:"id" format:"uuid"`
	Name       string                     `json:"name" doc:"Of its jobs"`
	Every      recurrence.Every           `json:"every" enum:"day,week,month"`
	On         int                        `json:"on,omitempty" doc:"week: 1 (Monday) to 7; month: 1 to 31"`
	At         string                     `json:"at"`
	Timezone   string                     `json:"timezone"`
	Until      *time.Time                 `json:"until,omitempty"`
	Paused     bool                       `json:"paused"`
	NextAt     *time.Time                 `json:"nextAt,omitempty" doc:"Absent while it's paused, and when nothing is due any longer"`
	Last       string                     `json:"last,omitempty" format:"uuid" doc:"Its latest job; absent: none yet, or it isn't kept any longer"`
	Note       string                     `json:"note,omitempty" doc:"Why no job was started at the last due time, or why it was paused, in a sentence"`
	Resource   string                     `json:"resource,omitempty" doc:"The id of the entry whose notebook it is"`
	Project    string                     `json:"project,omitempty" doc:"Or of the project"`
	From       *jobs.FromSession          `json:"fromSession,omitempty" doc:"Or the session"`
	File       string                     `json:"file,omitempty"`
	Ref        string                     `json:"ref,omitempty"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	CreatedAt  time.Time                  `json:"createdAt"`

	accountID string
	asked     jobs.Asked
	rule      recurrence.Rule
	dueAt     time.Time // zero: never again
	firedAt   time.Time // the last due time that has been dealt with
	key       string
	digest    string // of what was sent with the key
}

// filled returns the schedule with what is shown of what is stored.
func (s Schedule) filled() Schedule {
	s.Every, s.On, s.At, s.Timezone = s.rule.Every, s.rule.On, s.rule.At, s.rule.Timezone
	if !s.rule.Until.IsZero() {
		s.Until = &s.rule.Until
	}
	s.Resource, s.Project, s.From, s.File, s.Ref, s.Parameters = s.asked.ResourceID, s.asked.ProjectID, s.asked.From, s.asked.File, s.asked.Ref, s.asked.Parameters
	s.NextAt = nil
	if !s.Paused && !s.dueAt.IsZero() {
		s.NextAt = &s.dueAt
	}
	return s
}

// SchedulePage is a page of schedules.
type SchedulePage struct {
	Content       []Schedule `json:"content" nullable:"false"`
	TotalElements int        `json:"totalElements"`
	Number        int        `json:"number"`
	Size          int        `json:"size"`
}
