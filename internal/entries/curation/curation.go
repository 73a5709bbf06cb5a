package curation

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// reasonLimit is the maximum length of a reason, in characters.
const reasonLimit = 1000

// Service decides about entries for operators, and takes reports from others.
type Service struct {
	store   *Store
	entries *catalog.Store
	changed func(context.Context, catalog.Changes)
}

// NewService returns a service. It calls changed, unless that is nil, after each write of an entry.
func NewService(store *Store, entries *catalog.Store, changed func(context.Context, catalog.Changes)) *Service {
	return &Service{store, entries, changed}
}

// OperatorEntry is what operators see of an entry. Of a private one that is only its id, type, authors, and whether it is
// hidden.
type OperatorEntry struct {
	ID           string          `json:"id" format:"uuid"`
	Type         catalog.Type    `json:"type"`
	Name         string          `json:"name" doc:"Empty for private entries"`
	Authors      []string        `json:"authors"`
	Privacy      catalog.Privacy `json:"privacy" enum:"PUBLIC,PRIVATE"`
	Status       catalog.Status  `json:"status" enum:"NONE,PENDING,VERIFIED,REJECTED"`
	Hidden       bool            `json:"hidden"`
	HiddenReason string          `json:"hiddenReason"`
	Featured     bool            `json:"featured" doc:"On the landing page first"`
	CreatedAt    *time.Time      `json:"createdAt,omitempty" doc:"Absent for private entries"`
	Reports      []EntryReport   `json:"reports" doc:"Open reports, oldest first; none for private entries"`
}

// EntryReport is what somebody says is wrong with an entry.
type EntryReport struct {
	By     string    `json:"by" doc:"E-mail address"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// entryOf returns what operators see of an entry.
func entryOf(r catalog.Entry, reports []EntryReport) OperatorEntry {
	entry := OperatorEntry{
		ID: r.ID, Type: r.Type, Authors: r.Authors, Privacy: r.Privacy, Status: catalog.StatusNone,
		Hidden: r.Hidden, HiddenReason: r.HiddenReason, Reports: []EntryReport{},
	}
	if r.Privacy == catalog.PrivacyPublic {
		entry.Name, entry.Status, entry.Featured, entry.CreatedAt = r.Name, r.Status, r.Featured, &r.CreatedAt
		entry.Reports = append(entry.Reports, reports...)
	}
	return entry
}

// requireOperator returns Forbidden for everybody but operators.
func requireOperator(ctx context.Context) error {
	_, err := identity.RequireOperator(ctx, "Only operators can manage entries.")
	return err
}

// Get returns an entry; NotFound if there is none. It is for operators, and for the command line.
func (s *Service) Get(ctx context.Context, id string) (OperatorEntry, error) {
	found, err := s.load(ctx, []string{id})
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "This entry doesn't exist.")
	}
	if err != nil {
		return OperatorEntry{}, err
	}
	return found[0], nil
}

// load returns the active entries among some, in their order.
func (s *Service) load(ctx context.Context, ids []string) ([]OperatorEntry, error) {
	resources, err := s.entries.Load(ctx, ids)
	if err != nil {
		return nil, err
	}
	reports, err := s.store.reports(ctx, ids)
	if err != nil {
		return nil, err
	}
	entries := make([]OperatorEntry, 0, len(resources))
	for _, r := range resources {
		if r.State == catalog.StateActive {
			entries = append(entries, entryOf(r, reports[r.ID]))
		}
	}
	return entries, nil
}

// Change changes what operators decide about an entry, and returns its new state. To hide one needs a reason of 1 to
// 1,000 characters, which its authors read. Private entries can't be hidden, featured or verified (Conflict), but shown
// again.
func (s *Service) Change(ctx context.Context, id string, change catalog.Curation) (OperatorEntry, error) {
	hides := change.Hidden != nil && *change.Hidden
	if change.Reason = strings.TrimSpace(change.Reason); hides {
		if err := checkReason(change.Reason); err != nil {
			return OperatorEntry{}, err
		}
	} else {
		change.Reason = ""
	}
	if status := change.Status; status != nil && *status != catalog.StatusNone && *status != catalog.StatusVerified && *status != catalog.StatusRejected {
		return OperatorEntry{}, fault.InvalidField("body.status", "The status must be VERIFIED, REJECTED or NONE.")
	}
	before, err := s.Get(ctx, id)
	if err != nil {
		return OperatorEntry{}, err
	}
	if before.Privacy == catalog.PrivacyPrivate && (hides || change.Featured != nil || change.Status != nil) {
		return OperatorEntry{}, fault.New(fault.Conflict, "This entry is private: only its authors see it.")
	}
	if err := s.write(ctx)(s.entries.Curate(ctx, id, change)); err != nil {
		return OperatorEntry{}, err
	}
	return s.Get(ctx, id)
}

// Delete deletes a hidden entry forever; Conflict unless it is hidden.
func (s *Service) Delete(ctx context.Context, id string) error {
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return s.write(ctx)(s.entries.Erase(ctx, id))
}

// CloseReports dismisses the open reports of an entry.
func (s *Service) CloseReports(ctx context.Context, id string) error {
	if _, err := s.Get(ctx, id); err != nil {
		return err
	}
	return s.store.closeReports(ctx, id)
}

// Report tells the operators what the caller says is wrong with an entry that they see: 1 to 1,000 characters.
func (s *Service) Report(ctx context.Context, id, reason string) error {
	caller, err := identity.Require(ctx)
	if err != nil {
		return err
	}
	entry, err := s.entries.Access(ctx, id)
	if err != nil {
		return err
	}
	if !entry.VisibleTo(caller.Email) {
		return fault.New(fault.NotFound, "This entry doesn't exist, or you don't have access to it.")
	}
	reason = strings.TrimSpace(reason)
	if err := checkReason(reason); err != nil {
		return err
	}
	return s.store.report(ctx, id, caller.AccountID, reason)
}

// write makes a change show in searches.
func (s *Service) write(ctx context.Context) func(catalog.Changes, error) error {
	return func(changes catalog.Changes, err error) error {
		if err == nil && s.changed != nil {
			s.changed(ctx, changes)
		}
		return err
	}
}

func checkReason(reason string) error {
	if length := utf8.RuneCountInString(reason); length == 0 || length > reasonLimit || !catalog.ValidText(reason, true) {
		return fault.InvalidField("body.reason", "Say why, in 1 to %d characters.", reasonLimit)
	}
	return nil
}
