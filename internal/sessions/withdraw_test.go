package sessions

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sqldb/sqldbtest"

	"github.com/coder/websocket"
)

func TestDisabledAccountsSessionsAreStoppedAndTheirWorkIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	running := w.running("Running")
	w.machine.Put(running.ID, "notes.txt", "kept")
	starting := w.start("Starting")
	w.launched(starting.ID)

	w.enable(w.ann.Email, false)
	for _, id := range []string{running.ID, starting.ID} {
		if got := w.waitFor(id, Finished); !strings.Contains(got.StatusReason, "disabled") {
			t.Errorf("the reason is %q", got.StatusReason)
		}
	}
	var work strings.Builder
	if err := w.service.Engines[0].Archive(t.Context(), running.ID, &work); err != nil || !strings.Contains(work.String(), "notes.txt") {
		t.Errorf("the work is gone: %v", err)
	}
	if _, err := w.service.Restart(w.as(w.person("ann")), running.ID); err == nil {
		t.Error("a disabled account started its session again")
	}
}

// openSocket opens a websocket into a session and returns a channel that is closed when it ends.
func (w *world) openSocket(session Session, cookie string) (ended chan struct{}) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	address := "ws" + strings.TrimPrefix(w.inside(session, "echo"), "http")
	connection, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: browser(w.t, w.service.Gateway()), HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {w.origin(session)}},
	})
	check(w.t, err)
	check(w.t, connection.Write(ctx, websocket.MessageText, []byte("here")))
	if _, got, err := connection.Read(ctx); err != nil || string(got) != "here" {
		w.t.Fatalf("got %q, %v", got, err)
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_, _, _ = connection.Read(ctx)
	}()
	return ended
}

// TestOpenWebsocketsEndWithTheRight closes "a proxied session's cookie never outlives its owner's right to it"
// (CVE-2026-56750, GHSA-3rw9-wmc8-8948), for connections that are open already.
func TestOpenWebsocketsEndWithTheRight(t *testing.T) {
	t.Parallel()
	for name, takeAway := range map[string]func(w *world){
		"signed out":                    func(w *world) { check(w.t, w.service.EndAccess(w.as(w.ann))) },
		"signed out at another replica": func(w *world) { check(w.t, w.store.Withdraw(w.t.Context(), w.ann)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldAt(t, hostForm)
			session := w.running("Session")
			w.service.accessTime = 10 * time.Millisecond
			if name == "signed out" {
				w.service.accessTime = time.Hour // the sign-out itself must end it
			}
			ended := w.openSocket(session, w.enter(session, w.ann))
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
	w := newWorldAt(t, hostForm)
	w.service.accessTime = time.Hour
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	w.upstream.answer = func(_ http.ResponseWriter, r *http.Request) {
		check(t, w.service.EndAccess(w.as(w.ann)))
		<-r.Context().Done()
	}
	answer := w.visit(http.MethodGet, w.inside(session, "events"), "Cookie", cookie, "Accept", "text/event-stream")
	if answer.Code != http.StatusUnauthorized {
		t.Errorf("got %d", answer.Code)
	}
}

// A notebook with many tabs holds many connections, and all of them hang on one right.
func TestTheRightOfManyConnectionsIsCheckedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := w.reconciled("Session")
	reads := sqldbtest.CountReads(t, w.store.db)
	w.service.passTime, w.service.accessTime = time.Hour, time.Hour
	cookie := w.enter(session, w.ann)
	var open []chan struct{}
	for range 5 {
		open = append(open, w.openSocket(session, cookie))
	}
	check(t, w.store.Withdraw(t.Context(), w.ann)) // as another process does
	before := reads.Statements.Load()
	w.service.passes.Forget()
	w.service.withdrawn.notify()
	for _, ended := range open {
		<-ended
	}
	if got := reads.Statements.Load() - before; got != 1 {
		t.Errorf("the end of a right was read by %d statements", got)
	}
	eventually(t, "nothing is watched any more", func() bool {
		w.service.mutex.Lock()
		defer w.service.mutex.Unlock()
		return len(w.service.watched) == 0
	})
}

func TestOtherLoginsWebsocketsStayOpen(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	phone, laptop := w.ann, w.ann
	phone.Login, laptop.Login = "phone", "laptop"
	stays := w.openSocket(session, w.enter(session, laptop))
	ends := w.openSocket(session, w.enter(session, phone))
	check(t, w.service.EndAccess(w.as(phone)))
	<-ends
	select {
	case <-stays:
		t.Error("signing out on the phone ended the laptop's connection")
	default:
	}
}
