package reconcile

import (
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

var hourAndWorkday = IdleLimits{Closed: time.Hour, Open: 8 * time.Hour}

func TestIdleIsNoBusyKernelAndNoActivity(t *testing.T) {
	t.Parallel()
	now := noon
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		limits   IdleLimits
		began    time.Time // when it began to run, or was last seen active
		activity engine.Activity
		sockets  int
		stopsAt  time.Time
		stopped  bool
	}{
		"active just now":             {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: now}, 0, now.Add(time.Hour), false},
		"a second too early":          {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour - time.Second)}, 0, now.Add(time.Minute), false},
		"idle":                        {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour)}, 0, now, true},
		"a busy kernel":               {hourAndWorkday, ago(90 * time.Hour), engine.Activity{LastAt: ago(80 * time.Hour), Busy: true}, 0, time.Time{}, false},
		"open tabs":                   {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour), Connections: 1}, 0, now.Add(7 * time.Hour), false},
		"open tabs for too long":      {hourAndWorkday, ago(9 * time.Hour), engine.Activity{LastAt: ago(8 * time.Hour), Connections: 2}, 0, now, true},
		"a websocket through us":      {hourAndWorkday, ago(2 * time.Hour), engine.Activity{LastAt: ago(time.Hour)}, 1, now.Add(7 * time.Hour), false},
		"it has just begun":           {hourAndWorkday, ago(time.Minute), engine.Activity{LastAt: ago(5 * time.Hour)}, 0, now.Add(59 * time.Minute), false},
		"nothing known yet":           {hourAndWorkday, ago(5 * time.Hour), engine.Activity{}, 0, time.Time{}, false},
		"a clock ahead of ours":       {hourAndWorkday, ago(time.Hour), engine.Activity{LastAt: now.Add(time.Hour)}, 0, now.Add(time.Hour), false},
		"never, tabs closed":          {IdleLimits{Open: time.Hour}, ago(99 * time.Hour), engine.Activity{LastAt: ago(99 * time.Hour)}, 0, time.Time{}, false},
		"never, tabs open":            {IdleLimits{Closed: time.Hour}, ago(99 * time.Hour), engine.Activity{LastAt: ago(99 * time.Hour), Connections: 1}, 0, time.Time{}, false},
		"a smaller limit than so far": {IdleLimits{Closed: time.Minute}, ago(time.Hour), engine.Activity{LastAt: ago(2 * time.Minute)}, 0, ago(time.Minute), true},
	} {
		seen := test.limits.observe(sessions.Session{Status: sessions.Running, ActiveAt: test.began}, test.activity, test.sockets, now)
		what := test.limits.expire(action{}, seen, now)
		if !seen.stopsAt.Equal(test.stopsAt) || (what.do == expire) != test.stopped {
			t.Errorf("%s: stops at %s and is stopped %t, want %s and %t", name, seen.stopsAt, what.do == expire, test.stopsAt, test.stopped)
		}
	}
}

func TestKeptSessionsGoOnForEightHoursInAll(t *testing.T) {
	t.Parallel()
	now := noon
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, test := range map[string]struct {
		limits        IdleLimits
		activeAt      time.Time
		keptAt        time.Time
		activity      engine.Activity
		stopsAt       time.Time
		kept, mayGoOn bool
	}{
		"never kept":             {hourAndWorkday, ago(30 * time.Minute), time.Time{}, engine.Activity{}, now.Add(30 * time.Minute), false, true},
		"kept now":               {hourAndWorkday, ago(30 * time.Minute), now, engine.Activity{}, now.Add(time.Hour), true, true},
		"active after that":      {hourAndWorkday, ago(30 * time.Minute), ago(40 * time.Minute), engine.Activity{}, now.Add(30 * time.Minute), false, true},
		"the eight hours end":    {hourAndWorkday, ago(7*time.Hour + 30*time.Minute), now, engine.Activity{}, now.Add(30 * time.Minute), true, false},
		"they are over":          {hourAndWorkday, ago(8 * time.Hour), now, engine.Activity{}, now, true, false},
		"open tabs for as long":  {hourAndWorkday, ago(time.Hour), now, engine.Activity{Connections: 1}, now.Add(7 * time.Hour), false, false},
		"a limit beyond eight":   {IdleLimits{Closed: 9 * time.Hour}, ago(time.Hour), now, engine.Activity{}, now.Add(8 * time.Hour), false, false},
		"a busy kernel":          {hourAndWorkday, ago(time.Hour), now, engine.Activity{Busy: true}, time.Time{}, false, false},
		"never stopped for that": {IdleLimits{}, ago(time.Hour), now, engine.Activity{}, time.Time{}, false, false},
	} {
		session := sessions.Session{Status: sessions.Running, ActiveAt: test.activeAt, KeptAt: test.keptAt}
		test.activity.LastAt = test.activeAt
		seen := test.limits.observe(session, test.activity, 0, now)
		session.StopsAt = sessions.OptionalTime(seen.stopsAt)
		if !seen.stopsAt.Equal(test.stopsAt) || seen.kept != test.kept || session.MayKeep() != test.mayGoOn {
			t.Errorf("%s: it stops at %s, kept %t, may be kept %t", name, seen.stopsAt, seen.kept, session.MayKeep())
		}
	}
}
