package shares

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// LinkPolicy says for whom links to sessions work.
type LinkPolicy string

// The policies.
const (
	LinksForSignedIn LinkPolicy = "signed_in"
	LinksForAnyone   LinkPolicy = "anyone" // they see, and do nothing else
	LinksForNobody   LinkPolicy = "none"
)

// Projects finds projects.
type Projects interface {
	// RoleIn returns the caller's role in a project, and its name; "" without one. NotFound if the caller doesn't see it.
	RoleIn(ctx context.Context, id string) (role, name string, err error)
}

// Options configure the service.
type Options struct {
	Links    LinkPolicy // "": LinksForSignedIn
	HelpDesk []string   // e-mail addresses of those whom owners may ask for help

	Own      func(ctx context.Context, id string) (sessions.Session, error) // returns one of the caller's sessions
	Accounts Accounts
	Projects Projects
	Public   string // the page's own origin
	Changed  func() // is called after every change of what is shared
	Now      func() time.Time
}

// Service lets owners share their sessions, and knows what others may do with them.
type Service struct {
	Options

	store    *Store
	unknown  *httpapi.RateLimit // links that don't exist, by address
	requests *httpapi.RateLimit // by account
}

// NewService returns a service.
func NewService(store *Store, options Options) *Service {
	if options.Links == "" {
		options.Links = LinksForSignedIn
	}
	return &Service{
		Options: options, store: store, unknown: httpapi.NewRateLimit(unknownLinks/60.0, unknownLinks), requests: httpapi.NewRateLimit(requestsPerHour/3600.0, requestsPerHour),
	}
}

// requestsPerHour is how many requests an account may make in an hour, because others are to answer them.
const requestsPerHour = 30

// unknownLinks is how many links that don't exist an address may try in a minute.
const unknownLinks = 20

// Wanted is what an owner asks for.
type Wanted struct {
	With  With   `json:"with"`
	Can   Level  `json:"can" enum:"see,copy,edit"`
	Until string `json:"until,omitempty" maxLength:"40" doc:"A time, at most 30 days from now, such as 2026-11-27T18:00:00Z; or session, until it ends, which is meant without it too"`
}

// UntilItEnds is the Until of what ends with the session.
const UntilItEnds = "session"

// longest is how long something can be shared.
const longest = 30 * 24 * time.Hour

// Create shares one of the caller's sessions. It returns the share with the address to give to others.
func (s *Service) Create(ctx context.Context, sessionID string, wanted Wanted) (Share, error) {
	session, err := s.own(ctx, sessionID)
	if err != nil {
		return Share{}, err
	}
	made, err := s.made(ctx, session, wanted)
	if err != nil {
		return Share{}, err
	}
	secret := ""
	if made.kind == byLink {
		secret = rand.Text() // 128 bits at least
		made.digest = digestOf(secret)
	}
	event := about(audit.ShareSession, session, audit.Change{Column: "session_share.can", New: string(made.Can)})
	if made.kind == byEmail {
		event.Concerns = append(event.Concerns, made.whom)
	}
	if err := s.store.add(ctx, session, made, event); err != nil {
		return Share{}, err
	}
	s.Changed()
	made.CreatedAt = s.Now().UTC()
	made.URL = s.urlOf(made, secret)
	return made, nil
}

// own returns one of the caller's sessions that can be shared.
func (s *Service) own(ctx context.Context, id string) (sessions.Session, error) {
	session, err := s.Own(ctx, id)
	if err == nil && session.Job != "" {
		err = fault.New(fault.Conflict, "This session belongs to a job, in which nobody works. Start a session from the job's result and share that.")
	}
	return session, err
}

// checkLevel returns what is wrong with what others are to be allowed.
func checkLevel(level Level) error {
	if level != See && level != Copy && level != Edit {
		return fault.InvalidField("body.can", "Others can see a session, take a copy of it (copy), or enter it (edit).")
	}
	return nil
}

// made returns the share that is wanted, before it is stored.
func (s *Service) made(ctx context.Context, session sessions.Session, wanted Wanted) (Share, error) {
	made := Share{ID: newID(), With: wanted.With, Can: wanted.Can, sessionID: session.ID, runAt: session.QueuedAt}
	named := 0
	for _, given := range []bool{wanted.With.Email != "", wanted.With.Project != "", wanted.With.Link} {
		if given {
			named++
		}
	}
	var err error
	switch {
	case named != 1:
		return made, fault.InvalidField("body.with", "Say with whom: with a person (email), with the members of a project (project), or with whoever has a link (link: true).")
	case checkLevel(wanted.Can) != nil:
		return made, checkLevel(wanted.Can)
	case wanted.With.Link && s.Links == LinksForNobody:
		return made, fault.New(fault.Forbidden, "The operators have turned links to sessions off. Share it with a person or a project instead.")
	case wanted.With.Link:
		made.kind = byLink
	case wanted.With.Email != "":
		made.kind, made.whom = byEmail, identity.NormalizeEmail(wanted.With.Email)
		made.With.Email = made.whom
		switch {
		case !identity.ValidEmail(made.whom):
			return made, fault.InvalidField("body.with.email", "%s isn't an e-mail address, such as ada@example.org.", fault.Quote(wanted.With.Email))
		case made.whom == session.UserID:
			return made, fault.InvalidField("body.with.email", "This session is yours already.")
		}
	default:
		made.kind, made.whom = byProject, wanted.With.Project
		var role string
		if role, made.ProjectName, err = s.Projects.RoleIn(ctx, made.whom); err == nil && role == "" {
			err = fault.InvalidField("body.with.project", "You aren't a member of this project, so you can't share a session with its members.")
		}
		if err != nil {
			return made, err
		}
	}
	made.Until, err = s.until(session, wanted.Until)
	return made, err
}

// until returns when a share ends; nil for the end of the session.
func (s *Service) until(session sessions.Session, text string) (*time.Time, error) {
	now := s.Now()
	if text == "" || text == UntilItEnds {
		if !session.Status.Live() || session.RequestedStatus != "" {
			return nil, fault.New(fault.SessionNotRunning, "This session isn't running. Start it first, or say until when you share it (until).")
		}
		return nil, nil //nolint:nilnil // it has no time
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !at.After(now) || at.After(now.Add(longest+time.Minute)) {
		return nil, fault.InvalidField("body.until", "%s must be a time within the next 30 days, such as %s, or session.", fault.Quote(text), now.Add(time.Hour).UTC().Format(time.RFC3339))
	}
	return new(at.UTC().Truncate(time.Microsecond)), nil
}

// urlOf returns the address that a share's holders open.
func (s *Service) urlOf(share Share, secret string) string {
	switch {
	case share.kind == byLink && secret == "":
		return ""
	case share.kind == byLink: // behind the #, which browsers send nowhere
		return s.Public + "/shared#" + secret
	case share.Can == Edit:
		return s.Public + "/sessions/" + share.sessionID + "/open"
	}
	return s.Public + seePath(share.sessionID)
}

// seePath is the page that shows a session to others.
func seePath(sessionID string) string { return "/sessions/" + sessionID + "/see" }

// List returns how one of the caller's sessions is shared now.
func (s *Service) List(ctx context.Context, sessionID string) ([]Share, error) {
	session, err := s.Own(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	found, err := s.store.ofSession(ctx, session.ID)
	found = slices.DeleteFunc(found, func(share Share) bool { return !share.holds(session, s.Now()) })
	for i := range found {
		found[i].URL = s.urlOf(found[i], "")
	}
	return found, err
}

// End ends a share of one of the caller's sessions. Whoever is there because of it is cut off within seconds.
func (s *Service) End(ctx context.Context, sessionID, id string) error {
	session, err := s.Own(ctx, sessionID)
	if err != nil {
		return err
	}
	err = s.store.end(ctx, session, id, func(ended Share) audit.Event {
		event := about(audit.UnshareSession, session, audit.Change{Column: "session_share.can", Old: string(ended.Can)})
		if ended.kind == byEmail {
			event.Concerns = append(event.Concerns, ended.whom)
		}
		return event
	})
	if err == nil {
		s.Changed()
	}
	return err
}

// Shared returns the sessions that others share with the caller, the last shared first.
func (s *Service) Shared(ctx context.Context) ([]Shared, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := s.store.sharedWith(ctx, caller)
	if err != nil {
		return nil, err
	}
	rights, err := s.Rights(ctx, ids, []string{caller.AccountID})
	if err != nil {
		return nil, err
	}
	found := []Shared{}
	for _, id := range ids {
		right, err := rights.Of(id, Visitor{AccountID: caller.AccountID})
		if err == nil && right.Level != Owner {
			found = append(found, s.Shown(right))
		}
	}
	return found, nil
}

// Shown returns what somebody is told of a session that is shared with them.
func (s *Service) Shown(right Right) Shared {
	session := right.Session
	return Shared{
		ID: session.ID, SessionName: session.SessionName, Holds: session.Project.Name, Owner: right.Owner.Label(), Can: right.Level, Share: right.Share.ID, Until: right.Share.Until,
		IsRunning: session.Status == sessions.Running, Status: session.Status, URL: s.Public + seePath(session.ID),
	}
}

// errNoLink says the same of a link that never existed and of one that has ended.
var errNoLink = fault.New(fault.NotFound, "This link doesn't lead anywhere, or what it was for has ended. Ask whoever gave it to you.")

// Follow follows a link: the caller finds the session among those that are shared with them from then on. Without an account, which
// works where links are for anyone, the link has to be given in each call. TooMany links that don't exist: 429.
func (s *Service) Follow(ctx context.Context, link string) (Shared, error) {
	share, err := s.shareOf(ctx, link)
	if err != nil {
		return Shared{}, err
	}
	visitor := visitorOf(ctx, link)
	rights, err := s.Rights(ctx, []string{share.sessionID}, []string{visitor.AccountID})
	if err != nil {
		return Shared{}, err
	}
	right, err := rights.Of(share.sessionID, visitor)
	if fault.KindOf(err) == fault.NotFound || err == nil && !share.holds(right.Session, s.Now()) {
		err = errNoLink
	}
	if err == nil && right.Level != Owner && right.Account.AccountID != "" {
		event := about(audit.JoinSession, right.Session, audit.Change{Column: "session_share.can", New: string(share.Can)})
		err = s.store.join(ctx, share, right.Account.AccountID, event)
	}
	if err != nil {
		return Shared{}, err
	}
	return s.Shown(right), nil
}

// shareOf returns the share that a link is of. Links that don't exist count against the address that tries them: TooMany. Unauthenticated
// where links need an account.
func (s *Service) shareOf(ctx context.Context, link string) (Share, error) {
	if wait := s.unknown.WaitFrom(ctx, s.Now()); wait > 0 {
		tooMany := fault.New(fault.TooMany, "Too many links that don't exist were tried from your address. Wait a moment.")
		tooMany.RetryAfter, tooMany.Limit = wait, "links"
		return Share{}, tooMany
	}
	share, err := s.store.byLinkDigest(ctx, digestOf(link))
	switch {
	case errors.Is(err, errNoLink):
		s.unknown.TakeFrom(ctx, s.Now())
	case err == nil && s.Links == LinksForNobody:
		err = errNoLink
	case err == nil && s.Links == LinksForSignedIn && visitorOf(ctx, "").AccountID == "":
		err = fault.New(fault.Unauthenticated, "Sign in to follow this link.")
	}
	return share, err
}

// about returns an event about a session, which concerns its owner.
func about(action audit.Action, session sessions.Session, changes ...audit.Change) audit.Event {
	event := sessions.AuditEvent(action, []string{session.ID}, changes...)
	event.Concerns = []string{session.UserID}
	return event
}

// Guests implements sessions.Shares: for owners, who may know the addresses of those whom they let in.
func (s *Service) Guests(ctx context.Context, accountID string, of []sessions.Session) (map[string]sessions.Guests, error) {
	found, err := s.store.guests(ctx, accountID, of)
	for _, guests := range found {
		for _, list := range [][]sessions.Visit{guests.Present, guests.Visits} {
			for i, one := range list {
				list[i].Name = cmp.Or(one.Name, one.Email)
			}
		}
	}
	return found, err
}

// Present returns who is in a session now besides an account, as everybody there may know.
func (s *Service) Present(ctx context.Context, session sessions.Session, accountID string) ([]sessions.Visit, error) {
	found, err := s.store.guests(ctx, accountID, []sessions.Session{session})
	present := found[session.ID].Present
	for i, one := range present {
		present[i].Name = identity.LabelOf(one.Name, one.Email)
	}
	return present, err
}

// Enterable implements sessions.Shares.
func (s *Service) Enterable(ctx context.Context, id string) (sessions.Session, error) {
	right, err := s.RightToEnter(ctx, id, visitorOf(ctx, "").AccountID)
	if err == nil && right.Session.Status != sessions.Running {
		err = fault.New(fault.SessionNotRunning, "This session isn't running, and only %s can start it.", right.Owner.Label())
	}
	return right.Session, err
}

// RightToEnter returns the right of an account to enter a session; NotFound, Forbidden, or NotEnabled.
func (s *Service) RightToEnter(ctx context.Context, sessionID, accountID string) (Right, error) {
	right, err := s.RightOf(ctx, sessionID, Visitor{AccountID: accountID}, Edit)
	if err == nil && !right.Account.Enabled {
		err = fault.New(fault.NotEnabled, "Your account (%s) isn't enabled for sessions yet.", right.Account.Email)
	}
	return right, err
}

// Copyable implements sessions.Shares.
func (s *Service) Copyable(ctx context.Context, shareID string) (sessions.Session, error) {
	found, err := list(ctx, s.store.db, `s.id = $1`, shareID)
	if err == nil && len(found) == 0 {
		err = errNoShare
	}
	if err != nil {
		return sessions.Session{}, err
	}
	right, err := s.RightOf(ctx, found[0].sessionID, visitorOf(ctx, ""), Copy)
	return right.Session, err
}

// RightToSee returns the right of a visitor to see a session. A link that doesn't exist counts against the address that tries it.
func (s *Service) RightToSee(ctx context.Context, sessionID string, visitor Visitor) (Right, error) {
	if visitor.Link != "" {
		if _, err := s.shareOf(ctx, visitor.Link); err != nil {
			return Right{}, err
		}
	}
	right, err := s.RightOf(ctx, sessionID, visitor, See)
	if visitor.Link == "" && visitor.AccountID == "" && fault.KindOf(err) == fault.NotFound {
		err = fault.New(fault.Unauthenticated, "Sign in to see a session that is shared with you.")
	}
	return right, err
}
