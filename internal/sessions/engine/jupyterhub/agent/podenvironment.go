package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
)

// podEnvironments are the environments that repositories ask for, on Kubernetes: each is made in the pod of the session that needs it
// first, by an init container that has the image of the session and no other rights. All of it is on the volume that the agent and the
// pods share:
//
//	<root>/.bin/cairn-<digest>                   this program, which the init container runs
//	<root>/.people/<user>/<packages>/environment made by the init container
//	<root>/.people/<user>/<packages>/job         what it is asked for, read-only there
//	<root>/.people/<user>/<packages>/said/lines  what it says; the agent follows it
//	<root>/.people/<user>/<packages>/left.json   what couldn't be installed; without it, the environment isn't whole
//
// where <user> and <packages> are digests. Only that init container can write to an environment, only before left.json is there, and it
// has ended when Jupyter starts. Jupyter's container and those of the same person's other sessions see it read-only, those of other
// people never. The agent opens what is in job and left.json, which no pod can change, and said/lines, which it doesn't believe.
type podEnvironments struct {
	agent *Agent

	// mu guards the fields below.
	mu     sync.Mutex
	turns  map[string]chan struct{} // by the environment's folder: what holds a token while a session makes it
	making map[string]chan int      // by session: takes the exit status of the container that makes its environment
	stored string                   // the path of this program on the volume; "": not yet
}

// The folders below the root, and the files in them.
const (
	programFolder = ".bin"
	programName   = "cairn"
	peopleFolder  = ".people"
	leftName      = "left.json"
	podJobName    = "asked.json"
	podSaidName   = "lines"
)

// Where the init container finds them.
const (
	programInside      = "/session/cairn"
	jobInside          = "/session/job"
	saidInside         = "/session/said"
	environmentsInside = "/session/environments"
)

// podAsked is the body of POST {session}/environment, by which the hub's hook asks for the environment of a session. It answers events in
// lines, as POST prepare does. If the session's pod has to make the environment, one of them says how, and the session has the turn to
// make it as long as the hook listens: what isn't whole when it leaves is deleted.
type podAsked struct {
	Owner    string   `json:"owner"`    // the hub's user
	Packages []string `json:"packages"` // lines for pip
	Image    string   `json:"image"`    // whose Python they are installed for
	Disk     int64    `json:"disk"`     // bytes that they may take; 0: no limit
	Seconds  int      `json:"seconds"`  // that their installation may take
}

// podEvent is one of the lines.
type podEvent struct {
	agentapi.Event

	Laid *podLaid `json:"laid,omitempty"`
}

// podLaid is what a pod needs that makes an environment.
type podLaid struct {
	agentapi.Prepared // what Jupyter's container sees

	Command []string   `json:"command"` // of the init container
	Shown   []podMount `json:"shown"`   // to it
}

type podMount struct {
	agentapi.Mount

	Writable bool `json:"writable"`
}

// podEnded is the body of POST {session}/environment/ended, by which the hook says that the init container has ended.
type podEnded struct {
	Status int `json:"status"`
}

// podJob is what the init container is asked for.
type podJob struct {
	Lines  []string `json:"lines"`
	Folder string   `json:"folder"`
	Index  string   `json:"index"`
}

// podNews is a line of what the init container says, in whose place the code of a package may write.
type podNews struct {
	Detail string           `json:"detail,omitempty"`
	Log    string           `json:"log,omitempty"`
	Left   []engine.LeftOut `json:"left,omitempty"`
	Failed string           `json:"failed,omitempty"`
	Code   diagnosis.Code   `json:"code,omitempty"`
	Done   *struct{}        `json:"done,omitempty"`
}

func newPodEnvironments(agent *Agent) *podEnvironments {
	return &podEnvironments{agent: agent, turns: map[string]chan struct{}{}, making: map[string]chan int{}}
}

// routes adds the calls about them.
func (p *podEnvironments) routes(on func(method, path string, answer func(w http.ResponseWriter, r *http.Request) error)) {
	on("POST", "{session}/environment", p.serve)
	on("POST", "{session}/environment/ended", p.serveEnded)
}

func (p *podEnvironments) serve(w http.ResponseWriter, r *http.Request) error {
	known, err := p.agent.known(r)
	if err != nil {
		return err
	}
	asked, err := read[podAsked](r)
	if err != nil {
		return err
	}
	if !p.agent.workers.Begin() {
		return engine.ErrClosing
	}
	defer p.agent.workers.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.agent.workers.Closing(), cancel)()
	w.Header().Set("Content-Type", "application/x-ndjson")
	made := p.newPodEnvironment(known, asked, newLines(w))
	prepared, err := made.provide(ctx)
	last := agentapi.Event{Done: &prepared}
	if err != nil {
		failure := p.agent.failure(err)
		last = agentapi.Event{Failed: &failure}
	}
	made.lines.tell(last)
	return nil
}

func (p *podEnvironments) serveEnded(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[podEnded](r)
	if err != nil {
		return err
	}
	p.mu.Lock()
	making := p.making[r.PathValue("session")]
	p.mu.Unlock()
	select {
	case making <- asked.Status:
	default: // it was told before, or nothing is made any more: whoever listens has been told why
	}
	return send(w, agentapi.Event{Done: &agentapi.Prepared{}})
}

// take waits for the turn of a session to make an environment.
func (p *podEnvironments) take(ctx context.Context, folder string, waits func()) (leave func(), err error) {
	p.mu.Lock()
	turn := p.turns[folder]
	if turn == nil {
		turn = make(chan struct{}, 1)
		p.turns[folder] = turn
	}
	p.mu.Unlock()
	leave = func() { <-turn }
	select {
	case turn <- struct{}{}:
		return leave, nil
	default:
	}
	waits()
	select {
	case turn <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin lets a session be told how its container ended.
func (p *podEnvironments) begin(id string) (ended <-chan int, done func()) {
	making := make(chan int, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.making[id] = making
	return making, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.making[id] == making {
			delete(p.making, id)
		}
	}
}

// store puts this program onto the volume, unless it's there, and returns its path. Its name is its content's: sessions run it until they
// end, and on some volumes a program ends when its file is replaced.
func (p *podEnvironments) store() (name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stored != "" {
		return p.stored, nil
	}
	folder := filepath.Join(p.agent.options.Root, programFolder)
	if err := folders.Make(folder, 0o755); err != nil {
		return "", err
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(program)
	name = filepath.Join(folder, programName+"-"+hex.EncodeToString(digest[:8]))
	if there, err := os.ReadFile(name); err != nil || !bytes.Equal(there, program) {
		if err := folders.WriteFile(name, program); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(name, 0o755); err != nil {
		return "", err
	}
	p.stored = name
	return name, nil
}

// podEnvironment is one environment, from a session's point of view.
type podEnvironment struct {
	*podEnvironments

	session *session
	asked   podAsked
	lines   *lines
	kept    string // its folder here
	inside  string // and the folder of its Python in the pod
	index   string

	heard int64  // bytes of what the container said
	rest  []byte // a line that isn't whole
	said  podNews
}

func (p *podEnvironments) newPodEnvironment(known *session, asked podAsked, lines *lines) *podEnvironment {
	index := p.agent.options.Pip.IndexURL
	// What the packages depend on: their list, the index, and all that is below them.
	key := digestOf(3, asked.Packages, index, asked.Image)
	return &podEnvironment{
		podEnvironments: p, session: known, asked: asked, lines: lines, index: index,
		kept:   filepath.Join(p.agent.options.Root, peopleFolder, digestOf(asked.Owner), key),
		inside: filepath.Join(environmentsInside, key),
	}
}

func digestOf(parts ...any) string {
	text, _ := json.Marshal(parts) // texts, numbers and lists of texts can be written
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// tell says how far the step is.
func (e *podEnvironment) tell(state engine.StepState, detail string) {
	e.lines.tell(agentapi.Event{Step: engine.StepEnvironment, State: state, Detail: detail})
}

// provide returns what the session's server needs of its environment, once that is whole.
func (e *podEnvironment) provide(ctx context.Context) (made agentapi.Prepared, err error) {
	if err := checkIndex(e.index); err != nil {
		return made, err
	}
	e.tell(engine.Active, "")
	leave, err := e.take(ctx, e.kept, func() { e.tell(engine.Active, "Another session of yours is making it") })
	if err != nil {
		return made, err
	}
	defer leave()
	if err := e.writeKernel(); err != nil {
		return made, err
	}
	made.Environment = map[string]string{"JUPYTER_PATH": jupyterInside}
	made.Mounts = []agentapi.Mount{{From: e.part("environment"), To: e.inside}, {From: filepath.Join(e.session.folder, jupyterFolder), To: jupyterInside}}
	if found, err := os.ReadFile(e.part(leftName)); err == nil {
		now := e.agent.options.Now() // so that operators see what was used last
		e.tell(engine.Done, "Kept from before")
		return made, errors.Join(json.Unmarshal(found, &made.LeftOut), os.Chtimes(e.kept, now, now))
	}
	if err := e.make(ctx, made); err != nil {
		return made, errors.Join(err, e.clear())
	}
	made.LeftOut = e.said.Left
	e.tell(engine.Done, "")
	return made, nil
}

// checkIndex refuses an address that pip can't use, or that has a password: the code of packages could read it.
func checkIndex(index string) error {
	address, err := url.Parse(index)
	if index == "" || err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.User == nil {
		return nil
	}
	return diagnosis.With(fault.New(fault.Unavailable, "The address of the package index that the hub's operators set can't be used. Tell the operators."), diagnosis.ServerFault)
}

func (e *podEnvironment) part(name string) string { return filepath.Join(e.kept, name) }

// make has the pod make the environment. The session has the turn.
func (e *podEnvironment) make(ctx context.Context, made agentapi.Prepared) error {
	ended, done := e.begin(e.session.id)
	defer done()
	program, err := e.store()
	if err := errors.Join(err, e.clear()); err != nil {
		return err
	}
	if err := e.lay(); err != nil {
		return err
	}
	shown := func(from, to string, writable bool) podMount {
		return podMount{Mount: agentapi.Mount{From: from, To: to}, Writable: writable}
	}
	e.send(podLaid{
		Prepared: made,
		Command: []string{
			"/bin/sh", "-c", fmt.Sprintf("exec %s agent environment < %s/%s > %s/%s 2>&1", programInside, jobInside, podJobName, saidInside, podSaidName),
		},
		Shown: []podMount{
			shown(e.part("environment"), e.inside, true), shown(e.part("said"), saidInside, true), shown(e.part("job"), jobInside, false),
			shown(program, programInside, false),
		},
	})
	status, err := e.follow(ctx, ended)
	if err != nil {
		return err
	}
	return e.settle(status)
}

// send says how a pod makes the environment.
func (e *podEnvironment) send(laid podLaid) {
	e.lines.mu.Lock()
	defer e.lines.mu.Unlock()
	if e.lines.out.Encode(podEvent{Laid: &laid}) == nil {
		_ = e.lines.now.Flush()
	}
}

// lay makes the folders of an environment that isn't there yet.
func (e *podEnvironment) lay() error {
	owner := filepath.Dir(e.kept)
	if err := errors.Join(folders.Make(filepath.Dir(owner), folders.Passable), folders.Make(owner, folders.Passable)); err != nil {
		return err
	}
	for _, name := range []string{"", "environment", "job", "said"} {
		if err := folders.Make(e.part(name), 0o755); err != nil {
			return err
		}
	}
	asked, err := json.Marshal(podJob{Lines: e.asked.Packages, Folder: e.inside, Index: e.index})
	if err != nil {
		return err
	}
	name := filepath.Join(e.part("job"), podJobName)
	return errors.Join(os.WriteFile(name, asked, 0o600), os.Chmod(name, 0o644))
}

// clear removes what isn't whole, also of an agent that ended in the middle. It's out of the way at once: a pod may still write.
func (e *podEnvironment) clear() error {
	removed := filepath.Join(e.agent.options.Root, removedName(e.session.id))
	if err := os.Rename(e.kept, removed); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	e.agent.workers.Start(func() { e.agent.remover.Delete(removed) })
	return nil
}

// writeKernel makes the environment's Python the kernel of notebooks, in an image whose programs may be anywhere.
func (e *podEnvironment) writeKernel() error {
	python := environments.PythonOf(e.inside)
	described, err := json.Marshal(map[string]any{
		"argv":         []string{python, "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		"display_name": "Python 3 (packages of the repository)", "language": "python", "metadata": map[string]bool{"debugger": true},
		"env": map[string]string{"PATH": filepath.Dir(python) + ":${PATH}", "VIRTUAL_ENV": filepath.Dir(filepath.Dir(python))},
	})
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(e.session.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	folder := filepath.Join(jupyterFolder, "kernels", "python3")
	if err := folders.Share(root, folder); err != nil {
		return err
	}
	name := filepath.Join(folder, "kernel.json")
	return errors.Join(folders.WriteFile(filepath.Join(root.Name(), name), described), root.Chmod(name, 0o644))
}
