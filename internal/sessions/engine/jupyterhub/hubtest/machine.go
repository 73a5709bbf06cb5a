package hubtest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/jupytertest"
)

// Machine runs a hub's servers as stand-ins for Jupyter, each with a work folder.
type Machine struct {
	Folder string                                                  // holds one folder for each session, with its folder "work"
	Clone  func(ctx context.Context, address, folder string) error // makes the folder

	// Install installs packages and returns why some couldn't be, by package; nil: nothing is installed.
	Install func(ctx context.Context, packages []string) (left map[string]string, reason string)
}

// innerToken opens the servers to the hub's proxy, which asks for a token of its own.
const innerToken = "the-token-of-the-proxy"

// launch is how far a server is on the machine. The hub's lock guards it.
type launch struct {
	states  map[string]string // of the steps, by name
	reason  string
	code    string // of the reason
	missing []string
	usage   map[string]int64   // in bytes
	files   map[string]*string // of the repository, once it is there
	wished  chan []string      // while it waits for the packages
	left    []map[string]string
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

// launch starts a server. h.mu must be held.
func (h *Hub) launch(owner, name string, one *server) {
	ctx, cancel := context.WithCancel(context.Background())
	started := &launch{states: map[string]string{}, missing: []string{}, changed: make(chan struct{}), cancel: cancel}
	one.machine = started
	go func() {
		defer cancel()
		if reason := h.prepare(ctx, permitOf(one).Session, one); reason != "" {
			h.fail(one, "server", reason)
			return
		}
		for _, step := range stepNames(permitOf(one), one.installs) {
			h.step(one, step, "active")
			reason := map[string]func() string{
				"environment": func() string { return h.install(ctx, one) },
				"repository":  func() string { return h.Machine.copyRepository(ctx, permitOf(one)) },
				"datasets":    func() string { return h.missDatasets(one) },
				"server":      func() string { return "" },
			}[step]()
			if ctx.Err() != nil {
				reason = "The launch was cancelled."
			}
			if reason != "" {
				h.fail(one, step, reason)
				return
			}
			if step == "repository" {
				h.read(one)
			}
			h.step(one, step, "done")
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

// fail ends a launch at one of its steps.
func (h *Hub) fail(one *server, step, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.machine.reason, one.machine.log, one.machine.states[step], one.stopped = reason, reason+"\n", "failed", true
	one.machine.change()
}

// prepare asks the agent to make the folders ready, and returns why they aren't.
func (h *Hub) prepare(ctx context.Context, session string, one *server) (reason string) {
	if h.Agent == nil {
		return ""
	}
	options := one.options
	if inner, nested := options["user_options"].(map[string]any); nested {
		options = inner
	}
	text, _ := options["cairn"].(string)
	var asked agentapi.Prepare
	if err := json.Unmarshal([]byte(text), &asked.Permit); err != nil {
		return err.Error()
	}
	asked.Permit.Datasets = nil         // which are the machine's business
	if !asked.Permit.Wanted().Private { // and so are repositories that everybody can read
		asked.Permit.Repository, asked.Permit.Checkout = agentapi.Repository{}, nil
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return err.Error()
	}
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, agentapi.Path+session+"/prepare", bytes.NewReader(body))
	request.Header.Set("Authorization", "token "+h.Token)
	answer := httptest.NewRecorder()
	h.Agent.ServeHTTP(answer, request)
	events := json.NewDecoder(answer.Body)
	for {
		var event agentapi.Event
		switch err := events.Decode(&event); {
		case err != nil:
			return "The agent answered " + answer.Result().Status + "."
		case event.Failed != nil:
			return event.Failed.Reason
		case event.Done != nil:
			return ""
		}
	}
}

// install waits for the packages and installs them.
func (h *Hub) install(ctx context.Context, one *server) (reason string) {
	wished := make(chan []string, 1)
	h.mu.Lock()
	one.machine.wished = wished
	one.machine.change()
	h.mu.Unlock()
	var packages []string
	select {
	case packages = <-wished:
	case <-ctx.Done():
		return ""
	}
	left, reason := h.Machine.Install(ctx, packages)
	h.mu.Lock()
	defer h.mu.Unlock()
	one.machine.wished, one.machine.left = nil, []map[string]string{}
	for what, why := range left {
		one.machine.left = append(one.machine.left, map[string]string{"what": what, "why": why})
	}
	return reason
}

// takeWishes takes the packages to install from our service.
func (h *Hub) takeWishes(w http.ResponseWriter, r *http.Request, owner, name string) {
	var sent struct{ Cairn string }
	var asked struct {
		Kind     string
		Launch   int64
		Packages []string
	}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	_ = json.Unmarshal([]byte(sent.Cairn), &asked)
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.settled(h.users[owner], name)
	switch {
	case one == nil:
		refuse(w, http.StatusNotFound, "Not Found")
		return
	case asked.Kind != "environment" || asked.Launch != permitOf(one).Launch || one.machine == nil || one.machine.wished == nil:
		refuse(w, http.StatusConflict, "Conflict")
		return
	}
	select {
	case one.machine.wished <- asked.Packages:
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h *Hub) before() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.silent
}

func (h *Hub) installs() bool { return h.Machine != nil && h.Machine.Install != nil }

func (h *Hub) step(one *server, at, state string) {
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
	wanted := asked.repository()
	to := filepath.Join(m.Work(asked.Session), wanted.Folder)
	if _, err := os.Lstat(to); err == nil {
		return "" // kept from before
	}
	err := os.MkdirAll(filepath.Join(m.Work(asked.Session), "data"), 0o755)
	if err == nil {
		err = m.Clone(ctx, wanted.URL, to)
	}
	if err == nil {
		err = m.own(asked.Session, to)
	}
	if err != nil {
		return "The repository couldn't be copied: " + err.Error() + "."
	}
	return ""
}

// own gives a folder to the account that a session's work belongs to.
func (m *Machine) own(session, folder string) error {
	about, err := os.Stat(m.Work(session))
	if err != nil {
		return err
	}
	owner, _ := about.Sys().(*syscall.Stat_t)
	return filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, int(owner.Uid), int(owner.Gid)))
	})
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
		content, err := os.ReadFile(filepath.Join(h.Machine.Work(asked.Session), asked.repository().Folder, filepath.FromSlash(name)))
		if err == nil {
			text := string(content)
			one.machine.files[name] = &text
		}
	}
}

func (h *Hub) missDatasets(one *server) (reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	asked := permitOf(one)
	if err := os.MkdirAll(filepath.Join(h.Machine.Work(asked.Session), "data"), 0o755); err != nil {
		return err.Error()
	}
	var reasons []string
	for _, dataset := range asked.Datasets {
		if dataset.Unavailable != "" {
			one.machine.code = "dataset_missing"
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
