package localjupyter_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
)

// TestThoroughSavesSurviveCrashes kills the session, its kernel or the server a hundred times while a script saves each second.
// After each kill, whatever was saved more than a minute before it is in a version, and no file of a version is torn.
func TestThoroughSavesSurviveCrashes(t *testing.T) {
	b := newBench(t, func(options *localjupyter.Options) { options.WatchEvery = time.Second })
	random := rand.New(rand.NewPCG(1, 2))
	b.open()
	spec := b.running(b.url("working.git"))
	saver := enginetest.Saver{TB: t, ID: spec.ID, Folder: b.work(spec.ID, "")}
	saver.Start()
	longest := time.Duration(0)
	for i := range enginetest.Crashes {
		time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond) //nolint:forbidigo // kills come at any time
		killedAt := time.Now()
		switch i % 3 {
		case 0: // the session with everything in it
			b.end(spec.ID, false)
			b.awaitThat(spec.ID, func(status engine.Status) bool { return status.Phase != engine.Running })
		case 1: // what saves
			saver.Kill()
		case 2: // the server, and half the time the session while it is away
			b.engine.Abandon()
			if i%2 == 0 {
				b.end(spec.ID, false)
			}
			b.engine = nil
			b.open()
		}
		status, err := b.engine.Status(t.Context(), spec.ID)
		if err != nil {
			t.Fatal(err)
		}
		if status.Phase != engine.Running {
			b.start(spec)
			b.await(spec.ID, engine.Running)
		}
		newest := time.Time{}
		if list := b.versions(spec.ID); len(list) > 0 {
			newest = saver.SavedAt(b.engine, list[0].ID)
		}
		longest = max(longest, killedAt.Sub(newest))
		if killedAt.Sub(newest) > enginetest.LossMost+5*time.Second { // the saves are a second apart, and the clock of the watch ticks each second
			t.Errorf("After kill %d, the newest save in a version is of %v before it", i, killedAt.Sub(newest))
		}
		saver.Start()
	}
	t.Logf("the oldest newest save was of %v before a kill", longest)
	for _, version := range b.versions(spec.ID) {
		saver.SavedAt(b.engine, version.ID)
		saver.RestoresEqual(b.engine, version.ID)
	}
}
