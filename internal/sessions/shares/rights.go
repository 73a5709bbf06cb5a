package shares

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Visitor is somebody who wants to do something with a session: an account, the holder of a link, or both.
type Visitor struct {
	AccountID string
	Link      string // the secret; "" for none
}

// Right is what a visitor may do with a session.
type Right struct {
	Session sessions.Session
	Owner   identity.Caller // of the session
	Level   Level
	Share   Share           // from which it comes; the zero value for the owner
	Account identity.Caller // of the visitor; the zero value without one
}

// Rights are who may do what with some sessions, as it was stored at one moment.
type Rights struct {
	now      time.Time
	policy   LinkPolicy
	sessions map[string]sessions.Session
	accounts map[string]identity.Caller
	shares   map[string][]Share         // by session
	members  map[string]map[string]bool // e-mail addresses, by project
	joined   map[string]map[string]bool // ids of accounts, by share
}

var errNoShare = fault.New(fault.NotFound, "This session doesn't exist, or it isn't shared with you.")

// errDisabled is the answer to a visitor whose account an operator has disabled.
var errDisabled = fault.New(fault.AccountDisabled, "An operator disabled your account, so nothing is shared with it any longer.")

// Of returns what a visitor may do with a session: the most that any share allows. NotFound, with the session alone, if that is nothing.
func (r *Rights) Of(sessionID string, visitor Visitor) (Right, error) {
	session, ok := r.sessions[sessionID]
	owner := r.accounts[session.AccountID]
	if !ok || session.Gone() || session.Job != "" || owner.Disabled {
		return Right{Session: session}, errNoShare
	}
	right := Right{Session: session, Owner: owner, Account: r.accounts[visitor.AccountID]}
	known := visitor.AccountID != "" && right.Account.AccountID != ""
	if known && session.OwnedBy(visitor.AccountID) {
		right.Level = Owner
		return right, nil
	}
	digest := digestOf(visitor.Link)
	for _, share := range r.shares[sessionID] {
		if !share.holds(session, r.now) || !r.isFor(share, right.Account, known, digest) {
			continue
		}
		if !known {
			share.Can = See // to enter, or to have a copy, needs an account; whoever has none may see
		}
		if right.Level == "" || !right.Level.Includes(share.Can) {
			right.Level, right.Share = share.Can, share
		}
	}
	switch {
	case right.Level == "":
		return right, errNoShare
	case right.Account.Disabled:
		return Right{}, errDisabled
	}
	return right, nil
}

// isFor reports whether a share is for a visitor, who is known by an account or by a link.
func (r *Rights) isFor(share Share, account identity.Caller, known bool, digest string) bool {
	switch share.kind {
	case byEmail:
		return known && account.Email != "" && account.Email == share.whom
	case byProject:
		return known && account.Email != "" && r.members[share.whom][account.Email]
	case byLink:
		return r.policy != LinksForNobody && (known && r.joined[share.ID][account.AccountID] ||
			digest != "" && digest == share.digest && (known || r.policy == LinksForAnyone))
	}
	return false
}

// Rights returns who may do what with these sessions, as far as it concerns these accounts.
func (s *Service) Rights(ctx context.Context, sessionIDs, accountIDs []string) (*Rights, error) {
	return s.store.rights(ctx, s.Accounts, s.Links, sessionIDs, accountIDs)
}

// RightOf returns what a visitor may do with a session, at least the level that is needed. NotFound if they may do nothing with it;
// Forbidden if that isn't enough.
func (s *Service) RightOf(ctx context.Context, sessionID string, visitor Visitor, needed Level) (Right, error) {
	rights, err := s.Rights(ctx, []string{sessionID}, []string{visitor.AccountID})
	if err != nil {
		return Right{}, err
	}
	right, err := rights.Of(sessionID, visitor)
	if err == nil && !right.Level.Includes(needed) {
		err = fault.New(fault.Forbidden, "%s lets you see this session. Ask to be let in if you need more.", right.Owner.Label())
		if needed == Edit && right.Level == Copy {
			err = fault.New(fault.Forbidden, "%s lets you see this session and take a copy of it. Ask to be let in if you need more.", right.Owner.Label())
		}
	}
	return right, err
}

// visitorOf returns the caller of a request, who may also have a link.
func visitorOf(ctx context.Context, link string) Visitor {
	caller, _ := identity.From(ctx)
	return Visitor{AccountID: caller.AccountID, Link: link}
}

// digestOf returns what is stored of a link's secret; "" for none.
func digestOf(secret string) string {
	if secret == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
