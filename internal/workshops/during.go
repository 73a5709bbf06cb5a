package workshops

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/shares"
	"cairn/internal/workshops/handouts"
)

// Message is a sentence to all seats.
type Message struct {
	ID   string    `json:"id" format:"uuid"`
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

// messageLimit is how long a message may be, in characters.
const messageLimit = 500

// Tell shows a sentence in the pages of all seats.
func (s *Service) Tell(ctx context.Context, id, text string) (Message, error) {
	about, err := s.going(ctx, id)
	if err != nil {
		return Message{}, err
	}
	text = strings.TrimSpace(text)
	if length := utf8.RuneCountInString(text); length == 0 || length > messageLimit || !catalog.ValidText(text, false) {
		return Message{}, fault.InvalidField("body.text", "A message has 1 to %d characters in one line.", messageLimit)
	}
	made, err := s.store.addMessage(ctx, about, text)
	if err == nil {
		s.changed()
	}
	return made, err
}

// going returns a workshop that the caller hosts and that hasn't ended.
func (s *Service) going(ctx context.Context, id string) (Workshop, error) {
	_, about, err := s.hosted(ctx, id)
	if err == nil && about.stateAt(s.Now()) == Ended {
		err = errEnded
	}
	return about, err
}

// Handout is something that was handed out.
type Handout struct {
	ID        string    `json:"id" format:"uuid"`
	Name      string    `json:"name"`
	At        time.Time `json:"at"`
	Delivered int       `json:"delivered" doc:"To how many seats it has come"`
	Of        int       `json:"of" doc:"How many seats are taken; those that don't run get it when they do"`
}

// Delivered is where something lies at a seat.
type Delivered struct {
	ID    string            `json:"id"`
	At    time.Time         `json:"at"`
	Files []handouts.Placed `json:"files"`
}

// HandingOut is what is to be handed out: a file, or a commit.
type HandingOut struct {
	Name    string `json:"name,omitempty" maxLength:"400" doc:"Of a file"`
	Content string `json:"content,omitempty" doc:"Of a file, in base64; 10 MiB at most"`
	Ref     string `json:"ref,omitempty" maxLength:"255" doc:"Instead of a file: a branch, tag or commit of the repository, whose changed files are handed out"`
}

// HandOut lays a file, or the changed files of a commit, into the work of all seats, beside what people changed. Seats that don't run get
// them when they do.
func (s *Service) HandOut(ctx context.Context, id string, asked HandingOut) (Handout, error) {
	about, err := s.going(ctx, id)
	if err != nil {
		return Handout{}, err
	}
	var bundle handouts.Bundle
	name := asked.Name
	switch {
	case (asked.Ref == "") == (asked.Name == ""):
		return Handout{}, fault.InvalidField("body.name", "Hand out either a file (name and content) or a commit (ref).")
	case asked.Ref != "":
		bundle, name, err = s.newer(ctx, about, asked.Ref)
	default:
		bundle, err = uploaded(asked)
	}
	if err != nil {
		return Handout{}, err
	}
	if bundle, err = s.store.withEarlier(ctx, about, bundle); err != nil {
		return Handout{}, err
	}
	made, err := s.store.addHandout(ctx, about, name, bundle)
	if err != nil {
		return Handout{}, err
	}
	seats, err := s.store.taken(ctx, id)
	made.Of = len(seats)
	s.changed()
	s.handing.wake()
	return made, err
}

func uploaded(asked HandingOut) (handouts.Bundle, error) {
	content, err := base64.StdEncoding.DecodeString(asked.Content)
	if err != nil {
		return handouts.Bundle{}, fault.InvalidField("body.content", "The content must be in base64.")
	}
	if err := handouts.Check(asked.Name, content); err != nil {
		return handouts.Bundle{}, err
	}
	return handouts.Bundle{Label: "from the host", Files: []handouts.File{{Path: asked.Name, Content: content}}}, nil
}

// newer returns the files of a commit that differ from what the seats began with.
func (s *Service) newer(ctx context.Context, about Workshop, ref string) (bundle handouts.Bundle, name string, err error) {
	planned, err := s.plan(ctx, about)
	if err != nil {
		return bundle, "", err
	}
	repository := s.Repository(planned)
	if repository.URL == "" {
		return bundle, "", fault.InvalidField("body.ref", "This workshop has no repository. Hand out files instead.")
	}
	before, err := commitOf(ctx, s, about, repository)
	if err != nil {
		return bundle, "", err
	}
	to, err := s.Files.Resolve(ctx, repository, ref)
	if err != nil {
		return bundle, "", err
	}
	changed, err := s.Files.Changes(ctx, repository, before, to)
	if err != nil {
		return bundle, "", err
	}
	if len(changed.Bundle.Files) == 0 {
		return bundle, "", fault.New(fault.Conflict, "Nothing that can be handed out has changed in %s since the workshop's sessions began.", fault.Quote(ref))
	}
	return changed.Bundle, fmt.Sprintf("%s (%.7s)", ref, to), nil
}

// commitOf returns the commit with which the seats of a workshop began.
func commitOf(ctx context.Context, s *Service, about Workshop, repository engine.Repository) (string, error) {
	live, err := s.Seats.OfWorkshop(ctx, about.ID)
	if err != nil {
		return "", err
	}
	for _, session := range live {
		chosen, err := s.Engines.Of(session.Engine)
		if err != nil {
			return "", err
		}
		if report := chosen.Report(ctx, s.Logger, session.ID); report.Commit != "" {
			return report.Commit, nil
		}
	}
	return s.Files.Resolve(ctx, repository, about.Ref)
}

// withEarlier adds to each file of a bundle what was handed out at its path before: that is nobody's own work either.
func (s *Store) withEarlier(ctx context.Context, about Workshop, bundle handouts.Bundle) (handouts.Bundle, error) {
	earlier, err := s.bundles(ctx, about.ID)
	for i, file := range bundle.Files {
		for _, one := range earlier {
			for _, before := range one.Files {
				if before.Path == file.Path {
					bundle.Files[i].Before = append(bundle.Files[i].Before, handouts.Digest(before.Content))
				}
			}
		}
	}
	return bundle, err
}

// FreeSeat takes a seat from whoever has it: their session ends, and their work stays theirs.
func (s *Service) FreeSeat(ctx context.Context, id string, number int) error {
	about, err := s.going(ctx, id)
	if err != nil {
		return err
	}
	seat, err := s.store.seat(ctx, id, number)
	if err != nil {
		return err
	}
	if err := s.store.free(ctx, about, seat); err != nil {
		return err
	}
	s.changed()
	if seat.sessionID == "" {
		return nil
	}
	if err := s.Seats.EndSeats(ctx, id, seat.sessionID); err != nil {
		return err
	}
	return s.Seats.LeaveWorkshop(ctx, id, seat.accountID)
}

// SetHand raises or lowers the hand of a seat: by whoever has it, and down also by hosts.
func (s *Service) SetHand(ctx context.Context, id string, number int, up bool) error {
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	about, err := s.store.get(ctx, id)
	if err != nil {
		return err
	}
	seat, err := s.store.seat(ctx, id, number)
	isTheirs := err == nil && seat.accountID == caller.AccountID
	hosting := hosts(caller, about) == nil
	switch {
	case !isTheirs && !hosting:
		return errNoWorkshop
	case err != nil:
		return err
	case up && !isTheirs:
		return fault.New(fault.Forbidden, "Only whoever sits there can raise the hand of this seat.")
	}
	return s.setHand(ctx, about, seat, up)
}

func (s *Service) setHand(ctx context.Context, about Workshop, seat Seat, up bool) error {
	if about.stateAt(s.Now()) == Ended {
		return errEnded
	}
	if err := s.limit(seat); err != nil {
		return err
	}
	err := s.store.setHand(ctx, about, seat, up)
	if err == nil {
		s.boards.clear()
	}
	return err
}

// AskSeat asks whoever has a seat to let the caller in, who hosts the workshop.
func (s *Service) AskSeat(ctx context.Context, id string, number int, can shares.Level) (shares.Request, error) {
	if _, err := s.going(ctx, id); err != nil {
		return shares.Request{}, err
	}
	seat, err := s.store.seat(ctx, id, number)
	if err != nil {
		return shares.Request{}, err
	}
	if seat.sessionID == "" {
		return shares.Request{}, fault.New(fault.SessionNotRunning, "Nothing runs in this seat yet.")
	}
	return s.Requests.Ask(ctx, seat.sessionID, shares.Asked{Kind: shares.Enter, Can: can})
}
