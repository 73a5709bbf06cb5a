package curation

import (
	"context"
	"strings"

	"cairn/internal/foundation/fault"
)

// State is a filter of operators' lists.
type State string

// The states. Without any, lists have all entries.
const (
	StateNew      State = "new" // added in the last seven days
	StateReported State = "reported"
	StateHidden   State = "hidden"
)

// Query selects entries: all conditions must hold.
type Query struct {
	Text   string  // words of public and hidden entries; or an id or e-mail address, of any
	States []State // any of them; none: all
	Offset int
	Limit  int
}

// Page is a page of entries.
type Page struct {
	Entries []OperatorEntry
	Total   int
}

// ParseStates parses a comma-separated list.
func ParseStates(list string) ([]State, error) {
	var states []State
	for _, name := range strings.Split(list, ",") {
		switch state := State(strings.TrimSpace(name)); state {
		case "":
		case StateNew, StateReported, StateHidden:
			states = append(states, state)
		default:
			return nil, fault.InvalidField("query.state", "%s isn't new, reported or hidden.", fault.Quote(name))
		}
	}
	return states, nil
}

// List returns a page of entries, newest first. It is for operators, and for the command line.
func (s *Service) List(ctx context.Context, query Query) (Page, error) {
	ids, total, err := s.store.list(ctx, query)
	if err != nil {
		return Page{}, err
	}
	entries, err := s.load(ctx, ids)
	return Page{Entries: entries, Total: total}, err
}
