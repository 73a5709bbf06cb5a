package localjupyter

import (
	"context"
	"testing"
)

func TestWhoWaitsForAnEntryHearsNothingOfEarlierWork(t *testing.T) {
	shelf, err := openCache(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	lock := func(hear func(string)) func() {
		t.Helper()
		unlock, err := shelf.lock(t.Context(), "key", hear)
		if err != nil {
			t.Fatal(err)
		}
		return unlock
	}
	first := lock(nil)
	heard := make(chan string)
	done := make(chan func())
	go func() { done <- lock(func(said string) { heard <- said }) }()
	<-heard
	shelf.say("key", "half of it")
	first()
	second := receive(heard, done)
	if said := shelf.heard("key"); said != "" {
		t.Errorf("%q is left of the first one's work", said)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shelf.lock(over, "key", func(string) {}); err == nil {
		t.Error("Two work on one entry")
	}
	second()
	if len(shelf.jobs) != 0 {
		t.Errorf("%d entries are remembered though nobody is at them", len(shelf.jobs))
	}
}

// receive takes what comes of two channels until the second gives a value.
func receive(heard chan string, done chan func()) func() {
	for {
		select {
		case <-heard:
		case unlock := <-done:
			return unlock
		}
	}
}
