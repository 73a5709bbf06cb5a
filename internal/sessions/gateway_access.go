package sessions

import (
	"context"
	"net/http"
	"strings"
	"time"

	"cairn/internal/fault"
	"cairn/internal/identity"
)

// livesOn reports whether a request may last long after its right was checked: websockets and event streams.
func livesOn(r *http.Request) bool {
	return r.Header.Get("Upgrade") != "" || strings.Contains(r.Header.Get("Accept"), "text/event-stream") ||
		r.URL.Path == ownPath(r.PathValue("id"), "events") // whatever its Accept header says
}

// accessTime is the default of Service.accessTime.
const accessTime = 5 * time.Second

// watchedAccess is a cookie's right, shared by the open connections to a session.
type watchedAccess struct {
	gone        context.Context // ends with the right, or with the last connection
	end         context.CancelFunc
	connections int
}

// watch returns a context that ends with ctx, or soon after the cookie's right to the session is gone, and a function
// to call when the connection is over. The right is checked once for all connections with the same cookie.
func (g *gateway) watch(ctx context.Context, secret, id string) (context.Context, func()) {
	key := id + secret
	g.mutex.Lock()
	defer g.mutex.Unlock()
	shared := g.watched[key]
	if shared == nil || shared.gone.Err() != nil {
		shared = &watchedAccess{}
		shared.gone, shared.end = context.WithCancel(context.WithoutCancel(ctx)) // others may outlive the first connection
		g.watched[key] = shared
		go g.watchAccess(shared, g.withdrawn.next(), secret, id)
	}
	shared.connections++
	ctx, end := context.WithCancelCause(ctx)
	forget := context.AfterFunc(shared.gone, func() { end(errNoPass) })
	return ctx, func() {
		forget()
		end(nil)
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if shared.connections--; shared.connections == 0 {
			shared.end()
			if g.watched[key] == shared {
				delete(g.watched, key)
			}
		}
	}
}

// watchAccess ends connections when their right is gone. A database that doesn't answer ends nothing.
func (g *gateway) watchAccess(shared *watchedAccess, withdrawn <-chan struct{}, secret, id string) {
	for {
		select {
		case <-withdrawn:
		case <-time.After(g.accessTime):
		case <-shared.gone.Done():
			return
		}
		withdrawn = g.withdrawn.next()
		_, err := g.admitted(shared.gone, secret, id)
		switch fault.KindOf(err) {
		case fault.Unauthenticated, fault.Forbidden, fault.NotFound:
			shared.end()
			return
		}
	}
}

const (
	// passTime is the default of Service.passTime: how long a right that another process revoked may live on. A page of
	// Jupyter takes some forty requests, which would send four queries each.
	passTime = time.Second
	// passesKept is the maximum number of cached passes.
	passesKept = 10_000
)

// passed caches whom a cookie has just admitted to which session. It is dropped whenever a session changes or somebody
// signs out.
type passed struct {
	holder  pass
	caller  identity.Caller
	session Session
}
