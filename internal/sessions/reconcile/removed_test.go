package reconcile_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// onRemovedEngine creates a session in a state on an engine that isn't in the configuration.
func (w *world) onRemovedEngine(status sessions.Status) sessions.Session {
	w.T.Helper()
	id, err := w.Store.Create(w.T.Context(), sessions.Session{
		SessionName: string(status) + sqldb.NewID(), UserID: w.Ann.Email, Engine: "hub", AccountID: w.Ann.AccountID,
	}, "", 0, 100)
	sessionstest.Check(w.T, err)
	_, err = w.Store.Settle(w.T.Context(), w.Row(id), status, "")
	sessionstest.Check(w.T, err)
	return w.Row(id)
}

func TestSessionsOfARemovedEngineAreGivenUpInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	running, starting, ended := w.onRemovedEngine(sessions.Running), w.onRemovedEngine(sessions.Created), w.onRemovedEngine(sessions.Finished)
	sessionstest.Check(t, w.Server.Reconciler.SettleRemoved(t.Context(), false))
	if got := w.Row(running.ID); got.Status != sessions.Running {
		t.Errorf("at once it is %s", got.Status)
	}
	sessionstest.Check(t, w.Server.Reconciler.SettleRemoved(t.Context(), true))
	for _, id := range []string{running.ID, starting.ID} {
		if got := w.Row(id); got.Status != sessions.Failed || !strings.Contains(got.StatusReason, "“hub”") || !strings.Contains(got.StatusReason, "help@example.org") {
			t.Errorf("it became %s: %s", got.Status, got.StatusReason)
		}
	}
	if got := w.Row(ended.ID); got.Status != sessions.Finished {
		t.Errorf("one that had ended became %s", got.Status)
	}
}

func TestSessionsOfARemovedEngineCanBeTerminatedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Server.Settle = time.Hour // neither waits for an engine
	ctx, cancel := context.WithTimeout(w.As(w.Ann), 30*time.Second)
	defer cancel()
	var log strings.Builder
	w.Server.Reconciler.Logger = slog.New(slog.NewTextHandler(&log, nil))
	terminated, gone := w.onRemovedEngine(sessions.Running), w.onRemovedEngine(sessions.Running)
	w.Server.Reconciler.WarnOfRemoved(ctx)
	if text := log.String(); !strings.Contains(text, "engine=hub sessions=2") {
		t.Errorf("the operators are told %s", text)
	}
	w.Run(w.Server)
	if got, err := w.Server.Terminate(ctx, terminated.ID); err != nil || got.Status != sessions.Terminated {
		t.Errorf("it is %s, %v", got.Status, err)
	}
	sessionstest.Check(t, w.Server.Delete(ctx, []string{gone.ID, terminated.ID}, false))
	if list, err := w.Server.List(w.As(w.Ann), sessions.Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
}

func TestCallsAboutASessionOfARemovedEngineSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.onRemovedEngine(sessions.Finished)
	api := w.API()
	for _, one := range []struct{ method, path string }{
		{http.MethodGet, "/work.zip"}, {http.MethodPost, "/work-link"}, {http.MethodGet, "/log"}, {http.MethodPatch, "?status=CREATED"},
	} {
		answer := sessionstest.Call(api, one.method, "/sessions/"+session.ID+one.path, "ann")
		w.WantStatus(one.method+one.path, answer, http.StatusConflict)
		if text := answer.Body.String(); !strings.Contains(text, "engine, “hub”, is no longer part of this server.") {
			t.Errorf("%s%s: %s", one.method, one.path, text)
		}
	}
	if page := w.LaunchPage(session); !strings.Contains(page, "no longer part of this server") || !strings.Contains(page, `id="start" hidden`) {
		t.Errorf("the launch page is\n%s", page)
	}
}
