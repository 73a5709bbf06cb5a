package jupyterhub

import (
	"context"
	"errors"
	"io"
	"net/http"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// ExportWork implements engine.Versioner.
func (e *Engine) ExportWork(ctx context.Context, id, version string, w io.Writer) error {
	if err := e.knows(ctx, id); err != nil {
		return err
	}
	return e.hub.copyArchive(ctx, agentPath(id, "versions", version, "export"), w)
}

// ImportWork implements engine.Versioner.
func (e *Engine) ImportWork(ctx context.Context, id, owner string, r io.Reader) error {
	known, err := e.find(ctx, id)
	switch {
	case err != nil:
		return err
	case known != nil && known.read().Phase != "":
		return engine.ErrStarted
	}
	if err := e.agent.check(); err != nil {
		return err
	}
	request, err := e.hub.newRequest(ctx, http.MethodPut, workService+agentPath(id, "work"), r)
	if err != nil {
		return err
	}
	request.Header.Set(agentapi.OwnerHeader, owner)
	response, err := e.hub.transport.RoundTrip(request)
	if err != nil {
		return unreachable(errors.Join(err, ctx.Err()))
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return agentapi.ReadProblem(response)
	}
	return nil
}

// LimitHistory implements engine.Versioner.
func (e *Engine) LimitHistory(ctx context.Context, owner string, bytes int64) error {
	if kind, _ := e.agent.read(); kind != agentPresent {
		return nil
	}
	return e.hub.callAgent(ctx, http.MethodPut, "history", agentapi.Limit{Owner: owner, Bytes: bytes}, nil)
}

var _ engine.Versioner = (*Engine)(nil)
