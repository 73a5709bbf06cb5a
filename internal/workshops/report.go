package workshops

import (
	"context"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"cairn/internal/workshops/progress"
)

// Report says how a workshop went.
type Report struct {
	ID         string         `json:"id" format:"uuid"`
	Name       string         `json:"name"`
	State      State          `json:"state" enum:"PLANNED,WARMING,OPEN,ENDED"`
	StartsAt   time.Time      `json:"startsAt"`
	EndsAt     time.Time      `json:"endsAt"`
	EndedAt    *time.Time     `json:"endedAt,omitempty"`
	Timezone   string         `json:"timezone"`
	Entry      *WorkshopPart  `json:"entry,omitempty"`
	Project    *WorkshopPart  `json:"project,omitempty"`
	Seats      int            `json:"seats"`
	Joined     int            `json:"joined" doc:"How many people came"`
	Minutes    Minutes        `json:"minutes"`
	Of         int            `json:"of" doc:"How many code cells the notebook has; 0: not known"`
	Cells      []ReportCell   `json:"cells" nullable:"false"`
	Hints      []WorkshopHint `json:"hints" nullable:"false" doc:"Where many failed, for the author; the worst first"`
	Attendance []Attendance   `json:"attendance" nullable:"false"`
}

// Minutes are how long people worked, from joining to the last thing that they executed.
type Minutes struct {
	Median float64 `json:"median"`
	Total  float64 `json:"total"`
}

// ReportCell is what became of a code cell.
type ReportCell struct {
	BoardCell

	Errors []ErrorCount `json:"errors" nullable:"false" doc:"At how many seats, the most frequent first"`
}

// ErrorCount counts a class of errors.
type ErrorCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// WorkshopHint is a sentence for the author about a cell.
type WorkshopHint struct {
	Cell   int    `json:"cell" doc:"Counts code cells from 0"`
	Failed int    `json:"failed"`
	Of     int    `json:"of" doc:"Of how many who came"`
	Name   string `json:"name" doc:"The class of most errors"`
	Text   string `json:"text"`
}

// Attendance is one person who came.
type Attendance struct {
	Seat     int       `json:"seat"`
	Name     string    `json:"name" doc:"As they typed it; empty once the names are deleted"`
	SignedIn bool      `json:"signedIn"`
	JoinedAt time.Time `json:"joinedAt"`
	Minutes  float64   `json:"minutes"`
	Passed   int       `json:"passed" doc:"How many code cells they have done"`
	Failed   int       `json:"failed" doc:"In how many code cells something failed"`
}

const (
	hintsMost = 10
	hintFrom  = 0.1 // of those who came
)

// Report returns how a workshop of the caller's went, or goes.
func (s *Service) Report(ctx context.Context, id string) (Report, error) {
	_, about, err := s.hosted(ctx, id)
	if err != nil {
		return Report{}, err
	}
	seats, err := s.store.everTaken(ctx, id)
	if err != nil {
		return Report{}, err
	}
	return reportOf(about, seats, s.Now())
}

func reportOf(about Workshop, seats []Seat, now time.Time) (Report, error) {
	cells := cellsOf(about)
	made := Report{
		ID: about.ID, Name: about.Name, State: about.stateAt(now), StartsAt: about.began(), EndsAt: about.EndsAt, EndedAt: about.EndedAt, Timezone: about.Timezone,
		Entry: about.Entry, Project: about.Project, Seats: about.Seats.Total, Joined: len(seats), Of: len(cells.Code),
		Cells: []ReportCell{}, Hints: []WorkshopHint{}, Attendance: []Attendance{},
	}
	counts := map[int]*ReportCell{}
	errors := map[int]map[string]int{}
	var minutes []float64
	for _, seat := range seats {
		state, err := seat.state(cells)
		if err != nil {
			return made, err
		}
		one := Attendance{Seat: seat.number, Name: seat.name, SignedIn: !seat.isGuest, JoinedAt: seat.joinedAt}
		if state.LastActivityAt.After(seat.joinedAt) {
			one.Minutes = math.Round(state.LastActivityAt.Sub(seat.joinedAt).Minutes()*10) / 10
		}
		minutes = append(minutes, one.Minutes)
		for index, cell := range state.Cells {
			if counts[index] == nil {
				counts[index], errors[index] = &ReportCell{BoardCell: BoardCell{Index: index}}, map[string]int{}
			}
			if cell.Done {
				one.Passed++
				counts[index].Done++
			}
			if cell.Failed > 0 {
				one.Failed++
				counts[index].Failed++
			}
			for name := range cell.Errors {
				errors[index][name]++
			}
		}
		made.Attendance = append(made.Attendance, one)
	}
	for index, cell := range counts {
		cell.Errors = counted(errors[index])
		made.Cells = append(made.Cells, *cell)
	}
	slices.SortFunc(made.Cells, func(a, b ReportCell) int { return a.Index - b.Index })
	made.Minutes = minutesOf(minutes)
	made.Hints = hintsOf(made)
	return made, nil
}

func counted(names map[string]int) []ErrorCount {
	found := []ErrorCount{}
	for name, count := range names {
		found = append(found, ErrorCount{name, count})
	}
	slices.SortFunc(found, func(a, b ErrorCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return found
}

func minutesOf(all []float64) (found Minutes) {
	if len(all) == 0 {
		return found
	}
	slices.Sort(all)
	for _, one := range all {
		found.Total += one
	}
	found.Total = math.Round(found.Total*10) / 10
	found.Median = all[len(all)/2]
	if len(all)%2 == 0 {
		found.Median = math.Round((all[len(all)/2-1]+all[len(all)/2])*5) / 10
	}
	return found
}

// hintsOf returns the cells in which a tenth of those who came failed, and at least two.
func hintsOf(about Report) []WorkshopHint {
	hints := []WorkshopHint{}
	for _, cell := range about.Cells {
		if cell.Failed < 2 || float64(cell.Failed) < hintFrom*float64(about.Joined) || len(cell.Errors) == 0 {
			continue
		}
		name := cell.Errors[0].Name
		hints = append(hints, WorkshopHint{Cell: cell.Index, Failed: cell.Failed, Of: about.Joined, Name: name, Text: progress.Hint(name, cell.Index, cell.Failed, about.Joined)})
	}
	slices.SortStableFunc(hints, func(a, b WorkshopHint) int { return b.Failed - a.Failed })
	return hints[:min(len(hints), hintsMost)]
}

// WriteCSV writes the attendance of a report, with names only if they are asked for.
func (r Report) WriteCSV(w io.Writer, names bool) error {
	rows := csv.NewWriter(w)
	header := []string{"seat", "signed_in", "joined_at", "minutes", "cells_done", "cells_failed"}
	if names {
		header = slices.Insert(header, 1, "name")
	}
	_ = rows.Write(header)
	for _, one := range r.Attendance {
		row := []string{
			strconv.Itoa(one.Seat), strconv.FormatBool(one.SignedIn), one.JoinedAt.UTC().Format(time.RFC3339), strconv.FormatFloat(one.Minutes, 'f', 1, 64),
			strconv.Itoa(one.Passed), strconv.Itoa(one.Failed),
		}
		if names {
			row = slices.Insert(row, 1, harmless(one.Name))
		}
		_ = rows.Write(row)
	}
	rows.Flush()
	return rows.Error()
}

// harmless returns a name that a spreadsheet doesn't take for a formula.
// https://owasp.org/www-community/attacks/CSV_Injection
func harmless(name string) string {
	if name != "" && slices.Contains([]byte("=+-@"), name[0]) {
		return "'" + name
	}
	return name
}

// Held is a workshop that took place, as the page of its event shows it.
type Held struct {
	Event    string        `json:"event" doc:"Its slug in the site file"`
	Name     string        `json:"name"`
	StartsAt time.Time     `json:"startsAt"`
	EndsAt   time.Time     `json:"endsAt"`
	Timezone string        `json:"timezone"`
	Entry    *WorkshopPart `json:"entry,omitempty" doc:"If everybody may see it"`
}

// OfEvents returns the workshops that took place as part of an event, the last first.
func (s *Service) OfEvents(ctx context.Context) ([]Held, error) {
	found, err := s.store.ofEvents(ctx)
	held := make([]Held, 0, len(found))
	for _, about := range found {
		one := Held{Event: about.Event, Name: about.Name, StartsAt: about.began(), EndsAt: about.end(), Timezone: about.Timezone}
		if about.Entry != nil && s.Entries.IsPublic(ctx, about.Entry.ID) {
			one.Entry = about.Entry
		}
		held = append(held, one)
	}
	return held, err
}
