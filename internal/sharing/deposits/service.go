package deposits

import (
	"context"
	"errors"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Service deposits versions of entries at archives.
type Service struct {
	options Options
	store   *Store
	worker  string
	wake    chan struct{}
}

// New returns a service. Run works on its deposits.
func New(store *Store, options Options) *Service {
	return &Service{options: options, store: store, worker: newID(), wake: make(chan struct{}, 1)}
}

// author returns an entry of the caller's; NotFound unless they may see it, NotAuthor unless they may change it.
func (s *Service) author(ctx context.Context, id string) (catalog.Entry, identity.Caller, error) {
	caller, err := identity.RequireContributor(ctx)
	if err != nil {
		return catalog.Entry{}, caller, err
	}
	entry, err := s.options.Entries.Readable(ctx, id)
	switch {
	case err != nil:
	case !entry.DeletableBy(caller.Email):
		err = fault.New(fault.NotAuthor, "Only the authors of %s can deposit it: %s.", fault.Quote(entry.Name), entry.AuthorsText())
	case !caller.Enabled:
		err = fault.New(fault.NotEnabled, "Your account has to be enabled before you can deposit entries.")
	}
	return entry, caller, err
}

// archive returns an archive by its name.
func (s *Service) archive(name string) (*archives.Client, error) {
	for _, one := range s.options.Archives {
		if one.Name == name {
			return one, nil
		}
	}
	return nil, fault.InvalidField("body.at", "This server doesn't deposit at %s.", fault.Quote(name))
}

// Archives returns the archives, with which of them the caller's account is connected.
func (s *Service) Archives(ctx context.Context) ([]Archive, error) {
	caller, err := identity.Require(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Archive, len(s.options.Archives))
	for i, one := range s.options.Archives {
		connected, err := s.options.Tokens.IsConnected(ctx, caller.AccountID, one.Name)
		if err != nil {
			return nil, err
		}
		list[i] = Archive{Name: one.Name, Label: one.Label, Kind: one.Kind, URL: one.URL, Connected: connected}
	}
	return list, nil
}

// Begin deposits a version of an entry; 0: the latest. A version that is or was deposited at the archive isn't again: its deposit is returned,
// and tried again if it had failed. NotConnected if the caller's account isn't connected with the archive.
func (s *Service) Begin(ctx context.Context, id, at string, version int) (Deposit, error) {
	_, caller, err := s.author(ctx, id)
	if err != nil {
		return Deposit{}, err
	}
	archive, err := s.archive(at)
	if err != nil {
		return Deposit{}, err
	}
	if version == 0 {
		latest, err := s.options.Versions.Latest(ctx, id)
		if err != nil {
			return Deposit{}, err
		}
		version = latest.Number
	}
	entry, _, _, err := s.options.Versions.Get(ctx, id, version)
	if err != nil {
		return Deposit{}, err
	}
	found, err := s.store.ofVersion(ctx, id, version, at)
	switch {
	case err == nil && (found.State != Failed || found.accountID != caller.AccountID):
		return found.Deposit, nil
	case err == nil:
		return s.again(ctx, found, Failed, Uploading)
	case !errors.Is(err, errNoDeposit):
		return Deposit{}, err
	}
	if entry.License == "" {
		return Deposit{}, fault.InvalidField("license", "%s publishes everything under a license. Say in the entry which one that is, then deposit it.", archive.Label)
	}
	if _, err := s.options.Tokens.Token(ctx, caller.AccountID, at); err != nil {
		return Deposit{}, err
	}
	added, err := s.store.add(ctx, row{Deposit: Deposit{ID: newID(), At: at, Version: version}, resourceID: id, accountID: caller.AccountID})
	s.wakeUp()
	return added.Deposit, err
}

// wakeUp makes Run look for work.
func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// List returns the deposits of an entry, the newest first.
func (s *Service) List(ctx context.Context, id string) ([]Deposit, error) {
	if _, _, err := s.author(ctx, id); err != nil {
		return nil, err
	}
	rows, err := s.store.list(ctx, id)
	list := make([]Deposit, len(rows))
	for i, one := range rows {
		list[i] = one.Deposit
	}
	return list, err
}

// Get returns a deposit of an entry.
func (s *Service) Get(ctx context.Context, id, deposit string) (Deposit, error) {
	if _, _, err := s.author(ctx, id); err != nil {
		return Deposit{}, err
	}
	found, err := s.store.find(ctx, id, deposit)
	return found.Deposit, err
}

// own returns a deposit that the caller has begun: it is in their account at the archive.
func (s *Service) own(ctx context.Context, id, deposit string) (row, error) {
	_, caller, err := s.author(ctx, id)
	if err != nil {
		return row{}, err
	}
	found, err := s.store.find(ctx, id, deposit)
	if err == nil && found.accountID != caller.AccountID {
		err = errOthers(found)
	}
	return found, err
}

func errOthers(found row) error {
	return fault.New(fault.Forbidden, "%s has begun this deposit, and it is in their account at the archive: only they can go on with it.", found.By)
}

// again makes servers work on a deposit once more, if its account is still connected.
func (s *Service) again(ctx context.Context, found row, from, to State) (Deposit, error) {
	if _, err := s.archive(found.At); err != nil {
		return Deposit{}, err
	}
	if _, err := s.options.Tokens.Token(ctx, found.accountID, found.At); err != nil {
		return Deposit{}, err
	}
	begun, err := s.store.begin(ctx, found.ID, from, to)
	if err != nil {
		return Deposit{}, err
	}
	s.wakeUp()
	after, err := s.store.find(ctx, found.resourceID, found.ID)
	if err == nil && !begun && after.State == from {
		err = fault.New(fault.Conflict, "The deposit is being discarded. Look again in a minute.")
	}
	return after.Deposit, err
}

// Publish publishes a draft for good; one that is being published, or was, is returned as it is.
func (s *Service) Publish(ctx context.Context, id, deposit string) (Deposit, error) {
	found, err := s.own(ctx, id, deposit)
	switch {
	case err != nil || found.State == Publishing || found.State == Published:
		return found.Deposit, err
	case found.State != Draft:
		return Deposit{}, fault.New(fault.Conflict, "There is no draft at the archive yet that can be published.")
	}
	return s.again(ctx, found, Draft, Publishing)
}

// Retry tries a deposit again that has failed; one that is tried already is returned as it is.
func (s *Service) Retry(ctx context.Context, id, deposit string) (Deposit, error) {
	found, err := s.own(ctx, id, deposit)
	switch {
	case err != nil || found.State == Uploading:
		return found.Deposit, err
	case found.State != Failed:
		return Deposit{}, fault.New(fault.Conflict, "This deposit hasn't failed.")
	}
	return s.again(ctx, found, Failed, Uploading)
}

// Discard deletes a draft at the archive, and forgets the deposit; Conflict if it is published. What somebody has begun who is no longer an
// author is only forgotten: nobody else can reach it.
func (s *Service) Discard(ctx context.Context, id, deposit string) error {
	entry, caller, err := s.author(ctx, id)
	if err != nil {
		return err
	}
	found, err := s.store.find(ctx, id, deposit)
	if err != nil {
		return err
	}
	reachable := found.accountID == caller.AccountID
	if !reachable {
		other, err := s.options.Callers(ctx, found.accountID)
		if err != nil {
			return err
		}
		if entry.DeletableBy(other.Email) && !other.Disabled {
			return errOthers(found)
		}
	}
	taken, ok, err := s.store.take(ctx, found.ID, newID(), s.options.Now().Add(holdTime)) // also from this server
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.Conflict, "This is published, or just being, so it can't be discarded.")
	}
	if reachable {
		if err := s.discardDraft(ctx, taken); err != nil {
			if fault.KindOf(err) == fault.Conflict { // somebody published it there
				taken.State = Publishing
			}
			taken.heldUntil = time.Time{}
			return errors.Join(err, s.store.save(context.WithoutCancel(ctx), taken))
		}
	}
	return s.store.remove(ctx, taken)
}

// discardDraft deletes what there is of a deposit at the archive.
func (s *Service) discardDraft(ctx context.Context, r row) error {
	archive, err := s.archive(r.At)
	if err != nil || r.recordID == "" && r.memory.Asked.IsZero() {
		return nil //nolint:nilerr // an archive that this server doesn't know any more can't be asked
	}
	token, err := s.options.Tokens.Token(ctx, r.accountID, r.At)
	if err != nil {
		return err
	}
	draft := archives.Draft{ID: r.recordID}
	if r.recordID == "" {
		var ok bool
		if draft, ok, err = s.look(ctx, archive, token, r); err != nil || !ok {
			return err
		}
	}
	return archive.Discard(ctx, token, draft)
}

// indexTime is how long an archive may need until it finds a draft that it was asked to create.
const indexTime = 30 * time.Second

// look finds the draft of a deposit whose id isn't known, because the answer was lost in which it was. Unavailable while the archive may have
// one that it doesn't find yet.
func (s *Service) look(ctx context.Context, archive *archives.Client, token string, r row) (draft archives.Draft, ok bool, err error) {
	if wait := r.memory.Asked.Add(indexTime).Sub(s.options.Now()); !r.memory.Asked.IsZero() && wait > 0 {
		early := fault.New(fault.Unavailable, "%s may just be making the draft. Try again in a moment.", archive.Label)
		early.RetryAfter = wait
		return archives.Draft{}, false, early
	}
	return archive.FindDraft(ctx, token, r.mark())
}

// mark is by what a draft is found again.
func (r row) mark() string { return "cairn " + r.ID }
