package hubtest

import (
	"archive/zip"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"cairn/internal/sessions/engine/jupytertest"
)

// Machine runs a hub's servers as stand-ins for Jupyter, each with a work folder.
type Machine struct {
	Folder string                                                  // holds one folder for each session, with its folder "work"
	Clone  func(ctx context.Context, address, folder string) error // makes the folder
}

// innerToken opens the servers to the hub's proxy, which asks for a token of its own.
const innerToken = "the-token-of-the-proxy"

// launch is how far a server is on the machine. The hub's lock guards it.
type launch struct {
	states  []string // of the steps
	reason  string
	missing []string
	files   map[string]*string // of the repository, once it is there
	log     string
	changed chan struct{} // closed at every change
	cancel  context.CancelFunc
	jupyter *jupytertest.Server // once it is ready
}

func (l *launch) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *launch) end() {
	l.log = "The server ended.\n"
	if l.jupyter != nil {
		l.jupyter.Close()
	}
	l.change()
}

// Work is the work folder of a session.
func (m *Machine) Work(session string) string { return filepath.Join(m.Folder, session, "work") }

// launch needs the lock. It brings a server up.
func (h *Hub) launch(owner, name string, one *server) {
	ctx, cancel := context.WithCancel(context.Background())
	started := &launch{states: []string{"waiting", "waiting", "waiting"}, missing: []string{}, changed: make(chan struct{}), cancel: cancel}
	one.machine = started
	go func() {
		defer cancel()
		for i, work := range []func() string{
			func() string { return h.Machine.copyRepository(ctx, permitOf(one)) },
			func() string { return h.missDatasets(one) },
			func() string { return "" },
		} {
			h.step(one, i, "active")
			reason := work()
			if ctx.Err() != nil {
				reason = "The launch was cancelled."
			}
			if reason != "" {
				h.mu.Lock()
				started.reason, started.log, started.states[i], one.stopped = reason, reason+"\n", "failed", true
				started.change()
				h.mu.Unlock()
				return
			}
			if i == 0 {
				h.read(one)
			}
			h.step(one, i, "done")
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		started.jupyter = jupytertest.New(jupytertest.Options{
			Base: "/user/" + owner + "/" + name + "/", Token: innerToken, Folder: h.Machine.Work(permitOf(one).Session), Ended: func() { h.End(name, 0) },
		})
		one.ready = true
		started.change()
	}()
}

func (h *Hub) step(one *server, at int, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.machine.states[at] = state
	one.machine.change()
}

// cancel takes a launch back.
func (h *Hub) cancel(owner, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.settled(h.users[owner], name); one != nil && one.machine != nil {
		one.machine.cancel()
	}
}

func (m *Machine) copyRepository(ctx context.Context, asked permit) (reason string) {
	to := filepath.Join(m.Work(asked.Session), asked.Repository.Folder)
	if _, err := os.Lstat(to); err == nil {
		return "" // kept from before
	}
	err := os.MkdirAll(filepath.Join(m.Work(asked.Session), "data"), 0o755)
	if err == nil {
		err = m.Clone(ctx, asked.Repository.URL, to)
	}
	if err != nil {
		return "The repository couldn't be copied: " + err.Error() + "."
	}
	return ""
}

// read reads the files that the permit names, unless the hub's hook is one of before.
func (h *Hub) read(one *server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent {
		return
	}
	asked := permitOf(one)
	one.machine.files = map[string]*string{}
	for _, name := range asked.Files {
		content, err := os.ReadFile(filepath.Join(h.Machine.Work(asked.Session), asked.Repository.Folder, filepath.FromSlash(name)))
		if err == nil {
			text := string(content)
			one.machine.files[name] = &text
		}
	}
}

func (h *Hub) missDatasets(one *server) (reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var reasons []string
	for _, dataset := range permitOf(one).Datasets {
		if dataset.Unavailable != "" {
			one.machine.missing, reasons = append(one.machine.missing, dataset.ID), append(reasons, dataset.Unavailable)
		}
	}
	return strings.Join(reasons, " ")
}

// pack answers with the work folder of a session as a zip file, without datasets and links.
func (m *Machine) pack(w http.ResponseWriter, name string) {
	work := os.DirFS(m.Work(filepath.Base(name)))
	if _, err := fs.Stat(work, "."); err != nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	archive := zip.NewWriter(w)
	err := fs.WalkDir(work, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "data":
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(work, name)
		if err != nil {
			return err
		}
		file, err := archive.Create(name)
		if err == nil {
			_, err = file.Write(content)
		}
		return err
	})
	if err == nil {
		_ = archive.Close()
	}
}
