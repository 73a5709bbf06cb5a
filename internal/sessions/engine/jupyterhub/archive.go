package jupyterhub

import (
	"archive/zip"
	"context"
	"io"
	"net/http"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// workService is the path of the hub's service that reads and removes work folders.
const workService = agentapi.Path

// Archive forwards the archive from the hub's service, which reads the work folder itself, so it is available in every
// state.
func (e *Engine) Archive(ctx context.Context, id string, w io.Writer) error {
	if e.runs.are(id) {
		return e.hub.copyArchive(ctx, "runs/"+id+"/archive", w)
	}
	known, err := e.find(ctx, id)
	if err != nil {
		return err
	}
	if known == nil || known.read().Phase == "" {
		return engine.ErrUnknownSession
	}
	return e.hub.copyArchive(ctx, id, w)
}

// copyArchive forwards an archive; that of a session without a work folder is empty.
func (c *client) copyArchive(ctx context.Context, path string, w io.Writer) error {
	response, err := c.send(ctx, http.MethodGet, workService+path, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusOK:
	case response.StatusCode == http.StatusNotFound && !strings.Contains(path, "/"):
		return c.emptyArchive(ctx, w)
	case strings.Contains(path, "/"):
		return agentapi.ReadProblem(response)
	default:
		return fault.New(fault.Unavailable, "The hub's service that reads work folders isn't responding (%d).", response.StatusCode)
	}
	if _, err := io.Copy(w, response.Body); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive of the session's work couldn't be read completely. The work itself is kept: try again in a while.")
	}
	return nil
}

// emptyArchive is for a session without a work folder; a hub without the service returns an error instead.
func (c *client) emptyArchive(ctx context.Context, w io.Writer) error {
	if err := c.checkWorkService(ctx); err != nil {
		return err
	}
	if err := zip.NewWriter(w).Close(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive could not be written.")
	}
	return nil
}

// checkWorkService reports whether the hub has the service, and whether it accepts our token.
func (c *client) checkWorkService(ctx context.Context) error {
	response, err := c.askWork(ctx, http.MethodGet, "")
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "The hub doesn't run the service cairn-work, so work can be seen only in running sessions.")
	}
	return nil
}

// askWork calls the service without the breaker: a service that doesn't answer says nothing about the hub.
func (c *client) askWork(ctx context.Context, method, id string) (*http.Response, error) {
	return c.send(ctx, method, workService+id, nil)
}
