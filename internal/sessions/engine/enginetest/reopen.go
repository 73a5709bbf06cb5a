package enginetest

import (
	"cairn/internal/sessions/engine"
)

func reopen(b *bench) {
	running, broken, stopped := b.running(), b.started(b.Broken), b.running()
	failed := b.await(broken.ID, engine.Failed)
	b.stop(stopped.ID)
	before, err := b.engine.Target(b.Context(), running.ID)
	if err != nil {
		b.Fatal(err)
	}
	b.reopen()
	if status := b.await(running.ID, engine.Running); len(status.Steps) == 0 {
		b.Errorf("The steps are gone")
	}
	after, err := b.engine.Target(b.Context(), running.ID)
	if err != nil {
		b.Fatal(err)
	}
	if before.Authorization != after.Authorization {
		b.Errorf("The running session was started anew")
	}
	if code := b.get(running.ID, true); code != 200 {
		b.Errorf("The server answers %d", code)
	}
	if status := b.status(broken.ID); status.Phase != engine.Failed || status.Reason != failed.Reason {
		b.Errorf("The failed session is %+v", status)
	}
	if status := b.status(stopped.ID); status.Phase != engine.Ended {
		b.Errorf("The stopped session is %s", status.Phase)
	}
	b.stop(running.ID)
	b.start(stopped)
	b.await(stopped.ID, engine.Running)
}

func reopenLaunch(b *bench) {
	spec := b.started(b.Slow)
	b.awaitThat(spec.ID, "at its repository", func(status engine.Status) bool {
		return b.step(status, engine.StepRepository).State == engine.Active
	})
	b.reopen()
	if phase := b.status(spec.ID).Phase; phase != engine.Starting && phase != engine.Failed {
		b.Fatalf("The launch became %s", phase)
	}
	b.Release()
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if files := b.archive(spec.ID); files[spec.Repository.Folder+"/README.md"] == "" {
		b.Errorf("Half a repository was taken for a whole one: %v", files)
	}
}

func reopenTwice(b *bench) {
	spec := b.running()
	b.End(spec.ID, false)
	failed := b.await(spec.ID, engine.Failed)
	for range 2 {
		b.reopen()
		if status := b.status(spec.ID); status.Phase != engine.Failed || status.Reason != failed.Reason {
			b.Errorf("The session became %+v", status)
		}
	}
	b.stop(spec.ID)
	b.reopen()
	if status := b.status(spec.ID); status.Phase != engine.Ended {
		b.Errorf("The session became %+v", status)
	}
}

func closeEngine(b *bench) {
	running, launching := b.running(), b.started(b.Slow)
	if err := b.engine.Close(); err != nil {
		b.Fatalf("Close: %v", err)
	}
	b.reopen()
	b.await(running.ID, engine.Running)
	if code := b.get(running.ID, true); code != 200 {
		b.Errorf("The server answers %d", code)
	}
	b.Release()
	b.start(launching)
	b.await(launching.ID, engine.Running)
}
