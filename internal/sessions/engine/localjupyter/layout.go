package localjupyter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/engine"
)

// placeDatasets checks the datasets and puts them in place. With bubblewrap the whole folder "data" is mounted from one
// of ours, so that the session's user cannot put links where mounts go.
func (s *session) placeDatasets(ctx context.Context, root *os.Root) ([]mount, error) {
	s.mu.Lock()
	datasets := s.record.Spec.Datasets
	s.mu.Unlock()
	for _, dataset := range datasets {
		if dataset.Unavailable != "" {
			return nil, fault.New(fault.Unavailable, "%s", dataset.Unavailable)
		}
	}
	if !s.engine.isolation.Level.bubblewrap() {
		return nil, s.copyDatasets(ctx, root, datasets)
	}
	if err := removeTree(root, datasetsName); err != nil {
		return nil, err
	}
	if err := root.Mkdir(datasetsName, 0o755); err != nil {
		return nil, err
	}
	data := "/session/" + workName + "/" + engine.DataFolder
	mounts := []mount{{from: filepath.Join(s.folder, datasetsName), to: data}}
	for _, dataset := range datasets {
		about, err := s.readable(dataset)
		if err != nil {
			return nil, err
		}
		point := path.Join(datasetsName, dataset.Folder)
		if about.IsDir() {
			err = root.Mkdir(point, 0o755)
		} else {
			err = root.WriteFile(point, nil, 0o644)
		}
		if err != nil {
			return nil, err
		}
		mounts = append(mounts, mount{from: dataset.Path, to: path.Join(data, dataset.Folder)})
	}
	return mounts, nil
}

// copyDatasets copies those that were not copied at an earlier start.
func (s *session) copyDatasets(ctx context.Context, root *os.Root, datasets []engine.Dataset) error {
	const half = "copy"
	for _, dataset := range datasets {
		place := path.Join(workName, engine.DataFolder, dataset.Folder)
		if there, err := exists(root, place); err != nil {
			return err
		} else if there {
			continue
		}
		about, err := s.readable(dataset)
		if err != nil {
			return err
		}
		if err := removeTree(root, half); err != nil {
			return err
		}
		if err := copyTree(ctx, dataset.Path, root, half); err != nil {
			return fault.Wrap(err, fault.Unavailable, "The dataset “%s” could not be copied into the session.", dataset.Name)
		}
		if err := root.Rename(half, place); err != nil {
			return err
		}
		if about.IsDir() {
			if err := root.Chmod(place, 0o555); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable makes sure that the session's account will be able to read the dataset.
func (s *session) readable(dataset engine.Dataset) (fs.FileInfo, error) {
	about, err := os.Stat(dataset.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, fault.Unavailable, "The dataset “%s” is not on this server any more.", dataset.Name)
	case err != nil:
		return nil, fault.Wrap(err, fault.Unavailable, "The dataset “%s” cannot be read on this server.", dataset.Name)
	case !about.IsDir() && !about.Mode().IsRegular():
		return nil, fault.New(fault.Unavailable, "The dataset “%s” is neither a file nor a folder.", dataset.Name)
	}
	needed := fs.FileMode(0o004)
	if about.IsDir() {
		needed = 0o005
	}
	if s.engine.isolation.Level == LevelA && about.Mode().Perm()&needed != needed {
		return nil, fault.New(fault.Unavailable,
			"The dataset “%s” cannot be read by sessions: its permissions on this server admit only its owner.", dataset.Name)
	}
	return about, nil
}

// serverBox is Jupyter's view: its work, its home, its sockets.
func (s *session) serverBox(userID int, datasets []mount) box {
	work, runtime := filepath.Join(s.folder, workName), s.runtime
	mounts := append([]mount{
		{from: work, to: "/session/work", writable: true},
		{from: filepath.Join(s.folder, homeName), to: "/session/home", writable: true},
		{from: runtime, to: "/session/run", writable: true},
		{from: s.engine.caches[environmentsCache].folder, to: "/session/environments"},
	}, datasets...)
	if s.engine.isolation.Level.bubblewrap() {
		work, runtime = "/session/work", "/session/run"
	}
	ancestors := "'self'"
	if s.engine.options.FrameAncestors != "" {
		ancestors += " " + s.engine.options.FrameAncestors
	}
	command := []string{
		s.engine.options.Jupyter, "--no-browser",
		"--NotebookApp.base_url=" + basePath(s.id),
		"--NotebookApp.notebook_dir=" + work,
		"--NotebookApp.sock=" + filepath.Join(runtime, socketName),
		"--NotebookApp.allow_remote_access=True",
		"--NotebookApp.terminals_enabled=False",
		"--NotebookApp.quit_button=False",
		"--KernelManager.transport=ipc",
		`--NotebookApp.tornado_settings={'headers':{'Content-Security-Policy':"frame-ancestors ` + ancestors + `"}}`,
	}
	if !s.engine.isolation.Level.ownAccount() && os.Geteuid() == 0 {
		command = append(command, "--allow-root")
	}
	return box{
		userID: userID, inside: s.engine.isolation.Network.Network == NetworkInternet, mounts: mounts, folder: work, command: command,
	}
}

func (s *session) serverEnvironment(token string) []string {
	work, home, runtime := filepath.Join(s.folder, workName), filepath.Join(s.folder, homeName), s.runtime
	if s.engine.isolation.Level.bubblewrap() {
		work, home, runtime = "/session/work", "/session/home", "/session/run"
	}
	return []string{
		"HOME=" + home, "USER=session", "LOGNAME=session", "SHELL=/bin/sh",
		"CAIRN_DATASETS=" + filepath.Join(work, engine.DataFolder),
		"JUPYTER_TOKEN=" + token, "JUPYTER_NO_CONFIG=1",
		"JUPYTER_RUNTIME_DIR=" + runtime,
		"JUPYTER_CONFIG_DIR=" + filepath.Join(home, ".jupyter"),
		"JUPYTER_DATA_DIR=" + filepath.Join(home, ".local/share/jupyter"),
		"JUPYTER_PATH=" + filepath.Join(runtime, sharedName),
		"PYTHONDONTWRITEBYTECODE=1",
	}
}

// What lies in the folder of the sockets.
const (
	socketName = "j.sock"
	sharedName = "share"
	kernelName = sharedName + "/kernels/python3/kernel.json"
)

func (s *session) socket() string { return filepath.Join(s.runtime, socketName) }

// owner is the account that the session's files and sockets have.
func (s *session) owner(userID int) int {
	if userID == 0 {
		return os.Geteuid()
	}
	return userID
}

func (s *session) appendLog(line string) {
	log, err := openLog(filepath.Join(s.folder, logName), false)
	if err != nil {
		return
	}
	_, _ = log.WriteString(line + "\n")
	_ = log.Close()
}

// makeRuntime makes a fresh folder for the sockets.
func (s *session) makeRuntime(userID int) error {
	if err := makeFolder(s.engine.options.RuntimeDir); err != nil { // gone after a restart of the machine
		return err
	}
	root, err := os.OpenRoot(s.engine.options.RuntimeDir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(s.runtime)
	if err := removeTree(root, name); err != nil {
		return err
	}
	if err := ownFolder(root, name, userID); err != nil {
		return err
	}
	kernel := filepath.Dir(filepath.Join(name, kernelName))
	err = root.MkdirAll(kernel, 0o755)
	for folder := kernel; folder != name && err == nil; folder = filepath.Dir(folder) {
		err = root.Chmod(folder, 0o755) // ours, and the session may read it
	}
	return err
}

// removeRuntime removes the sockets and the control groups of a session whose processes have ended.
func (s *session) removeRuntime() {
	if s.engine.dead.Load() {
		return
	}
	s.engine.groups.remove(filepath.Base(s.runtime))
	root, err := os.OpenRoot(s.engine.options.RuntimeDir)
	if err != nil {
		return
	}
	defer root.Close()
	if err := removeTree(root, filepath.Base(s.runtime)); err != nil {
		s.engine.options.Logger.Warn("a session's sockets remain", "session", s.id, "error", err)
	}
}

// deleteFolder deletes what is left of a removed session; when that fails the next New tries again.
func (e *Engine) deleteFolder(name string) {
	root, err := os.OpenRoot(e.options.Dir)
	if err == nil {
		defer root.Close()
		err = removeTree(root, name)
	}
	if err != nil {
		e.options.Logger.Error("a removed session's files cannot be deleted", "folder", name, "error", err)
	}
}

func (e *Engine) pickAccount() (int, error) {
	e.picking.Lock()
	defer e.picking.Unlock()
	number, err := e.users.pick(e.taken)
	if err == nil {
		e.taken[number] = true
	}
	return number, err
}

// killAccount kills all that an account runs in one go, which a program that keeps forking cannot outrun.
func (e *Engine) killAccount(ctx context.Context, userID int) {
	account := strconv.Itoa(userID)
	command := exec.CommandContext(ctx, e.options.Setpriv, "--reuid", account, "--regid", account, "--clear-groups", "--",
		e.options.Shell, "-c", "kill -9 -1")
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	command.WaitDelay = time.Second
	_ = command.Run()
}
