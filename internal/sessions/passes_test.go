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

	w.service.passTime = time.Millisecond
	w.service.passes.forget()
	visit("not running", http.StatusConflict)
	check(t, w.store.Withdraw(t.Context(), w.ann))
	eventually(t, "the time is over", func() bool {
		return w.visit(http.MethodGet, w.inside(session, "api/status"), "Cookie", cookie).Code == http.StatusUnauthorized
	})
}

// A look that began before everything was forgotten must not bring it back.
func TestLateLooksAreNotRemembered(t *testing.T) {
	t.Parallel()
	var memory passes
	_, age, _ := memory.get("cookie")
	memory.forget()
	memory.put("cookie", passed{until: time.Now().Add(time.Hour)}, age)
	if _, _, ok := memory.get("cookie"); ok {
		t.Error("what was read before is remembered after")
	}
}
