package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
)

const recordName = "agent.json"

// record is the durable truth about the files of one session.
type record struct {
	Owner   string
	Batch   bool
	Phase   engine.Phase    // starting, running or ended
	Launch  int64           // the number of the last launch
	Commit  string          // that was checked out from the repository
	Pinned  map[string]bool // keys of the entries of caches that it uses
	Account int             // that the files belong to, also while there are none; 0: this program's own

	BuildAccount int // that runs what installs packages for it; 0 if nothing does

	history.Record // of its versions
}

// session is the work of one session.
type session struct {
	agent  *Agent
	id     string
	folder string
	work   *history.Work
	pins   cache.Pins

	// turn is held by what may not be done at the same time: preparing a launch, making the last version, deleting, and bringing
	// back. It is taken before mu.
	turn sync.Mutex

	// mu guards the fields below.
	mu       sync.Mutex
	record   record
	removing bool
	gone     bool
	awaited  *awaitedClone // what the launch waits for; nil: no clone
}

func (a *Agent) newSession(id string) *session {
	made := &session{agent: a, id: id, folder: filepath.Join(a.options.Root, id)}
	made.work = a.versions.NewWork(made)
	return made
}

// load reads the record; fs.ErrNotExist if there is none.
func (s *session) load() error {
	content, err := os.ReadFile(filepath.Join(s.folder, recordName))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, &s.record); err != nil {
		return err
	}
	s.pins.SetPinned(s.record.Pinned)
	// What changed while the agent was away was nearly lost, so its version says so.
	s.work.Load(s.record.Record, s.record.Phase == engine.Running)
	return nil
}

// owner returns the account that the session's files belong to; 0 if that is this program's own, or if there are none.
func (s *session) owner() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.account()
}

// account is owner. s.mu must be held.
func (s *session) account() int {
	if s.record.Account != 0 {
		return s.record.Account
	}
	about, err := os.Lstat(filepath.Join(s.folder, folders.Work)) // of a session that an earlier release started
	if err != nil {
		return 0
	}
	if stat, known := about.Sys().(*syscall.Stat_t); known && int(stat.Uid) != os.Geteuid() {
		return int(stat.Uid)
	}
	return 0
}

// told returns what servers know of the session; false if there is nothing to know yet.
func (s *session) told() (agentapi.State, bool) {
	s.mu.Lock()
	state := agentapi.State{Owner: s.record.Owner, Phase: s.record.Phase, Launch: s.record.Launch}
	gone := s.gone
	if s.awaited != nil {
		state.Wants = s.awaited.launch
	}
	s.mu.Unlock()
	state.Saving = agentapi.SavingOf(s.work.Saving())
	return state, state.Phase != "" && !gone
}

func (s *session) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.Phase == engine.Running && !s.gone
}

// setPhase records the phase of a launch, unless it's an older one than the last. The owner of a session that had none yet is
// recorded too.
func (s *session) setPhase(asked agentapi.Phase) (changed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false, engine.ErrUnknownSession
	}
	if asked.Launch < s.record.Launch || s.record.Phase == "" && asked.Phase != engine.Starting && !s.isThere() {
		return false, nil // late: there is a newer launch, or the session was removed meanwhile
	}
	before := s.record
	s.record.Phase, s.record.Launch = asked.Phase, asked.Launch
	return true, s.saveOwner(asked.Owner, before)
}

// isThere reports whether the session has a folder.
func (s *session) isThere() bool {
	_, err := os.Lstat(s.folder)
	return err == nil
}

// setOwner records whose a session is that nobody owned.
func (s *session) setOwner(owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.record.Phase == "" {
		return engine.ErrUnknownSession
	}
	return s.saveOwner(owner, s.record)
}

// saveOwner saves the record, with its owner if it had none; if that fails, it is what it was before. s.mu must be held.
func (s *session) saveOwner(owner string, before record) error {
	undo := func() {}
	if s.record.Owner == "" && owner != "" {
		s.record.Owner = owner
		undo = s.work.SetOwner(owner)
	}
	if err := s.save(); err != nil {
		s.record = before
		undo()
		return unsaved(err)
	}
	return nil
}

func unsaved(err error) error {
	if folders.IsFull(err) {
		return fault.Wrap(err, fault.Unavailable, "The hub's disk is full. Tell the operators.")
	}
	return fault.Wrap(err, fault.Unavailable, "The session's record can't be saved on the hub. Tell the operators.")
}

// end makes the last version of a session whose server has ended.
func (s *session) end(asked agentapi.Phase) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	if changed, err := s.setPhase(asked); !changed || err != nil {
		return err
	}
	_ = s.work.SaveStopped(asked.Cause) // it tells the log, and Saving; the work stays in its folder
	err := s.Save()
	s.agent.noteAll()
	if err != nil {
		return unsaved(err)
	}
	return nil
}

// retire leaves the work of a session that has ended to its versions.
func (s *session) retire() error {
	s.turn.Lock()
	defer s.turn.Unlock()
	retired, err := s.work.Retire()
	if retired {
		err = errors.Join(err, s.Save())
	}
	s.agent.noteAll()
	return err
}

// remove deletes the work and its versions.
func (s *session) remove() error {
	s.mu.Lock()
	s.removing = true
	s.mu.Unlock()
	s.turn.Lock()
	defer s.turn.Unlock()
	err := s.work.Delete()
	if err == nil {
		removed := filepath.Join(s.agent.options.Root, removedName(s.id))
		s.mu.Lock()
		if err = os.Rename(s.folder, removed); err == nil || errors.Is(err, os.ErrNotExist) {
			err, s.gone = nil, true
		}
		s.mu.Unlock()
		if err == nil {
			s.agent.forget(s)
			s.agent.remover.Delete(removed)
			return nil
		}
		err = fault.Wrap(err, fault.Unavailable, "The session's files couldn't be deleted. Tell the operators.")
	}
	s.mu.Lock()
	s.removing = false
	s.mu.Unlock()
	return err
}

// The methods below implement history.Session.

// ID returns the session's id.
func (s *session) ID() string { return s.id }

// Folder returns the path of its folder.
func (s *session) Folder() string { return s.folder }

// State returns what it's doing.
func (s *session) State() history.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := s.record.Phase == engine.Starting || s.record.Phase == engine.Running
	return history.State{
		Owner: s.record.Owner, Batch: s.record.Batch, Phase: s.record.Phase, Wanted: live, Removing: s.removing, Gone: s.gone || s.agent.dead.Load(),
	}
}

// Save writes the record.
func (s *session) Save() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save()
}

// save is Save. s.mu must be held.
func (s *session) save() error {
	if s.gone || s.agent.dead.Load() {
		return nil
	}
	s.record.Record, s.record.Pinned = s.work.Record(), s.pins.Pinned()
	content, err := json.MarshalIndent(s.record, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.folder, folders.Private); err != nil {
		return err
	}
	return folders.WriteFile(filepath.Join(s.folder, recordName), content)
}

// Discard moves what is left of its folders to where it's deleted.
func (s *session) Discard() error {
	return folders.Discard(s.folder, removedName(s.id), func(removed string) { s.agent.workers.Start(func() { s.agent.remover.Delete(removed) }) })
}

// MakeFolders makes empty folders that belong to the session's account.
func (s *session) MakeFolders() (*os.Root, error) {
	if err := s.Discard(); err != nil {
		return nil, err
	}
	return s.openFolders()
}

// openFolders makes the folders that are missing, with an account that owns them.
func (s *session) openFolders() (*os.Root, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.folder, folders.Private); err != nil {
		return nil, err
	}
	account := s.account()
	if account == 0 && s.agent.sandbox.Level().OwnAccount() {
		var err error
		if account, err = s.agent.pickAccount(); err != nil {
			return nil, err
		}
	}
	s.record.Account = account
	if err := s.save(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{folders.Work, folders.Home} {
		if err == nil {
			err = folders.Own(root, name, account)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the folders of a session can't be made: %w", errors.Join(err, root.Close()))
	}
	return root, nil
}

// Enqueue runs do after all that the session was asked for before, unless the agent is closed.
func (s *session) Enqueue(do func(context.Context) error) {
	s.agent.workers.Start(func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		_ = do(s.agent.workers.Closing())
		s.agent.noteAll()
	})
}

// Remove deletes the session with its versions, and returns when that is done or the context ends.
func (s *session) Remove(ctx context.Context) error {
	done := make(chan error, 1)
	if !s.agent.workers.Start(func() { done <- s.remove() }) {
		return engine.ErrClosing
	}
	return await(ctx, done)
}
