package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/machine/jupyterkernel"
	"cairn/internal/sessions/sizes"
)

// clock stands still until it is moved.
type clock struct{ microseconds atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.microseconds.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) Now() time.Time          { return time.UnixMicro(c.microseconds.Load()).UTC() }
func (c *clock) advance(d time.Duration) { c.microseconds.Add(d.Microseconds()) }

// world is a catalog, an engine's machine, and a service on both.
type world struct {
	*catalogtest.World

	t       *testing.T
	clock   *clock
	store   *Store
	machine *fake.Store
	batch   *batchSessions
	options Options
	service *Service

	mu      sync.Mutex
	execute func(ctx context.Context, source []byte, options executor.Options) executor.Executed // what kernels do; nil: as the author did
}

const (
	ann  = "ann@example.org" // the author
	bob  = "bob@example.org"
	eve  = "eve@example.org" // an operator
	dave = "dave@example.org"
)

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	c := newClock()
	sqldbtest.EachAt(t, c.Now, func(t *testing.T, db *sqldb.DB) {
		c.microseconds.Store(newClock().microseconds.Load())
		test(t, newWorld(t, db, c))
	})
}

func newWorld(t *testing.T, db *sqldb.DB, c *clock) *world {
	t.Helper()
	w := &world{t: t, clock: c, store: NewStore(db), World: catalogtest.New(t, db,
		catalogtest.Entry("rivers", catalogtest.By(ann), catalogtest.Repository("https://github.com/example/rivers.git")),
		catalogtest.Entry("lakes", catalogtest.By(ann), catalogtest.Repository("https://github.com/example/lakes.git")),
		catalogtest.Entry("own", catalogtest.By(ann), catalogtest.Repository("https://github.com/example/own.git"), catalogtest.Private),
	)}
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Enabled, caller.Operator = caller.Email != dave, caller.Email == eve
		return caller
	}
	w.machine = fake.NewStore(nil, nil, c.Now)
	w.batch = &batchSessions{world: w, files: map[string]string{"first.ipynb": notebook("1\n", "2\n")}, yields: map[string]bool{}, changed: make(chan struct{})}
	w.options = Options{
		Share: 1, PerDay: 3, Every: 30 * 24 * time.Hour, Keep: 90 * 24 * time.Hour, Folder: t.TempDir(), Descriptors: []string{"cairn.yml"},
		PublicURL: "https://sound.example.org", Product: func() string { return "Sound" }, Publisher: func() string { return "Hill" }, Logger: slog.New(slog.DiscardHandler),
	}
	w.service = w.newService()
	return w
}

// newService opens a service as a new process would.
func (w *world) newService() *Service {
	service := NewService(w.store, w.batch, w.World, w.options)
	service.execute = func(ctx context.Context, _ jupyterkernel.Server, source []byte, options executor.Options) (executor.Executed, error) {
		w.mu.Lock()
		execute := w.execute
		w.mu.Unlock()
		if execute == nil {
			return finished(string(source)), nil
		}
		return execute(ctx, source, options), nil
	}
	return service
}

func (w *world) kernels(execute func(ctx context.Context, source []byte, options executor.Options) executor.Executed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.execute = execute
}

// endless lets kernels run until their run ends. The channel says that one has begun.
func (w *world) endless() (begun chan struct{}) {
	begun = make(chan struct{}, 1)
	w.kernels(func(ctx context.Context, _ []byte, _ executor.Options) executor.Executed {
		begun <- struct{}{}
		<-ctx.Done()
		return executor.Executed{Ending: executor.Canceled}
	})
	return begun
}

// person lets somebody want the place of a run, or no longer, and the service notice it.
func (w *world) person(waits bool) {
	w.batch.person(waits)
	w.service.signal()
}

// work lets a service carry out runs until the test ends, or the returned function ends it.
func (w *world) work(service *Service) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	var working sync.WaitGroup
	working.Go(func() { service.Run(ctx) })
	end = func() { cancel(); working.Wait() }
	w.t.Cleanup(end)
	return end
}

// start queues a run of "rivers".
func (w *world) start(file string) Run {
	w.t.Helper()
	run, err := w.service.Start(w.As(ann), w.ID("rivers"), file, "")
	check(w.t, err)
	return run
}

func (w *world) row(id string) Run {
	w.t.Helper()
	found, err := one(w.t.Context(), w.store.db, `id = $1`, id)
	check(w.t, err)
	return found
}

// ended waits until a run has ended and its session is gone.
func (w *world) ended(id string) (run Run) {
	w.t.Helper()
	eventually(w.t, "the run has ended", func() bool {
		run = w.row(id)
		return !run.live() && !w.batch.holds(id)
	})
	return run
}

// run queues a run of "rivers" and returns it with what came out.
func (w *world) run(file string) Run {
	w.t.Helper()
	return w.ended(w.start(file).ID)
}

// batchSessions are batch sessions on the machine, with one place that a test may take away.
type batchSessions struct {
	world *world

	mu      sync.Mutex
	files   map[string]string // of every repository
	fail    func(id string)   // ends launches; nil: they succeed
	taken   bool              // by a person
	asked   int               // for a place
	yields  map[string]bool   // by session that has a place
	changed chan struct{}
}

func (b *batchSessions) engine() sizes.Engine {
	return sizes.Engine{Engine: fake.New(b.world.machine), Name: "local", Local: true}
}

func (b *batchSessions) Engine() (sizes.Engine, engine.Runner, error) {
	one := b.engine()
	return one, one.Engine.(engine.Runner), nil
}

func (b *batchSessions) Spec(ctx context.Context, id, entry, ref, file string, network bool) (engine.Spec, error) {
	found, err := b.world.Get(ctx, entry)
	if err != nil {
		return engine.Spec{}, err
	}
	return engine.Spec{
		ID: id, Repository: engine.Repository{URL: found.RepositoryURL, Folder: "rivers", Ref: ref}, Open: file, Batch: &engine.Batch{Network: network},
	}, nil
}

func (b *batchSessions) Start(ctx context.Context, spec engine.Spec, share int) (bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.taken || len(b.yields) >= share {
		return false, nil
	}
	b.yields[spec.ID] = false
	if err := b.engine().Start(ctx, spec); err != nil {
		return false, err
	}
	for name, content := range b.files {
		b.world.machine.Put(spec.ID, "rivers/"+name, content)
	}
	if b.fail != nil {
		b.fail(spec.ID)
	} else {
		b.world.machine.Ready(spec.ID)
	}
	return true, nil
}

func (b *batchSessions) All(context.Context) (all, yielding []string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, yields := range b.yields {
		all = append(all, id)
		if yields {
			yielding = append(yielding, id)
		}
	}
	return all, yielding, nil
}

func (b *batchSessions) End(ctx context.Context, id string) error {
	if err := b.engine().Remove(ctx, id); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.yields, id)
	return nil
}

func (b *batchSessions) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

func (b *batchSessions) holds(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, holds := b.yields[id]
	return holds
}

// person takes the place, and the run that has it has to give it up; or gives it back.
func (b *batchSessions) person(takes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = takes
	for id := range b.yields {
		b.yields[id] = takes
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// notebook returns a notebook with a cell for each text, which prints that.
func notebook(texts ...string) string {
	type object = map[string]any
	cells := make([]object, len(texts))
	for i, text := range texts {
		cells[i] = object{"cell_type": "code", "id": fmt.Sprint("cell-", i), "metadata": object{}, "execution_count": i + 1, "source": "print()", "outputs": []object{}}
		if text != "" {
			cells[i]["outputs"] = []object{{"output_type": "stream", "name": "stdout", "text": text}}
		}
	}
	made, err := json.Marshal(object{"nbformat": 4, "nbformat_minor": 5, "metadata": object{}, "cells": cells})
	if err != nil {
		panic(err)
	}
	return string(made)
}

// finished is an execution from which a notebook came.
func finished(notebook string) executor.Executed {
	cells := make([]executor.Cell, strings.Count(notebook, `"cell_type":"code"`))
	for i := range cells {
		cells[i] = executor.Cell{Index: i, State: executor.Ran}
	}
	return executor.Executed{Notebook: []byte(notebook), Cells: cells, Ending: executor.Finished, EndedAt: -1, Took: 2 * time.Second}
}

// raised is an execution of which the last cell raised an exception.
func raised(name, value string) executor.Executed {
	cell := `{"cell_type":"code","id":"a","metadata":{},"execution_count":1,"source":"1/0","outputs":[{"output_type":"error","ename":%q,"evalue":%q,"traceback":["\u001b[31mTraceback\u001b[0m","the end"]}]}`
	executed := finished(fmt.Sprintf(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[`+cell+`]}`, name, value))
	executed.Ending, executed.EndedAt = executor.Raised, len(executed.Cells)-1
	executed.Cells[executed.EndedAt] = executor.Cell{State: executor.Failed, Name: name, Value: value}
	return executed
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, what string, err error, kind fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Errorf("%s: got error %v (kind %d), want kind %d", what, err, fault.KindOf(err), kind)
	}
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(3 * time.Minute)
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for !condition() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatal("never happened: " + what)
		}
	}
}

// seenBy is a public repository of somebody's.
func seenBy(name, email string) catalog.Entry {
	return catalogtest.Entry(name, catalogtest.By(email), catalogtest.Repository("https://github.com/example/"+name+".git"))
}

// left returns the content of a file that a run left.
func (w *world) left(run Run, name string) ([]byte, error) {
	file, err := w.service.artifact(run.ID, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
