package shares

import (
	"context"
	"slices"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
)

// Asked is what somebody asks for.
type Asked struct {
	Kind    Kind   `json:"kind" enum:"help,enter" doc:"help: of one's own session, the help desk; enter: of somebody else's, its owner"`
	Can     Level  `json:"can,omitempty" enum:"see,copy,edit" doc:"Absent: see for help, edit for enter"`
	Message string `json:"message,omitempty" maxLength:"2000" doc:"For whoever answers"`
}

// Ask asks the help desk for help with one of the caller's sessions, or the owner of another one to let the caller in.
func (s *Service) Ask(ctx context.Context, sessionID string, asked Asked) (Request, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Request{}, err
	}
	made := Request{ID: newID(), SessionID: sessionID, Kind: asked.Kind, Can: asked.Can, Message: strings.TrimSpace(asked.Message), accountID: caller.AccountID}
	if !catalog.ValidText(made.Message, true) {
		return Request{}, fault.InvalidField("body.message", "The message must be text without control characters.")
	}
	if made.Can != "" {
		if err := checkLevel(made.Can); err != nil {
			return Request{}, err
		}
	}
	session, concerns, err := s.asking(ctx, caller, &made)
	if err != nil {
		return Request{}, err
	}
	if wait := s.requests.Take(caller.AccountID, s.Now()); wait > 0 {
		tooMany := fault.New(fault.TooMany, "You have asked very often. Wait a moment.")
		tooMany.RetryAfter, tooMany.Limit = wait, "requests"
		return Request{}, tooMany
	}
	event := sessions.AuditEvent(audit.AskSession, []string{sessionID}, audit.Change{Column: "session_request.kind", New: string(made.Kind)})
	event.Concerns = concerns
	if err := s.store.ask(ctx, session, made, event); err != nil {
		return Request{}, err
	}
	s.Changed()
	return s.request(ctx, caller, sessionID, made.ID)
}

// asking checks a request, fills in what it asks for, and returns its session and whom it concerns.
func (s *Service) asking(ctx context.Context, caller identity.Caller, made *Request) (session sessions.Session, concerns []string, err error) {
	if made.Kind == Help {
		if made.Can == "" {
			made.Can = See
		}
		if session, err = s.own(ctx, made.SessionID); err == nil && len(s.HelpDesk) == 0 {
			err = fault.New(fault.Conflict, "This catalog has no help desk. Share your session with somebody who can help.")
		}
		return session, s.HelpDesk, err
	}
	if made.Kind != Enter {
		return session, nil, fault.InvalidField("body.kind", "A request asks the help desk for help (help), or the owner to be let in (enter).")
	}
	if made.Can == "" {
		made.Can = Edit
	}
	rights, err := s.Rights(ctx, []string{made.SessionID}, []string{caller.AccountID})
	if err != nil {
		return session, nil, err
	}
	session = rights.sessions[made.SessionID]
	right, err := rights.Of(made.SessionID, Visitor{AccountID: caller.AccountID})
	switch {
	case session.ID == "" || session.Gone() || session.Job != "":
		return session, nil, errNoShare
	case fault.CodeOf(err) == fault.AccountDisabled:
		return session, nil, err
	case !caller.Enabled:
		return session, nil, fault.New(fault.NotEnabled, "Your account (%s) isn't enabled for sessions yet, so nobody can let you in.", caller.Email)
	case err == nil && right.Level.Includes(made.Can):
		return session, nil, fault.New(fault.Conflict, "You may do that already.")
	}
	return session, []string{session.UserID}, nil
}

// request returns one request as the caller sees it.
func (s *Service) request(ctx context.Context, caller identity.Caller, sessionID, id string) (Request, error) {
	found, err := listRequests(ctx, s.store.db, `r.session_id = $1 AND r.id = $2`, sessionID, id)
	if err == nil && (len(found) == 0 || !s.sees(ctx, caller, found[0])) {
		err = fault.New(fault.NotFound, "This request doesn't exist, or it isn't for you.")
	}
	if err != nil {
		return Request{}, err
	}
	return shownTo(caller, found[0]), nil
}

// sees reports whether a request is the caller's, or one that the caller may answer.
func (s *Service) sees(ctx context.Context, caller identity.Caller, asked Request) bool {
	return asked.accountID == caller.AccountID || s.mayAnswer(ctx, caller, asked)
}

// mayAnswer reports whether the caller is of the help desk that is asked, or the owner.
func (s *Service) mayAnswer(ctx context.Context, caller identity.Caller, asked Request) bool {
	if asked.Kind == Help {
		return s.isHelper(caller) && asked.accountID != caller.AccountID
	}
	_, err := s.Own(ctx, asked.SessionID)
	return err == nil
}

func (s *Service) isHelper(caller identity.Caller) bool {
	return !caller.Disabled && caller.Email != "" && slices.Contains(s.HelpDesk, caller.Email)
}

// shownTo returns a request without what only others may know: whoever asks to be let in doesn't learn what the session is called, or the
// address of its owner.
func shownTo(caller identity.Caller, asked Request) Request {
	asked.Mine = asked.accountID == caller.AccountID
	if asked.Mine && asked.Kind == Enter {
		asked.SessionName = ""
		if asked.AnsweredBy != caller.Email {
			asked.AnsweredBy = ""
		}
	}
	return asked
}

// Requests returns the requests about a session: all of them to its owner, and their own to others.
func (s *Service) Requests(ctx context.Context, sessionID string) ([]Request, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	condition, arguments := `r.session_id = $1`, []any{sessionID}
	if _, err := s.Own(ctx, sessionID); err != nil {
		condition, arguments = condition+` AND r.account_id = $2`, append(arguments, caller.AccountID)
	}
	return s.listed(ctx, caller, condition, arguments...)
}

// Open returns the requests that the caller may answer and nobody has answered: about their sessions, and those to the help desk if the
// caller belongs to it.
func (s *Service) Open(ctx context.Context) ([]Request, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	condition := `r.kind = '` + string(Enter) + `' AND s.account_id = $1`
	if s.isHelper(caller) {
		condition += ` OR r.kind = '` + string(Help) + `' AND s.account_id <> $1`
	}
	return s.listed(ctx, caller, `r.answered_at = 0 AND (`+condition+`)`, caller.AccountID)
}

func (s *Service) listed(ctx context.Context, caller identity.Caller, condition string, arguments ...any) ([]Request, error) {
	found, err := listRequests(ctx, s.store.db, condition, arguments...)
	for i, one := range found {
		found[i] = shownTo(caller, one)
	}
	return found, err
}

// Answer is what is said to a request.
type Answer struct {
	Granted bool   `json:"granted" doc:"False refuses it; by whoever asks, it takes it back"`
	Can     Level  `json:"can,omitempty" enum:"see,copy,edit" doc:"Absent: what was asked for. The help desk gets at most that"`
	Until   string `json:"until,omitempty" maxLength:"40" doc:"As of shares"`
}

// Answer answers a request: a granted one becomes a share of the session, with whoever asked, or with the helper who answers.
func (s *Service) Answer(ctx context.Context, sessionID, id string, answer Answer) (Request, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return Request{}, err
	}
	asked, err := s.request(ctx, caller, sessionID, id)
	if err != nil {
		return Request{}, err
	}
	may := s.mayAnswer(ctx, caller, asked)
	switch {
	case asked.answered():
		return Request{}, fault.New(fault.Conflict, "Somebody has answered this request already.")
	case answer.Granted && !may:
		return Request{}, fault.New(fault.Forbidden, "Somebody else has to answer this. You can take it back: granted is false.")
	}
	rights, err := s.Rights(ctx, []string{sessionID}, nil)
	if err != nil {
		return Request{}, err
	}
	session := rights.sessions[sessionID]
	var granted *Share
	if answer.Granted {
		if granted, err = s.grant(ctx, session, caller, asked, answer); err != nil {
			return Request{}, err
		}
	}
	event := sessions.AuditEvent(audit.AnswerSession, []string{sessionID}, audit.Change{Column: "session_request.granted", New: answer.Granted})
	event.Concerns = []string{session.UserID, asked.By}
	asked.AnsweredBy, asked.AnsweredAt, asked.Granted = caller.Email, new(s.Now().UTC()), answer.Granted
	if err := s.store.answer(ctx, session, asked, granted, event); err != nil {
		return Request{}, err
	}
	s.Changed()
	return shownTo(caller, asked), nil
}

// grant returns the share that a request becomes; nil if they have one already that lets them do as much for as long.
func (s *Service) grant(ctx context.Context, session sessions.Session, caller identity.Caller, asked Request, answer Answer) (*Share, error) {
	made := Share{ID: newID(), Can: answer.Can, sessionID: session.ID, kind: byEmail, whom: asked.By, runAt: session.QueuedAt}
	if made.Can == "" {
		made.Can = asked.Can
	}
	if asked.Kind == Help {
		made.whom = caller.Email
		if !asked.Can.Includes(made.Can) {
			return nil, fault.InvalidField("body.can", "The owner asks for less: %s.", asked.Can)
		}
	}
	err := checkLevel(made.Can)
	if err != nil {
		return nil, err
	}
	if answer.Until == "" && !session.Status.Live() { // a session that has ended can be looked at the next time
		answer.Until = s.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	}
	if made.Until, err = s.until(session, answer.Until); err != nil {
		return nil, err
	}
	known, err := s.store.ofSession(ctx, session.ID)
	for _, one := range known {
		if one.kind == byEmail && one.whom == made.whom && one.holds(session, s.Now()) && one.includes(made) {
			return nil, err
		}
	}
	return &made, err
}
