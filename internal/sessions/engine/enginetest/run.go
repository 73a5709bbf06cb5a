package enginetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// Run tests an engine against the whole contract. The tests run in parallel.
func Run(t *testing.T, factory Factory) {
	all := map[string]func(*bench){}
	for name, test := range histories {
		all[name] = historical(test)
	}
	maps.Copy(all, map[string]func(*bench){
		"a launch comes to running with its steps":                launch,
		"the way to the server is open while it runs":             target,
		"start changes nothing while it is starting or running":   startAgain,
		"start refuses bad specs":                                 refuse,
		"unknown sessions":                                        unknown,
		"a broken repository fails the launch":                    brokenRepository,
		"an unavailable dataset fails the launch":                 unavailableDataset,
		"stop keeps the work, start goes on with it":              stopAndStart,
		"a start that is late changes nothing":                    lateStart,
		"stop ends a launch":                                      stopLaunch,
		"stop returns when its context ends and goes on":          stopContext,
		"stop of what has ended already":                          stopEnded,
		"start during a stop is carried out after it":             startDuringStop,
		"remove leaves nothing":                                   remove,
		"a server that ends by itself":                            endsItself,
		"the archive holds the work and no links":                 archive,
		"every session is found again after kill -9":              reopen,
		"a launch goes on or can be repeated after kill -9":       reopenLaunch,
		"sessions go on after close":                              closeEngine,
		"a launch tells of its progress":                          progress,
		"what happens in a session is told":                       activity,
		"idle is what answers":                                    idle,
		"what will end a session is told while it will":           warning,
		"signals coalesce and never block":                        signals,
		"all calls at once":                                       together,
		"the status list is the statuses":                         list,
		"the log holds no secret":                                 secrets,
		"ended and failed sessions stay so after further reopens": reopenTwice,
		"a session opens a file":                                  opens,
		"a session of a notebook":                                 notebook,
		"a session of a dataset alone":                            datasetAlone,
		"what a session uses":                                     usage,
		"a session in which a program runs notebooks":             batch,
		"the kernels of sessions":                                 languages,
		"a session that is opened in VS Code":                     editor,
		"a session that is reached by SSH":                        shell,
		"a private repository":                                    private,
		"a private repository that its owner may not read":        privateRefused,
	})
	run(t, factory, all)
}

func run(t *testing.T, factory Factory, tests map[string]func(*bench)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bench{TB: t, Setup: factory(t)}
			b.reopen()
			b.awaitReady()
			test(b)
		})
	}
}

func launch(b *bench) {
	spec := b.started(b.Slow)
	status := b.awaitThat(spec.ID, "at its repository", func(status engine.Status) bool {
		return b.step(status, engine.StepRepository).State == engine.Active
	})
	if status.Phase != engine.Starting || status.ID != spec.ID {
		b.Errorf("The session is %+v", status)
	}
	b.Release()
	status = b.await(spec.ID, engine.Running)
	for _, name := range []engine.StepName{engine.StepRepository, engine.StepDatasets, engine.StepServer} {
		b.step(status, name)
	}
}

func target(b *bench) {
	spec := b.started(b.Slow)
	_, err := b.engine.Target(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Target while starting", err)
	b.Release()
	b.await(spec.ID, engine.Running)
	if code := b.get(spec.ID, true); code != 200 {
		b.Errorf("The server answers %d", code)
	}
	if code := b.get(spec.ID, false); code == 200 {
		b.Errorf("The server answers without Authorization")
	}
	b.stop(spec.ID)
	_, err = b.engine.Target(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Target after the stop", err)
}

func startAgain(b *bench) {
	spec := b.started(b.Slow)
	b.start(spec)
	b.Release()
	before := b.await(spec.ID, engine.Running)
	way, err := b.engine.Target(b.Context(), spec.ID)
	if err != nil {
		b.Fatal(err)
	}
	b.start(spec)
	after := b.status(spec.ID)
	same, err := b.engine.Target(b.Context(), spec.ID)
	if err != nil {
		b.Fatal(err)
	}
	if after.Phase != engine.Running || way.Authorization != same.Authorization ||
		!b.step(before, engine.StepServer).StartedAt.Equal(b.step(after, engine.StepServer).StartedAt) {
		b.Errorf("Start changed the running session: %+v, before %+v", after, before)
	}
}

func refuse(b *bench) {
	for name, breakIt := range map[string]func(*engine.Spec){
		"id":      func(s *engine.Spec) { s.ID = "../x" },
		"folder":  func(s *engine.Spec) { s.Repository.Folder = ".." },
		"data":    func(s *engine.Spec) { s.Repository.Folder = "data" },
		"address": func(s *engine.Spec) { s.Repository.URL = "ext::sh -c id" },
		"dataset": func(s *engine.Spec) { s.Datasets = []engine.Dataset{{Folder: "a/b", Path: "/x"}} },
	} {
		spec := b.spec(b.Working)
		breakIt(&spec)
		b.wants(fault.Invalid, name, b.engine.Start(b.Context(), spec))
	}
	if all, err := b.engine.List(b.Context()); err != nil || len(all) != 0 {
		b.Errorf("Refused sessions are known: %v %v", all, err)
	}
}

func unknown(b *bench) {
	id := uuid.Must(uuid.NewV7()).String()
	_, err := b.engine.Status(b.Context(), id)
	b.wants(fault.NotFound, "Status", err)
	_, err = b.engine.Target(b.Context(), id)
	b.wants(fault.Conflict, "Target", err)
	_, err = b.engine.Idle(b.Context(), id)
	b.wants(fault.Conflict, "Idle", err)
	var nothing strings.Builder
	b.wants(fault.NotFound, "Archive", b.engine.Archive(b.Context(), id, &nothing))
	if nothing.Len() != 0 {
		b.Errorf("Archive wrote %d bytes", nothing.Len())
	}
	b.stop(id)
	if err := b.engine.Remove(b.Context(), id); err != nil {
		b.Errorf("Remove: %v", err)
	}
	_, err = b.engine.Status(b.Context(), "../../etc")
	b.wants(fault.NotFound, "Status of a path", err)
}

func brokenRepository(b *bench) {
	spec := b.started(b.Broken)
	status := b.await(spec.ID, engine.Failed)
	if b.step(status, engine.StepRepository).State != engine.Broken || status.Log == "" {
		b.Errorf("The repository step did not fail, or there is no log: %+v", status)
	}
	_, err := b.engine.Target(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Target", err)
	b.start(spec)
	b.await(spec.ID, engine.Failed)
}

func unavailableDataset(b *bench) {
	const why, whyMore = "The dataset “Spikes” was withdrawn by its authors.", "So was the other."
	spec := b.spec(b.Working)
	spec.Datasets = append(spec.Datasets,
		engine.Dataset{ID: "withdrawn", Name: "Spikes", Folder: "withdrawn", Unavailable: why},
		engine.Dataset{ID: "more", Name: "Spikes", Folder: "more", Unavailable: whyMore})
	b.start(spec)
	status := b.await(spec.ID, engine.Failed)
	if status.Reason != why+" "+whyMore || !slices.Equal(status.Missing, []string{"withdrawn", "more"}) || status.Code != diagnosis.DatasetMissing || b.step(status, engine.StepDatasets).State != engine.Broken {
		b.Errorf("The launch failed with %+v", status)
	}
	spec.Datasets = spec.Datasets[:len(spec.Datasets)-2]
	b.start(spec)
	if status := b.await(spec.ID, engine.Running); len(status.Missing) > 0 {
		b.Errorf("Without them it runs and still misses %v", status.Missing)
	}
}

func stopAndStart(b *bench) {
	spec := b.running()
	b.stop(spec.ID)
	if status := b.status(spec.ID); status.Phase != engine.Ended {
		b.Fatalf("After Stop the session is %s", status.Phase)
	}
	readme := spec.Repository.Folder + "/README.md"
	b.Put(spec.ID, "mine.txt", "precious")
	b.Put(spec.ID, readme, "changed")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if files := b.archive(spec.ID); files["mine.txt"] != "precious" || files[readme] != "changed" {
		b.Errorf("The work changed over a restart: %v", files)
	}
	if code := b.get(spec.ID, true); code != 200 {
		b.Errorf("The server answers %d", code)
	}
}

// lateStart is what a server does that paused between claiming a launch and asking for it, while another one carried it out.
func lateStart(b *bench) {
	spec := b.running()
	spec.Attempt = 2
	b.stop(spec.ID)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.stop(spec.ID)
	for _, attempt := range []int64{1, 2} {
		late := spec
		late.Attempt = attempt
		b.start(late)
		if status := b.status(spec.ID); status.Phase != engine.Ended {
			b.Fatalf("After the late attempt %d the session is %s", attempt, status.Phase)
		}
	}
	spec.Attempt = 3
	b.start(spec)
	b.await(spec.ID, engine.Running)
}

func stopLaunch(b *bench) {
	spec := b.started(b.Slow)
	b.stop(spec.ID)
	b.Release()
	if status := b.status(spec.ID); status.Phase != engine.Ended {
		b.Errorf("After Stop the session is %s", status.Phase)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
}

func stopContext(b *bench) {
	spec := b.running()
	over, cancel := context.WithCancel(b.Context())
	cancel()
	if err := b.engine.Stop(over, spec.ID); err != nil {
		b.wants(fault.Unavailable, "Stop", err)
		b.await(spec.ID, engine.Ended)
	}
	b.stop(spec.ID)
	if status := b.status(spec.ID); status.Phase != engine.Ended {
		b.Errorf("After Stop the session is %s", status.Phase)
	}
}

func stopEnded(b *bench) {
	spec := b.started(b.Broken)
	b.await(spec.ID, engine.Failed)
	for range 2 {
		b.stop(spec.ID)
		if status := b.status(spec.ID); status.Phase != engine.Ended {
			b.Errorf("After Stop the session is %s", status.Phase)
		}
	}
}

func startDuringStop(b *bench) {
	spec := b.running()
	over, cancel := context.WithCancel(b.Context())
	cancel()
	for range 2 {
		_ = b.engine.Stop(over, spec.ID)
		b.start(spec)
	}
	if status := b.status(spec.ID); status.Phase == engine.Ended {
		b.Errorf("The start is forgotten")
	}
	b.await(spec.ID, engine.Running)
	_ = b.engine.Stop(over, spec.ID)
	b.start(spec)
	b.stop(spec.ID)
	if status := b.status(spec.ID); status.Phase != engine.Ended {
		b.Errorf("A later stop did not take the start back: %s", status.Phase)
	}
}

func remove(b *bench) {
	spec := b.running()
	b.stop(spec.ID)
	b.Put(spec.ID, "mine.txt", "precious")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	for range 2 {
		if err := b.engine.Remove(b.Context(), spec.ID); err != nil {
			b.Fatalf("Remove: %v", err)
		}
	}
	_, err := b.engine.Status(b.Context(), spec.ID)
	b.wants(fault.NotFound, "Status", err)
	b.wants(fault.NotFound, "Archive", b.engine.Archive(b.Context(), spec.ID, &strings.Builder{}))
	b.reopen()
	if all, err := b.engine.List(b.Context()); err != nil || len(all) != 0 {
		b.Errorf("Something is left: %v %v", all, err)
	}
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if files := b.archive(spec.ID); files["mine.txt"] != "" {
		b.Errorf("Removed work came back: %v", files)
	}
}

func endsItself(b *bench) {
	spec := b.running()
	b.End(spec.ID, true)
	b.await(spec.ID, engine.Ended)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	b.End(spec.ID, false)
	status := b.await(spec.ID, engine.Failed)
	if status.Log == "" {
		b.Errorf("A crash left no log")
	}
	_, err := b.engine.Target(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Target", err)
	b.start(spec)
	b.await(spec.ID, engine.Running)
}

func archive(b *bench) {
	spec := b.running()
	b.stop(spec.ID)
	b.Put(spec.ID, "mine.txt", "precious")
	b.Link(spec.ID, "passwords", "/etc/passwd")
	b.Link(spec.ID, "system", "/etc")
	b.Link(spec.ID, "up", "../..")
	b.Link(spec.ID, "again.txt", "mine.txt")
	b.start(spec)
	b.await(spec.ID, engine.Running)
	files := b.archive(spec.ID)
	if files["mine.txt"] != "precious" || files[spec.Repository.Folder+"/README.md"] == "" {
		b.Errorf("Work is missing: %v", files)
	}
	for name := range files {
		for _, link := range []string{"passwords", "system", "up", "again.txt", "data"} {
			if name == link || strings.HasPrefix(name, link+"/") {
				b.Errorf("The archive holds %s", name)
			}
		}
	}
}

func signals(b *bench) {
	channel := b.engine.Changed()
	spec := b.spec(b.Working)
	for range 20 {
		b.start(spec)
		b.stop(spec.ID)
	}
	if b.engine.Changed() != channel {
		b.Errorf("The channel changed")
	}
	select {
	case _, open := <-channel:
		if !open {
			b.Errorf("The channel is closed")
		}
	case <-time.After(waitTimeout):
		b.Errorf("Nothing was signaled")
	}
}

func together(b *bench) {
	spec := b.spec(b.Working)
	var calls sync.WaitGroup
	for i := range 24 {
		calls.Go(func() {
			var err error
			switch i % 6 {
			case 0, 1:
				err = b.engine.Start(b.Context(), spec)
			case 2:
				err = b.engine.Stop(b.Context(), spec.ID)
			case 3:
				_, err = b.engine.List(b.Context())
			case 4:
				_, err = b.engine.Target(b.Context(), spec.ID)
			case 5:
				err = b.engine.Archive(b.Context(), spec.ID, &strings.Builder{})
			}
			if kind := fault.KindOf(err); err != nil && kind != fault.Conflict && kind != fault.NotFound {
				b.Errorf("call %d: %v", i, err)
			}
		})
	}
	calls.Wait()
	b.start(spec)
	b.await(spec.ID, engine.Running)
	if err := b.engine.Remove(b.Context(), spec.ID); err != nil {
		b.Errorf("Remove: %v", err)
	}
}

func list(b *bench) {
	wanted := map[string]engine.Phase{}
	broken, launching, stopped := b.started(b.Broken), b.started(b.Slow), b.running()
	b.stop(stopped.ID)
	b.await(broken.ID, engine.Failed)
	wanted[broken.ID], wanted[launching.ID], wanted[stopped.ID] = engine.Failed, engine.Starting, engine.Ended
	all, err := b.engine.List(b.Context())
	if err != nil || len(all) != len(wanted) {
		b.Fatalf("List: %v %v", all, err)
	}
	for _, status := range all {
		b.check(status)
		if status.Log != "" {
			b.Errorf("List reads the log of a session that is %s", status.Phase)
		}
		if single := b.status(status.ID); status.Phase != wanted[status.ID] || single.Phase != status.Phase ||
			single.Reason != status.Reason || len(single.Steps) != len(status.Steps) {
			b.Errorf("List gives %+v, Status %+v, want %s", status, single, wanted[status.ID])
		}
	}
}

func secrets(b *bench) {
	spec := b.running()
	way, err := b.engine.Target(b.Context(), spec.ID)
	if err != nil {
		b.Fatal(err)
	}
	_, secret, _ := strings.Cut(way.Authorization, " ")
	if len(secret) < 16 {
		b.Fatalf("The secret has only %d characters", len(secret))
	}
	b.get(spec.ID, true)
	if strings.Contains(b.status(spec.ID).Log, secret) {
		b.Errorf("The log holds the secret")
	}
	b.stop(spec.ID)
	if strings.Contains(b.status(spec.ID).Log, secret) {
		b.Errorf("The log holds the secret after the stop")
	}
}
