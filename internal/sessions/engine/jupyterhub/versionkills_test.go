package jupyterhub_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/jupyterhub/realhub"
)

// TestThoroughSavesOnAHubSurviveCrashes kills the session's server, what saves in it, our server, the agent and the hub in turn, a
// hundred times in all, while a script saves each second. After each kill, whatever was saved more than a minute before it is in a
// version, no version that was listed is gone, and no file of one is torn.
func TestThoroughSavesOnAHubSurviveCrashes(t *testing.T) {
	h := realhub.New(t, "CAIRN_DISK=1073741824", "CAIRN_VERSIONS_EVERY=2s", "CAIRN_AGENT_LOOK=1s")
	b := newBench(t, h)
	random := rand.New(rand.NewPCG(1, 2))
	b.open()
	spec := b.start(b.repositories.Repository("working.git"))
	b.await(spec.ID, engine.Running)
	saver := enginetest.Saver{TB: t, ID: spec.ID, Folder: h.Work(spec.ID, "")}
	saver.Start()
	longest, listed := time.Duration(0), map[string]bool{}
	for i := range enginetest.Crashes {
		time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond) //nolint:forbidigo // kills come at any time
		killedAt := time.Now()
		switch i % 5 {
		case 0: // the server of the session with all kernels
			b.end(spec.ID, false)
			h.Eventually("the end is noticed", func() bool { return b.status(spec.ID).Phase != engine.Running })
		case 1: // what saves
			saver.Kill()
		case 2: // our server, and half the time the session while it is away
			b.engine.Abandon()
			if i%2 == 0 {
				b.end(spec.ID, false)
			}
			b.engine = nil
			b.open()
		case 3:
			for _, pid := range agentsOf(h) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		case 4:
			if i%10 == 4 { // a start takes a while
				h.Kill()
				h.Start()
			} else {
				b.end(spec.ID, false)
			}
		}
		var list []engine.Version
		h.Eventually("the versions can be read", func() bool {
			var err error
			list, _, err = b.engine.Versions(t.Context(), spec.ID, engine.VersionFilter{Most: 1000})
			return err == nil && (len(list) > 0 || i == 0)
		})
		h.Eventually("it ended or goes on", func() bool { return b.status(spec.ID).Phase != engine.Starting })
		if b.status(spec.ID).Phase != engine.Running {
			if err := b.engine.Start(t.Context(), spec); err != nil {
				t.Fatal(err)
			}
			b.await(spec.ID, engine.Running)
		}
		there := map[string]bool{}
		for _, one := range list {
			there[one.ID] = true
		}
		for id := range listed {
			if !there[id] {
				t.Errorf("After kill %d, version %s is gone", i, id)
			}
		}
		listed = there
		if len(list) > 0 {
			lost := killedAt.Sub(saver.SavedAt(b.engine, list[0].ID))
			longest = max(longest, lost)
			if lost > enginetest.LossMost {
				t.Errorf("After kill %d, the newest save in a version is of %v before it", i, lost)
			}
		}
		saver.Start()
	}
	t.Logf("the oldest newest save was of %v before a kill", longest)
	saver.Kill()
	for id := range listed {
		saver.SavedAt(b.engine, id)
		saver.RestoresEqual(b.engine, id)
	}
}

// agentsOf returns the processes of the agent of a hub.
func agentsOf(h *realhub.Hub) (found []int) {
	for _, pid := range realhub.ProcessesNaming("\x00agent\x00") {
		environment, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if bytes.Contains(environment, []byte(h.Folder)) {
			found = append(found, pid)
		}
	}
	return found
}

func (b *bench) status(id string) engine.Status {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		status, err := b.engine.Status(ctx, id)
		if err == nil {
			return status
		}
		select {
		case <-ctx.Done():
			b.Fatal(err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
