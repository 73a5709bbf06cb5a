package overview

import (
	"context"
	"time"
)

// Health is whether a server is well.
type Health struct {
	OK        bool      `json:"ok" doc:"Nothing needs to be fixed"`
	CheckedAt time.Time `json:"checkedAt"`
	Checks    []Finding `json:"checks"`
}

// Finding is what a check found.
type Finding struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Saw    string   `json:"saw" doc:"In a few words; empty if there is something to fix"`
	Fixes  []string `json:"fixes" doc:"What is wrong, and what to do"`
	Advice []string `json:"advice,omitempty" doc:"What to set up, though nothing is wrong yet"`
	Millis int64    `json:"milliseconds" doc:"How long the check took"`
}

const (
	checkTime  = 5 * time.Second  // for one check
	healthKept = 10 * time.Second // how long what was found is shown to everybody
)

// Check returns whether the server is well. Everybody who asks within healthKept gets the same answer.
func (s *Service) Check(ctx context.Context) Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.options.Now()
	if s.health.CheckedAt.IsZero() || now.Sub(s.health.CheckedAt) >= healthKept || now.Before(s.health.CheckedAt) {
		s.health = s.check(context.WithoutCancel(ctx), now) // the answer is also for the next ones
	}
	return s.health
}

// check runs all checks at the same time.
func (s *Service) check(ctx context.Context, now time.Time) Health {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	found := Health{OK: true, CheckedAt: now.UTC(), Checks: []Finding{}}
	waiting := make([]chan Finding, len(s.options.Checks))
	for i, one := range s.options.Checks {
		waiting[i] = make(chan Finding, 1)
		go func() { waiting[i] <- s.run(ctx, one) }()
	}
	for i, one := range s.options.Checks {
		finding := Finding{Name: one.Name, Fixes: []string{"It doesn't answer within " + checkTime.String() + "."}}
		select {
		case finding = <-waiting[i]:
		case <-ctx.Done(): // such as a disk that hangs
		}
		if finding.OK && finding.Saw == "" && len(finding.Advice) == 0 {
			continue // there is nothing to look at
		}
		found.OK = found.OK && finding.OK
		found.Checks = append(found.Checks, finding)
	}
	return found
}

func (s *Service) run(ctx context.Context, check Check) Finding {
	began := s.options.Now()
	found := check.Run(ctx)
	finding := Finding{Name: check.Name, OK: len(found.Fixes) == 0, Saw: found.Saw, Fixes: found.Fixes, Advice: found.Advice, Millis: s.options.Now().Sub(began).Milliseconds()}
	if finding.OK {
		finding.Fixes = []string{}
	} else {
		finding.Saw = ""
	}
	return finding
}
