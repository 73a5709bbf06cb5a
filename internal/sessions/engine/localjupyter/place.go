package localjupyter

import (
	"errors"
	"os"
	"path/filepath"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// Where sessions see their own files mounted, all of them lie below Options.Dir, which nobody else can enter. Without
// mounts their accounts enter the folders themselves, so these lie below Options.OpenDir. Sessions that another level left
// at the other place stay there, or are moved where they could not be reached.

// chooseFolder takes the folder that fits the level of isolation. Where that can't be used, no session starts.
func (e *Engine) chooseFolder() {
	if e.sandbox.Level() != sandbox.LevelC {
		return
	}
	open := e.options.OpenDir
	var err error
	if open != e.options.Dir {
		err = folders.Make(filepath.Dir(open), folders.Passable)
	}
	if err == nil {
		err = folders.Make(open, folders.Passable)
	}
	if err == nil {
		e.options.Dir, e.elsewhere = open, e.options.Dir
		if e.sandbox.CanEnter(open) != nil {
			err = errors.New("a folder above it is closed to them")
		}
	}
	if err != nil {
		e.blocked = fault.Wrap(err, fault.EngineUnavailable, "Sessions can't start: without bubblewrap, their accounts have to enter %s, and can't: %s. "+
			"Install bubblewrap (apt-get install bubblewrap), or set sessions.folder to a folder whose parents everyone can enter, "+
			"such as /var/lib/cairn-sessions.", open, err)
		e.options.Logger.Error("sessions cannot start", "why", fault.MessageOf(e.blocked))
	}
}

// sessionDirs are the folders in which sessions may lie: that of new ones first.
func (e *Engine) sessionDirs() []string {
	places := []string{e.options.Dir}
	for _, dir := range []string{e.elsewhere, e.options.OpenDir} {
		if dir != "" && dir != e.options.Dir && folders.CheckOurs(dir) == nil {
			places = append(places, dir)
		}
	}
	return places
}

// permissions are those of a folder in one of the places.
func (e *Engine) permissions(folder string) os.FileMode {
	if filepath.Dir(folder) == e.options.OpenDir && (e.options.OpenDir != e.options.Dir || e.sandbox.Level() == sandbox.LevelC) {
		return folders.Passable
	}
	return folders.Private
}

// runtimePermissions are those of the folder of the sockets, which holds folders of the accounts of sessions.
func runtimePermissions() os.FileMode {
	if os.Geteuid() == 0 {
		return folders.Passable
	}
	return folders.Private
}

// locateFolder looks for the session's folder below dir. If sessions of this level can't reach it there, it is moved to where they
// can.
func (s *session) locateFolder(dir string) {
	s.folder = filepath.Join(dir, s.id)
	if s.checkReachable() != nil {
		to := filepath.Join(s.engine.options.Dir, s.id)
		if err := os.Rename(s.folder, to); err != nil {
			s.engine.options.Logger.Error("a session's files lie where sessions can't enter, and must be moved while this server is stopped",
				"session", s.id, "from", s.folder, "to", to, "error", err)
		} else {
			s.folder = to
		}
		s.unreachable = s.record.First.PID == 0 // what runs in mounts goes on
	}
	s.log.folder = s.folder
	_ = os.Chmod(s.folder, s.engine.permissions(s.folder))
	for _, name := range []string{recordName, logName, exitName} { // a version before, or an operator, may have opened them
		_ = os.Chmod(filepath.Join(s.folder, name), 0o600)
	}
}

// checkReachable returns an error if the session's account can't reach its files.
func (s *session) checkReachable() error {
	if s.engine.sandbox.Level() != sandbox.LevelC || filepath.Dir(s.folder) == s.engine.options.Dir {
		return nil
	}
	return fault.New(fault.Unavailable, "The session can't be started: its files are where sessions can't reach them. The operators' log says how to move them.")
}

// endUnreachable ends a session whose processes can't reach its files any more.
func (s *session) endUnreachable() {
	if err := s.sweep(); err != nil {
		s.recordEnd(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeServer()
	s.finish(engine.Ended, "The operators moved the folder of the sessions. The work is kept; start the session again.", "")
}
