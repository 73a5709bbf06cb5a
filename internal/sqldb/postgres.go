package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// openPostgres opens a pool. Passwords belong into the address, PGPASSWORD or a pass file; errors never show them.
func openPostgres(ctx context.Context, address string) (*DB, error) {
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(20)
	pool.SetMaxIdleConns(10)
	db := &DB{DB: pool, writer: pool, dialect: dialect{
		goose: goose.DialectPostgres,
		isUniqueViolation: func(err error) bool {
			found, ok := errors.AsType[*pgconn.PgError](err)
			return ok && found.Code == "23505"
		},
		isUnreachable: isPostgresUnreachable,
	}}
	if err := pool.PingContext(ctx); err != nil {
		return nil, closeAfter(db, db.openFault(err))
	}
	return db, nil
}

func isPostgresUnreachable(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
	}
	found, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (found.Code[:2] == "08" || found.Code[:2] == "57" || found.Code == "40001" || found.Code == "40P01")
}

// migrationOptions make replicas that start together migrate one after the other.
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
