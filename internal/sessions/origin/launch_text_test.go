package origin

import (
	"testing"

	"cairn/internal/sessions"
)

func TestUsualTimesAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for want, times := range map[string]sessions.Usual{
		"0.4 s": {P50: 0.4, P90: 0.4}, "3 to 5 s": {P50: 3.2, P90: 5.1}, "1 to 1.5 min": {P50: 59, P90: 90}, "2 min": {P50: 119, P90: 121}, "1.2 to 2 s": {P50: 1.2, P90: 2.3},
	} {
		if got := usualText(times); got != want {
			t.Errorf("%+v: got %q, want %q", times, got, want)
		}
	}
}
