package localjupyter

import (
	"os"
	"path/filepath"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/vscodeprogram"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
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
	passing, shown := l.program()
	mounts = append(mounts, shown...)
	hasFront := passing != "" && batch == nil
	socket, jupyter := filepath.Join(runtime, socketName), filepath.Join(runtime, jupyterSocketName)
	if !hasFront {
		jupyter = socket
	}
	command := program.Command(jupyterprogram.Settings{
		Base: basePath(l.session.id), Folder: work, Socket: jupyter, Policy: "frame-ancestors " + ancestors,
		Terminals: program.Terminals, Shell: terminal(l.engine.sandbox.Shell()),
		Root: !l.engine.sandbox.Level().OwnAccount() && os.Geteuid() == 0, AllOutput: hasFront || batch != nil, Batch: batch != nil,
	})
	if hasFront {
		options := front.Options{Socket: socket, Behind: jupyter, Base: basePath(l.session.id)}
		command = append(append([]string{passing}, options.Arguments()...), command...)
	}
	if editor, err := vscodeprogram.Find(l.engine.options.VSCode); err == nil && batch == nil {
		mounts = append(mounts, sandbox.Mount{From: editor.Folder, To: editor.Folder})
	}
	command = l.besideShell(command, work, runtime, passing)
	box := sandbox.Box{
		Account: userID, Network: l.engine.sandbox.Reach().Network, Mounts: mounts, Folder: work, Command: command,
		Environment: l.serverEnvironment(token), Report: filepath.Join(l.session.folder, exitName),
	}
	if l.hasNoNetwork() {
		box.Network = sandbox.None
	}
	if batch != nil {
		box.Environment = append(box.Environment, l.batchEnvironment()...)
		if !batch.Network {
			box.Network = sandbox.None
		}
	}
	return box
}

// terminal returns the command of a terminal: a shell that, like a kernel, is killed before Jupyter when memory runs out.
func terminal(shell string) []string {
	best := "/bin/bash"
	if _, err := os.Stat(best); err != nil {
		best = shell
	}
	return []string{shell, "-c", environments.FirstKilled, "terminal", best}
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
		// The start-up file of a repository with renv would replace the folders of R's packages, the kernel's own among them.
		"RENV_CONFIG_AUTOLOADER_ENABLED=FALSE",
		// R searches it before its own library, if it is there when R starts.
		"R_LIBS=" + filepath.Join(runtime, libraryLink),
		// What people install in R goes to their home.
		"R_LIBS_USER=" + filepath.Join(home, userLibrary),
		// People's own installations go to their home; Debian's pip would refuse without the second.
		"PIP_USER=1", "PIP_BREAK_SYSTEM_PACKAGES=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
	}
}
