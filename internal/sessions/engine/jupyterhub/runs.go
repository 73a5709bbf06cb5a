package jupyterhub

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/machine/jupyterkernel"
)

var _ engine.Runner = (*Engine)(nil)

// runs are the batch sessions on the hub's machine, which its agent starts and ends beside the hub. On a cluster there are none of these:
// batch sessions are servers of the hub as others are.
type runs struct {
	hub    *client
	agent  *agent
	signer signer

	catalog string
	known   sync.Map    // by id: true for those that the agent hasn't told of yet
	servers atomic.Bool // the hub starts batch sessions as servers of its own
}

// can reports whether the agent has batch sessions.
func (s *runs) can() bool {
	kind, about := s.agent.read()
	return kind == agentPresent && about.Runs
}

// areServers reports whether batch sessions are servers of the hub.
func (s *runs) areServers() bool {
	kind, about := s.agent.read()
	return kind == agentPresent && !about.Runs && s.servers.Load()
}

// are reports whether a session is one of them, as far as is known.
func (s *runs) are(id string) bool {
	if told, known := s.agent.state(id); known {
		return told.Batch
	}
	_, known := s.known.Load(id)
	return known
}

func (s *runs) call(ctx context.Context, method, id, more string, send, receive any) error {
	return s.hub.callAgent(ctx, method, "runs/"+url.PathEscape(id)+more, send, receive)
}

func (s *runs) start(ctx context.Context, spec engine.Spec) error {
	if !s.can() {
		return fault.New(fault.NotRunnable, engine.NoBatch)
	}
	if spec.Repository.Private {
		return fault.New(fault.NotRunnable, "Notebooks of private repositories can't be run on the machine of this hub.")
	}
	asked := agentapi.Run{Catalog: s.catalog, Spec: spec, Notebook: spec.Notebook.Content, Datasets: []agentapi.Dataset{}}
	for _, dataset := range spec.Datasets {
		asked.Datasets = append(asked.Datasets, s.signer.reference(dataset))
	}
	asked.Spec.Datasets = nil
	s.known.Store(spec.ID, true)
	return s.call(ctx, http.MethodPost, spec.ID, "/start", asked, nil)
}

// list returns all of them; nothing while none is known.
func (s *runs) list(ctx context.Context) (found []engine.Status, err error) {
	started := false
	s.known.Range(func(any, any) bool { started = true; return false })
	if !s.can() || !started && !s.agent.hasBatches() {
		return nil, nil
	}
	err = s.hub.callAgent(ctx, http.MethodGet, "runs?"+url.Values{"catalog": {s.catalog}}.Encode(), nil, &found)
	return found, err
}

func (s *runs) status(ctx context.Context, id string) (found engine.Status, err error) {
	if !s.can() {
		return found, engine.ErrUnknownSession
	}
	if err = s.call(ctx, http.MethodGet, id, "", nil, &found); err == nil {
		s.known.Store(id, true)
	}
	return found, err
}

// end stops or removes one, with DELETE; unknown ones have ended.
func (s *runs) end(ctx context.Context, method, id string) error {
	if !s.can() {
		return nil
	}
	more := "/stop"
	if method == http.MethodDelete {
		more = ""
		s.known.Delete(id)
	}
	return s.call(ctx, method, id, more, nil, nil)
}

// target leads through the hub's proxy and the agent to the server of a batch session.
func (s *runs) target(ctx context.Context, id string) (engine.Target, error) {
	if status, err := s.status(ctx, id); err != nil || status.Phase != engine.Running {
		return engine.Target{}, engine.ErrNotRunning
	}
	found := s.hub.target(record{})
	found.Authorization = "token " + s.hub.token
	found.Base = s.hub.address.EscapedPath() + agentapi.Path + "runs/" + id + "/server/s/" + id + "/"
	return found, nil
}

// RunsBatches reports whether the hub, or its agent, runs batch sessions.
func (e *Engine) RunsBatches() bool { return e.runs.can() || e.runs.areServers() }

// idle asks the kernels of a batch session.
func (s *runs) idle(ctx context.Context, id string) (bool, error) {
	var found agentapi.Idle
	err := s.call(ctx, http.MethodGet, id, "/idle", nil, &found)
	return found.Idle, err
}

// Environment implements engine.Runner.
func (e *Engine) Environment(ctx context.Context, id, language string) (found engine.Installed, err error) {
	if !e.runs.are(id) {
		r, err := e.running(ctx, id)
		if err != nil {
			return found, err
		}
		target := e.hub.target(r)
		return environments.InstalledInKernel(ctx, jupyterkernel.NewServer(target.URL.JoinPath(target.Base), target.Authorization, target.Transport), language)
	}
	err = e.runs.call(ctx, http.MethodGet, id, "/environment?"+url.Values{"language": {language}}.Encode(), nil, &found)
	return found, err
}

// Head implements engine.Runner.
func (e *Engine) Head(ctx context.Context, repository engine.Repository) (string, error) {
	if err := repository.Validate(); err != nil {
		return "", err
	}
	var found agentapi.Head
	err := e.hub.callAgent(ctx, http.MethodPost, "runs/head", repository, &found)
	return found.Commit, err
}

// ReadFile implements engine.Runner.
func (e *Engine) ReadFile(ctx context.Context, id, path string, most int64) ([]byte, error) {
	query := pathQuery(path)
	query.Set("most", strconv.FormatInt(most, 10))
	from := agentPath(id, "file")
	if e.runs.are(id) {
		from = "runs/" + from
	} else if err := e.knows(ctx, id); err != nil {
		return nil, err
	}
	response, err := e.hub.openAgent(ctx, http.MethodGet, from+"?"+query.Encode(), nil, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The file %s couldn't be read completely.", fault.Quote(filepath.Base(path)))
	}
	return content, nil
}
