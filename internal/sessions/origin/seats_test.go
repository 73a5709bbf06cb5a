package origin_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/shares"

	"github.com/coder/websocket"
)

// workshopID is a workshop's.
const workshopID = "01900000-0000-7000-8000-0000000000ff"

// seats are workshops that note what they are asked.
type seats struct {
	mu       sync.Mutex
	asked    []string // protected by mu, like the others
	err      error    // what the next requests get
	observed []string // the ids of sessions and the subprotocols
	taps     []*noted
}

// noted is what has passed on one connection.
type noted struct {
	mu         sync.Mutex
	fromPage   bytes.Buffer // protected by mu, like the others
	fromKernel bytes.Buffer
	done       int // how often it has ended
}

func (n *noted) FromPage(p []byte)   { n.mu.Lock(); defer n.mu.Unlock(); n.fromPage.Write(p) }
func (n *noted) FromKernel(p []byte) { n.mu.Lock(); defer n.mu.Unlock(); n.fromKernel.Write(p) }
func (n *noted) end()                { n.mu.Lock(); defer n.mu.Unlock(); n.done++ }

func (n *noted) ended() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.done
}

// passed returns the bytes of both directions.
func (n *noted) passed() (fromPage, fromKernel []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.fromPage.Bytes()), slices.Clone(n.fromKernel.Bytes())
}

func (s *seats) note(ctx context.Context, text string) error {
	caller, _ := identity.From(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, caller.Email+" "+text)
	return s.err
}

// fail has all requests fail from now on.
func (s *seats) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// taken returns what was asked since the last time.
func (s *seats) taken() (asked []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, s.asked = s.asked, nil
	return asked
}

func (s *seats) SeatState(_ context.Context, session sessions.Session, owner bool) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"id": session.Workshop, "owner": owner}, s.err
}

func (s *seats) SetHandOf(ctx context.Context, session sessions.Session, up bool) error {
	return s.note(ctx, fmt.Sprint("hand of ", session.ID, " ", up))
}

func (s *seats) AnswerAsk(ctx context.Context, session sessions.Session, ask string, granted bool) error {
	return s.note(ctx, fmt.Sprint("ask ", ask, " of ", session.ID, " ", granted))
}

func (s *seats) Observe(session sessions.Session, subprotocol string) (tap origin.Tap, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := &noted{}
	s.observed, s.taps = append(s.observed, session.ID+" "+subprotocol), append(s.taps, one)
	return one, one.end
}

// connections returns what has passed on each connection that was observed, and which these are.
func (s *seats) connections() (taps []*noted, observed []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.taps), slices.Clone(s.observed)
}

// seated creates a world with workshops, a session of ann's that has a seat in one, and one that has none.
func seated(t *testing.T) (w *world, known *seats, seat, other sessions.Session) {
	t.Helper()
	w = newWorldAt(t, sessionstest.HostForm)
	known = &seats{}
	w.Server.Gateway.Seats = known
	seat, other = w.Running("seat"), w.Running("other")
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE session SET workshop_id = $1 WHERE id = $2`, workshopID, seat.ID)
		return err
	}))
	w.Server.Gateway.ForgetGrants()
	return w, known, w.Row(seat.ID), other
}

// shareWith lets somebody enter a session of ann's.
func (w *world) shareWith(session sessions.Session, caller identity.Caller) {
	w.T.Helper()
	_, err := w.Server.Shares.Create(w.As(w.Ann), session.ID, shares.Wanted{With: shares.With{Email: caller.Email}, Can: shares.Edit})
	sessionstest.Check(w.T, err)
}

// seatRequests are what the pages of a seat can ask for, and what that is to the workshop.
var seatRequests = []struct{ method, path, asked string }{
	{http.MethodPost, "hand", "hand of SESSION true"},
	{http.MethodDelete, "hand", "hand of SESSION false"},
	{http.MethodPost, "asks/" + sessionstest.OtherID, "ask " + sessionstest.OtherID + " of SESSION true"},
	{http.MethodPost, "asks/" + sessionstest.OtherID + "?granted=true", "ask " + sessionstest.OtherID + " of SESSION true"},
	{http.MethodPost, "asks/" + sessionstest.OtherID + "?granted=false", "ask " + sessionstest.OtherID + " of SESSION false"},
}

func TestOnlyWhoeverHasASeatRaisesItsHandAndLetsHostsIn(t *testing.T) {
	t.Parallel()
	w, known, seat, other := seated(t)
	w.shareWith(seat, w.Bob)
	cookie, otherCookie, guest := w.Enter(seat, w.Ann), w.Enter(other, w.Ann), w.Enter(seat, w.Bob)
	send := func(session sessions.Session, method, path string, headers ...string) *httptest.ResponseRecorder {
		return w.Visit(method, w.Origin(session)+"/.cairn/s/"+session.ID+"/"+path, headers...)
	}
	site, otherSite := w.Origin(seat), w.Origin(other)
	for _, request := range seatRequests {
		what := request.method + " " + request.path
		for who, test := range map[string]struct {
			session sessions.Session
			status  int
			headers []string
		}{
			"no cookie":                    {seat, http.StatusUnauthorized, []string{"Origin", site}},
			"another session's cookie":     {seat, http.StatusUnauthorized, []string{"Origin", site, "Cookie", strings.ReplaceAll(otherCookie, other.ID, seat.ID)}},
			"a guest of the session":       {seat, http.StatusForbidden, []string{"Origin", site, "Cookie", guest}},
			"no origin":                    {seat, http.StatusForbidden, []string{"Cookie", cookie}},
			"another site":                 {seat, http.StatusForbidden, []string{"Cookie", cookie, "Origin", "https://evil.example"}},
			"the catalog's page":           {seat, http.StatusForbidden, []string{"Cookie", cookie, "Origin", sessionstest.Public}},
			"another session's page":       {seat, http.StatusForbidden, []string{"Cookie", cookie, "Origin", otherSite}},
			"a session outside a workshop": {other, http.StatusNotFound, []string{"Cookie", otherCookie, "Origin", otherSite}},
		} {
			w.WantStatus(what+" of "+who, send(test.session, request.method, request.path, test.headers...), test.status)
		}
		w.WantStatus(what+" as a link", send(seat, http.MethodGet, request.path, "Cookie", cookie), http.StatusNotFound)
		if asked := known.taken(); len(asked) > 0 {
			t.Fatalf("%s: the workshop was asked for %q", what, asked)
		}

		answer := send(seat, request.method, request.path, "Cookie", cookie, "Origin", site)
		w.WantStatus(what, answer, http.StatusOK)
		if state := sessionstest.Decode[origin.PageState](t, answer); state.Code != "running" || state.Session == nil || state.Session.Workshop == nil {
			t.Errorf("%s answers %+v", what, state)
		}
		want := w.Ann.Email + " " + strings.ReplaceAll(request.asked, "SESSION", seat.ID)
		if asked := known.taken(); !slices.Equal(asked, []string{want}) {
			t.Errorf("%s asks for %q, want %q", what, asked, want)
		}

		known.fail(fault.New(fault.Conflict, "Somebody has answered this."))
		w.WantStatus(what+", which fails", send(seat, request.method, request.path, "Cookie", cookie, "Origin", site, "Accept", "application/json"), http.StatusConflict)
		known.fail(nil)
		known.taken()
	}
	w.Server.Gateway.Seats = nil
	for _, request := range seatRequests {
		w.WantStatus("without workshops", send(seat, request.method, request.path, "Cookie", cookie, "Origin", site), http.StatusNotFound)
	}
}

func TestStateSaysWhatAWorkshopSaysToItsSeatsAlone(t *testing.T) {
	t.Parallel()
	w, known, seat, other := seated(t)
	w.shareWith(seat, w.Bob)
	w.shareWith(other, w.Bob)
	said := func(session sessions.Session, caller identity.Caller) any {
		t.Helper()
		state := w.pageState(session, w.Enter(session, caller), http.StatusOK)
		if state.Code != "running" || state.Session == nil {
			t.Fatalf("the state is %+v", state)
		}
		return state.Session.Workshop
	}
	for _, test := range []struct {
		caller identity.Caller
		owner  bool
	}{{w.Ann, true}, {w.Bob, false}} {
		if got, want := fmt.Sprint(said(seat, test.caller)), fmt.Sprint(map[string]any{"id": workshopID, "owner": test.owner}); got != want {
			t.Errorf("%s sees %s, want %s", test.caller.Email, got, want)
		}
		if got := said(other, test.caller); got != nil {
			t.Errorf("outside a workshop, %s sees %v", test.caller.Email, got)
		}
	}
	known.fail(errors.New("the database is away"))
	if got := said(seat, w.Ann); got != nil {
		t.Errorf("of a workshop that can't be read it's %v", got)
	}
	known.fail(nil)
	w.Server.Gateway.Seats = nil
	if got := said(seat, w.Ann); got != nil {
		t.Errorf("without workshops it's %v", got)
	}
}

const kernelProtocol = "v1.kernel.websocket.jupyter.org"

// kernel answers like a kernel of Jupyter that echoes, and would compress.
func kernel(rw http.ResponseWriter, r *http.Request) {
	connection, err := websocket.Accept(rw, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, Subprotocols: []string{kernelProtocol}, CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		return
	}
	for {
		kind, message, err := connection.Read(r.Context())
		if err != nil || connection.Write(r.Context(), kind, append([]byte("echo of "), message...)) != nil {
			return
		}
	}
}

// dialKernel opens a websocket at a path of a session, as a browser that would compress, and has a message echoed.
func (w *world) dialKernel(session sessions.Session, caller identity.Caller, path, message string) *websocket.Conn {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), time.Minute)
	w.T.Cleanup(cancel)
	_, address, _ := strings.Cut(w.Inside(session, path), "://")
	connection, _, err := websocket.Dial(ctx, "ws://"+address, &websocket.DialOptions{
		HTTPClient: sessionstest.Browser(w.T, w.Server.Gateway), Subprotocols: []string{kernelProtocol}, CompressionMode: websocket.CompressionContextTakeover,
		HTTPHeader: http.Header{"Cookie": {w.Enter(session, caller)}, "Origin": {w.Origin(session)}},
	})
	sessionstest.Check(w.T, err)
	sessionstest.Check(w.T, connection.Write(ctx, websocket.MessageText, []byte(message)))
	if _, got, err := connection.Read(ctx); err != nil || string(got) != "echo of "+message {
		w.T.Fatalf("got %q, %v", got, err)
	}
	return connection
}

// frame returns a short frame of text as it is sent, masked as the first one in sent if masked.
func frame(text string, sent []byte, masked bool) []byte {
	if !masked {
		return append([]byte{0x81, byte(len(text))}, text...)
	}
	if len(sent) < 6 {
		return nil
	}
	mask := sent[2:6]
	made := append([]byte{0x81, 0x80 | byte(len(text))}, mask...)
	for i := range len(text) {
		made = append(made, text[i]^mask[i%4])
	}
	return made
}

func TestConnectionsWithKernelsOfAWorkshopAreObserved(t *testing.T) {
	t.Parallel()
	w, known, seat, _ := seated(t)
	w.shareWith(seat, w.Bob)
	w.Upstream.AnswerWith(kernel)
	for i, caller := range []identity.Caller{w.Ann, w.Bob} { // a guest may run the cells of the seat too
		connection := w.dialKernel(seat, caller, "api/kernels/k-1/channels?session_id=1", "print(1)")
		if got := w.Upstream.Last(t).Header; got.Get("Sec-Websocket-Extensions") != "" || got.Get("Sec-Websocket-Protocol") != kernelProtocol {
			t.Errorf("the session's server was asked for extensions by %q, for protocols by %q", got.Get("Sec-Websocket-Extensions"), got.Get("Sec-Websocket-Protocol"))
		}
		taps, observed := known.connections()
		if len(taps) != i+1 || observed[i] != seat.ID+" "+kernelProtocol {
			t.Fatalf("these are observed: %q", observed)
		}
		fromPage, fromKernel := taps[i].passed()
		if !bytes.Equal(fromPage, frame("print(1)", fromPage, true)) {
			t.Errorf("from the page came %q", fromPage)
		}
		if !bytes.Equal(fromKernel, frame("echo of print(1)", nil, false)) {
			t.Errorf("from the kernel came %q", fromKernel)
		}
		if got := taps[i].ended(); got != 0 {
			t.Errorf("while it is open, it has ended %d times", got)
		}
		sessionstest.Check(t, connection.Close(websocket.StatusNormalClosure, ""))
		sessionstest.Eventually(t, "its end is told", func() bool { return taps[i].ended() > 0 })
		if got := taps[i].ended(); got != 1 {
			t.Errorf("it has ended %d times", got)
		}
	}
}

func TestNothingElseIsObserved(t *testing.T) {
	t.Parallel()
	w, known, seat, other := seated(t)
	w.Upstream.AnswerWith(kernel)
	for what, test := range map[string]struct {
		session sessions.Session
		path    string
	}{
		"a kernel outside a workshop": {other, "api/kernels/k-1/channels"},
		"a terminal of a seat":        {seat, "terminals/websocket/1"},
		"a kernel's other addresses":  {seat, "api/kernels/k-1/channels/x"},
	} {
		connection := w.dialKernel(test.session, w.Ann, test.path, "print(1)")
		if got := w.Upstream.Last(t).Header.Get("Sec-Websocket-Extensions"); !strings.Contains(got, "permessage-deflate") {
			t.Errorf("%s: the session's server was asked for the extensions %q", what, got)
		}
		sessionstest.Check(t, connection.Close(websocket.StatusNormalClosure, ""))
	}
	// A request that isn't for a websocket, or whose server refuses one, passes nothing.
	w.Upstream.AnswerWith(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) })
	w.WantStatus("no websocket", w.Visit(http.MethodGet, w.Inside(seat, "api/kernels/k-1/channels"), "Cookie", w.Enter(seat, w.Ann)), http.StatusNotFound)
	refused := w.Visit(http.MethodGet, w.Inside(seat, "api/kernels/k-2/channels"), "Cookie", w.Enter(seat, w.Ann), "Origin", w.Origin(seat),
		"Connection", "Upgrade", "Upgrade", "websocket", "Sec-Websocket-Version", "13", "Sec-Websocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==")
	w.WantStatus("a websocket that is refused", refused, http.StatusNotFound)
	if _, observed := known.connections(); len(observed) > 0 {
		t.Errorf("these are observed: %q", observed)
	}
}
