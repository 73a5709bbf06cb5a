package sqldb

import "context"

// Migrate lets tests migrate an open database again.
var Migrate = func(ctx context.Context, db *DB) error { return db.migrate(ctx) }
