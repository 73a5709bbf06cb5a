package localjupyter

import (
	"os"
	"path/filepath"
	"strconv"

	"cairn/internal/fault"
	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/localjupyter/folders"
)

// serverBox is Jupyter's view: its work, its home, its sockets, and itself.
func (l *launch) serverBox(program jupyterprogram.Program, userID int, token string, datasets []sandbox.Mount) sandbox.Box {
	work, runtime := filepath.Join(l.session.folder, folders.Work), l.session.runtime
	mounts := append([]sandbox.Mount{
		{From: work, To: "/session/work", Writable: true},
		{From: filepath.Join(l.session.folder, folders.Home), To: "/session/home", Writable: true},
		{From: runtime, To: "/session/run", Writable: true},
		{From: l.engine.environments.Folder(), To: "/session/environments"},
	}, datasets...)
	if l.engine.sandbox.Level().Mounts() {
		work, runtime = "/session/work", "/session/run"
	}
	for _, path := range program.Needs {
		mounts = append(mounts, sandbox.Mount{From: path, To: path})
	}
	ancestors := "'self'"
	if l.engine.options.FrameAncestors != "" {
		ancestors += " " + l.engine.options.FrameAncestors
	}
	batch := l.batch()
	command := program.Command(jupyterprogram.Settings{
		Base: basePath(l.session.id), Folder: work, Socket: filepath.Join(runtime, socketName), Policy: "frame-ancestors " + ancestors,
		Terminals: program.Terminals, Shell: l.engine.terminal(),
		Root: !l.engine.sandbox.Level().OwnAccount() && os.Geteuid() == 0, AllOutput: batch != nil,
	})
	box := sandbox.Box{
		Account: userID, Network: l.engine.sandbox.Reach().Network, Mounts: mounts, Folder: work, Command: command,
		Environment: l.serverEnvironment(token), Report: filepath.Join(l.session.folder, exitName),
	}
	if batch != nil {
		box.Environment = append(box.Environment, l.batchEnvironment()...)
		if !batch.Network {
			box.Network = sandbox.None
		}
	}
	return box
}

// firstKilled makes a kernel or terminal and its children the first to be killed, before Jupyter, when memory runs out.
const firstKilled = `echo 500 >/proc/self/oom_score_adj; exec "$@"`

// terminal is the command of a terminal: a shell that, like a kernel, is killed before Jupyter when memory runs out.
func (e *Engine) terminal() []string {
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = e.sandbox.Shell()
	}
	return []string{e.sandbox.Shell(), "-c", firstKilled, "terminal", shell}
}

func (l *launch) serverEnvironment(token string) []string {
	work, home, runtime := filepath.Join(l.session.folder, folders.Work), filepath.Join(l.session.folder, folders.Home), l.session.runtime
	temporary := filepath.Join(l.session.folder, folders.Temporary)
	if l.engine.sandbox.Level().Mounts() {
		work, home, runtime, temporary = "/session/work", "/session/home", "/session/run", "/tmp"
	}
	return []string{
		"TMPDIR=" + temporary,
		"HOME=" + home, "USER=session", "LOGNAME=session", "SHELL=/bin/sh",
		"CAIRN_DATASETS=" + filepath.Join(work, engine.DataFolder),
		"JUPYTER_TOKEN=" + token,
		"JUPYTER_RUNTIME_DIR=" + runtime,
		"JUPYTER_CONFIG_DIR=" + filepath.Join(home, ".jupyter"),
		"JUPYTER_DATA_DIR=" + filepath.Join(home, ".local/share/jupyter"),
		"JUPYTER_PATH=" + filepath.Join(runtime, sharedName),
		"PYTHONDONTWRITEBYTECODE=1",
		// People's own installations go to their home; Debian's pip would refuse without the second.
		"PIP_USER=1", "PIP_BREAK_SYSTEM_PACKAGES=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
	}
}

// The content of the folder of the sockets.
const (
	socketName = "j.sock"
	sharedName = "share"
	kernelName = sharedName + "/kernels/python3/kernel.json"
)

func (s *session) socket() string { return filepath.Join(s.runtime, socketName) }

// adoptedSocket is the socket of a session that an earlier server started. If each server has a separate mount
// namespace, like systemd services with PrivateTmp, this one doesn't see what that one mounted, but the session does.
func (s *session) adoptedSocket() string {
	if _, err := os.Lstat(s.socket()); err != nil && s.record.First.Alive() {
		return filepath.Join("/proc", strconv.Itoa(s.record.First.PID), "root/session/run", socketName)
	}
	return s.socket()
}

// makeRuntime creates a fresh folder for the sockets.
func (s *session) makeRuntime(userID int) error {
	if err := folders.Make(s.engine.options.RuntimeDir, runtimePermissions()); err != nil { // gone after a restart of the machine
		return err
	}
	root, err := os.OpenRoot(s.engine.options.RuntimeDir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(s.runtime)
	if err := s.engine.removeRuntime(root, name); err != nil {
		return err
	}
	if err := folders.Own(root, name, userID); err != nil {
		return err
	}
	if s.engine.sandbox.Level() == sandbox.LevelA {
		if err := sandbox.MountMemory(s.runtime, userID, runtimeBytes, runtimeFiles); err != nil {
			s.engine.options.Logger.Warn("a session's folder of sockets has no file system for itself; it is measured", "session", s.id, "error", err)
		}
	}
	kernel := filepath.Dir(filepath.Join(name, kernelName))
	err = root.MkdirAll(kernel, 0o755)
	for folder := kernel; folder != name && err == nil; folder = filepath.Dir(folder) {
		err = root.Chmod(folder, 0o755) // ours, and the session may read it
	}
	return err
}

// removeRuntime requires the lock. It removes the sockets and the control groups of a session whose processes have
// ended.
func (s *session) removeRuntime() {
	if s.engine.dead.Load() {
		return
	}
	s.engine.sandbox.RemoveGroups(s.record.Groups)
	s.record.Groups = nil
	root, err := os.OpenRoot(s.engine.options.RuntimeDir)
	if err != nil {
		return
	}
	defer root.Close()
	if err := s.engine.removeRuntime(root, filepath.Base(s.runtime)); err != nil {
		s.engine.options.Logger.Warn("a session's sockets remain", "session", s.id, "error", err)
	}
}

// The folder of the sockets is a file system in memory if possible: sessions write to it, and the disk below may have
// little room.
const (
	runtimeBytes = 16 << 20
	runtimeFiles = 4096
)

// removeRuntime removes a folder of sockets and what is mounted on it.
func (e *Engine) removeRuntime(root *os.Root, name string) error {
	if err := sandbox.Unmount(filepath.Join(e.options.RuntimeDir, name)); err != nil {
		return err
	}
	return folders.Remove(root, name)
}

// sweepRuntime removes the folders of sockets that a kill -9 left behind for sessions that have ended; ids are those of
// all sessions.
func (e *Engine) sweepRuntime(ids []string) {
	root, err := os.OpenRoot(e.options.RuntimeDir)
	if err != nil {
		return
	}
	defer root.Close()
	entries, err := os.ReadDir(e.options.RuntimeDir)
	if err != nil {
		return
	}
	kept := map[string]bool{}
	for _, id := range ids {
		known := e.find(id)
		kept[engine.ShortID(id)] = known == nil || known.live() // the owner of an unreadable record is unknown
	}
	for _, entry := range entries {
		if name := entry.Name(); !kept[name] {
			if err := e.removeRuntime(root, name); err != nil {
				e.options.Logger.Warn("a session's sockets remain", "folder", name, "error", err)
			}
		}
	}
}

func (e *Engine) pickAccount() (int, error) {
	number, err := e.sandbox.PickAccount()
	if err != nil {
		return 0, fault.Wrap(err, fault.Unavailable, "No account is free for a session. Delete sessions you no longer need.")
	}
	return number, nil
}
