package app

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

const building = "The search index is being built."

var percent = regexp.MustCompile(`\d+ %`)

func compares(f *fault.Fault, p httpapi.Problem, s sessions.Session) bool {
	switch f.Message { // want "compares a sentence"
	case building:
		return true
	}
	switch s.Status {
	case p.Detail: // want "compares a sentence"
	}
	return f.Message == building || // want "compares a sentence"
		building != p.Detail || // want "compares a sentence"
		string(s.StatusReason[:3]) == "The" || // want "compares a sentence"
		f.Error() == building // want "compares a sentence"
}

func searches(err error, report engine.Status) {
	text := fault.MessageOf(err)
	lower := strings.ToLower("fault: " + text)
	_ = strings.Contains(lower, "index")               // want "searches a sentence"
	_ = strings.HasPrefix(text, "The ")                // want "searches a sentence"
	_, _ = strings.CutPrefix(report.Reason, "Error: ") // want "searches a sentence"
	_ = strings.Contains("a list of reasons", text)    // want "searches a sentence"
	_ = percent.FindString(report.Reason)              // want "searches a sentence"
	_, _ = regexp.MatchString("index", text)           // want "searches a sentence"
	_ = slices.Contains([]string{building}, text)      // want "searches a sentence"
	_, _ = fmt.Sscanf(text, "%d", new(int))            // want "searches a sentence"
	_ = map[string]int{building: 1}[text]              // want "looks up a sentence"
	_ = strings.Contains(err.Error(), "index")         // want "searches a sentence"
	cause := err.Error()
	_ = strings.HasPrefix(cause, "The ") // want "searches a sentence"
	_ = err.Error() == building          // want "compares a sentence"
	var again = text
	if again == building { // want "compares a sentence"
		return
	}
}

// Embedded, it is the same field.
type wrapped struct{ *fault.Fault }

func through(w wrapped, fields []fault.Field) bool {
	for _, field := range fields {
		if strings.HasPrefix(field.Message, "is needed: ") { // want "searches a sentence"
			return true
		}
	}
	return w.Message == building // want "compares a sentence"
}
