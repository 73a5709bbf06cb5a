package origin_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
)

// What is remembered of a cookie costs no query, and ends with a sign-out, with a change of the session, and by time.
func TestCookiesThatWereJustLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	w.Server.Gateway.SetTimes(time.Hour, time.Hour)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	visit := func(what string, status int) {
		t.Helper()
		w.WantStatus(what, w.Visit(http.MethodGet, w.Inside(session, "api/status"), "Cookie", cookie), status)
	}
	visit("at first", http.StatusOK)
	sessionstest.Check(t, w.secrets().Revoke(t.Context(), w.Ann))
	visit("signed out by another process just now", http.StatusOK)
	w.Server.Changes.Announce()
	visit("after any change", http.StatusUnauthorized)

	cookie = w.Enter(session, w.Ann)
	visit("entered again", http.StatusOK)
	w.SignOut(w.Ann)
	visit("signed out here", http.StatusUnauthorized)

	cookie = w.Enter(session, w.Ann)
	visit("entered again", http.StatusOK)
	w.Machine.End(session.ID, true, "")
	w.WaitFor(session.ID, sessions.Finished)
	sessionstest.Eventually(t, "the end is seen", func() bool {
		return w.Visit(http.MethodGet, w.Inside(session, "api/status"), "Cookie", cookie).Code == http.StatusConflict
	})

	w.Server.Gateway.SetTimes(time.Minute, time.Hour)
	w.Server.Gateway.ForgetGrants()
	visit("not running", http.StatusConflict)
	sessionstest.Check(t, w.secrets().Revoke(t.Context(), w.Ann))
	w.Clock.Advance(time.Minute)
	visit("when the time is over", http.StatusUnauthorized)
}
