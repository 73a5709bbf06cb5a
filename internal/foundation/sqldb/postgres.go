package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib" // also the database/sql driver "pgx"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// openPostgres opens a pool. Passwords belong in the address, PGPASSWORD or a pass file; errors never show them.
func openPostgres(ctx context.Context, address string) (*DB, error) {
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(20)
	pool.SetMaxIdleConns(10)
	process := NewID()
	db := &DB{DB: pool, writer: pool, dialect: dialect{
		lost:  new(atomic.Int64),
		goose: goose.DialectPostgres,
		isUniqueViolation: func(err error) bool {
			found, ok := errors.AsType[*pgconn.PgError](err)
			return ok && found.Code == "23505"
		},
		isUnreachable: isPostgresUnreachable,
		isFull: func(err error) bool {
			found, ok := errors.AsType[*pgconn.PgError](err)
			return ok && found.Code == "53100"
		},
		insertsWith: true,
		announce:    `pg_notify('cairn_change', '` + process + `')::text`,
		versioned:   `SELECT to_regclass('goose_db_version') IS NOT NULL`,
		clock:       `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
		listen: func(ctx context.Context, db *DB, signal func()) error {
			return listenPostgres(ctx, db, process, signal)
		},
	}}
	if err := pool.PingContext(ctx); err != nil {
		return nil, closeAfter(db, openFault(err))
	}
	return db, nil
}

func isPostgresUnreachable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	if _, ok := errors.AsType[net.Error](err); ok || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed) {
		return true
	}
	found, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (found.Code[:2] == "08" || found.Code[:2] == "57" || found.Code == "40001" || found.Code == "40P01")
}

// migrationOptions make replicas that start at the same time migrate one after the other.
func (db *DB) migrationOptions() []goose.ProviderOption {
	if db.dialect.goose != goose.DialectPostgres {
		return nil
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		panic(err) // only for wrong options, and there are none
	}
	return []goose.ProviderOption{goose.WithSessionLocker(locker)}
}

// listenPostgres signals every commit that another process announces, until ctx ends or the connection is lost.
func listenPostgres(ctx context.Context, db *DB, process string, signal func()) error {
	connection, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	return connection.Raw(func(raw any) error {
		listening, ok := raw.(*stdlib.Conn)
		if !ok {
			return driver.ErrSkip
		}
		if _, err := listening.Conn().Exec(ctx, `LISTEN cairn_change`); err != nil {
			return err
		}
		signal() // announcements before this connection listened may have been missed
		for {
			announced, err := listening.Conn().WaitForNotification(ctx)
			if err != nil {
				return errors.Join(err, driver.ErrBadConn) // nobody else gets a connection that listens
			}
			if announced.Payload != process {
				signal()
			}
		}
	})
}
