package fair

import (
	"context"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/memory"
)

// Entries is the part of the catalog that the forms need.
type Entries interface {
	LoadAny(ctx context.Context, ids []string) ([]catalog.Entry, error)
}

// Versions are the versions of entries.
type Versions interface {
	As(ctx context.Context, entry catalog.Entry, number int) (catalog.Entry, catalog.EntryVersion, catalog.ShownVersion, error)
	Number(ctx context.Context, id string) (latest int, err error)
}

// Appearances are the entries that harvesters know.
type Appearances interface {
	Appearances(ctx context.Context, query catalog.AppearanceQuery) ([]catalog.Appearance, error)
	Settled(ctx context.Context) (time.Time, error)
	AppearanceOf(ctx context.Context, id string) (catalog.Appearance, bool, error)
	EarliestAppearance(ctx context.Context) (time.Time, error)
	LatestAppearances(ctx context.Context, most int) ([]catalog.Appearance, error)
	SampleOfPublic(ctx context.Context, most int) (ids []string, total int, err error)
}

// Options configure a Service.
type Options struct {
	Entries     Entries
	Versions    Versions // nil: entries have none
	Appearances Appearances
	Datasets    *preview.Datasets
	Notebooks   *preview.Notebooks
	Site        func() Site
	AdminEmail  string // of harvests; "" turns them off
	Now         func() time.Time
}

// Service writes public entries in the forms of others.
type Service struct {
	options Options
	columns *memory.Cache[string, []Column] // of tables, by their entry, path and version
	medians *median
	self    handler // of the catalog's own address; answers anonymous requests
}

// New returns a Service.
func New(options Options) *Service {
	return &Service{options: options, columns: memory.New[string, []Column](columnsKept, options.Now), medians: &median{}}
}

const (
	columnsKept    = 2000
	columnsKeep    = 24 * time.Hour
	filesInForms   = 500
	filesInHead    = 20
	tablesInForms  = 20
	filesWait      = 200 * time.Millisecond // how long a page waits for a disk
	unknownSize    = -1
	absentSentence = "This entry doesn't exist, or not everyone may see it."
)

// publicEntry returns an entry that everybody sees, in the version that the context names; NotFound for any other, whoever asks.
func (s *Service) publicEntry(ctx context.Context, id string) (catalog.Entry, error) {
	found, err := s.options.Entries.LoadAny(ctx, []string{id})
	if err != nil {
		return catalog.Entry{}, err
	}
	if len(found) == 0 || !found[0].Public() {
		return catalog.Entry{}, fault.New(fault.NotFound, absentSentence)
	}
	number := catalog.VersionOf(ctx)
	if number == 0 || s.options.Versions == nil {
		return found[0], nil
	}
	was, _, _, err := s.options.Versions.As(ctx, found[0], number)
	return was, err
}

// Record returns the record of an entry in the version that the context names, with its files.
func (s *Service) Record(ctx context.Context, r catalog.Entry) Record {
	return s.record(ctx, r, filesInForms)
}

// Crate writes a record as the metadata of an RO-Crate.
func (s *Service) Crate(record Record) ([]byte, error) {
	one, err := formNamed(record, "rocrate")
	if err != nil {
		return nil, err
	}
	return one.write(record, s.options.Site())
}

// record returns the record of a public entry with its files.
func (s *Service) record(ctx context.Context, r catalog.Entry, files int) Record {
	record := recordOf(r, s.options.Site(), s.options.Now())
	s.addVersion(ctx, &record)
	s.addFiles(ctx, &record, r, files)
	return record
}

// addVersion makes a record that of the version that the context names, and says which is the latest one.
func (s *Service) addVersion(ctx context.Context, record *Record) {
	if s.options.Versions == nil {
		return
	}
	record.Latest, _ = s.options.Versions.Number(ctx, record.ID) // without it, links between versions are left out
	if number := catalog.VersionOf(ctx); number > 0 {
		record.inVersion(number)
	}
}

// export returns a form of a public entry, its media type and its Link header.
func (s *Service) export(ctx context.Context, id, name string) (text []byte, kind, links string, err error) {
	entry, err := s.publicEntry(ctx, id)
	if err != nil {
		return nil, "", "", err
	}
	record := s.record(ctx, entry, filesInForms)
	one, err := formNamed(record, name)
	if err != nil {
		return nil, "", "", err
	}
	text, err = one.write(record, s.options.Site())
	return text, one.contentType(), exportLinks(record), err
}
