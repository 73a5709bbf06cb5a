package jupyterhub

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// users are those that exist on the hub, as far as is known.
type users struct {
	hub *client

	// mu guards the field below.
	mu    sync.Mutex
	known map[string]bool
}

// ensure creates a user on the hub unless there is one. reason says why the hub doesn't accept it.
func (u *users) ensure(ctx context.Context, user string) (reason string, err error) {
	u.mu.Lock()
	known := u.known[user]
	u.mu.Unlock()
	if known {
		return "", nil
	}
	_, err = u.hub.call(ctx, http.MethodPost, userPath(user), nil, nil)
	switch said := refusedBy(err); {
	case err == nil || statusOf(err) == http.StatusConflict:
		u.mu.Lock()
		u.known[user] = true
		u.mu.Unlock()
		return "", nil
	case said != nil:
		return fmt.Sprintf("The hub doesn't accept a user named %s: %s.", user, strings.TrimRight(said.message, ". ")), nil //nolint:nilerr // it is the reason
	}
	return "", err
}

// forget makes the next launch of a user ask the hub for it again.
func (u *users) forget(user string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.known, user)
}
