package connections

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/secrets"
	"cairn/internal/people/identity"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Connections are the connected accounts of all people.
type Connections struct {
	store   *Store
	keys    *secrets.Keys // nil: nothing can be connected
	hosts   []Host
	now     func() time.Time
	logger  *slog.Logger
	refused *lru.Cache[string, *rate.Limiter] // by account: tokens that were refused
	changed func(accountID, host string)
}

// Options configure Connections.
type Options struct {
	Keys   *secrets.Keys // nil: nothing can be connected
	Hosts  []Host
	Now    func() time.Time
	Logger *slog.Logger
	// Changed is called when an account was connected with a service or disconnected. Optional.
	Changed func(accountID, host string)
}

// New returns the connections in a store.
func New(store *Store, options Options) (*Connections, error) {
	refused, err := lru.New[string, *rate.Limiter](1_000)
	changed := options.Changed
	if changed == nil {
		changed = func(string, string) {}
	}
	return &Connections{
		store: store, keys: options.Keys, hosts: options.Hosts, now: options.Now, logger: options.Logger, refused: refused, changed: changed,
	}, err
}

// held are the tokens of a connection, as they are encrypted. Account and Host tie them to their row.
type held struct {
	Account string `json:"account"`
	Host    string `json:"host"`
	Token   string `json:"token"`
	Refresh string `json:"refresh,omitempty"`
}

func (c *Connections) seal(one held) (string, error) {
	text, err := json.Marshal(one)
	if err != nil {
		return "", err
	}
	return c.keys.Seal(text)
}

// open decrypts the tokens of a row.
func (c *Connections) open(from row) (one held, isOld bool, err error) {
	text, isOld, err := c.keys.Unseal(from.sealed)
	if err == nil {
		err = json.Unmarshal(text, &one)
	}
	if err == nil && (one.Account != from.accountID || one.Host != from.host) {
		err = secrets.ErrKey
	}
	return one, isOld, err
}

// host returns a service by its name; NotFound if there is none.
func (c *Connections) host(name string) (Host, error) {
	for _, one := range c.hosts {
		if one.Name == name {
			return one, nil
		}
	}
	return Host{}, fault.New(fault.NotFound, "Accounts can't be connected with %s here.", fault.Quote(name))
}

// List returns all services with the caller's connections.
func (c *Connections) List(ctx context.Context) ([]ConnectedHost, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := c.store.of(ctx, caller.AccountID)
	if err != nil {
		return nil, err
	}
	list := make([]ConnectedHost, len(c.hosts))
	for i, host := range c.hosts {
		list[i] = ConnectedHost{
			Host: host.Name, Label: host.Label, Kind: host.Kind, URL: host.URL, OAuth: host.OAuth != nil, TokenURL: host.TokenURL,
			Scopes: append([]string{}, host.Scopes...), GrantsURL: host.GrantsURL,
		}
		for _, one := range rows {
			switch {
			case one.host != host.Name:
			case one.kept:
				list[i].Connection = c.shown(one)
			case c.now().Sub(one.createdAt) < waitingTime:
				list[i].Waiting = c.shown(one)
			}
		}
	}
	return list, nil
}

// shown returns what its owner sees of a row.
func (c *Connections) shown(from row) *Connection {
	one := &Connection{
		Host: from.host, Account: from.login, Granted: append([]Right{}, from.granted...), Scopes: append([]string{}, from.scopes...), Way: from.way,
		CreatedAt: from.createdAt,
	}
	if from.kept {
		one.KeptAt = &from.keptAt
	}
	if from.refused {
		one.Problem = ProblemRefused
	}
	if _, _, err := c.open(from); err != nil {
		one.Problem = ProblemKey
	}
	return one
}

// require returns the caller, who may connect accounts, and the service.
func (c *Connections) require(ctx context.Context, name string) (identity.Caller, Host, error) {
	caller, err := identity.RequireContributor(ctx)
	if err == nil && !caller.Enabled {
		err = fault.New(fault.NotEnabled, "Your account has to be enabled before it can be connected with others.")
	}
	if err != nil {
		return caller, Host{}, err
	}
	host, err := c.host(name)
	if err == nil && c.keys == nil {
		err = fault.New(fault.Unavailable, "This server has no key for the tokens of connections, so it can't keep any. Tell the operators.")
	}
	return caller, host, err
}

// AddToken looks at a token that the caller pasted. The connection waits to be kept.
func (c *Connections) AddToken(ctx context.Context, name, token string) (Connection, error) {
	caller, host, err := c.require(ctx, name)
	if err != nil {
		return Connection{}, err
	}
	token = strings.TrimSpace(token)
	if token == "" || len(token) > tokenLength || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Connection{}, fault.InvalidField("body.token", "This isn't a token. Paste the whole of it, on one line.")
	}
	limiter, known := c.refused.Get(caller.AccountID)
	if !known {
		limiter = rate.NewLimiter(rate.Every(time.Hour/refusedMost), refusedMost)
		c.refused.Add(caller.AccountID, limiter)
	}
	if limiter.TokensAt(c.now()) < 1 {
		busy := fault.New(fault.TooMany, "You've pasted many tokens that %s refused. Try again in a few minutes.", host.Label)
		busy.RetryAfter, busy.Limit = time.Hour/refusedMost, "connections"
		return Connection{}, busy
	}
	added, err := c.add(ctx, caller, host, WayToken, held{Token: token}, time.Time{})
	if fault.KindOf(err) == fault.Invalid {
		limiter.AllowN(c.now(), 1)
	}
	return added, err
}

// add looks at a token and stores it until its owner decides.
func (c *Connections) add(ctx context.Context, caller identity.Caller, host Host, way Way, tokens held, expiresAt time.Time) (Connection, error) {
	tokens.Account, tokens.Host = caller.AccountID, host.Name
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	granted, err := host.Look(ctx, tokens.Token)
	if err != nil {
		return Connection{}, err
	}
	sealed, err := c.seal(tokens)
	if err != nil {
		return Connection{}, err
	}
	added := row{
		accountID: caller.AccountID, host: host.Name, login: granted.Login, granted: granted.Rights, scopes: granted.Scopes, way: way, sealed: sealed,
		expiresAt: expiresAt, createdAt: c.now(),
	}
	before, err := c.store.putWaiting(ctx, added)
	if err != nil {
		return Connection{}, err
	}
	c.revoke(ctx, before)
	return *c.shown(added), nil
}

// Keep keeps the connection that waits, in place of an earlier one. NotFound if none waits.
func (c *Connections) Keep(ctx context.Context, name string) (Connection, error) {
	caller, host, err := c.require(ctx, name)
	if err != nil {
		return Connection{}, err
	}
	kept, before, err := c.store.keep(ctx, caller.AccountID, host.Name, c.now().Add(-waitingTime))
	if err != nil {
		return Connection{}, err
	}
	c.revoke(ctx, before)
	c.changed(caller.AccountID, host.Name)
	return *c.shown(kept), nil
}

// Remove forgets the caller's connections with a service, and revokes them there. revoked is false if something of them may still be valid
// there. NotFound if there is none.
func (c *Connections) Remove(ctx context.Context, name string) (revoked bool, err error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return false, err
	}
	removed, err := c.store.remove(ctx, caller.AccountID, name)
	if err != nil {
		return false, err
	}
	if len(removed) == 0 {
		return false, fault.New(fault.NotFound, "Your account isn't connected with %s.", fault.Quote(name))
	}
	c.changed(caller.AccountID, name)
	return c.revoke(ctx, removed), nil
}

// revoke ends the tokens of rows that are gone, as far as their services can. Pasted tokens are their owners': they may use them elsewhere.
func (c *Connections) revoke(ctx context.Context, rows []row) (all bool) {
	all = true
	for _, one := range rows {
		host, err := c.host(one.host)
		if err != nil || one.way != WayOAuth {
			all = false
			continue
		}
		tokens, _, err := c.open(one)
		if err != nil {
			all = false
			continue
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		done, err := host.Revoke(ctx, tokens.Token)
		cancel()
		if err != nil {
			c.logger.WarnContext(ctx, "a connection can't be revoked", "host", host.Name, "code", fault.CodeOf(err))
		}
		all = all && done && err == nil
	}
	return all
}

// IsConnected reports whether an account has a connection with a service that may work.
func (c *Connections) IsConnected(ctx context.Context, accountID, name string) (bool, error) {
	one, err := c.store.kept(ctx, accountID, name)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil && !one.refused, err
}

// Refused notes that a service no longer takes the token of an account, so that it isn't sent again: services that refuse many lock out the
// whole server.
func (c *Connections) Refused(ctx context.Context, accountID, name, token string) {
	one, err := c.store.kept(ctx, accountID, name)
	if err == nil && !one.refused {
		var tokens held
		if tokens, _, err = c.open(one); err == nil && tokens.Token == token {
			err = c.store.markRefused(ctx, one)
		}
	}
	if err != nil {
		c.logger.WarnContext(ctx, "that a connection was refused can't be noted", "host", name, "error", err)
	}
}

// Clean forgets connections that nobody kept, browsers that didn't come back, and what disabled accounts have.
func (c *Connections) Clean(ctx context.Context) error {
	now := c.now()
	gone, err := c.store.clean(ctx, now.Add(-waitingTime), now.Add(-attemptTime))
	for _, one := range gone {
		c.changed(one.accountID, one.host)
	}
	c.revoke(ctx, gone)
	return err
}

// cleanEvery is how often Run cleans. An account that was disabled has no connections after that.
const cleanEvery = 10 * time.Second

// Run cleans until ctx ends.
func (c *Connections) Run(ctx context.Context) {
	ticks := time.NewTicker(cleanEvery)
	defer ticks.Stop()
	for {
		if err := c.Clean(ctx); err != nil && ctx.Err() == nil {
			c.logger.ErrorContext(ctx, "connections can't be cleaned", "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// inOrder returns rights once each, in their order.
func inOrder(rights []Right) []Right {
	all := []Right{RightIdentity, RightRead, RightWrite, RightAll, RightUnknown}
	return slices.DeleteFunc(all, func(one Right) bool { return !slices.Contains(rights, one) })
}

// errGone is in the fault of a connection that waited too long.
var errGone = errors.New("nothing waits")
