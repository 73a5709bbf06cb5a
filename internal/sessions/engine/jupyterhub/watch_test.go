package jupyterhub

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestLooksAreRareWhereTheHubIsSlowBrokenOrIdle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		every, took time.Duration
		failures    int
		idle        bool
		want        time.Duration
	}{
		{name: "as set", every: time.Second, took: 20 * time.Millisecond, want: time.Second},
		{name: "a slow hub", every: time.Second, took: 300 * time.Millisecond, want: 3 * time.Second},
		{name: "a very slow hub", every: time.Second, took: time.Minute, want: 30 * time.Second},
		{name: "no session is live", every: time.Second, idle: true, want: 5 * time.Second},
		{name: "no session is live, and looks are rare", every: 10 * time.Second, idle: true, want: 15 * time.Second},
		{name: "one failure", every: time.Second, took: time.Minute, failures: 1, want: 2 * time.Second},
		{name: "two failures", every: time.Second, failures: 2, idle: true, want: 4 * time.Second},
		{name: "many failures", every: time.Second, failures: 100, want: 5 * time.Second},
	} {
		if got := untilNextLook(c.every, c.took, c.failures, c.idle); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAHubThatAnswersAgainIsLookedAtAtOnce(t *testing.T) {
	t.Parallel()
	background, cancel := context.WithCancel(t.Context())
	e := &Engine{background: background, hub: &client{breaker: &breaker{now: time.Now, recovered: make(chan struct{}, 1)}}}
	told := e.hub.breaker
	told.report(nil)
	if len(told.recovered) != 0 {
		t.Error("a hub that never failed is back")
	}
	for range 2 {
		told.report(errors.New("no answer"))
		told.report(nil)
	}
	if !e.await(nil) {
		t.Error("the engine was closed")
	}
	told.report(nil)
	if len(told.recovered) != 0 {
		t.Error("the same return is told twice")
	}
	cancel()
	if e.await(nil) {
		t.Error("a closed engine goes on")
	}
}
