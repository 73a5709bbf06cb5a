package origin

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/shares"

	"github.com/coder/websocket"
	"github.com/danielgtaylor/huma/v2"
)

// shellWay is a way to the SSH server of a session.
type shellWay struct {
	URL       string    `json:"url" format:"uri" doc:"A websocket at the session origin: each binary message is a part of the stream of bytes of SSH"`
	Ticket    string    `json:"ticket" doc:"Goes into the header Authorization, as Bearer TICKET; it works once"`
	ExpiresAt time.Time `json:"expiresAt"`
}

type shellOutput struct{ Body shellWay }

// shellRoutes registers the operation that gives a way to the SSH server of a session.
func (g *Gateway) shellRoutes(api *httpapi.API) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "open-shell", Method: http.MethodPost, Path: "/sessions/{id}/ssh", Tags: []string{"Sessions"},
		Summary: "Get a way to the SSH server of a running session",
		Description: "Where operators allow it (sessions.ssh); `cairn ssh` uses it. The connection ends within seconds after the access token with " +
			"which it was asked for is revoked, the account is disabled, or the session ends. While it is open, the session counts as one that is " +
			"open in a browser.",
		DefaultStatus: http.StatusCreated,
	}, func(ctx context.Context, input *struct {
		ID string `path:"id"`
	},
	) (*shellOutput, error) {
		way, err := g.openShell(ctx, input.ID)
		return &shellOutput{Body: way}, err
	})
}

func (g *Gateway) openShell(ctx context.Context, id string) (way shellWay, err error) {
	session, err := g.Sessions.Own(ctx, id)
	if err != nil {
		return way, err
	}
	if _, err := g.shellDialer(session); err != nil {
		return way, err
	}
	if session.Status != sessions.Running {
		return way, engine.ErrNotRunning
	}
	caller, err := identity.Require(ctx)
	if err != nil {
		return way, err
	}
	holder := accessGrant{sessionID: id, accountID: caller.AccountID, login: caller.Login}
	if token := identity.TokenID(ctx); token != "" {
		holder.login = tokenLogin + token
	}
	switch _, _, err := g.access.check(ctx, holder); {
	case errors.Is(err, errNoAccess):
		return way, fault.Wrap(err, fault.Unauthenticated, "It's too long ago that you signed in on the page of this catalog. Sign in there once, and try again.")
	case err != nil:
		return way, err
	}
	ticket, err := g.links.store.issue(ctx, shellKind, holder, sessions.AuditEvent(audit.OpenSession, []string{id}))
	address := g.links.address.Origin(sessionKind, id) + ownPath(id, "ssh")
	return shellWay{
		URL: "ws" + strings.TrimPrefix(address, "http"), Ticket: ticket, ExpiresAt: g.Now().Add(shellTicketLifetime).UTC().Truncate(time.Second),
	}, err
}

// shellDialer returns the engine of a session as one whose sessions have SSH servers.
func (g *Gateway) shellDialer(session sessions.Session) (engine.ShellDialer, error) {
	chosen, err := g.Engines.Of(session.Engine)
	if err != nil {
		return nil, err
	}
	if dialer, ok := chosen.Engine.(engine.ShellDialer); ok {
		return dialer, nil
	}
	return nil, fault.New(fault.NotFound, "Sessions of this kind have no SSH.")
}

// shell connects the holder of a ticket with the SSH server of a session.
func (g *Gateway) shell(w http.ResponseWriter, r *http.Request, id string) {
	ticket, given := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !given || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		g.refuse(w, r, http.StatusUnauthorized, id, "This address is for cairn ssh.")
		return
	}
	if g.Sockets.OpenSockets(id) >= connectionsPerSession {
		g.refuse(w, r, http.StatusTooManyRequests, id, "This session has too many open connections. Close some.")
		return
	}
	secret, right, err := g.access.exchange(r.Context(), shellKind, ticket, id)
	if err == nil && right.Level != shares.Owner { // tickets are for owners, who can't stop being one
		err = errNoAccess
	}
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	ctx, leave := g.access.watch(r.Context(), secret, id) // the secret is a cookie that no browser gets
	defer leave()
	defer g.access.forget(context.WithoutCancel(ctx), secret)
	dialer, err := g.shellDialer(right.Session)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	inside, err := dialer.DialShell(ctx, id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	defer inside.Close()
	outside, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer g.Sockets.countSocket(id)()
	renewing := g.access.keepRenewing(ctx, secret)
	defer renewing()
	join(ctx, websocket.NetConn(ctx, outside, websocket.MessageBinary), inside)
}

// connectionsPerSession is the maximum number of open connections of a session at which another one to its shell is made.
const connectionsPerSession = 100

// join copies the bytes of a connection from outside into a box and back, until either or the context ends; both are closed then.
func join(ctx context.Context, outside, inside net.Conn) {
	end := func() { _, _ = outside.Close(), inside.Close() }
	defer context.AfterFunc(ctx, end)()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer end()
		_, _ = io.Copy(hurried{inside}, outside)
	}()
	_, _ = io.Copy(outside, inside)
	end()
	<-done
}

// hurried is a connection into a box, whose code may have taken the place of our server, and may read nothing: then nobody would see
// that the client is gone.
type hurried struct{ net.Conn }

// writeTime is how long what a client sends may wait for the box.
const writeTime = time.Minute

// Write implements io.Writer.
func (h hurried) Write(data []byte) (int, error) {
	if err := h.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return 0, err
	}
	return h.Conn.Write(data)
}
