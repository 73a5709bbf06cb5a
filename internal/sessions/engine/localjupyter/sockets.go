package localjupyter

import (
	"log/slog"
	"os"
	"path/filepath"

	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// The content of the folder of the sockets.
const (
	socketName        = "j.sock"
	jupyterSocketName = "jupyter.sock" // Jupyter's, where this program is before it
	sharedName        = "share"
	kernelName        = sharedName + "/kernels/python3/kernel.json"
)

// The folder of the sockets is a file system in memory if possible: sessions write to it, and the disk below may have
// little room.
const (
	runtimeBytes = 16 << 20
	runtimeFiles = 4096
)

// sockets are the folders of the sockets of all sessions.
type sockets struct {
	dir    string
	level  sandbox.Level
	logger *slog.Logger
}

// make creates a fresh folder for the sockets of a session, which belongs to an account.
func (s *sockets) make(name string, account int) error {
	if err := folders.Make(s.dir, runtimePermissions()); err != nil { // gone after a restart of the machine
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := s.removeFrom(root, name); err != nil {
		return err
	}
	if err := folders.Own(root, name, account); err != nil {
		return err
	}
	if s.level == sandbox.LevelA {
		if err := sandbox.MountMemory(filepath.Join(s.dir, name), account, runtimeBytes, runtimeFiles); err != nil {
			s.logger.Warn("a session's folder of sockets has no file system for itself; it is measured", "folder", name, "error", err)
		}
	}
	kernel := filepath.Dir(filepath.Join(name, kernelName))
	err = root.MkdirAll(kernel, 0o755)
	for folder := kernel; folder != name && err == nil; folder = filepath.Dir(folder) {
		err = root.Chmod(folder, 0o755) // ours, and the session may read it
	}
	return err
}

// remove removes a folder of sockets and what is mounted on it.
func (s *sockets) remove(name string) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return
	}
	defer root.Close()
	if err := s.removeFrom(root, name); err != nil {
		s.logger.Warn("a session's sockets remain", "folder", name, "error", err)
	}
}

func (s *sockets) removeFrom(root *os.Root, name string) error {
	if err := sandbox.Unmount(filepath.Join(s.dir, name)); err != nil {
		return err
	}
	return folders.Remove(root, name)
}

// sweep removes the folders that a kill -9 left behind for sessions that have ended: all but those that are kept.
func (s *sockets) sweep(kept map[string]bool) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if name := entry.Name(); !kept[name] {
			s.remove(name)
		}
	}
}
