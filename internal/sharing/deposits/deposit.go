package deposits

import (
	"context"
	"log/slog"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
	"cairn/internal/sharing/fair"
)

// State is how far a deposit is.
type State string

// The states.
const (
	Uploading  State = "UPLOADING"
	Draft      State = "DRAFT" // at the archive; somebody has to publish or discard it
	Publishing State = "PUBLISHING"
	Published  State = "PUBLISHED"
	Failed     State = "FAILED"
)

// Deposit is a version of an entry at an archive.
type Deposit struct {
	ID        string          `json:"id" format:"uuid"`
	At        string          `json:"at" doc:"The name of the archive"`
	Version   int             `json:"version" doc:"The number of the entry's version"`
	State     State           `json:"state" enum:"UPLOADING,DRAFT,PUBLISHING,PUBLISHED,FAILED" doc:"DRAFT: at the archive, to be published or discarded"`
	Progress  DepositProgress `json:"progress"`
	DOI       string          `json:"doi,omitempty" doc:"Reserved before PUBLISHED: it works from then on"`
	URL       string          `json:"url,omitempty" doc:"The page of the draft or the record at the archive"`
	Problem   *DepositProblem `json:"problem,omitempty" doc:"FAILED: why. While it is worked on: why it waits to be tried again"`
	CreatedAt time.Time       `json:"createdAt"`
	By        string          `json:"by" doc:"Who has begun it, with their account at the archive: they alone can publish or discard it"`
}

// DepositProgress is how much of a deposit is at the archive.
type DepositProgress struct {
	Files      int   `json:"files"`
	Bytes      int64 `json:"bytes"`
	TotalBytes int64 `json:"totalBytes" doc:"0 while that isn't known"`
}

// DepositProblem is why a deposit failed, or waits.
type DepositProblem struct {
	Code   fault.Code `json:"code"`
	Detail string     `json:"detail"`
}

// Archive is a place for deposits, as a caller sees it.
type Archive struct {
	Name      string        `json:"name" doc:"In calls, also in those on connections"`
	Label     string        `json:"label" doc:"What people call it"`
	Kind      archives.Kind `json:"kind" enum:"zenodo,inveniordm"`
	URL       string        `json:"url" format:"uri"`
	Connected bool          `json:"connected" doc:"The caller's account is connected with it"`
}

// Entries are the entries of the catalog: a catalog.Service.
type Entries interface {
	Readable(ctx context.Context, id string) (catalog.Entry, error)
	LoadAny(ctx context.Context, ids []string) ([]catalog.Entry, error)
	Update(ctx context.Context, entry catalog.Entry, seen time.Time) (catalog.Resource, error)
	Changed(ctx context.Context, changes catalog.Changes)
}

// Versions are the versions of entries: a catalog.Versions.
type Versions interface {
	Get(ctx context.Context, id string, number int) (catalog.Entry, catalog.EntryVersion, catalog.ShownVersion, error)
	Latest(ctx context.Context, id string) (catalog.EntryVersion, error)
	As(ctx context.Context, entry catalog.Entry, number int) (catalog.Entry, catalog.EntryVersion, catalog.ShownVersion, error)
}

// Notes take down which DOI a version has: a catalog.Store.
type Notes interface {
	SetVersionDOI(ctx context.Context, id string, number int, doi string) (catalog.Changes, error)
}

// Tokens are those of connected accounts: connections.Connections.
type Tokens interface {
	Token(ctx context.Context, accountID, name string) (string, error)
	IsConnected(ctx context.Context, accountID, name string) (bool, error)
	Refused(ctx context.Context, accountID, name, token string)
}

// Describer says how entries are described for others.
type Describer interface {
	// Record returns the record of an entry as it is in the version that the context names.
	Record(ctx context.Context, entry catalog.Entry) fair.Record
	// Crate writes a record as the metadata of an RO-Crate.
	Crate(record fair.Record) ([]byte, error)
}

// Options configure a Service.
type Options struct {
	Entries  Entries
	Versions Versions
	Notes    Notes
	Tokens   Tokens
	Archives []*archives.Client // their names are those of connections
	Describe Describer
	// Files returns the folder of an entry's files as it is in a version, or its only file; false if this server doesn't keep them.
	Files func(ctx context.Context, entry catalog.Entry) (path string, ok bool, err error)
	// Callers returns the account of somebody who isn't here now.
	Callers func(ctx context.Context, accountID string) (identity.Caller, error)
	Public  string // the address of this server
	Folder  string // for files that are gone when the server ends; "": that of the system
	Now     func() time.Time
	Logger  *slog.Logger
}
