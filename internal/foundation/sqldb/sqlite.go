package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens a file with one writing connection and a pool of reading ones. WAL lets them run concurrently;
// synchronous=FULL makes a commit survive a power cut; it waits up to 10 s for another process that writes.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	common := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-65536)",
	}}
	common.Set("_txlock", "immediate")
	file := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}).String()

	writer, err := sql.Open("sqlite", file+"?"+common.Encode())
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	db := &DB{writer: writer, path: path, dialect: dialect{
		lost:              new(atomic.Int64),
		goose:             goose.DialectSQLite3,
		isUniqueViolation: isSQLiteUniqueViolation,
		isUnreachable:     func(err error) bool { return hasSQLiteCode(err, lostSQLite...) },
		isFull:            func(err error) bool { return hasSQLiteCode(err, sqlite3.SQLITE_FULL) },
		announce:          `''`,
		versioned:         `SELECT count(*) > 0 FROM sqlite_master WHERE name = 'goose_db_version'`,
	}}
	db.DB = writer
	if err := writer.PingContext(ctx); err != nil {
		if hasSQLiteCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) {
			return nil, closeAfter(db, damaged(path, err))
		}
		return nil, closeAfter(db, openFault(err))
	}

	// A small cache for each reader: the operating system caches the file's pages too, and the catalog caches entries
	// that are read often.
	common["_pragma"] = slices.Concat(common["_pragma"], []string{"query_only(1)", "cache_size(-8192)"})
	common.Del("_txlock")
	if db.DB, err = sql.Open("sqlite", file+"?"+common.Encode()); err != nil {
		db.DB = writer
		return nil, closeAfter(db, err)
	}
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	db.prepared = newPrepared(db.DB)
	return db, nil
}

// lostSQLite reports whether the file isn't accessible now: another process holds it, or its disk is gone.
var lostSQLite = []int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}

func isSQLiteUniqueViolation(err error) bool {
	return hasSQLiteCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
}

func hasSQLiteCode(err error, codes ...int) bool {
	found, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	for _, code := range codes {
		if found.Code() == code || found.Code()&0xff == code {
			return true
		}
	}
	return false
}
