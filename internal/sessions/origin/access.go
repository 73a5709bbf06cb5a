package origin

import (
	"context"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/memory"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/sizes"
)

const (
	// grantTime is how long a right that another process revoked may live on. A page of Jupyter takes some forty requests, which
	// would send four queries each.
	grantTime = time.Second
	// grantsKept is the maximum number of cached grants.
	grantsKept = 10_000
	// recheckTime is how often it's checked whether connections still have their right, which another process may have revoked: with
	// grantTime, they outlive it by less than five seconds.
	recheckTime = 3 * time.Second
	// forgetTime is how long the end of a connection waits for the database.
	forgetTime = 5 * time.Second
)

// cachedGrant is whom a cookie has just admitted to which session.
type cachedGrant struct {
	grant  accessGrant
	caller identity.Caller
	right  shares.Right // at least to enter
}

// session returns the session.
func (g cachedGrant) session() sessions.Session { return g.right.Session }

// isGuest reports whether the session is somebody else's.
func (g cachedGrant) isGuest() bool { return g.right.Level != shares.Owner }

// access knows who may enter which session. It drops what it has cached whenever a session changes or somebody signs out.
type access struct {
	store       *accessStore
	accounts    *identity.Service
	sessions    Sessions
	guests      Guests
	contact     string
	cookieLife  time.Duration // zero: forever
	grantTime   time.Duration
	recheckTime time.Duration
	now         func() time.Time
	grants      *memory.Cache[string, cachedGrant] // by session and cookie
	revoked     sessions.Broadcast                 // somebody's access ended

	mu      sync.Mutex
	watched map[string]*watchedGrant // protected by mu; by session and cookie
}

// watchedGrant is a cookie's right, shared by the open connections to a session.
type watchedGrant struct {
	gone        context.Context // ends with the right, or with the last connection
	end         context.CancelFunc
	connections int // protected by access.mu
}

// check returns the account behind a grant, and its right to the session, if it may still enter: it must be enabled, and own the session
// or be let in by its owner.
func (a *access) check(ctx context.Context, grant accessGrant) (identity.Caller, shares.Right, error) {
	account, err := a.accounts.Account(ctx, grant.accountID)
	if err != nil {
		return account, shares.Right{}, err
	}
	if account.Guest && !account.Enabled {
		return account, shares.Right{}, errWorkshopOver
	}
	if !account.Enabled {
		return account, shares.Right{}, fault.New(fault.NotEnabled, "Your account is not enabled for sessions. Please ask the operators%s to enable it.",
			sizes.ContactText(a.contact))
	}
	if a.cookieLife > 0 && !account.Guest && a.now().Sub(account.SeenAt) >= a.cookieLife {
		return account, shares.Right{}, errNoAccess // the provider may have ended the account
	}
	if id, byToken := strings.CutPrefix(grant.login, tokenLogin); byToken {
		if err := a.accounts.CheckToken(ctx, grant.accountID, id); err != nil {
			return account, shares.Right{}, err
		}
	}
	account.Login = grant.login
	session, err := a.sessions.OfAccount(ctx, grant.sessionID, grant.accountID)
	if fault.KindOf(err) == fault.NotFound {
		right, err := a.guests.RightToEnter(ctx, grant.sessionID, grant.accountID)
		if fault.KindOf(err) == fault.NotFound && right.Session.ID != "" && right.Session.AccountID != grant.accountID {
			err = errNoGuest
		}
		return account, right, err
	}
	return account, shares.Right{Session: session, Owner: account, Account: account, Level: shares.Owner}, err
}

// errWorkshopOver is the answer to guests of a workshop that has ended.
var errWorkshopOver = fault.New(fault.WorkshopEnded, "The workshop has ended. You can download your work on the page where you joined.")

// errNoGuest is the answer to guests who have lost their right.
var errNoGuest = fault.New(fault.Forbidden, "This session isn't shared with you any longer, or it was deleted.")

// tokenLogin begins the login of a grant that came with an access token of ours; the token's id follows. Logins of providers have
// no spaces.
const tokenLogin = "access token "

// exchange exchanges a ticket of a kind for the secret of a cookie, and returns the right that it gives.
func (a *access) exchange(ctx context.Context, kind, ticket, id string) (secret string, right shares.Right, err error) {
	grant, err := a.store.redeem(ctx, kind, ticket, id)
	if err != nil {
		return "", right, err
	}
	if _, right, err = a.check(ctx, grant); err != nil {
		return "", right, err
	}
	secret, err = a.store.issue(ctx, cookieKind, grant)
	return secret, right, err
}

// admit returns whom a cookie admits to a session, from the cache within grantTime.
func (a *access) admit(ctx context.Context, secret, id string) (cachedGrant, error) {
	key := id + secret
	known, generation, ok := a.grants.Get(key)
	if ok {
		return known, nil
	}
	until := a.now().Add(a.grantTime)
	grant, err := a.store.cookie(ctx, secret, id, a.now())
	if err != nil {
		return cachedGrant{}, err
	}
	found := cachedGrant{grant: grant}
	if found.caller, found.right, err = a.check(ctx, grant); err == nil {
		a.grants.Put(key, found, until, generation)
	}
	return found, err
}

// renew makes a cookie that was in use for an hour last a whole lifetime from now on; it reports whether it did.
func (a *access) renew(ctx context.Context, secret string, found *cachedGrant) bool {
	if found.grant.expiresAt.Sub(a.now()) >= cookieLifetime-cookieRenewal || a.store.renew(ctx, secret) != nil {
		return false
	}
	a.grants.Forget()
	found.grant.expiresAt = a.now().Add(cookieLifetime)
	return true
}

// keepRenewing keeps a secret that a connection holds from expiring, until the returned function is called.
func (a *access) keepRenewing(ctx context.Context, secret string) (done func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		ticks := time.NewTicker(cookieRenewal)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				_ = a.store.renew(ctx, secret) // the next one is early enough
			case <-ctx.Done():
				return
			}
		}
	}()
	return cancel
}

// forget ends a secret that nothing needs any longer; if that fails, it expires.
func (a *access) forget(ctx context.Context, secret string) {
	ctx, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	_ = a.store.forget(ctx, secret)
	a.grants.Forget()
}

// end returns when a cookie ends if nobody signs in.
func (a *access) end(found cachedGrant) time.Time {
	end := found.grant.expiresAt
	if last := found.caller.SeenAt.Add(a.cookieLife); a.cookieLife > 0 && !found.caller.Guest && last.Before(end) {
		return last
	}
	return end
}

// revoke ends the access to sessions that the caller's login opened, and its access tokens; the sessions keep running.
func (a *access) revoke(ctx context.Context) error {
	caller, _ := identity.From(ctx)
	defer a.revoked.Notify()
	defer a.grants.Forget()
	if err := a.accounts.EndSignIn(ctx); err != nil { // first, so that it can't open more
		return err
	}
	return a.store.revoke(ctx, caller)
}

// watch returns a context that ends with ctx, or soon after the cookie's right to the session is gone, and a function
// to call when the connection is over. The right is checked once for all connections with the same cookie.
func (a *access) watch(ctx context.Context, secret, id string) (context.Context, func()) {
	key := id + secret
	a.mu.Lock()
	defer a.mu.Unlock()
	shared := a.watched[key]
	if shared == nil || shared.gone.Err() != nil {
		shared = &watchedGrant{}
		shared.gone, shared.end = context.WithCancel(context.WithoutCancel(ctx)) // others may outlive the first connection
		a.watched[key] = shared
		go a.recheck(shared, a.revoked.Next(), secret, id)
	}
	shared.connections++
	ctx, end := context.WithCancelCause(ctx)
	forget := context.AfterFunc(shared.gone, func() { end(errNoAccess) })
	return ctx, func() {
		forget()
		end(nil)
		a.mu.Lock()
		defer a.mu.Unlock()
		if shared.connections--; shared.connections == 0 {
			shared.end()
			if a.watched[key] == shared {
				delete(a.watched, key)
			}
		}
	}
}

// recheck ends connections when their right is gone. A database that doesn't answer ends nothing.
func (a *access) recheck(shared *watchedGrant, revoked <-chan struct{}, secret, id string) {
	for {
		select {
		case <-revoked:
		case <-time.After(a.recheckTime):
		case <-shared.gone.Done():
			return
		}
		revoked = a.revoked.Next()
		_, err := a.admit(shared.gone, secret, id)
		switch fault.KindOf(err) {
		case fault.Unauthenticated, fault.Forbidden, fault.NotFound, fault.Gone:
			shared.end()
			return
		}
	}
}
