package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/fault"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

// DB is an open database. Reads may run at any time; writes go through Write.
type DB struct {
	*sql.DB // for reads; for SQLite a pool of read-only connections

	writer   *sql.DB
	prepared *prepared    // of reads; nil: the pool prepares each
	path     string       // of SQLite's file
	served   bool         // the state of SQLite's file is noted
	detach   func() error // nil unless this is a server's
	dialect  dialect
	now      func() time.Time
	woken    chan struct{} // asks the feed to read
}

// dialect is what differs between the database systems after opening.
type dialect struct {
	goose             goose.Dialect
	isUniqueViolation func(error) bool
	isUnreachable     func(error) bool
	isFull            func(error) bool // the disk has no room for a change

	versioned string // a query: whether there is a table of versions
	clock     string // a query: the time in microseconds; "" where it is this process's own

	insertsWith bool // other statements can begin with an INSERT

	lost *atomic.Int64 // how often the database wasn't available, or full

	// announce is an expression that announces the commit to other processes that listen, if the system can.
	announce string
	listen   func(ctx context.Context, db *DB, signal func()) error // nil if it can't
}

// Open opens the database at the address, "sqlite:PATH" or "postgres://...", and brings its tables up to date.
// A database made by a newer version is refused unchanged.
func Open(ctx context.Context, address string, now func() time.Time) (*DB, error) {
	return OpenAt(ctx, address, now, newest)
}

// newest asks for the tables of this program's version.
const newest = 0

// OpenAt is Open for rows of an older version: the tables are brought to that version only. Upgrade does the rest.
func OpenAt(ctx context.Context, address string, now func() time.Time, version int64) (*DB, error) {
	db, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	db.now, db.woken = now, make(chan struct{}, 1)
	if err := db.migrate(ctx, version); err != nil {
		return nil, closeAfter(db, err)
	}
	return db, nil
}

// Upgrade brings the tables up to date.
func (db *DB) Upgrade(ctx context.Context) error { return db.migrate(ctx, newest) }

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

// Instrument replaces the pools for reads and for writes, for tests that count statements.
func (db *DB) Instrument(reads, writes func(pool *sql.DB) *sql.DB) {
	db.DB, db.writer, db.prepared = reads(db.DB), writes(db.writer), nil
}

// Lost returns how often the database was busy, full or not there.
func (db *DB) Lost() int64 { return db.dialect.lost.Load() }

// Pools returns the pools of connections by name: for SQLite one for reads and one for writes.
func (db *DB) Pools() map[string]sql.DBStats {
	if db.writer == db.DB {
		return map[string]sql.DBStats{"all": db.Stats()}
	}
	return map[string]sql.DBStats{"read": db.Stats(), "write": db.writer.Stats()}
}

// Close closes all connections.
func (db *DB) Close() (err error) {
	if db.detach != nil {
		err = db.detach()
	}
	var numbers map[Topic]int64
	if db.served {
		var unread error
		numbers, unread = db.numbers(context.Background())
		err = errors.Join(err, unread)
	}
	err = errors.Join(err, db.DB.Close())
	if db.writer != db.DB {
		err = errors.Join(err, db.writer.Close())
	}
	if db.served && err == nil {
		err = db.closeFile(numbers)
	}
	return err
}

func (db *DB) migrate(ctx context.Context, version int64) error {
	provider, err := db.provider()
	if err != nil {
		return err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return openFault(err)
	}
	if err := versionFault(current, target); err != nil {
		return err
	}
	if version > target {
		return fault.New(fault.Conflict, "These tables are at version %d and this program only knows version %d: use the newer cairn.", version, target)
	}
	if version != newest {
		target = version
	}
	if current == target {
		return nil
	}
	if _, err := provider.UpTo(ctx, target); err != nil {
		return fault.Wrap(err, fault.Internal, "The database couldn't be upgraded")
	}
	return nil
}

// provider returns what brings the tables up to date.
func (db *DB) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(db.dialect.goose, db.writer, files, db.migrationOptions()...)
}

// versionFault returns why tables of a version can't be used by a program that knows another one.
func versionFault(current, known int64) error {
	if current <= known {
		return nil
	}
	return fault.New(fault.Conflict, "The database is at version %d and this program only knows version %d: it was used by a newer "+
		"cairn. Start that one, or restore a backup made before the upgrade. Nothing was changed.", current, known)
}

func openFault(err error) error {
	return fault.Wrap(err, fault.Unavailable, "The database can't be opened. Check that it exists and is readable and writable.")
}

// Now returns the time by the database's clock.
func (db *DB) Now() time.Time { return db.now() }

// Tx is a write transaction. Now is its time, which all rows that it writes have.
type Tx struct {
	*sql.Tx

	Now     time.Time
	changed []string
	last    *lastRows
	dialect dialect
	now     func() time.Time
}

// Current returns the time by the database's clock, which has gone on since the transaction began.
func (tx *Tx) Current() time.Time { return tx.now().UTC() }

// Changed records that this transaction writes a catalog entry. The record is committed with it, and every process that
// follows the change table then reads the entry again.
func (tx *Tx) Changed(resourceID string) { tx.changed = append(tx.changed, resourceID) }

// lastRows are rows of one table that a transaction inserts at its end.
type lastRows struct {
	table   string
	columns []string
	rows    [][]any
}

// InsertLast inserts a row when the transaction ends, which sees none of it before. PostgreSQL is then asked once for the row
// and the number of a change. All rows of a transaction are of one table. Table and columns are literals of the program.
func (tx *Tx) InsertLast(table string, columns []string, row []any) {
	if tx.last == nil {
		tx.last = &lastRows{table: table, columns: columns}
	}
	tx.last.rows = append(tx.last.rows, row)
}

// Write runs fn in one write transaction and commits it; if fn returns an error, it rolls everything back and returns
// the error. SQLite runs one at a time, in the order of the calls.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	_, err := db.WriteChanges(ctx, fn)
	return err
}

// Changes are the entries that a transaction changed, and the number of the last change; the others have the numbers
// just below.
type Changes struct {
	Last int64
	IDs  []string
}

// WriteChanges is Write, and returns what fn recorded with Changed.
func (db *DB) WriteChanges(ctx context.Context, fn func(tx *Tx) error) (changes Changes, err error) {
	sqlTx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return changes, db.dialect.classify(err)
	}
	defer func() { _ = sqlTx.Rollback() }() // no effect after Commit

	tx := &Tx{Tx: sqlTx, Now: db.now().UTC().Truncate(time.Microsecond), dialect: db.dialect, now: db.now}
	if err := fn(tx); err != nil {
		return changes, db.dialect.classify(err)
	}
	last, err := tx.writeChanges(ctx)
	if err == nil {
		err = sqlTx.Commit()
	}
	if err != nil {
		return changes, db.dialect.classify(err)
	}
	return Changes{Last: last, IDs: tx.changed}, nil
}

// writeChanges numbers the recorded changes. The counter's row lock, taken last, makes the numbers ascend in commit
// order: a reader that has seen number n will never find a smaller one later.
func (tx *Tx) writeChanges(ctx context.Context) (last int64, err error) {
	before, arguments, err := tx.insertLast(ctx)
	if err != nil || len(tx.changed) == 0 {
		return 0, err
	}
	count := "$" + strconv.Itoa(len(arguments)+1)
	err = tx.QueryRowContext(ctx, before+`UPDATE change_counter SET seq = seq + `+count+` RETURNING seq, `+tx.dialect.announce,
		append(arguments, len(tx.changed))...).Scan(&last, new(any))
	if err != nil {
		return 0, err
	}
	first := last - int64(len(tx.changed)) + 1
	rows := make([][]any, len(tx.changed))
	for i, id := range tx.changed {
		rows[i] = []any{first + int64(i), id}
	}
	return last, tx.InsertRows(ctx, "change", []string{"seq", "resource_id"}, rows, "")
}

// insertLast inserts the rows of InsertLast, or returns the beginning of a statement that does, with its arguments.
func (tx *Tx) insertLast(ctx context.Context) (before string, arguments []any, err error) {
	if tx.last == nil {
		return "", nil, nil
	}
	if tx.dialect.insertsWith && len(tx.changed) > 0 && len(tx.last.rows) == 1 {
		return "WITH last AS (" + insertOf(tx.last.table, tx.last.columns, 1) + ") ", tx.last.rows[0], nil
	}
	return "", nil, tx.InsertRows(ctx, tx.last.table, tx.last.columns, tx.last.rows, "")
}

// IsUniqueViolation reports whether an error means that a unique value already exists.
func (db *DB) IsUniqueViolation(err error) bool {
	return err != nil && db.dialect.isUniqueViolation(err)
}

// Micros returns the stored form of a time: microseconds since 1970 UTC.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// Time returns the time of a stored number, in UTC.
func Time(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// IsID reports whether a text can be the id of a row: a UUID in lower case. Others don't need a query, and databases
// refuse some of them (with zero bytes).
func IsID(text string) bool {
	parsed, err := uuid.Parse(text)
	return err == nil && parsed.String() == text
}

// NewID returns an id that sorts by time (UUID version 7).
func NewID() string { return uuid.Must(uuid.NewV7()).String() }
