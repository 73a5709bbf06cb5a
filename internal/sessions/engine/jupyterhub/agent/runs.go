package agent

import (
	"context"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/sandbox"
)

// runs are the batch sessions of the hub's machine, in which programs run notebooks. The hub doesn't know them: they are the sessions of a
// local engine, so that notebooks run as they do on a server's own, without a network and after people's sessions.
type runs struct {
	engine *localjupyter.Engine
	agent  *Agent
}

// The folders below the root.
const (
	runsFolder     = ".runs"
	catalogsFolder = ".runs-catalogs"
)

// openRuns opens the batch sessions where they can be kept apart; nil elsewhere, as in a container.
func (a *Agent) openRuns() (*runs, error) {
	if a.options.NoRuns || !a.sandbox.Level().Mounts() {
		return nil, nil
	}
	opened, err := localjupyter.New(localjupyter.Options{
		Dir: filepath.Join(a.options.Root, runsFolder), Reserve: a.options.Reserve, Limits: a.options.RunLimits, Network: sandbox.Internet,
		Pip: a.options.Pip, R: a.options.R, CacheBytes: a.options.CacheBytes, Web: a.options.Web, Logger: a.options.Logger, Now: a.options.Now,
	})
	if err != nil {
		return nil, err
	}
	if err := folders.Make(filepath.Join(a.options.Root, catalogsFolder), folders.Private); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	found := &runs{engine: opened, agent: a}
	a.workers.Go(found.follow)
	return found, nil
}

// follow tells servers when a batch session changes.
func (s *runs) follow() {
	known := map[string]bool{}
	for {
		list, _ := s.engine.List(context.Background())
		there := map[string]bool{}
		for _, one := range list {
			there[one.ID] = true
			s.agent.changes.note(one.ID, agentapi.State{Phase: one.Phase, Batch: true})
		}
		for id := range known {
			if !there[id] {
				s.agent.changes.remove(id)
			}
		}
		known = there
		select {
		case <-s.engine.Changed():
		case <-s.agent.workers.Closing().Done():
			return
		}
	}
}

// routes adds the calls about batch sessions.
func (s *runs) routes(on func(method, path string, answer func(w http.ResponseWriter, r *http.Request) error)) {
	on("GET", "runs", func(w http.ResponseWriter, r *http.Request) error {
		list, err := s.engine.List(r.Context())
		if err != nil {
			return err
		}
		catalog := r.URL.Query().Get("catalog")
		return send(w, slices.DeleteFunc(list, func(one engine.Status) bool { return s.catalogOf(one.ID) != catalog }))
	})
	on("GET", "runs/{session}", func(w http.ResponseWriter, r *http.Request) error {
		found, err := s.engine.Status(r.Context(), r.PathValue("session"))
		if err != nil {
			return err
		}
		return send(w, found)
	})
	on("POST", "runs/{session}/start", s.serveStart)
	on("POST", "runs/{session}/stop", func(w http.ResponseWriter, r *http.Request) error {
		return s.agent.finish(w, r, func() error { return s.engine.Stop(s.agent.workers.Closing(), r.PathValue("session")) })
	})
	on("DELETE", "runs/{session}", func(w http.ResponseWriter, r *http.Request) error {
		id := r.PathValue("session")
		return s.agent.finish(w, r, func() error {
			err := s.engine.Remove(s.agent.workers.Closing(), id)
			if err == nil && isSession(id) {
				_ = os.Remove(s.catalogFile(id))
			}
			return err
		})
	})
	on("GET", "runs/{session}/usage", func(w http.ResponseWriter, r *http.Request) error {
		found, err := s.engine.Usage(r.Context(), r.PathValue("session"))
		if err != nil {
			return err
		}
		return send(w, found)
	})
	on("GET", "runs/{session}/idle", func(w http.ResponseWriter, r *http.Request) error {
		idle, err := s.engine.Idle(r.Context(), r.PathValue("session"))
		if err != nil {
			return err
		}
		return send(w, agentapi.Idle{Idle: idle})
	})
	on("GET", "runs/{session}/environment", func(w http.ResponseWriter, r *http.Request) error {
		found, err := s.engine.Environment(r.Context(), r.PathValue("session"), r.URL.Query().Get("language"))
		if err != nil {
			return err
		}
		return send(w, found)
	})
	on("GET", "runs/{session}/file", func(w http.ResponseWriter, r *http.Request) error { return serveFile(w, r, s.engine.ReadFile) })
	on("GET", "runs/{session}/archive", func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "application/zip")
		out := &begun{ResponseWriter: w}
		return out.after(s.engine.Archive(r.Context(), r.PathValue("session"), out))
	})
	on("", "runs/{session}/server/", s.forward)
}

func (s *runs) serveStart(w http.ResponseWriter, r *http.Request) error {
	asked, err := read[agentapi.Run](r)
	if err != nil {
		return err
	}
	spec := asked.Spec
	if spec.ID != r.PathValue("session") || !isSession(spec.ID) || spec.Batch == nil {
		return fault.New(fault.Malformed, "It isn't a batch session of this id.")
	}
	if err := os.WriteFile(s.catalogFile(spec.ID), []byte(asked.Catalog), 0o600); err != nil {
		return unsaved(err)
	}
	spec.Repository.LocalPath, spec.Notebook.Content = "", asked.Notebook
	spec.Datasets = s.agent.datasetsOf(asked.Datasets)
	if err := s.engine.Start(r.Context(), spec); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// catalogFile is the file that says which catalog started a session: several may use one hub, and each stops what it doesn't know.
func (s *runs) catalogFile(id string) string {
	return filepath.Join(s.agent.options.Root, catalogsFolder, id)
}

func (s *runs) catalogOf(id string) string {
	content, _ := os.ReadFile(s.catalogFile(id))
	return string(content)
}

// serveFile answers with a file of a session's work, as engine.Runner's ReadFile reads it.
func serveFile(w http.ResponseWriter, r *http.Request, readFile func(ctx context.Context, id, path string, most int64) ([]byte, error)) error {
	path, err := pathOf(r)
	if err != nil {
		return err
	}
	most, err := strconv.ParseInt(r.URL.Query().Get("most"), 10, 64)
	if err != nil {
		return fault.Wrap(err, fault.Malformed, "most must be a number of bytes.")
	}
	content, err := readFile(r.Context(), r.PathValue("session"), path, most)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(content)
	return nil
}

// forward passes a request on to the server of a batch session.
func (s *runs) forward(w http.ResponseWriter, r *http.Request) error {
	target, err := s.engine.Target(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	prefix := agentapi.Path + "runs/" + r.PathValue("session") + "/server"
	proxy := httputil.ReverseProxy{
		Transport: target.Transport,
		Rewrite: func(request *httputil.ProxyRequest) {
			request.Out.URL = &url.URL{
				Scheme: target.URL.Scheme, Host: target.URL.Host, RawQuery: r.URL.RawQuery,
				Path: strings.TrimPrefix(r.URL.Path, prefix), RawPath: strings.TrimPrefix(r.URL.EscapedPath(), prefix),
			}
			request.Out.Host = target.URL.Host
			request.Out.Header.Set("Authorization", target.Authorization)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			s.agent.refuse(w, r, fault.Wrap(err, fault.Unavailable, "The session's server isn't responding."))
		},
	}
	proxy.ServeHTTP(w, r)
	return nil
}

// close lets batch sessions go on; the next agent finds them again.
func (s *runs) close() error {
	if s == nil {
		return nil
	}
	return s.engine.Close()
}
