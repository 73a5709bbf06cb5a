package sessions

import (
	"net/http"
	"testing"
	"time"
)

// What is remembered of a cookie costs no query, and ends with a sign-out, with a change of the session, and by time.
func TestCookiesThatWereJustLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	w.service.passTime = time.Hour
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	visit := func(what string, status int) {
		t.Helper()
		w.wantStatus(what, w.visit(http.MethodGet, w.inside(session, "api/status"), "Cookie", cookie), status)
	}
	visit("at first", http.StatusOK)
	check(t, w.store.Withdraw(t.Context(), w.ann))
	visit("signed out by another process just now", http.StatusOK)
	w.service.announce()
	visit("after any change", http.StatusUnauthorized)

	cookie = w.enter(session, w.ann)
	visit("entered again", http.StatusOK)
	check(t, w.service.EndAccess(w.as(w.ann)))
	visit("signed out here", http.StatusUnauthorized)

	cookie = w.enter(session, w.ann)
	visit("entered again", http.StatusOK)
	w.machine.End(session.ID, true, "")
	w.waitFor(session.ID, Finished)
	eventually(t, "the end is seen", func() bool {
		return w.visit(http.MethodGet, w.inside(session, "api/status"), "Cookie", cookie).Code == http.StatusConflict
	})

	w.service.passTime = time.Minute
	w.service.passes.Forget()
	visit("not running", http.StatusConflict)
	check(t, w.store.Withdraw(t.Context(), w.ann))
	w.clock.advance(time.Minute)
	visit("when the time is over", http.StatusUnauthorized)
}
