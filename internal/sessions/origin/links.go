package origin

import (
	"context"
	"net/url"

	"cairn/internal/foundation/audit"
	"cairn/internal/people/identity"
)

// Links makes addresses at the session origin that work once, for the browser of the caller.
type Links struct {
	store   *accessStore
	address AddressTemplate
}

// Enter implements sessions.Links.
func (l *Links) Enter(ctx context.Context, sessionID string, events ...audit.Event) (string, error) {
	return l.issue(ctx, sessionID, ticketKind, "enter", events)
}

// Work returns the address that downloads a session's work once. The query may name a version, and a path in it.
func (l *Links) Work(ctx context.Context, sessionID string, query url.Values, events ...audit.Event) (string, error) {
	address, err := l.issue(ctx, sessionID, workKind, "work.zip", events)
	if len(query) > 0 {
		address += "&" + query.Encode()
	}
	return address, err
}

// issue returns the address of one of our own pages at a session's origin, with a secret that works there once.
func (l *Links) issue(ctx context.Context, sessionID, kind, page string, events []audit.Event) (string, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return "", err
	}
	ticket, err := l.store.issue(ctx, kind, accessGrant{sessionID: sessionID, accountID: caller.AccountID, login: caller.Login}, events...)
	return l.address.Origin(sessionKind, sessionID) + ownPath(sessionID, page) + "?ticket=" + ticket, err
}
