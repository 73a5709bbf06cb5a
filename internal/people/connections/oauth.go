package connections

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/secrets"

	"golang.org/x/oauth2"
)

// Begin returns the address of the page on which the caller lets this server in at a service. The browser comes back with a code and a
// state, for Finish.
func (c *Connections) Begin(ctx context.Context, name string) (address string, err error) {
	caller, host, err := c.require(ctx, name)
	if err != nil {
		return "", err
	}
	if host.OAuth == nil {
		return "", fault.New(fault.Invalid, "%s is connected with a personal token here. Paste one.", host.Label)
	}
	state, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	sealed, err := c.keys.Seal([]byte(verifier))
	if err == nil {
		err = c.store.addAttempt(ctx, attempt{digest: digest(state), accountID: caller.AccountID, host: host.Name, verifier: sealed, createdAt: c.now()})
	}
	if err != nil {
		return "", err
	}
	return host.OAuth.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), nil
}

func digest(state string) string {
	sum := sha256.Sum256([]byte(state))
	return hex.EncodeToString(sum[:])
}

// Finish turns a code into a connection that waits to be kept. The state must be one of the caller's, which nobody has come back with yet:
// else somebody could be led to connect their account with another person's.
func (c *Connections) Finish(ctx context.Context, name, code, state string) (Connection, error) {
	caller, host, err := c.require(ctx, name)
	if err != nil {
		return Connection{}, err
	}
	stale := fault.New(fault.Invalid, "This sign-in at %s was begun elsewhere, or too long ago. Begin again in your account's settings.", host.Label)
	began, err := c.store.takeAttempt(ctx, digest(state))
	switch {
	case err != nil:
		return Connection{}, err
	case began.accountID != caller.AccountID || began.host != host.Name || host.OAuth == nil || c.now().Sub(began.createdAt) > attemptTime:
		return Connection{}, stale
	}
	verifier, _, err := c.keys.Unseal(began.verifier)
	if err != nil {
		return Connection{}, stale
	}
	asked, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, host.Client), askTime)
	defer cancel()
	token, err := host.OAuth.Exchange(asked, code, oauth2.VerifierOption(string(verifier)))
	if err != nil {
		return Connection{}, c.explain(ctx, host, err)
	}
	return c.add(ctx, caller, host, WayOAuth, held{Token: token.AccessToken, Refresh: token.RefreshToken}, c.expiryOf(token))
}

// expiryOf returns when a token that has just come expires; the zero time if the service doesn't say.
func (c *Connections) expiryOf(token *oauth2.Token) time.Time {
	if token.ExpiresIn <= 0 {
		return token.Expiry
	}
	return c.now().Add(time.Duration(token.ExpiresIn) * time.Second)
}

// explain returns the fault for an error of OAuth, without the answer of the service, which may repeat what it was sent.
func (c *Connections) explain(ctx context.Context, host Host, err error) error {
	said, isAnswer := errors.AsType[*oauth2.RetrieveError](err)
	if isAnswer && said.Response != nil && said.Response.StatusCode < 500 {
		c.logger.WarnContext(ctx, "a code host refuses OAuth", "host", host.Name, "status", said.Response.StatusCode, "code", said.ErrorCode)
		if said.ErrorCode == invalidGrant {
			return fault.New(fault.Invalid, "%s doesn't accept this sign-in any more. Begin again in your account's settings.", host.Label)
		}
		return fault.New(fault.BadUpstream, "%s refuses this server. Tell the operators.", host.Label)
	}
	if !isAnswer {
		c.logger.WarnContext(ctx, "a code host can't be asked for tokens", "host", host.Name, "error", err)
	}
	return fault.New(fault.CodehostUnavailable, "%s can't be reached from this server right now.", host.Label)
}

// invalidGrant is the code for a grant that has been used, revoked or has expired: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
const invalidGrant = "invalid_grant"

// endedGrants are the codes with which hosts refuse a refresh token for good: Gitea and GitHub have words of their own.
var endedGrants = []string{invalidGrant, "unauthorized_client", "bad_refresh_token"}

const (
	refreshTime = 20 * time.Second // in which a server fetches a new token, or another one may
	saveTime    = 5 * time.Second
	refreshPoll = 200 * time.Millisecond // at which the others look for it
)

// Token returns the token of an account at a service. One that is about to expire is replaced first, by one server at a time: some services
// take a refresh token once. NotConnected if the account has no connection, or has to connect again.
func (c *Connections) Token(ctx context.Context, accountID, name string) (string, error) {
	host, err := c.host(name)
	if err != nil {
		return "", err
	}
	for {
		one, err := c.store.kept(ctx, accountID, name)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return "", errNotConnected(host.Label)
		case err != nil:
			return "", err
		case one.refused:
			return "", errAgain(host.Label)
		}
		tokens, isOld, err := c.open(one)
		if err != nil {
			return "", errAgain(host.Label)
		}
		if one.expiresAt.IsZero() || c.now().Add(leeway).Before(one.expiresAt) {
			if isOld {
				c.sealAgain(ctx, one, tokens)
			}
			return tokens.Token, nil
		}
		if tokens.Refresh == "" || host.OAuth == nil {
			return "", errors.Join(errAgain(host.Label), c.store.markRefused(ctx, one))
		}
		mine, err := c.store.beginRefresh(ctx, one, c.now(), c.now().Add(refreshTime))
		if err != nil {
			return "", err
		}
		if mine {
			return c.refresh(ctx, host, one, tokens)
		}
		select {
		case <-time.After(refreshPoll):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// refresh fetches a new token. It goes on when the caller doesn't wait: the old ones may be gone already.
func (c *Connections) refresh(ctx context.Context, host Host, from row, tokens held) (string, error) {
	going, cancel := context.WithTimeout(context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, host.Client), refreshTime/2)
	defer cancel()
	// Exchange sends the address of the redirect, which GitLab wants here as well, and TokenSource doesn't.
	fresh, err := host.OAuth.Exchange(going, "", oauth2.SetAuthURLParam("grant_type", "refresh_token"), oauth2.SetAuthURLParam("refresh_token", tokens.Refresh))
	if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok && slices.Contains(endedGrants, said.ErrorCode) {
		return c.readAgain(going, host, from)
	}
	if err != nil {
		return "", errors.Join(c.explain(ctx, host, err), c.store.endRefresh(context.WithoutCancel(ctx), from))
	}
	tokens.Token = fresh.AccessToken
	if fresh.RefreshToken != "" {
		tokens.Refresh = fresh.RefreshToken
	}
	sealed, err := c.seal(tokens)
	if err == nil { // the host may have taken all the time, and the old token is gone
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
		defer cancel()
		err = c.store.saveRefreshed(saving, from, sealed, c.expiryOf(fresh))
	}
	return tokens.Token, err
}

// readAgain is for a service that doesn't take the refresh token: another server may have used it, and stored what it got.
func (c *Connections) readAgain(ctx context.Context, host Host, from row) (string, error) {
	now, err := c.store.kept(ctx, from.accountID, from.host)
	if err == nil && now.sealed != from.sealed {
		tokens, _, err := c.open(now)
		return tokens.Token, err
	}
	return "", errors.Join(errAgain(host.Label), err, c.store.markRefused(ctx, from))
}

// sealAgain encrypts tokens with the first key, so that the others can be removed some day.
func (c *Connections) sealAgain(ctx context.Context, from row, tokens held) {
	sealed, err := c.seal(tokens)
	if err == nil {
		err = c.store.sealAgain(ctx, from, sealed)
	}
	if err != nil && !errors.Is(err, secrets.ErrKey) {
		c.logger.WarnContext(ctx, "a connection can't be encrypted with the newest key", "error", err)
	}
}
