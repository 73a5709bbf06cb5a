package catalog

import (
	"context"
	"slices"
	"sync"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Readers say who can read the repositories of entries that are ForHost.
type Readers interface {
	// Ask asks the code host whether an account can read an entry's repository now, unless it has answered a few minutes ago at most.
	// NotFound if it can't, NotConnected if the account has no connection that works, Unavailable if the host can't be asked.
	Ask(ctx context.Context, accountID string, entry Entry) error
	// Answered returns the ids of the entries of which the host said that an account can read them, a few minutes ago at most.
	Answered(accountID string) []string
	// IsPublic reports whether everybody can read an entry's repository, as far as is known.
	IsPublic(ctx context.Context, entry Entry) bool
}

// Closed says why somebody sees no more than the name of an entry of theirs.
type Closed struct {
	Code   fault.Code `json:"code" enum:"not_found,not_connected,codehost_unavailable,codehost_limited,bad_upstream,too_many,unavailable" doc:"not_found: the code host doesn't show the caller the repository; not_connected: their account isn't connected with it; otherwise it can't be asked"`
	Reason string     `json:"reason" doc:"The same for people"`
}

// mayRead returns nil if the caller may open an entry, and else the fault for that, which for strangers is the same as for an entry that
// doesn't exist.
func (s *Service) mayRead(ctx context.Context, entry Entry) error {
	caller, _ := identity.From(ctx)
	if entry.ReadableBy(caller) {
		return nil
	}
	if !entry.ForHost() {
		return notFound()
	}
	err := s.askHost(ctx, entry)
	if fault.KindOf(err) == fault.NotFound || fault.CodeOf(err) == fault.NotConnected && !entry.authoredBy(caller.Email) {
		return notFound()
	}
	return err
}

// askHost returns nil if the code host shows the caller the repository of an entry that is ForHost, and else why not.
func (s *Service) askHost(ctx context.Context, entry Entry) error {
	caller, ok := identity.From(ctx)
	if !ok || caller.Guest || caller.Disabled || s.readers == nil {
		return notFound()
	}
	return s.readers.Ask(ctx, caller.AccountID, entry)
}

// MayRead reports whether somebody may see an entry, and asks its code host if that decides.
func (s *Service) MayRead(ctx context.Context, accountID, email string, entry Entry) (bool, error) {
	if entry.VisibleTo(email) {
		return true, nil
	}
	if !entry.ForHost() || s.readers == nil || accountID == "" {
		return false, nil
	}
	err := s.readers.Ask(ctx, accountID, entry)
	if kind := fault.KindOf(err); kind == fault.Unavailable || kind == fault.BadUpstream {
		return false, err
	}
	return err == nil, nil
}

// closed returns what an author sees of an entry whose repository they can't read: its name, and why the rest isn't shown. It returns the
// fault to everybody else.
func (s *Service) closed(ctx context.Context, id string, refused error) (Resource, error) {
	entry, err := s.store.Access(ctx, id)
	caller, _ := identity.From(ctx)
	if err != nil || !entry.ForHost() || !entry.authoredBy(caller.Email) || caller.Disabled {
		return Resource{}, refused
	}
	found, err := s.searchIndex.entries(ctx, []string{id}, true)
	if err != nil || len(found) == 0 {
		return Resource{}, refused
	}
	reason := refused
	if fault.KindOf(refused) == fault.NotFound { // mayRead says the same to everybody
		if reason = s.askHost(ctx, found[0]); reason == nil {
			reason = refused
		}
	}
	answers := []Resource{found[0].closedFor(reason)}
	return answers[0], s.complete(ctx, answers)
}

// closedFor returns what an author sees of an entry that the host doesn't show them.
func (r Entry) closedFor(reason error) Resource {
	answer := Entry{
		ID: r.ID, Name: r.Name, Type: r.Type, Privacy: r.Privacy, Audience: r.Audience, State: r.State, Status: StatusNone, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		Tags: []Tag{}, Authors: slices.Clone(r.Authors), AddedBy: r.AddedBy,
	}.Resource()
	answer.CoverKind = CoverDrawing
	answer.Closed = &Closed{Code: fault.CodeOf(reason), Reason: fault.MessageOf(reason)}
	return answer
}

// forHost are the entries that are ForHost and that a caller sees.
type forHost struct {
	shown  []string // ids of those that the host shows them
	closed []string // ids of their own of which they see the name
}

const (
	askedMost = 20              // entries of one's own that a list asks about
	askedTime = 2 * time.Second // for which a list waits; the answers are there for the next one
)

// forCaller returns what the caller sees of entries that are ForHost, after asking about those that they are an author of.
func (s *Service) forCaller(ctx context.Context) (forHost, error) {
	caller, ok := identity.From(ctx)
	if !ok || caller.Guest || caller.Disabled || caller.Email == "" || s.readers == nil {
		return forHost{}, nil
	}
	own, err := s.store.OwnForHost(ctx, caller.Email)
	if err != nil {
		return forHost{}, err
	}
	shown := s.readers.Answered(caller.AccountID)
	var unknown []string
	for _, id := range own {
		if !slices.Contains(shown, id) && len(unknown) < askedMost {
			unknown = append(unknown, id)
		}
	}
	if len(unknown) > 0 {
		entries, err := s.searchIndex.entries(ctx, unknown, true)
		if err != nil {
			return forHost{}, err
		}
		waiting, cancel := context.WithTimeout(ctx, askedTime)
		defer cancel()
		var group sync.WaitGroup
		for _, entry := range entries {
			group.Go(func() { _ = s.readers.Ask(waiting, caller.AccountID, entry) }) // what it says is in Answered
		}
		group.Wait()
		shown = s.readers.Answered(caller.AccountID)
	}
	return forHost{shown: shown, closed: slices.DeleteFunc(own, func(id string) bool { return slices.Contains(shown, id) })}, nil
}

// answered is forCaller without asking anything.
func (s *Service) answered(ctx context.Context) forHost {
	caller, ok := identity.From(ctx)
	if !ok || caller.Guest || caller.Disabled || s.readers == nil {
		return forHost{}
	}
	return forHost{shown: s.readers.Answered(caller.AccountID)}
}

// visible returns the entries that somebody may see; it reuses the list. Entries that stay where they are aren't copied.
func (f forHost) visible(email string, found []Resource) []Resource {
	kept := 0
	for i := range found {
		entry := found[i].Entry()
		switch {
		case entry.VisibleTo(email), entry.ForHost() && slices.Contains(f.shown, entry.ID):
			if kept != i {
				found[kept] = found[i]
			}
		case entry.ForHost() && entry.authoredBy(email) && slices.Contains(f.closed, entry.ID):
			found[kept] = entry.closedFor(errClosed)
		default:
			continue
		}
		kept++
	}
	return found[:kept]
}

var errClosed = fault.New(fault.NotFound, "Its code host doesn't show you the repository now. Open the entry to see why.")
