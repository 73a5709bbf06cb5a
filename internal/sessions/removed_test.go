package sessions

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sqldb"
)

// onRemovedEngine creates a session in a state on an engine that isn't in the configuration.
func (w *world) onRemovedEngine(status Status) Session {
	w.t.Helper()
	id, err := w.store.Create(w.t.Context(), Session{
		SessionName: string(status) + sqldb.NewID(), UserID: w.ann.Email, Engine: "hub", accountID: w.ann.AccountID,
	}, "", 0, 100)
	check(w.t, err)
	_, err = w.store.Settle(w.t.Context(), w.row(id), status, "")
	check(w.t, err)
	return w.row(id)
}

func TestSessionsOfARemovedEngineAreGivenUpInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	running, starting, ended := w.onRemovedEngine(Running), w.onRemovedEngine(Created), w.onRemovedEngine(Finished)
	check(t, w.service.settleRemoved(t.Context(), false))
	if got := w.row(running.ID); got.Status != Running {
		t.Errorf("at once it is %s", got.Status)
	}
	check(t, w.service.settleRemoved(t.Context(), true))
	for _, id := range []string{running.ID, starting.ID} {
		if got := w.row(id); got.Status != Failed || !strings.Contains(got.StatusReason, "“hub”") || !strings.Contains(got.StatusReason, "help@example.org") {
			t.Errorf("it became %s: %s", got.Status, got.StatusReason)
		}
	}
	if got := w.row(ended.ID); got.Status != Finished {
		t.Errorf("one that had ended became %s", got.Status)
	}
}

func TestSessionsOfARemovedEngineCanBeTerminatedAndDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.service.settleTime = time.Hour // neither waits for an engine
	ctx, cancel := context.WithTimeout(w.as(w.ann), 30*time.Second)
	defer cancel()
	var log strings.Builder
	w.service.Logger = slog.New(slog.NewTextHandler(&log, nil))
	terminated, gone := w.onRemovedEngine(Running), w.onRemovedEngine(Running)
	w.service.warnOfRemoved(ctx)
	if text := log.String(); !strings.Contains(text, "engine=hub sessions=2") {
		t.Errorf("the operators are told %s", text)
	}
	w.run(w.service)
	if got, err := w.service.Terminate(ctx, terminated.ID); err != nil || got.Status != Terminated {
		t.Errorf("it is %s, %v", got.Status, err)
	}
	check(t, w.service.Delete(ctx, []string{gone.ID, terminated.ID}, false))
	if list, err := w.service.List(w.as(w.ann), Filter{}); err != nil || len(list) != 0 {
		t.Errorf("%d sessions are listed, %v", len(list), err)
	}
}

func TestCallsAboutASessionOfARemovedEngineSaySo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.onRemovedEngine(Finished)
	api := w.api()
	for _, one := range []struct{ method, path string }{
		{http.MethodGet, "/work.zip"}, {http.MethodPost, "/work-link"}, {http.MethodGet, "/log"}, {http.MethodPatch, "?status=CREATED"},
	} {
		answer := call(api, one.method, "/sessions/"+session.ID+one.path, "ann")
		w.wantStatus(one.method+one.path, answer, http.StatusConflict)
		if text := answer.Body.String(); !strings.Contains(text, "engine, “hub”, is no longer part of this server.") {
			t.Errorf("%s%s: %s", one.method, one.path, text)
		}
	}
	if page := w.launchPage(session); !strings.Contains(page, "no longer part of this server") || !strings.Contains(page, `id="start" hidden`) {
		t.Errorf("the launch page is\n%s", page)
	}
}
