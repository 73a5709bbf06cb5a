package deposits

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

const (
	atOnce     = 2 // deposits on a server
	holdTime   = time.Minute
	holdEvery  = 2 * time.Second
	lookEvery  = 5 * time.Second
	firstWait  = 10 * time.Second // before another try; twice as long before each further one
	mostWait   = time.Hour
	tryTime    = 24 * time.Hour // in which it is tried again
	triesOfBad = 5              // after answers that can't be used
)

// Run works on deposits until ctx ends.
func (s *Service) Run(ctx context.Context) {
	slots := make(chan struct{}, atOnce)
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	defer func() {
		for range atOnce { // those under way give back what they have
			slots <- struct{}{}
		}
	}()
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		r, ok, err := s.claim(ctx)
		if err != nil && ctx.Err() == nil {
			s.options.Logger.WarnContext(ctx, "deposits can't be read; trying again", "error", err)
		}
		if ok && err == nil {
			go func() {
				defer func() { <-slots }()
				s.work(ctx, r)
			}()
			continue
		}
		<-slots
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-looks.C:
		}
	}
}

func (s *Service) claim(ctx context.Context) (row, bool, error) {
	return s.store.claim(ctx, s.worker+" "+newID(), s.options.Now().Add(holdTime)) // so that one that lost it to this same server notices
}

// work brings a deposit that was claimed to where it waits for a person, or notes why it can't.
func (s *Service) work(ctx context.Context, r row) {
	working, cancel := context.WithCancelCause(ctx)
	j := &job{Service: s, row: r}
	j.tell(r.Progress)
	held := make(chan struct{})
	go func() {
		defer close(held)
		ticks := time.NewTicker(holdEvery)
		defer ticks.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-ticks.C:
				if mine, err := s.store.hold(working, r.ID, r.worker, j.progress(), s.options.Now().Add(holdTime)); err == nil && !mine {
					cancel(errLost)
				}
			}
		}
	}()
	err := j.carryOut(working)
	lost := errors.Is(err, errLost) || errors.Is(context.Cause(working), errLost)
	cancel(nil)
	<-held
	switch {
	case lost:
		return
	case err != nil && ctx.Err() != nil: // this server ends: another one, or the next, goes on
	case err != nil:
		j.failed(ctx, err)
	}
	j.Progress, j.heldUntil = j.progress(), j.waits
	if err := s.store.save(context.WithoutCancel(ctx), j.row); err != nil && !errors.Is(err, errLost) {
		s.options.Logger.ErrorContext(ctx, "how far a deposit is can't be stored; it is worked on again", "deposit", r.ID, "error", err)
	}
}

// job is the work on a deposit.
type job struct {
	*Service
	row

	archive *archives.Client
	token   string
	waits   time.Time // until it is tried again
	files   atomic.Int64
	bytes   atomic.Int64
	total   atomic.Int64
}

func (j *job) progress() DepositProgress {
	return DepositProgress{int(j.files.Load()), j.bytes.Load(), j.total.Load()}
}

func (j *job) tell(now DepositProgress) {
	j.files.Store(int64(now.Files))
	j.bytes.Store(now.Bytes)
	j.total.Store(now.TotalBytes)
}

// save stores what is known so far, and goes on.
func (j *job) save(ctx context.Context) error {
	j.Progress, j.heldUntil = j.progress(), j.options.Now().Add(holdTime)
	return j.store.save(ctx, j.row)
}

// carryOut goes on from what is stored and what the archive has. The context becomes that of the account that has begun the deposit.
func (j *job) carryOut(ctx context.Context) (err error) {
	if j.archive, err = j.Service.archive(j.At); err != nil {
		return err
	}
	caller, err := j.options.Callers(ctx, j.accountID)
	if err != nil {
		return err
	}
	ctx = identity.With(ctx, caller)
	if j.token, err = j.options.Tokens.Token(ctx, j.accountID, j.At); err != nil {
		return err
	}
	draft, err := j.present(ctx)
	if err == nil && !draft.Published {
		draft, err = j.goOn(ctx, draft)
	}
	if err != nil {
		return err
	}
	j.recordID, j.DOI, j.URL = draft.ID, draft.DOI, draft.URL
	j.State, j.Problem, j.tries = Draft, nil, 0
	if draft.Published {
		if err := j.note(ctx); err != nil {
			j.State = Publishing
			return err
		}
		j.State = Published
	}
	return nil
}

// goOn publishes a draft, or brings it to where it can be.
func (j *job) goOn(ctx context.Context, draft archives.Draft) (archives.Draft, error) {
	if _, _, err := j.author(ctx, j.resourceID); err != nil {
		return draft, err
	}
	entry, version, _, err := j.options.Versions.Get(ctx, j.resourceID, j.Version)
	if err != nil {
		return draft, err
	}
	if j.State == Publishing {
		return j.archive.Publish(ctx, j.token, draft)
	}
	if draft, err = j.draft(ctx, draft); err != nil || draft.Published {
		return draft, err
	}
	return draft, j.fill(ctx, draft, entry, version)
}

// present returns the present state of the draft whose id is stored; the zero Draft if there is none, also because somebody deleted it at the
// archive.
func (j *job) present(ctx context.Context) (archives.Draft, error) {
	if j.recordID == "" {
		return archives.Draft{}, nil
	}
	draft, err := j.archive.Get(ctx, j.token, archives.Draft{ID: j.recordID})
	if fault.KindOf(err) == fault.NotFound && j.State == Uploading {
		j.recordID = ""
		return archives.Draft{}, nil
	}
	return draft, err
}

// draft returns the draft with a DOI, and makes it if there is none yet. Its id is stored before anything else is done with it.
func (j *job) draft(ctx context.Context, draft archives.Draft) (archives.Draft, error) {
	if draft.ID == "" {
		made, err := j.make(ctx)
		if err != nil {
			return draft, err
		}
		j.recordID, j.DOI, j.URL = made.ID, made.DOI, made.URL
		if err := j.save(ctx); err != nil || made.Published {
			return made, err
		}
		draft = made
	}
	reserved, err := j.archive.Reserve(ctx, j.token, draft)
	if err == nil && reserved.DOI != j.DOI {
		j.DOI, j.URL = reserved.DOI, reserved.URL
		err = j.save(ctx)
	}
	return reserved, err
}

// make makes the draft: that of the next version where the same account has published one before.
func (j *job) make(ctx context.Context) (archives.Draft, error) {
	previous, err := j.store.previous(ctx, j.resourceID, j.At)
	if err != nil && !errors.Is(err, errNoDeposit) {
		return archives.Draft{}, err
	}
	isNext := err == nil && previous.accountID == j.accountID
	if !isNext {
		if found, ok, err := j.look(ctx, j.archive, j.token, j.row); err != nil || ok {
			return found, err
		}
	}
	j.memory.Asked = j.options.Now()
	if err := j.save(ctx); err != nil {
		return archives.Draft{}, err
	}
	if isNext { // which is always the same draft
		return j.archive.NewVersion(ctx, j.token, previous.recordID, j.mark())
	}
	return j.archive.Create(ctx, j.token, j.mark())
}

// note brings the DOI of the record into the entry. What the archive has can't be taken back, so this is done whatever has happened to the
// rights of the account meanwhile.
func (j *job) note(ctx context.Context) error {
	doi := catalog.ParseDOI(j.DOI)
	if doi == "" {
		return j.later(fault.New(fault.BadUpstream, "%s says no DOI for what it has published.", j.archive.Label))
	}
	found, err := j.options.Entries.LoadAny(ctx, []string{j.resourceID})
	if err != nil {
		return j.later(err)
	}
	if len(found) == 0 || found[0].State != catalog.StateActive {
		return nil
	}
	_, version, shown, err := j.options.Versions.As(ctx, found[0], j.Version)
	if err != nil && fault.CodeOf(err) != fault.VersionWithdrawn {
		return j.later(err)
	}
	if version.DOI != doi {
		changes, err := j.options.Notes.SetVersionDOI(ctx, j.resourceID, j.Version, doi)
		if err != nil {
			return j.later(err)
		}
		j.options.Entries.Changed(ctx, changes)
	}
	if shown.Latest != j.Version || found[0].DOI == doi {
		return nil
	}
	return j.later(j.identify(ctx, doi))
}

// identify gives the entry its latest version's DOI, unless it has one that authors wrote.
func (j *job) identify(ctx context.Context, doi string) error {
	all, err := j.store.list(ctx, j.resourceID)
	if err != nil {
		return err
	}
	found, err := j.options.Entries.LoadAny(ctx, []string{j.resourceID})
	if err != nil || len(found) == 0 || !isOurs(found[0].DOI, all) {
		return err
	}
	entry := found[0]
	entry.DOI = doi
	_, err = j.options.Entries.Update(ctx, entry, entry.UpdatedAt)
	return err
}

// isOurs reports whether an entry has no DOI, or one that an earlier deposit brought.
func isOurs(doi string, all []row) bool {
	for _, one := range all {
		if one.State == Published && catalog.ParseDOI(one.DOI) == doi {
			return true
		}
	}
	return doi == ""
}

// later returns the fault for something that has to be done again.
func (j *job) later(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fault.Wrap(err, fault.Unavailable, "It is published, and its DOI can't be noted in the entry right now. That is tried again.")
}

// failed decides whether a deposit is tried again.
func (j *job) failed(ctx context.Context, err error) {
	known, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		known = fault.New(fault.Internal, "Something on this server is broken. The operators can find it in their log.")
	}
	j.Problem = &DepositProblem{Code: known.Code, Detail: known.Message}
	wait := max(known.RetryAfter, min(firstWait<<min(j.tries, 10), mostWait))
	again := known.Kind == fault.Unavailable || known.Kind == fault.BadUpstream && j.tries < triesOfBad
	if again && j.options.Now().Add(wait).Sub(j.updatedAt) < tryTime {
		j.tries++
		j.waits = j.options.Now().Add(wait)
		return
	}
	j.State = Failed
	if known.Kind == fault.Internal {
		j.options.Logger.ErrorContext(ctx, "an entry can't be deposited", "deposit", j.ID, "error", err)
	}
	if known.Code == fault.NotConnected && j.token != "" {
		// It may only be this draft that it isn't accepted for.
		if _, err := j.archive.Look(ctx, j.token); fault.KindOf(err) == fault.Invalid {
			j.options.Tokens.Refused(ctx, j.accountID, j.At, j.token)
		}
	}
}
