package warm_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/warm"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func session(id string, phase warm.Phase, age time.Duration) warm.Session {
	return warm.Session{ID: id, Entry: "tools", Held: "commit", Phase: phase, CreatedAt: now.Add(-age)}
}

func target(count int) warm.Target {
	return warm.Target{Want: warm.Want{Entry: "tools", Count: count}, Held: "commit", ChangedAt: now.Add(-10 * time.Minute)}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const fresh, old = time.Minute, time.Hour
	other := session("other", warm.Ready, fresh)
	other.Held = "another commit"
	stranger := session("stranger", warm.Ready, fresh)
	stranger.Entry = "dropped"
	paused := target(1)
	paused.Paused = true
	second := target(1)
	second.Entry = "second"
	for name, c := range map[string]struct {
		all     []warm.Session
		targets []warm.Target
		room    int
		end     []string
		add     string
	}{
		"the first one":                  {nil, []warm.Target{target(1)}, 9, nil, "tools"},
		"enough":                         {[]warm.Session{session("a", warm.Ready, fresh)}, []warm.Target{target(1)}, 9, nil, ""},
		"too many":                       {[]warm.Session{session("a", warm.Starting, fresh), session("b", warm.Ready, fresh)}, []warm.Target{target(1)}, 9, []string{"a"}, ""},
		"no more together than can":      {[]warm.Session{session("a", warm.Starting, fresh)}, []warm.Target{target(9)}, 9, nil, "tools tools"},
		"all at once":                    {nil, []warm.Target{target(2), second}, 9, nil, "tools tools second"},
		"all for which there is room":    {[]warm.Session{session("a", warm.Ready, fresh)}, []warm.Target{target(9)}, 2, nil, "tools"},
		"an ending one doesn't count":    {[]warm.Session{session("a", warm.Ending, fresh)}, []warm.Target{target(1)}, 9, nil, "tools"},
		"other content":                  {[]warm.Session{other}, []warm.Target{target(1)}, 9, []string{"other"}, "tools"},
		"out of the configuration":       {[]warm.Session{stranger}, []warm.Target{target(1)}, 9, []string{"stranger"}, "tools"},
		"paused":                         {nil, []warm.Target{paused, second}, 9, nil, "second"},
		"outdated, still claimed":        {[]warm.Session{session("a", warm.Ready, old)}, []warm.Target{target(1)}, 9, nil, "tools"},
		"changed, still claimed":         {[]warm.Session{session("a", warm.Ready, 20*time.Minute)}, []warm.Target{target(1)}, 9, nil, "tools"},
		"outdated, the next one starts":  {[]warm.Session{session("a", warm.Ready, old), session("b", warm.Starting, fresh)}, []warm.Target{target(1)}, 9, nil, ""},
		"outdated, the next one is here": {[]warm.Session{session("a", warm.Ready, old), session("b", warm.Ready, fresh)}, []warm.Target{target(1)}, 9, []string{"a"}, ""},
		"outdated, room for one":         {[]warm.Session{session("a", warm.Ready, old)}, []warm.Target{target(1)}, 1, []string{"a"}, "tools"},
		"no room":                        {[]warm.Session{session("a", warm.Ready, fresh), session("b", warm.Ready, old)}, []warm.Target{target(2)}, 0, []string{"a", "b"}, ""},
		"less room":                      {[]warm.Session{session("a", warm.Ready, 2*fresh), session("b", warm.Ready, fresh)}, []warm.Target{target(2)}, 1, []string{"b"}, ""},
	} {
		end, add := warm.Plan(c.all, c.targets, c.room, 3, now)
		var ids, entries []string
		for _, one := range end {
			ids = append(ids, one.ID)
		}
		slices.Sort(ids)
		for _, one := range add {
			entries = append(entries, one.Entry)
		}
		if !slices.Equal(ids, c.end) || strings.Join(entries, " ") != c.add {
			t.Errorf("%s: ends %v and adds %q, want %v and %q", name, ids, entries, c.end, c.add)
		}
	}
}
