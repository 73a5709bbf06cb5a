package fake

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/opening"
	"cairn/internal/sessions/machine/broker"
)

// Outcome says how a launch goes without the test's help. The zero value waits for Progress, Ready or Fail.
type Outcome struct {
	Ready  bool             // the session runs at once
	Shows  engine.Interface // Ready: the interface of its server
	Full   string           // there is no room for it, and why
	Broken string           // the launch fails at its repository step with this reason
}

// Store holds the sessions of all engines opened on it, and the levers of the test.
type Store struct {
	script  func(engine.Spec) Outcome
	handler func(id string) http.Handler
	now     func() time.Time

	// mu guards the fields below.
	mu         sync.Mutex
	sessions   map[string]*session
	engines    map[*Engine]struct{}
	heads      map[[2]string]string // commits by address and ref
	missing    error
	hasEditors bool
	holdStops  bool
	quota      int64                      // of versions
	imported   map[string]map[string]file // what sessions begin with that were never started, by id
	limits     map[string]int64           // of versions, by owner
}

type session struct {
	spec     engine.Spec
	status   engine.Status
	files    map[string]file
	server   *server
	launches int
	stopped  chan struct{} // not nil while a stop is held back; closed when it is done
	again    bool          // a start asked for during a held stop
	usage    engine.Usage

	commit    string // that was checked out
	installed engine.Installed
	occupied  bool // a kernel works though its activity doesn't tell
	asked     int  // how often Idle was asked
	look      *broker.Look
	looks     int // how often look was set
	looked    int // how often it was asked for

	history history
	because engine.VersionCause // of the stop that is held back
}

type file struct {
	content string
	link    bool
}

// NewStore returns an empty store. Script decides each launch (nil: all wait for the test), handler makes the server of a
// session (nil: every request with the right Authorization is answered with 200 and its path), now stamps the steps
// (nil: the system's clock).
func NewStore(script func(engine.Spec) Outcome, handler func(id string) http.Handler, now func() time.Time) *Store {
	store := &Store{
		script: script, handler: handler, now: now,
		sessions: map[string]*session{}, imported: map[string]map[string]file{}, limits: map[string]int64{}, engines: map[*Engine]struct{}{}, heads: map[[2]string]string{},
	}
	if store.script == nil {
		store.script = func(engine.Spec) Outcome { return Outcome{} }
	}
	if store.handler == nil {
		store.handler = func(string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.Path)) })
		}
	}
	if store.now == nil {
		store.now = time.Now
	}
	return store
}

// Miss makes Check and Start answer the error, as an engine does whose tools are missing; nil ends that.
func (s *Store) Miss(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = err
}

// HoldStops keeps stops from being confirmed until it is called with false; those under way are confirmed then.
func (s *Store) HoldStops(hold bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holdStops = hold
	if hold {
		return
	}
	for _, held := range s.sessions {
		if held.stopped != nil {
			s.finishStop(held)
		}
	}
}

// Progress sets the state and detail of one step of the launch under way; without one it does nothing.
func (s *Store) Progress(id string, name engine.StepName, state engine.StepState, detail string) {
	s.change(id, engine.Starting, func(known *session) { s.setStep(known, name, state, detail) })
}

// Ready completes the launch under way: the session is Running.
func (s *Store) Ready(id string) {
	s.change(id, engine.Starting, s.run)
}

// Show sets the interface of the server that the launch under way starts.
func (s *Store) Show(id string, shown engine.Interface) {
	s.change(id, engine.Starting, func(known *session) { known.status.Interface = shown })
}

// LeaveOut says what the launch under way doesn't install.
func (s *Store) LeaveOut(id string, what ...engine.LeftOut) {
	s.change(id, engine.Starting, func(known *session) { known.status.LeftOut = what })
}

// Fail ends the launch under way at a step, for want of these datasets.
func (s *Store) Fail(id string, step engine.StepName, reason string, missing ...string) {
	s.change(id, engine.Starting, func(known *session) { s.fail(known, step, reason, missing...) })
}

// FailWith ends the launch under way at a step, with a code and the end of its log.
func (s *Store) FailWith(id string, step engine.StepName, reason string, code diagnosis.Code, log string) {
	s.change(id, engine.Starting, func(known *session) {
		s.fail(known, step, reason)
		known.status.Code, known.status.Log = code, known.status.Log+log
	})
}

// End ends the server of a running session on its own: Ended when clean, else Failed.
func (s *Store) End(id string, clean bool, reason string) {
	s.change(id, engine.Running, func(known *session) {
		phase := engine.Failed
		if clean {
			phase = engine.Ended
		}
		s.save(known, engine.VersionStop, "")
		s.halt(known, phase, reason)
	})
}

// Evict ends a running session as a cluster does that needs its machine.
func (s *Store) Evict(id, reason string) {
	s.change(id, engine.Running, func(known *session) {
		s.halt(known, engine.Failed, reason)
		known.status.Code = diagnosis.Evicted
	})
}

// Report sets what a running session says of its activity and of what will end it soon.
func (s *Store) Report(id string, activity engine.Activity, warning string) {
	s.change(id, engine.Running, func(known *session) { known.status.Activity, known.status.Warning = activity, warning })
}

// Use sets what a running session uses.
func (s *Store) Use(id string, usage engine.Usage) {
	s.change(id, engine.Running, func(known *session) { known.usage = usage })
}

// Occupy lets a kernel of a running session work without telling, or ends that.
func (s *Store) Occupy(id string, occupied bool) {
	s.change(id, engine.Running, func(known *session) { known.occupied = occupied })
}

// SetLook sets what the server of a running session answers at broker.LookPath, whichever notebook is asked for. Each time it has another
// revision.
func (s *Store) SetLook(id string, look broker.Look) {
	s.change(id, engine.Running, func(known *session) {
		known.looks++
		look.Revision = strconv.Itoa(known.looks)
		known.look = &look
	})
}

// Looked returns how often the server of a session was asked anything: for looks, mostly.
func (s *Store) Looked(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id].looked
}

// Asked returns how often the session was asked whether it is idle.
func (s *Store) Asked(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		return known.asked
	}
	return 0
}

// Put writes a file into the work folder.
func (s *Store) Put(id, name, content string) { s.write(id, name, file{content: content}) }

// Link creates a symbolic link in the work folder.
func (s *Store) Link(id, name, target string) { s.write(id, name, file{content: target, link: true}) }

// Launches reports how often the session was launched.
func (s *Store) Launches(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		return known.launches
	}
	return 0
}

func (s *Store) files(id string) (files map[string]file, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[id]
	if found == nil {
		return nil, false
	}
	if found.history.retired {
		return maps.Clone(found.history.versions[len(found.history.versions)-1].files), true
	}
	return maps.Clone(found.files), true
}

func (s *Store) write(id, name string, content file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		known.files[name] = content
	}
}

// change runs an alteration when the session is in the phase, and signals it.
func (s *Store) change(id string, phase engine.Phase, alter func(*session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil && known.status.Phase == phase {
		alter(known)
		s.signal()
	}
}

// The methods below need the lock.

func (s *Store) launch(known *session) {
	defer func() { known.launches++ }()
	known.status = engine.Status{
		ID: known.spec.ID, Phase: engine.Starting, Log: "Launched.\n", Steps: waitingSteps(), Opens: known.status.Opens, OpenNote: known.status.OpenNote, Interface: known.status.Interface,
	}
	s.setStep(known, engine.StepRepository, engine.Active, "")
	if err := s.bringBack(known); err != nil {
		s.fail(known, engine.StepRepository, fault.MessageOf(err))
		return
	}
	reason, missing := "", []string(nil)
	for _, dataset := range known.spec.Datasets {
		if dataset.Unavailable != "" {
			reason, missing = strings.TrimSpace(reason+" "+dataset.Unavailable), append(missing, dataset.ID)
		}
	}
	if len(missing) > 0 {
		s.fail(known, engine.StepDatasets, reason, missing...)
		return
	}
	switch outcome := s.script(known.spec); {
	case outcome.Full != "":
		known.status.Steps = waitingSteps()
		s.halt(known, engine.Full, outcome.Full)
	case outcome.Broken != "":
		s.fail(known, engine.StepRepository, outcome.Broken)
	case outcome.Ready:
		known.status.Interface = outcome.Shows
		s.run(known)
	}
}

func (s *Store) run(known *session) {
	for _, step := range known.status.Steps {
		s.setStep(known, step.Name, engine.Done, step.Detail)
	}
	add := func(name, content string) {
		if _, there := known.files[name]; !there {
			known.files[name] = file{content: content}
		}
	}
	if folder := known.spec.Repository.Folder; folder != "" {
		if _, there := known.files[folder+"/README.md"]; !there {
			known.commit = s.head(known.spec.Repository)
		}
		add(folder+"/README.md", "# Fake\n")
	}
	if known.installed.Digest == "" {
		sum := sha256.Sum256([]byte(known.spec.Repository.URL))
		known.installed = engine.Installed{Digest: hex.EncodeToString(sum[:]), Version: "3.11.2", Packages: []string{"ipykernel==6.17.0"}}
	}
	if given := known.spec.Notebook; len(given.Content) > 0 {
		add(given.Name, string(given.Content))
	}
	work := fstest.MapFS{}
	for name := range known.files {
		work[name] = &fstest.MapFile{}
	}
	known.status.Opens, known.status.OpenNote = opening.Choose(work, known.spec, "")
	known.status.Phase, known.status.ProgressedAt = engine.Running, time.Time{}
	known.server = serve(s.handler(known.spec.ID), func() *broker.Look {
		s.mu.Lock()
		defer s.mu.Unlock()
		known.looked++
		return known.look
	})
	known.history.restored = nil
	s.save(known, engine.VersionTimer, "")
}

func (s *Store) fail(known *session, step engine.StepName, reason string, missing ...string) {
	s.setStep(known, step, engine.Broken, "")
	s.halt(known, engine.Failed, reason)
	known.status.Missing = missing
	if len(missing) > 0 {
		known.status.Code = diagnosis.DatasetMissing
	}
}

// halt takes the session out of Starting or Running; steps that were under way have to be done again.
func (s *Store) halt(known *session, phase engine.Phase, reason string) {
	known.status.Phase, known.status.Reason, known.status.Missing, known.status.Code = phase, reason, nil, ""
	known.status.ProgressedAt, known.status.Warning, known.status.Activity = time.Time{}, "", engine.Activity{}
	known.occupied = false
	for i, step := range known.status.Steps {
		if step.State == engine.Active {
			known.status.Steps[i] = engine.Step{Name: step.Name, State: engine.Waiting}
		}
	}
	if known.server != nil {
		known.server.close()
		known.server = nil
	}
}

func (s *Store) finishStop(known *session) {
	if known.status.Phase != engine.Ended {
		s.save(known, cmp.Or(known.because, engine.VersionStop), "")
	}
	known.because = ""
	s.halt(known, engine.Ended, "")
	if known.stopped != nil {
		close(known.stopped)
		known.stopped = nil
	}
	if known.again {
		known.again = false
		s.launch(known)
	}
	s.signal()
}

func (s *Store) setStep(known *session, name engine.StepName, state engine.StepState, detail string) {
	for i := range known.status.Steps {
		step := &known.status.Steps[i]
		if step.Name != name {
			continue
		}
		now := s.now()
		if step.State != state || step.Detail != detail {
			known.status.ProgressedAt = now
		}
		*step = engine.Step{Name: name, State: state, StartedAt: step.StartedAt, EndedAt: step.EndedAt, Detail: detail}
		if state == engine.Waiting {
			step.StartedAt = time.Time{}
		} else if step.StartedAt.IsZero() {
			step.StartedAt = now
		}
		if state == engine.Waiting || state == engine.Active {
			step.EndedAt = time.Time{}
		} else if step.EndedAt.IsZero() {
			step.EndedAt = now
		}
	}
}

// signal wakes the engines; they read the state themselves.
func (s *Store) signal() {
	for open := range s.engines {
		select {
		case open.changed <- struct{}{}:
		default:
		}
	}
}

func (s *session) view() engine.Status {
	view := s.status
	view.Steps = slices.Clone(view.Steps)
	view.Batch, view.Commit = s.spec.Batch != nil, s.commit
	view.Unowned, view.Saving = s.spec.Owner == "" && s.spec.Batch == nil, s.history.saving()
	return view
}

func waitingSteps() []engine.Step {
	return []engine.Step{
		{Name: engine.StepRepository, State: engine.Waiting},
		{Name: engine.StepDatasets, State: engine.Waiting},
		{Name: engine.StepServer, State: engine.Waiting},
	}
}

// At returns when the last version of a session was made; zero: there is none.
func (s *Store) At(id string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		return known.history.saving().At
	}
	return time.Time{}
}
