package catalog

import (
	"context"
	"log/slog"
	"slices"
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

	searched func(withText bool, took time.Duration)
	counted  func()
}

// Reader is who reads entries; the zero value: somebody who isn't signed in.
type Reader = identity.Caller

// Link adds to an entry the address of something that its readers can open.
type Link struct {
	Add   func(entry *Resource, reader Reader)
	Alone bool // only if a single entry is requested
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
}

// NewService returns a service. Its search index is ready when this returns, except for large catalogs, where it is
// built in the background until ctx ends.
func NewService(ctx context.Context, store *Store, options Options) *Service {
	s := &Service{
		store: store, searchIndex: newIndexSync(store, options.Snapshot, options.Logger), links: options.Links, usedBy: options.UsedBy,
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

// Page is a page of search results.
type Page struct {
	Resources []Resource
	Total     int
	Facets    *Facets
	Runs      *RunsCount // of the landing page
	Hint      *Hint      // nil when only entries that match the text as typed are listed
}

// Search finds entries that the caller may see; with cards, their descriptions are a short line of plain text. The
// store decides: an entry that has changed since it was indexed is shown in its current state, or not at all. While the
// index is being built, Search returns Unavailable with IndexBuilding.
func (s *Service) Search(ctx context.Context, query Query, cards bool) (Page, error) {
	if s.searched != nil {
		defer func(began time.Time) { s.searched(query.Text != "", time.Since(began)) }(time.Now())
	}
	query.Email = identity.Email(ctx)
	ix, err := s.searchIndex.current()
	if err != nil {
		return Page{}, err
	}
	result, err := ix.Search(ctx, query)
	if err != nil {
		return Page{}, err
	}
	rows, err := s.searchIndex.entries(ctx, result.IDs, !cards || query.Highlight)
	if err != nil {
		return Page{}, err
	}
	rows = slices.DeleteFunc(rows, func(r Resource) bool { return !r.VisibleTo(query.Email) })
	for i := range rows {
		if query.Highlight {
			rows[i].Matched = highlight(result.Matcher, &rows[i])
		}
		if cards {
			rows[i].Description = rows[i].card
		}
	}
	page := Page{Resources: rows, Total: result.Total, Facets: facetsOf(result), Hint: result.Hint}
	if query.Highlight {
		if err := s.highlightContent(ctx, result.Matcher, page.Resources); err != nil {
			return Page{}, err
		}
	}
	return page, s.personalize(ctx, page.Resources)
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
	email := identity.Email(ctx)
	return s.load(ctx, ids, func(r Resource) bool { return r.VisibleTo(email) })
}

func (s *Service) load(ctx context.Context, ids []string, may func(Resource) bool) ([]Resource, error) {
	resources, err := s.searchIndex.entries(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	resources = slices.DeleteFunc(resources, func(r Resource) bool { return !may(r) })
	return resources, s.personalize(ctx, resources)
}

// personalize adds the addresses of previews, and for signed-in callers their stars and rights.
func (s *Service) personalize(ctx context.Context, resources []Resource) error {
	caller, ok := identity.From(ctx)
	for i := range resources {
		s.addLinks(&resources[i], caller, false)
	}
	for i := range resources {
		resources[i].credit(caller, ok)
	}
	if !ok {
		return nil
	}
	ids := make([]string, len(resources))
	for i := range resources {
		ids[i] = resources[i].ID
	}
	stars, err := s.store.StarredAmong(ctx, caller.AccountID, ids)
	if err != nil {
		return err
	}
	for i := range resources {
		r := &resources[i]
		isStarred, mayDelete := stars[r.ID], r.DeletableBy(caller.Email)
		mayEdit, maySync := r.EditableBy(caller.Email), mayDelete && r.Type == Repository
		r.CanCurate = r.CuratedBy(caller)
		r.Starred, r.CanDelete, r.CanEdit, r.CanSync = &isStarred, &mayDelete, &mayEdit, &maySync
	}
	return nil
}

func (s *Service) addLinks(r *Resource, reader Reader, alone bool) {
	for _, link := range s.links {
		if link.Alone == alone {
			link.Add(r, reader)
		}
	}
}

// Get returns one entry; NotFound when it doesn't exist or the caller may not open it.
func (s *Service) Get(ctx context.Context, id string) (Resource, error) {
	caller, _ := identity.From(ctx)
	found, err := s.load(ctx, []string{id}, func(r Resource) bool { return r.ReadableBy(caller) })
	if err != nil {
		return Resource{}, err
	}
	if len(found) == 0 {
		return Resource{}, notFound()
	}
	return found[0], nil
}

// CheckReadable returns NotFound unless Get would return the entry.
func (s *Service) CheckReadable(ctx context.Context, id string) error {
	entry, err := s.store.Access(ctx, id)
	if err != nil {
		return err
	}
	if caller, _ := identity.From(ctx); !entry.ReadableBy(caller) {
		return notFound()
	}
	return nil
}

// Detail is Get with everything that only the entry's page shows.
func (s *Service) Detail(ctx context.Context, id string) (Resource, error) {
	r, err := s.Get(ctx, id)
	if err != nil {
		return r, err
	}
	key := ""
	if r.Type == Notebook {
		key = notebookRepositoryKey(r.NotebookPath)
	}
	caller, _ := identity.From(ctx)
	email := caller.Email
	s.addLinks(&r, caller, true)
	if s.usedBy != nil {
		if r.UsedBy, err = s.usedBy(ctx, id, email); err != nil {
			return r, err
		}
	}
	if r.authoredBy(email) {
		if r.NamedBy, err = s.store.NamedBy(ctx, id, email); err != nil {
			return r, err
		}
		if r.FormerAuthors, err = s.store.FormerAuthors(ctx, id); err != nil {
			return r, err
		}
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
func (s *Service) LoadAny(ctx context.Context, ids []string) ([]Resource, error) {
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
	return ix.Tags(identity.Email(ctx)), nil
}

// FormerAuthors returns the addresses of those who left an entry.
func (s *Service) FormerAuthors(ctx context.Context, id string) ([]string, error) {
	return s.store.FormerAuthors(ctx, id)
}

// Leave takes the caller off an entry, for good. It returns NotAuthor if they are neither among its authors nor added it,
// LastAuthor if no other author has an address.
func (s *Service) Leave(ctx context.Context, id string) error {
	resource, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	email := identity.Email(ctx)
	if !resource.authoredBy(email) {
		return fault.New(fault.NotAuthor, "You aren't an author of %s.", fault.Quote(resource.Name))
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
	resource, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	if !resource.DeletableBy(identity.Email(ctx)) {
		return fault.New(fault.NotAuthor, "Only the authors of %s can delete it: %s.", fault.Quote(resource.Name), resource.AuthorsText())
	}
	changes, err := s.store.Delete(ctx, id)
	if err != nil {
		return err
	}
	s.searchIndex.changed(ctx, changes, s.searchIndex.loadDocuments)
	return nil
}

// Create adds an entry, which must be normalized and checked, and returns it as the caller sees it.
func (s *Service) Create(ctx context.Context, r Resource) (Resource, error) {
	changes, err := s.store.Create(ctx, r)
	if err != nil {
		return Resource{}, err
	}
	return s.written(ctx, changes)
}

// CreateRepository is Create for a repository that may be in the catalog only once: if active entries have it, it
// writes nothing and returns their ids, oldest first.
func (s *Service) CreateRepository(ctx context.Context, r Resource) (created Resource, existing []string, err error) {
	changes, existing, err := s.store.CreateRepository(ctx, r)
	if err != nil || len(existing) > 0 {
		return Resource{}, existing, err
	}
	created, err = s.written(ctx, changes)
	return created, nil, err
}

// Update replaces an entry, which must be normalized and checked, if it is still in the state of the time in seen, and
// returns the new state; Conflict if it has changed.
func (s *Service) Update(ctx context.Context, r Resource, seen time.Time) (Resource, error) {
	return s.update(ctx, audit.EditEntry, r, seen)
}

// Sync is Update with what the entry's descriptor says.
func (s *Service) Sync(ctx context.Context, r Resource, seen time.Time) (Resource, error) {
	return s.update(ctx, audit.SyncEntry, r, seen)
}

func (s *Service) update(ctx context.Context, action audit.Action, r Resource, seen time.Time) (Resource, error) {
	changes, err := s.store.Update(ctx, action, r, seen)
	if err != nil {
		return Resource{}, err
	}
	return s.written(ctx, changes)
}

// written indexes a written entry and returns it to the caller, even if they can't see it anymore.
func (s *Service) written(ctx context.Context, changes Changes) (Resource, error) {
	var resources []Resource
	s.searchIndex.changed(ctx, changes, func(ctx context.Context, ids []string) (_ []index.Document, err error) {
		if resources, err = s.store.Load(ctx, ids); err != nil {
			return nil, err
		}
		return s.searchIndex.documents(ctx, resources)
	})
	var err error
	if len(resources) == 0 { // the index couldn't apply it by itself
		resources, err = s.store.Load(ctx, changes.IDs)
	}
	if err == nil && len(resources) == 0 {
		err = fault.New(fault.Internal, "the entry %s is gone as soon as it was written", changes.IDs[0])
	}
	if err != nil {
		return Resource{}, err
	}
	return resources[0], s.personalize(ctx, resources)
}
