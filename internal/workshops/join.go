package workshops

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"

	"golang.org/x/text/unicode/norm"
)

// wrongPerMinute is how many wrong codes an address may send to a workshop at once; one more is accepted every twelve seconds.
const wrongPerMinute = 5

// wrongInWorkshop is how many wrong codes all addresses together may send to a workshop in a minute.
const wrongInWorkshop = 300

// wrongCodes limits wrong codes, never right ones: a whole room comes from one address.
type wrongCodes struct {
	limit func() *httpapi.RateLimit

	mu         sync.Mutex
	byWorkshop map[string]*httpapi.RateLimit // by address; protected by mu
	together   *httpapi.RateLimit            // by workshop; protected by mu
}

func (w *wrongCodes) of(workshop string) (byAddress, together *httpapi.RateLimit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byWorkshop == nil || len(w.byWorkshop) > 1000 {
		w.byWorkshop = map[string]*httpapi.RateLimit{}
	}
	if w.together == nil {
		w.together = httpapi.NewRateLimit(wrongInWorkshop/60.0, wrongInWorkshop)
	}
	if w.byWorkshop[workshop] == nil {
		w.byWorkshop[workshop] = w.limit()
	}
	return w.byWorkshop[workshop], w.together
}

// refuse returns the answer to a wrong code.
func (w *wrongCodes) refuse(ctx context.Context, workshop string, now time.Time) error {
	byAddress, together := w.of(workshop)
	wait := byAddress.WaitFrom(ctx, now)
	if wait == 0 {
		wait = together.Take(workshop, now)
	}
	if wait > 0 {
		tooMany := fault.New(fault.TooMany, "Too many wrong codes have been tried. Wait a moment, and check the code with the host.")
		tooMany.RetryAfter, tooMany.Limit = wait, "codes"
		return tooMany
	}
	byAddress.TakeFrom(ctx, now)
	return fault.New(fault.WrongCode, "That isn't the code of this workshop. It has four words; ask the host, who may have changed it.")
}

// Invitation is what everybody with the address of a workshop may know of it.
type Invitation struct {
	Name      string        `json:"name"`
	State     State         `json:"state" enum:"PLANNED,WARMING,OPEN,ENDED"`
	StartsAt  time.Time     `json:"startsAt"`
	EndsAt    time.Time     `json:"endsAt"`
	OpensAt   time.Time     `json:"opensAt" doc:"When people can join"`
	Timezone  string        `json:"timezone"`
	Guests    bool          `json:"guests" doc:"Whether people without an account can join"`
	Entry     *WorkshopPart `json:"entry,omitempty" doc:"What it is about, if everybody may see that"`
	Open      bool          `json:"open"`
	Full      bool          `json:"full"`
	Mine      *Mine         `json:"mine,omitempty" doc:"The caller's seat"`
	WorkUntil time.Time     `json:"workUntil" doc:"Until when guests can fetch their work"`
}

// Mine is the caller's seat.
type Mine struct {
	Seat      int    `json:"seat"`
	SessionID string `json:"sessionId" format:"uuid"`
}

// errNoKey is the answer to addresses that lead nowhere.
var errNoKey = fault.New(fault.NotFound, "There is no workshop at this address. It may be mistyped, or the host has replaced it: ask for the new one.")

// byKey returns the workshop at an address; those who have a seat also come by one that was replaced.
func (s *Service) byKey(ctx context.Context, key string, hasSeat bool) (found Workshop, err error) {
	if hasSeat {
		found, err = s.store.byAnyKey(ctx, key)
	} else {
		found, err = s.store.byKey(ctx, key)
	}
	if fault.KindOf(err) == fault.NotFound {
		err = errNoKey
	}
	return found, err
}

// Invitation returns what the page for participants says. It changes nothing: programs that look at links may ask for it.
func (s *Service) Invitation(ctx context.Context, key string) (Invitation, error) {
	found, err := s.byKey(ctx, key, false)
	if err != nil {
		return Invitation{}, err
	}
	if found, err = s.shown(ctx, found); err != nil {
		return Invitation{}, err
	}
	shown := Invitation{
		Name: found.Name, State: found.State, StartsAt: found.StartsAt, EndsAt: found.end(), OpensAt: found.OpensAt, Timezone: found.Timezone, Guests: found.Guests,
		Open: found.State == Open, Full: found.Seats.Taken >= found.Seats.Total, WorkUntil: found.WorkUntil,
	}
	if found.Entry != nil && s.Entries.IsPublic(ctx, found.Entry.ID) {
		shown.Entry = found.Entry
	}
	if caller, signedIn := identity.From(ctx); signedIn {
		seat, err := s.store.seatOfAccount(ctx, found.ID, caller.AccountID)
		switch {
		case err == nil && (seat.leftAt.IsZero() || found.State == Ended):
			shown.Mine = &Mine{Seat: seat.number, SessionID: seat.sessionID}
		case err != nil && !errors.Is(err, errNoSeat):
			return shown, err
		}
	}
	return shown, nil
}

// Joining is what somebody sends who joins, or comes back.
type Joining struct {
	Name     string `json:"name,omitempty" maxLength:"2000" doc:"What the host calls them, 1 to 80 characters; people with an account needn't send one"`
	Code     string `json:"code,omitempty" maxLength:"200" doc:"The four words of the workshop"`
	Seat     int    `json:"seat,omitempty" doc:"Instead of both: a seat"`
	SeatCode string `json:"seatCode,omitempty" maxLength:"200" doc:"and its code"`
}

// Joined is the session of somebody who has joined.
type Joined struct {
	sessions.Session

	OpenURL  string `json:"openUrl" doc:"Leads into the session, once"`
	Seat     int    `json:"seat"`
	SeatCode string `json:"seatCode,omitempty" doc:"For guests who have just joined, and never again: with it and the number they come back from any browser"`
	Token    string `json:"token,omitempty" doc:"For guests: a bearer token for the calls that name the seat, and for the work"`
}

// Join gives somebody a seat of a workshop that is open, or brings them back to theirs.
func (s *Service) Join(ctx context.Context, key string, asked Joining) (Joined, error) {
	caller, _ := identity.From(ctx)
	hasSeat := asked.Seat != 0 || asked.SeatCode != "" || caller.Guest
	about, err := s.byKey(ctx, key, hasSeat)
	if err != nil {
		return Joined{}, err
	}
	if asked.Seat != 0 || asked.SeatCode != "" {
		return s.comeBack(ctx, about, asked)
	}
	if caller.Guest { // of another workshop, or of this one with the token alone
		if seat, err := s.store.seatOfAccount(ctx, about.ID, caller.AccountID); err == nil && seat.leftAt.IsZero() {
			owner, err := s.Accounts.Account(ctx, caller.AccountID) // as whom they enter, not as the token
			if err != nil {
				return Joined{}, err
			}
			return s.enter(ctx, about, joined{seat: seat, owner: owner})
		}
		caller = identity.Caller{}
	}
	if !isCode(asked.Code, about.Code) {
		return Joined{}, s.wrong.refuse(ctx, about.ID, s.Now())
	}
	if err := about.checkOpen(s.Now()); err != nil {
		return Joined{}, err
	}
	name := caller.Label()
	switch {
	case caller.AccountID == "" && !about.Guests:
		return Joined{}, fault.New(fault.Unauthenticated, "People join this workshop with an account. Sign in first.")
	case caller.AccountID != "" && caller.Email == "", caller.Disabled:
		if _, err := identity.RequireContributor(ctx); err != nil {
			return Joined{}, err
		}
	case caller.AccountID != "" && !caller.Enabled:
		return Joined{}, fault.New(fault.NotEnabled, "Your account (%s) isn't enabled for sessions yet. Sign out and join as a guest, or ask the host.", caller.Email)
	case caller.AccountID == "" || strings.TrimSpace(asked.Name) != "":
		if name, err = cleanName(asked.Name); err != nil {
			return Joined{}, err
		}
	}
	if _, err := s.plan(ctx, about); err != nil { // before somebody has a seat in which nothing can be started
		return Joined{}, err
	}
	made, err := s.store.join(ctx, about, caller, name)
	if err != nil {
		return Joined{}, err
	}
	s.boards.clear()
	entered, err := s.enter(ctx, about, made)
	if err != nil && made.code != "" { // which the guest won't learn
		err = errors.Join(err, undo(context.WithoutCancel(ctx), s, made.seat))
	}
	return entered, err
}

// undo takes back a seat, and ends what was started there.
func undo(ctx context.Context, s *Service, seat Seat) error {
	session, err := s.store.undo(ctx, seat)
	if err != nil || session == "" {
		return err
	}
	return s.Seats.EndSeats(ctx, seat.workshop, session)
}

// checkOpen returns why nobody can join now; nil if people can.
func (w Workshop) checkOpen(now time.Time) error {
	switch w.stateAt(now) {
	case Ended:
		return fault.New(fault.WorkshopEnded, "This workshop has ended.")
	case Open:
		return nil
	}
	early := fault.New(fault.WorkshopNotOpen, "This workshop isn't open yet. Come back when it starts.")
	early.OpensAt = w.StartsAt
	return early
}

// nameLimit is how long the name of a participant may be, in characters.
const nameLimit = 80

// cleanName returns a name as hosts see it: in one line, without what can't be seen or turns the direction of what follows.
func cleanName(typed string) (string, error) {
	name := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, norm.NFC.String(typed))), " ")
	switch length := utf8.RuneCountInString(name); {
	case !utf8.ValidString(typed) || length == 0:
		return "", fault.InvalidField("body.name", "Type a name, so that the host knows whom to help.")
	case length > nameLimit:
		return "", fault.InvalidField("body.name", "The name has %d characters. Type at most %d.", length, nameLimit)
	}
	return name, nil
}

// comeBack brings a guest back to their seat.
func (s *Service) comeBack(ctx context.Context, about Workshop, asked Joining) (Joined, error) {
	seat, owner, err := s.guestBy(ctx, about, asked.Seat, asked.SeatCode)
	if err != nil {
		return Joined{}, err
	}
	if err := about.checkOpen(s.Now()); err != nil {
		return Joined{}, err
	}
	if !seat.leftAt.IsZero() {
		return Joined{}, fault.New(fault.Forbidden, "The host has freed this seat. Join again with the code of the workshop.")
	}
	if err := s.limit(seat); err != nil {
		return Joined{}, err
	}
	made := joined{seat: seat, owner: owner}
	if made.token, err = s.store.addToken(ctx, about, owner); err != nil {
		return Joined{}, err
	}
	return s.enter(ctx, about, made)
}

// backPerMinute is how often somebody may come back to a seat, or raise and lower its hand, in a minute.
const backPerMinute = 30

// limit counts what a seat does that is recorded each time.
func (s *Service) limit(seat Seat) error {
	if wait := s.back.Take(seat.id, s.Now()); wait > 0 {
		tooMany := fault.New(fault.TooMany, "That was very often. Wait a moment.")
		tooMany.RetryAfter, tooMany.Limit = wait, "seats"
		return tooMany
	}
	return nil
}

// guestBy returns the seat of a code, and its guest.
func (s *Service) guestBy(ctx context.Context, about Workshop, number int, code string) (Seat, identity.Caller, error) {
	seats, err := s.store.everTaken(ctx, about.ID)
	if err != nil {
		return Seat{}, identity.Caller{}, err
	}
	for _, seat := range seats {
		if seat.number != number || !seat.isGuest {
			continue
		}
		found, err := s.store.seatBy(ctx, about.ID, number, digestOf(seat.id, code))
		if err == nil {
			owner, err := s.Accounts.Account(ctx, found.accountID)
			return found, owner, err
		}
		if !errors.Is(err, errNoSeat) {
			return Seat{}, identity.Caller{}, err
		}
	}
	return Seat{}, identity.Caller{}, s.wrong.refuse(ctx, about.ID, s.Now())
}

// enter returns the session of a seat, which is started if it doesn't run, with an address that leads there.
func (s *Service) enter(ctx context.Context, about Workshop, made joined) (Joined, error) {
	if err := about.checkOpen(s.Now()); err != nil {
		return Joined{}, err
	}
	ctx = identity.With(ctx, made.owner)
	session, err := s.sessionOf(ctx, about, made)
	if err != nil {
		return Joined{}, err
	}
	address, err := s.Sessions.Redirect(ctx, session, "")
	return Joined{Session: session, OpenURL: address, Seat: made.seat.number, SeatCode: made.code, Token: made.token}, err
}

func (s *Service) sessionOf(ctx context.Context, about Workshop, made joined) (sessions.Session, error) {
	if made.seat.sessionID != "" {
		session, err := s.Sessions.OfAccount(ctx, made.seat.sessionID, made.owner.AccountID)
		switch {
		case err == nil && session.Status.Live() && session.RequestedStatus == "":
			return session, nil
		case err == nil:
			return s.Sessions.Restart(ctx, session.ID)
		case fault.KindOf(err) != fault.NotFound:
			return session, err
		}
	}
	planned, err := s.plan(ctx, about)
	if err != nil {
		return sessions.Session{}, err
	}
	// A seat has one session, even if this server dies before it has stored which. One that its owner deleted is followed by another.
	session, err := s.Seats.StartSeat(ctx, made.owner, planned, "seat "+made.seat.id+" "+made.seat.sessionID)
	if err == nil {
		err = s.store.setSession(ctx, made.seat.id, session.ID)
	}
	return session, err
}

const (
	planLife  = 30 * time.Second // for which a plan is trusted
	planAgain = 3 * time.Second  // after which it is tried again if that failed
)

// plan returns what a session of a workshop holds, by the rights of who prepared it. It is found out seldom, because code hosts are asked
// for it; while they can't be, what was last known counts.
func (s *Service) plan(ctx context.Context, about Workshop) (sessions.Session, error) {
	key := fmt.Sprint(about.ID, about.accountID, about.request())
	if err := s.lastPlans.failed(key, s.Now()); err != nil {
		return sessions.Session{}, err
	}
	return s.plans.get(key, s.Now(), planLife, func() (sessions.Session, error) {
		ctx := context.WithoutCancel(ctx) // others wait for the same
		owner, err := s.Accounts.Account(ctx, about.accountID)
		var found sessions.Session
		switch {
		case err != nil:
		case !owner.Enabled:
			err = fault.New(fault.Conflict, "The account of this workshop's host isn't enabled any more, so nothing can be started in it.")
		default:
			found, err = s.Seats.PlanSeats(ctx, owner, about.request())
		}
		return s.lastPlans.note(key, found, err, s.Now())
	})
}

// lastPlans are the last plans that could be found out, and those that couldn't a moment ago.
type lastPlans struct {
	mu       sync.Mutex
	good     map[string]sessions.Session // protected by mu
	failures map[string]planFailure      // protected by mu
}

type planFailure struct {
	err   error
	until time.Time
}

// failed returns why a plan couldn't be found out a moment ago; nil if it may be tried.
func (l *lastPlans) failed(key string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if failure, known := l.failures[key]; known && now.Before(failure.until) {
		return failure.err
	}
	return nil
}

// note notes a plan, or why there is none. In place of one that failed for a reason that passes it returns the last good one.
func (l *lastPlans) note(key string, found sessions.Session, err error, now time.Time) (sessions.Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.good == nil || len(l.good)+len(l.failures) > 1000 {
		l.good, l.failures = map[string]sessions.Session{}, map[string]planFailure{}
	}
	if err == nil {
		l.good[key] = found
		delete(l.failures, key)
		return found, nil
	}
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Forbidden, fault.Invalid, fault.Conflict:
		delete(l.good, key)
	default:
		if before, known := l.good[key]; known {
			return before, nil
		}
	}
	l.failures[key] = planFailure{err, now.Add(planAgain)}
	return found, err
}

// WorkLink returns the address that downloads what a seat's session has, once: for the guest whose seat it is, by the code or signed in
// with the token. Gone after the time for that.
func (s *Service) WorkLink(ctx context.Context, key string, number int, code string) (string, error) {
	about, err := s.byKey(ctx, key, true)
	if err != nil {
		return "", err
	}
	caller, _ := identity.From(ctx)
	gone := s.Now().After(about.workUntil())
	var seat Seat
	switch {
	case number != 0 || code != "":
		if gone { // the digests are deleted, so nothing can be compared
			return "", errWorkGone
		}
		seat, caller, err = s.guestBy(ctx, about, number, code)
	case caller.AccountID != "":
		seat, err = s.store.seatOfAccount(ctx, about.ID, caller.AccountID)
	default:
		return "", fault.New(fault.Unauthenticated, "Say which seat is yours, with its code.")
	}
	if err != nil {
		return "", err
	}
	if gone && seat.isGuest {
		return "", errWorkGone
	}
	if seat.sessionID == "" {
		return "", fault.New(fault.NotFound, "Nothing was started in this seat, so there is no work.")
	}
	return s.Work.WorkLink(identity.With(ctx, caller), seat.sessionID)
}

var errWorkGone = fault.New(fault.WorkGone, "Work of guests is kept for 14 days after a workshop. This is longer ago, so it was deleted.")
