package origin_test

import (
	"net/http"
	"testing"
	"time"

	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sessions/sessionstest"
)

// TestOpenWebsocketsEndWithTheRight closes "a proxied session's cookie never outlives its owner's right to it"
// (CVE-2026-56750, GHSA-3rw9-wmc8-8948), for connections that are open already.
func TestOpenWebsocketsEndWithTheRight(t *testing.T) {
	t.Parallel()
	for name, takeAway := range map[string]func(w *world){
		"signed out":                    func(w *world) { w.SignOut(w.Ann) },
		"signed out at another replica": func(w *world) { sessionstest.Check(w.T, w.secrets().Revoke(w.T.Context(), w.Ann)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldAt(t, sessionstest.HostForm)
			session := w.Running("Session")
			w.Server.Gateway.SetTimes(0, 10*time.Millisecond)
			if name == "signed out" {
				w.Server.Gateway.SetTimes(0, time.Hour) // the sign-out itself must end it
			}
			ended := w.OpenSocket(session, w.Enter(session, w.Ann))
			takeAway(w)
			select {
			case <-ended:
			case <-time.After(30 * time.Second):
				t.Error("the websocket is still open")
			}
		})
	}
}

func TestStreamsThatWaitAreRefusedOnceTheRightIsGone(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	w.Server.Gateway.SetTimes(0, time.Hour)
	session := w.Running("Session")
	cookie := w.Enter(session, w.Ann)
	w.Upstream.AnswerWith(func(_ http.ResponseWriter, r *http.Request) {
		w.SignOut(w.Ann)
		<-r.Context().Done()
	})
	answer := w.Visit(http.MethodGet, w.Inside(session, "events"), "Cookie", cookie, "Accept", "text/event-stream")
	if answer.Code != http.StatusUnauthorized {
		t.Errorf("got %d", answer.Code)
	}
}

// A notebook with many tabs holds many connections, and all of them hang on one right.
func TestTheRightOfManyConnectionsIsCheckedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.Reconciled("Session")
	reads := sqldbtest.CountReads(t, w.Database)
	w.Server.Gateway.SetTimes(time.Hour, time.Hour)
	cookie := w.Enter(session, w.Ann)
	var open []chan struct{}
	for range 5 {
		open = append(open, w.OpenSocket(session, cookie))
	}
	sessionstest.Check(t, w.secrets().Revoke(t.Context(), w.Ann)) // as another process does
	before := reads.Statements.Load()
	w.Server.Gateway.ForgetGrants()
	w.Server.Gateway.Recheck()
	for _, ended := range open {
		<-ended
	}
	if got := reads.Statements.Load() - before; got != 1 {
		t.Errorf("the end of a right was read by %d statements", got)
	}
	sessionstest.Eventually(t, "nothing is watched any more", func() bool {
		return w.Server.Gateway.Watched() == 0
	})
}

func TestOtherLoginsWebsocketsStayOpen(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, sessionstest.HostForm)
	session := w.Running("Session")
	phone, laptop := w.Ann, w.Ann
	phone.Login, laptop.Login = "phone", "laptop"
	stays := w.OpenSocket(session, w.Enter(session, laptop))
	ends := w.OpenSocket(session, w.Enter(session, phone))
	w.SignOut(phone)
	<-ends
	select {
	case <-stays:
		t.Error("signing out on the phone ended the laptop's connection")
	default:
	}
}
