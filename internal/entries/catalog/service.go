package catalog

import (
	"context"
	"log/slog"
	"time"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

// Service returns entries as a given caller may see them.
type Service struct {
	store       *Store
	searchIndex *indexSync
	links       []Link
	usedBy      func(ctx context.Context, id, email string) (int, error)
	readers     Readers // nil: nobody sees entries that are ForHost

	searched func(withText bool, took time.Duration)
	counted  func()
}

// Options configure a catalog.
type Options struct {
	Snapshot string // path of the file that keeps the search index between starts; empty: the index is built at every start
	Logger   *slog.Logger
	Links    []Link

	// Searched receives how long each search took, and whether it had a text. Optional; nil disables metrics.
	Searched func(withText bool, took time.Duration)
	// Counted is called each time the uses of entries were counted. Optional.
	Counted func()

	// UsedBy counts the projects that hold an entry and that somebody with this e-mail may see. Optional; with nil,
	// entries have no count.
	UsedBy func(ctx context.Context, id, email string) (int, error)

	// Readers say who sees entries that are ForHost. Optional; with nil, nobody does.
	Readers Readers
}

// NewService returns a service. Its search index is ready when this returns, except for large catalogs, where it is
// built in the background until ctx ends.
func NewService(ctx context.Context, store *Store, options Options) *Service {
	s := &Service{
		store: store, searchIndex: newIndexSync(store, options.Snapshot, options.Logger), links: options.Links, usedBy: options.UsedBy, readers: options.Readers,
		searched: options.Searched, counted: options.Counted,
	}
	s.searchIndex.open(ctx)
	return s
}

// CatchUp makes searches reflect everything that any process committed before the call; the feed does the same soon.
func (s *Service) CatchUp(ctx context.Context) error {
	last, err := s.store.LastChange(ctx)
	if err != nil {
		return err
	}
	return s.searchIndex.applyUpTo(ctx, last)
}

// Close saves the index for the next start. The feed must have ended.
func (s *Service) Close() error {
	s.searchIndex.close()
	return nil
}

// Search finds entries that the caller may see; with cards, their descriptions are a short line of plain text. The
// store decides: an entry that has changed since it was indexed is shown in its current state, or not at all. While the
// index is being built, Search returns Unavailable with IndexBuilding.
func (s *Service) Search(ctx context.Context, query Query, cards bool) (Page, error) {
	if s.searched != nil {
		defer func(began time.Time) { s.searched(query.Text != "", time.Since(began)) }(time.Now())
	}
	mine, err := s.forCaller(ctx)
	if err != nil {
		return Page{}, err
	}
	query.Email, query.Shown, query.Closed = identity.Email(ctx), mine.shown, mine.closed
	ix, err := s.searchIndex.current()
	if err != nil {
		return Page{}, err
	}
	result, err := ix.Search(ctx, query)
	if err != nil {
		return Page{}, err
	}
	answers, err := s.searchIndex.answers(ctx, result.IDs, !cards || query.Highlight)
	if err != nil {
		return Page{}, err
	}
	answers = mine.visible(query.Email, answers)
	if err := s.complete(ctx, answers); err != nil {
		return Page{}, err
	}
	if query.Highlight {
		if err := s.highlight(ctx, result.Matcher, answers); err != nil {
			return Page{}, err
		}
	}
	if cards {
		for i := range answers {
			answers[i].Description = answers[i].listed.card
		}
	}
	return Page{Resources: answers, Total: result.Total, Facets: facetsOf(result), Hint: result.Hint}, nil
}

// IndexState returns how many entries can be searched, and how old the state of the catalog is that searches see.
func (s *Service) IndexState() (entries int, lag time.Duration) {
	if ready := s.searchIndex.ready.Load(); ready != nil {
		entries = ready.Len()
	}
	if complete := s.searchIndex.complete.Load(); complete > 0 {
		lag = time.Since(time.UnixMicro(complete))
	}
	return entries, lag
}

// Searchable returns nil when lists and searches work, and Unavailable with IndexBuilding while the index is being
// built.
func (s *Service) Searchable(context.Context) error {
	_, err := s.searchIndex.current()
	return err
}

// Visible returns the entries with these ids that the caller may see.
func (s *Service) Visible(ctx context.Context, ids []string) ([]Resource, error) {
	answers, err := s.searchIndex.answers(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	answers = s.answered(ctx).visible(identity.Email(ctx), answers)
	return answers, s.complete(ctx, answers)
}

// Get returns the answer about one entry; NotFound when it doesn't exist or the caller may not open it.
func (s *Service) Get(ctx context.Context, id string) (Resource, error) {
	entry, err := s.load(ctx, id)
	if err != nil {
		return Resource{}, err
	}
	answers, err := s.answers(ctx, []Entry{entry})
	if err != nil {
		return Resource{}, err
	}
	return answers[0], nil
}

// Readable returns an entry without what only answers say; NotFound when it doesn't exist or the caller may not open it.
func (s *Service) Readable(ctx context.Context, id string) (Entry, error) {
	entry, err := s.load(ctx, id)
	if err == nil {
		caller, ok := identity.From(ctx)
		entry.credit(caller, ok)
	}
	return entry, err
}

func (s *Service) load(ctx context.Context, id string) (Entry, error) {
	found, err := s.searchIndex.entries(ctx, []string{id}, true)
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 0 {
		return Entry{}, notFound()
	}
	if err := s.mayRead(ctx, found[0]); err != nil {
		return found[0], err
	}
	return s.inVersionOf(ctx, found[0])
}

// CheckReadable returns NotFound unless Get would return the entry.
func (s *Service) CheckReadable(ctx context.Context, id string) error {
	entry, err := s.store.Access(ctx, id)
	if err != nil {
		return err
	}
	return s.mayRead(ctx, entry)
}

// Detail is Get with everything that only the entry's page shows.
func (s *Service) Detail(ctx context.Context, id string) (Resource, error) {
	r, err := s.Get(ctx, id)
	if err != nil {
		return s.closed(ctx, id, err)
	}
	key := ""
	if r.Type == Notebook {
		key = notebookRepositoryKey(r.NotebookPath)
	}
	if err := s.showVersion(ctx, &r); err != nil {
		return r, err
	}
	caller, _ := identity.From(ctx)
	email := caller.Email
	s.addLinks(&r, caller, true)
	if s.usedBy != nil {
		if r.UsedBy, err = s.usedBy(ctx, id, email); err != nil {
			return r, err
		}
	}
	if r.Entry().authoredBy(email) {
		if r.NamedBy, err = s.store.NamedBy(ctx, id, email); err != nil {
			return r, err
		}
		if r.FormerAuthors, err = s.store.FormerAuthors(ctx, id); err != nil {
			return r, err
		}
		r.Publishable = r.Entry().ForHost() && s.readers != nil && s.readers.IsPublic(ctx, *r.Entry())
	}
	if key == "" {
		return r, nil
	}
	ids, err := s.store.ByRepositoryKey(ctx, key)
	if err != nil {
		return r, err
	}
	repositories, err := s.Visible(ctx, ids)
	if len(repositories) > 0 {
		r.RepositoryID = repositories[0].ID
	}
	return r, err
}

// LoadAny returns entries of any state and privacy, for slices that keep references to them and apply the rules
// themselves.
func (s *Service) LoadAny(ctx context.Context, ids []string) ([]Entry, error) {
	return s.searchIndex.entries(ctx, ids, true)
}

// Stars returns the stars of the catalog's entries.
func (s *Service) Stars() Stars { return Stars{entries: s} }

// Tags returns the tags of the entries that the caller may see, by value; Unavailable, with IndexBuilding, while the index is
// being built.
func (s *Service) Tags(ctx context.Context) ([]TagCount, error) {
	ix, err := s.searchIndex.current()
	if err != nil {
		return nil, err
	}
	mine, err := s.forCaller(ctx)
	if err != nil {
		return nil, err
	}
	return ix.Tags(identity.Email(ctx), mine.shown), nil
}

// FormerAuthors returns the addresses of those who left an entry.
func (s *Service) FormerAuthors(ctx context.Context, id string) ([]string, error) {
	return s.store.FormerAuthors(ctx, id)
}

// Leave takes the caller off an entry, for good. It returns NotAuthor if they are neither among its authors nor added it,
// LastAuthor if no other author has an address.
func (s *Service) Leave(ctx context.Context, id string) error {
	entry, err := s.Readable(ctx, id)
	if err != nil {
		return err
	}
	email := identity.Email(ctx)
	if !entry.authoredBy(email) {
		return fault.New(fault.NotAuthor, "You aren't an author of %s.", fault.Quote(entry.Name))
	}
	changes, err := s.store.Leave(ctx, id, email)
	if err != nil {
		return err
	}
	s.Changed(ctx, changes)
	return nil
}

// Delete hides an entry permanently; Forbidden unless the caller is an author.
func (s *Service) Delete(ctx context.Context, id string) error {
	entry, err := s.load(ctx, id)
	mayDelete := entry.DeletableBy(identity.Email(ctx)) // even if they can't read it
	if err != nil && !mayDelete {
		return err
	}
	if !mayDelete {
		return fault.New(fault.NotAuthor, "Only the authors of %s can delete it: %s.", fault.Quote(entry.Name), entry.AuthorsText())
	}
	changes, err := s.store.Delete(ctx, id)
	if err != nil {
		return err
	}
	s.searchIndex.changed(ctx, changes, s.searchIndex.loadDocuments)
	return nil
}

// Create adds an entry, which must be normalized and checked, and returns it as the caller sees it.
func (s *Service) Create(ctx context.Context, r Entry) (Resource, error) {
	changes, err := s.store.Create(ctx, r)
	if err != nil {
		return Resource{}, err
	}
	return s.written(ctx, changes)
}

// CreateOnce is Create for what may be in the catalog only once, a repository or the data of a DOI: if active entries have it, it
// writes nothing and returns their ids, oldest first. commit is what a repository consists of, "" if it isn't known.
func (s *Service) CreateOnce(ctx context.Context, r Entry, commit string) (created Resource, existing []string, err error) {
	changes, existing, err := s.store.CreateOnce(ctx, r, commit)
	if err != nil || len(existing) > 0 {
		return Resource{}, existing, err
	}
	created, err = s.written(ctx, changes)
	return created, nil, err
}

// Update replaces an entry, which must be normalized and checked, if it is still in the state of the time in seen, and
// returns the new state; Conflict if it has changed.
func (s *Service) Update(ctx context.Context, r Entry, seen time.Time) (Resource, error) {
	return s.update(ctx, audit.EditEntry, r, seen, nil)
}

// Sync is Update with what the entry's descriptor says. commit is that of the repository, "" if it isn't known: another one than that of
// the entry's latest version makes a new one.
func (s *Service) Sync(ctx context.Context, r Entry, seen time.Time, commit string) (Resource, error) {
	made, err := s.store.synced(ctx, r.ID, commit)
	if err != nil {
		return Resource{}, err
	}
	return s.update(ctx, audit.SyncEntry, r, seen, made)
}

func (s *Service) update(ctx context.Context, action audit.Action, r Entry, seen time.Time, made *NewVersion) (Resource, error) {
	changes, err := s.store.Update(ctx, action, r, seen, made)
	if err != nil {
		return Resource{}, err
	}
	return s.written(ctx, changes)
}

// written indexes a written entry and returns it to the caller, even if they can't see it anymore.
func (s *Service) written(ctx context.Context, changes Changes) (Resource, error) {
	var entries []Entry
	s.searchIndex.changed(ctx, changes, func(ctx context.Context, ids []string) (_ []index.Document, err error) {
		if entries, err = s.store.Load(ctx, ids); err != nil {
			return nil, err
		}
		return s.searchIndex.documents(ctx, entries)
	})
	var err error
	if len(entries) == 0 { // the index couldn't apply it alone
		entries, err = s.store.Load(ctx, changes.IDs)
	}
	if err == nil && len(entries) == 0 {
		err = fault.New(fault.Internal, "the entry %s is gone as soon as it was written", changes.IDs[0])
	}
	if err != nil {
		return Resource{}, err
	}
	answers, err := s.answers(ctx, entries)
	if err != nil {
		return Resource{}, err
	}
	return answers[0], nil
}
