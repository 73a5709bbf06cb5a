package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"strings"
	"time"

	"cairn/internal/fault"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// DB is an open database. Reads may run at any time; writes go through Write.
type DB struct {
	*sql.DB // for reads; SQLite's is a pool of read-only connections

	writer  *sql.DB
	dialect dialect
	now     func() time.Time
}

// dialect is what differs between the database systems after opening.
type dialect struct {
	goose             goose.Dialect
	isUniqueViolation func(error) bool
	isUnreachable     func(error) bool

	// Where the system can tell other processes of a commit: the statement that does, and who hears it. Else empty.
	announce string
	listen   func(ctx context.Context, db *sql.DB, signal func()) error
}

// Open opens the database at the address, "sqlite:PATH" or "postgres://...", and brings its tables up to date.
// A database made by a newer version is refused unchanged.
func Open(ctx context.Context, address string, now func() time.Time) (*DB, error) {
	db, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	db.now = now
	if err := db.migrate(ctx); err != nil {
		return nil, closeAfter(db, err)
	}
	return db, nil
}

func connect(ctx context.Context, address string) (*DB, error) {
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		return openSQLite(ctx, path)
	}
	if strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://") {
		return openPostgres(ctx, address)
	}
	return nil, fault.New(fault.Invalid, "database_url must begin with sqlite: or postgres://")
}

func closeAfter(db *DB, err error) error {
	_ = db.Close()
	return err
}

// Close closes all connections.
func (db *DB) Close() error {
	err := db.DB.Close()
	if db.writer != db.DB {
		if writerErr := db.writer.Close(); err == nil {
			err = writerErr
		}
	}
	return err
}

func (db *DB) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(db.dialect.goose, db.writer, files, db.migrationOptions()...)
	if err != nil {
		return err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return db.openFault(err)
	}
	if current > target {
		return fault.New(fault.Conflict, "The database is at version %d and this program knows only %d: it was used by a newer "+
			"cairn. Start that one, or restore a backup made before the upgrade. Nothing was changed.", current, target)
	}
	if current == target {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fault.Wrap(err, fault.Internal, "The database could not be brought up to date")
	}
	return nil
}

func (db *DB) openFault(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The database cannot be opened. Check that it is there, readable and writable.")
}

// Tx is a write transaction. Now is its one time, which every row that it writes carries.
type Tx struct {
	*sql.Tx

	Now     time.Time
	changed []string
	dialect dialect
}

// Changed notes that a catalog entry is written by this transaction; the note is committed with it, and every process
// that follows the change table then reads the entry again.
func (tx *Tx) Changed(resourceID string) { tx.changed = append(tx.changed, resourceID) }

// Write runs fn in one write transaction and commits it; any error of fn rolls everything back and is returned.
// SQLite runs one at a time, in the order of asking.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	sqlTx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return db.dialect.classify(err)
	}
	defer func() { _ = sqlTx.Rollback() }() // after Commit it does nothing

	tx := &Tx{Tx: sqlTx, Now: db.now().UTC().Truncate(time.Microsecond), dialect: db.dialect}
	if err := fn(tx); err != nil {
		return db.dialect.classify(err)
	}
	if err := tx.writeChanges(ctx); err != nil {
		return db.dialect.classify(err)
	}
	return db.dialect.classify(sqlTx.Commit())
}

// writeChanges numbers the noted changes. The counter's row lock, taken last, makes the numbers rise in the order of
// commit: a reader that has seen number n will never find a smaller one later.
func (tx *Tx) writeChanges(ctx context.Context) error {
	if len(tx.changed) == 0 {
		return nil
	}
	var last int64
	err := tx.QueryRowContext(ctx, `UPDATE change_counter SET seq = seq + $1 RETURNING seq`, len(tx.changed)).Scan(&last)
	if err != nil {
		return err
	}
	first := last - int64(len(tx.changed)) + 1
	rows := make([][]any, len(tx.changed))
	for i, id := range tx.changed {
		rows[i] = []any{first + int64(i), id}
	}
	if err := tx.InsertRows(ctx, "change", []string{"seq", "resource_id"}, rows, ""); err != nil || tx.dialect.announce == "" {
		return err
	}
	_, err = tx.ExecContext(ctx, tx.dialect.announce)
	return err
}

// listenAgain is how long after a lost connection a new one is tried.
const listenAgain = time.Second

// Notified gives a channel that signals soon after catalog entries changed, until ctx ends; signals coalesce, and some
// may be missing. It is nil where the system cannot tell.
func (db *DB) Notified(ctx context.Context) <-chan struct{} {
	if db.dialect.listen == nil {
		return nil
	}
	signals := make(chan struct{}, 1)
	signal := func() {
		select {
		case signals <- struct{}{}:
		default:
		}
	}
	go func() {
		for ctx.Err() == nil {
			_ = db.dialect.listen(ctx, db.DB, signal) // who follows looks from time to time anyway
			select {
			case <-time.After(listenAgain):
			case <-ctx.Done():
			}
		}
	}()
	return signals
}

// IsUniqueViolation tells whether an error says that a unique value is there already.
func (db *DB) IsUniqueViolation(err error) bool {
	return err != nil && db.dialect.isUniqueViolation(err)
}

// Micros is the stored form of a time: microseconds since 1970 UTC.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time is the time of a stored number, in UTC.
func Time(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// IsID tells whether a text can be the id of a row: a UUID in lower case. Others are not worth a question, and some
// (with zero bytes) a database refuses to look at.
func IsID(text string) bool {
	parsed, err := uuid.Parse(text)
	return err == nil && parsed.String() == text
}

// NewID makes an id that sorts by time (UUID version 7).
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
