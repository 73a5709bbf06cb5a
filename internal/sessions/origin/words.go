package origin

import (
	"fmt"
	"strconv"
	"strings"

	"cairn/internal/sessions"
)

func headline(session sessions.Session) string {
	with := func(text string) string {
		if session.StatusReason != "" {
			return session.StatusReason
		}
		return text
	}
	switch {
	case session.RequestedStatus != "":
		return "The session is being stopped. Its work is kept."
	case session.QueuePosition > 0 && session.Warning != "":
		return session.Warning
	case session.QueuePosition == 1:
		return "All slots are in use. Yours is next, and opens here automatically."
	case session.QueuePosition > 1:
		return fmt.Sprintf("All slots are in use. This session is number %d in the queue and opens here automatically.", session.QueuePosition)
	case session.Status == sessions.Created:
		return "The session is starting and opens here automatically."
	case session.Status == sessions.Running:
		return "Ready. Opening it now."
	case session.Status == sessions.Finished:
		return with("The session has ended. Its work is kept.")
	case session.Status == sessions.Terminated:
		return with("The session was terminated. Its work is kept.")
	}
	if session.Cause != nil {
		return session.Cause.Sentence
	}
	return with("The session failed. Its work is kept.")
}

// usualText formats usual durations as people do: "3 s", "3 to 5 s", "1.5 to 2 min".
func usualText(u sessions.Usual) string {
	unit, name := 1.0, " s"
	if u.P90 >= 90 {
		unit, name = 60, " min"
	}
	text := func(seconds float64) string {
		if seconds/unit < 2 {
			return strings.TrimSuffix(strconv.FormatFloat(seconds/unit, 'f', 1, 64), ".0")
		}
		return strconv.FormatFloat(seconds/unit, 'f', 0, 64)
	}
	if text(u.P50) == text(u.P90) {
		return text(u.P90) + name
	}
	return text(u.P50) + " to " + text(u.P90) + name
}

func namesOf(parts []sessions.Part) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = "“" + part.Name + "”"
	}
	return strings.Join(names, ", ")
}
