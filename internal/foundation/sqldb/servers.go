package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// serversKey is the advisory lock of the servers on a PostgreSQL database; its scope is that database.
const serversKey = 0x636169726e // "cairn"

const (
	attachTry  = 250 * time.Millisecond // between two attempts while another server is attached
	attachLook = 5 * time.Second        // between two checks of the connection that holds the lock

	// attachTime is how long a server waits for another one to end. When a server is killed while it starts a child, the child holds the
	// lock of SQLite's file until the kernel has loaded its program.
	attachTime = 15 * time.Second
)

// ErrAttached means that a server is attached that must be the only one, or that others are and this one must be.
var ErrAttached = errors.New("another server is attached to the database")

// Attach counts this process among the servers on the database, as the only one or beside others that don't have to be,
// until detach is called or the process ends. While another server is in the way, it tries again until ctx ends, and
// then returns ErrAttached. Commands that run beside a server don't attach.
func (db *DB) Attach(ctx context.Context, alone bool) (detach func() error, err error) {
	for refused := false; ; refused = true {
		switch detach, err = db.attachOnce(ctx, alone); {
		case errors.Is(err, ErrAttached):
		case err != nil && refused && ctx.Err() != nil:
			return nil, ErrAttached
		default:
			return detach, err
		}
		select {
		case <-time.After(attachTry):
		case <-ctx.Done():
			return nil, ErrAttached
		}
	}
}

// attachOnce is Attach without waiting: ErrAttached if another server is in the way.
func (db *DB) attachOnce(ctx context.Context, alone bool) (detach func() error, err error) {
	if db.path != "" {
		return db.attachSQLite(ctx, alone)
	}
	return db.attachPostgres(ctx, alone)
}

// serversFile is locked by the servers on SQLite's file.
func (db *DB) serversFile() string { return db.path + ".servers" }

// attachSQLite locks a file beside the database.
func (db *DB) attachSQLite(_ context.Context, alone bool) (detach func() error, err error) {
	file := flock.New(db.serversFile())
	try := file.TryRLock
	if alone {
		try = file.TryLock
	}
	locked, err := try()
	if err == nil && !locked {
		err = ErrAttached
	}
	return file.Unlock, err
}

// attachPostgres holds an advisory lock on a connection. If the connection is lost, a new one takes the lock again.
func (db *DB) attachPostgres(ctx context.Context, alone bool) (detach func() error, err error) {
	connection, err := db.lockServers(ctx, alone)
	if err != nil {
		return nil, err
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var keeping sync.WaitGroup
	keeping.Go(func() {
		ticks := time.NewTicker(attachLook)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
			case <-background.Done():
				return
			}
			if connection.PingContext(background) == nil {
				continue
			}
			if next, err := db.lockServers(background, alone); err == nil {
				_ = connection.Close()
				connection = next
			}
		}
	})
	return func() error {
		cancel()
		keeping.Wait()
		_, err := connection.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock_all()`)
		return errors.Join(err, connection.Close())
	}, nil
}

func (db *DB) lockServers(ctx context.Context, alone bool) (*sql.Conn, error) {
	connection, err := db.writer.Conn(ctx)
	if err != nil {
		return nil, db.dialect.classify(err)
	}
	query := `SELECT pg_try_advisory_lock_shared($1)`
	if alone {
		query = `SELECT pg_try_advisory_lock($1)`
	}
	locked := false
	err = connection.QueryRowContext(ctx, query, int64(serversKey)).Scan(&locked)
	if err == nil && !locked {
		err = ErrAttached
	}
	if err != nil {
		return nil, errors.Join(err, connection.Close())
	}
	return connection, nil
}
