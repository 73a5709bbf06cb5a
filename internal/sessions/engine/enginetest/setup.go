package enginetest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// waitTimeout is how long a test waits for what must come; it only decides how late a broken engine is found out.
const waitTimeout = 3 * time.Minute

// Setup is one engine's data and what the suite needs to know of it. Each test gets its own.
type Setup struct {
	// Open opens the engine on the data. Each further call first abandons the engine of the call before as kill -9 of
	// its process does, without Close.
	Open func() engine.Engine

	Working engine.Repository // launches come to Running; holds README.md
	Broken  engine.Repository // launches fail at the repository step
	Slow    engine.Repository // launches stay at the repository step until Release; holds README.md
	Dataset engine.Dataset    // can be had

	Release func()                       // lets launches of Slow go on
	Work    func(id string, busy bool)   // lets a kernel of a running session begin to work, with a browser tab on it, or end that
	Hide    func(id string, busy bool)   // like Work, with a kernel that reports the state "starting" meanwhile
	Crowd   func(id string, crowd bool)  // brings a running session to where the engine warns of its end, or back
	Put     func(id, name, text string)  // writes a file, in folders that it makes, into the work folder of a session
	Link    func(id, name, to string)    // makes a symbolic link in the work folder of a session that does not run
	Delete  func(id, name string)        // of Versioners: deletes a file or an empty folder in the work folder of a session that does not run
	Save    func(id string)              // of Versioners: lets the version be made that is made while a session runs, or does nothing if that comes on its own
	Exceed  func(id string)              // of Versioners: lets a running session use so much that it is stopped
	End     func(id string, clean bool)  // ends a running session's server on its own, cleanly or by a crash
	Folder  func(id string) string       // the folder of a session on the disk; nil: its repositories are on none
	Request func(id string) (get string) // path of a GET that the session's server answers with 200

	Scripted bool // nothing runs in its sessions: their SSH server only says again what it's sent
}

// Factory makes a fresh setup and has it cleaned up with the test: no process of it may be left.
type Factory func(t *testing.T) *Setup

// bench is one test at work on one setup.
type bench struct {
	testing.TB
	*Setup
	engine engine.Engine
}

func (b *bench) reopen() {
	b.Helper()
	b.engine = b.Open()
}

func (b *bench) spec(repository engine.Repository) engine.Spec {
	return engine.Spec{
		ID: uuid.Must(uuid.NewV7()).String(), Owner: "ann@example.org", Repository: repository,
		Datasets: []engine.Dataset{b.Dataset},
	}
}

// start starts a session. A call that waited for the launch of Slow would end with its context.
func (b *bench) start(spec engine.Spec) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), waitTimeout)
	defer cancel()
	if err := b.engine.Start(ctx, spec); err != nil {
		b.Fatalf("Start: %v", err)
	}
}

func (b *bench) started(repository engine.Repository) engine.Spec {
	b.Helper()
	spec := b.spec(repository)
	b.start(spec)
	return spec
}

func (b *bench) running() engine.Spec {
	b.Helper()
	spec := b.started(b.Working)
	b.await(spec.ID, engine.Running)
	return spec
}

func (b *bench) stop(id string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), waitTimeout)
	defer cancel()
	if err := b.engine.Stop(ctx, id); err != nil {
		b.Fatalf("Stop: %v", err)
	}
}

// status reads a status and checks what holds for every status.
func (b *bench) status(id string) engine.Status {
	b.Helper()
	status, err := b.engine.Status(b.Context(), id)
	if err != nil {
		b.Fatalf("Status: %v", err)
	}
	b.check(status)
	return status
}

// awaitReady waits until the engine can start sessions: on a busy machine a hub's first answer takes longer than Check waits.
func (b *bench) awaitReady() {
	b.Helper()
	late := time.After(waitTimeout)
	for {
		err := b.engine.Check(b.Context())
		if err == nil {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-late:
			b.Fatalf("Check after %v: %v", waitTimeout, err)
		}
	}
}

// await waits for a phase by the engine's signals alone: a change that is not signaled is a fault of the engine.
func (b *bench) await(id string, phase engine.Phase) engine.Status {
	b.Helper()
	return b.awaitThat(id, string(phase), func(status engine.Status) bool { return status.Phase == phase })
}

func (b *bench) awaitThat(id, wish string, holds func(engine.Status) bool) engine.Status {
	b.Helper()
	late := time.After(waitTimeout)
	for {
		status := b.status(id)
		if holds(status) {
			return status
		}
		if status.Phase == engine.Failed {
			b.Fatalf("The session failed and will not be %s: %+v", wish, status)
		}
		select {
		case <-b.engine.Changed():
		case <-late:
			b.Fatalf("The session is not %s after %v: %+v", wish, waitTimeout, status)
		}
	}
}

var order = []engine.StepName{engine.StepRepository, engine.StepDatasets, engine.StepEnvironment, engine.StepServer}

func (b *bench) check(status engine.Status) {
	b.Helper()
	if len(status.Log) > engine.LogLimit || !utf8.ValidString(status.Log) {
		b.Errorf("The log has %d bytes (valid UTF-8: %v)", len(status.Log), utf8.ValidString(status.Log))
	}
	if status.Phase != engine.Running && (status.Warning != "" || status.Activity != engine.Activity{}) {
		b.Errorf("%s has the warning %q and the activity %+v", status.Phase, status.Warning, status.Activity)
	}
	if status.Phase != engine.Starting && !status.ProgressedAt.IsZero() {
		b.Errorf("%s tells of progress at %v", status.Phase, status.ProgressedAt)
	}
	switch status.Phase {
	case engine.Starting, engine.Running:
		if status.Reason != "" {
			b.Errorf("%s has the reason %q", status.Phase, status.Reason)
		}
	case engine.Failed:
		if status.Reason == "" {
			b.Errorf("Failed has no reason")
		}
	case engine.Ended:
	default:
		b.Errorf("The phase is %q", status.Phase)
	}
	last := -1
	for _, step := range status.Steps {
		index := slices.Index(order, step.Name)
		if index <= last {
			b.Errorf("Step %q is unknown, twice or out of order", step.Name)
		}
		last = index
		begun := step.State != engine.Waiting
		over := step.State == engine.Done || step.State == engine.Broken
		switch {
		case begun == step.StartedAt.IsZero(), over == step.EndedAt.IsZero(), over && step.EndedAt.Before(step.StartedAt):
			b.Errorf("The times of step %+v are wrong", step)
		case step.State == engine.Active && status.Phase != engine.Starting:
			b.Errorf("Step %q is active while the session is %s", step.Name, status.Phase)
		case step.State != engine.Done && status.Phase == engine.Running:
			b.Errorf("Step %q is %s while the session runs", step.Name, step.State)
		case status.Phase == engine.Starting && (step.StartedAt.After(status.ProgressedAt) || step.EndedAt.After(status.ProgressedAt)):
			b.Errorf("The step %+v is no progress at %v", step, status.ProgressedAt)
		case len(step.Detail) > 200 || strings.ContainsAny(step.Detail, "\r\n"):
			b.Errorf("The detail %q is no short line", step.Detail)
		}
	}
}

func (b *bench) step(status engine.Status, name engine.StepName) engine.Step {
	b.Helper()
	for _, step := range status.Steps {
		if step.Name == name {
			return step
		}
	}
	b.Fatalf("There is no step %q in %+v", name, status.Steps)
	return engine.Step{}
}

// wants checks the kind of a fault.
func (b *bench) wants(kind fault.Kind, what string, err error) {
	b.Helper()
	if err == nil || fault.KindOf(err) != kind {
		b.Errorf("%s: %v, want a fault of kind %d", what, err, kind)
	}
}

// get asks the session's server and returns the status code.
func (b *bench) get(id string, authorize bool) int {
	b.Helper()
	target, err := b.engine.Target(b.Context(), id)
	if err != nil {
		b.Fatalf("Target: %v", err)
	}
	address := *target.URL
	address.Path = b.Request(id)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address.String(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if authorize {
		request.Header.Set("Authorization", target.Authorization)
	}
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		b.Fatalf("The session's server isn't responding: %v", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// archive returns the files of the session's archive with their text.
func (b *bench) archive(id string) map[string]string {
	b.Helper()
	var written bytes.Buffer
	if err := b.engine.Archive(b.Context(), id, &written); err != nil {
		b.Fatalf("Archive: %v", err)
	}
	return b.unpack(written.Bytes())
}
