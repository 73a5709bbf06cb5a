package sqldb

import "context"

// Migrate lets tests migrate an open database again.
var Migrate = func(ctx context.Context, db *DB) error { return db.migrate(ctx, newest) }

// Look has a feed look once.
var Look = (*Feed).readNumbers

// Listen calls signal for each commit that another process announces.
func Listen(ctx context.Context, db *DB, signal func()) error {
	return db.dialect.listen(ctx, db, signal)
}

// AttachOnce attaches without waiting for other servers.
func (db *DB) AttachOnce(ctx context.Context, alone bool) (detach func() error, err error) {
	return db.attachOnce(ctx, alone)
}

// LeftOut are the tables that copies do not have.
var LeftOut = leftOut

// NoteState writes down the state of a database that is served.
func NoteState(ctx context.Context, db *DB) error { return db.noteState(ctx, false) }
