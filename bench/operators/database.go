package operators

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"cairn/bench/program"

	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"
	_ "modernc.org/sqlite"             // the database/sql driver "sqlite"
)

// database is where a program keeps its rows.
type database struct {
	name, driver, address string
	config                string // of a program that uses it
}

// sqliteOf is the one that a program has by default.
func sqliteOf(data string) database {
	return database{name: "SQLite", driver: "sqlite", address: filepath.Join(data, "cairn.db")}
}

// newPostgres creates one on the server for benchmarks.
func newPostgres(ctx context.Context) (database, error) {
	address, err := url.Parse(program.Postgres())
	if err != nil {
		return database{}, err
	}
	server, err := sql.Open("pgx", address.String())
	if err != nil {
		return database{}, err
	}
	_, err = server.ExecContext(ctx, `CREATE DATABASE cairn_operators`)
	address.Path = "/cairn_operators"
	made := database{name: "PostgreSQL", driver: "pgx", address: address.String(), config: fmt.Sprintf("database_url: %q\n", address)}
	return made, errors.Join(err, server.Close())
}

const (
	sessionsEach = 2 // of an account
	recordsEach  = 4 // of the audit
	grantedEvery = 3 // one account in this many is enabled; the others wait
	failedEvery  = 50
)

// fill adds accounts with sessions and records, as many months of an institution leave. The statements mean the same to
// both systems.
func (d database) fill(ctx context.Context, accounts int) (err error) {
	db, err := sql.Open(d.driver, d.address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	now := time.Now().UnixMicro()
	const numbers = `WITH RECURSIVE numbers (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM numbers WHERE i < $1) `
	const id = `'-0000-7000-8000-' || CAST(100000000000 + i AS TEXT)`
	for _, one := range []struct {
		statement string
		values    []any
	}{
		{
			numbers + `INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at, seen_at)
			SELECT '0000000a' || ` + id + `, 'https://login.example.org', 'subject-' || CAST(i AS TEXT), 'person-' || CAST(i AS TEXT) || '@institution.example',
				'Person Number ' || CAST(i AS TEXT), CAST($2 AS BIGINT) - i * 1000000, CAST($2 AS BIGINT), CAST($2 AS BIGINT) - i * 20000000 FROM numbers`,
			[]any{accounts, now},
		},
		{
			numbers + `INSERT INTO account_grant (email, enabled, role, updated_at)
			SELECT 'person-' || CAST(i AS TEXT) || '@institution.example', TRUE, 'user', CAST($2 AS BIGINT) FROM numbers WHERE i % CAST($3 AS BIGINT) = 0`,
			[]any{accounts, now, grantedEvery},
		},
		{
			numbers + `INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason, requested, idempotency_key,
				launched_at, created_at, updated_at)
			SELECT '0000000b' || ` + id + `, 'A session', '0000000a-0000-7000-8000-' || CAST(100000000000 + 1 + i % CAST($2 AS BIGINT) AS TEXT),
				'person-' || CAST(1 + i % CAST($2 AS BIGINT) AS TEXT) || '@institution.example', '', CAST($3 AS TEXT), 'bench',
				CASE WHEN i % CAST($4 AS BIGINT) = 0 THEN 'ERROR' ELSE 'FINISHED' END, 'It was idle for 1 hour.', '', 'key-' || CAST(i AS TEXT),
				CAST($5 AS BIGINT), CAST($5 AS BIGINT) - i * 10000000, CAST($5 AS BIGINT) - i * 10000000 FROM numbers`,
			[]any{accounts * sessionsEach, accounts, holds, failedEvery, now},
		},
		{
			numbers + `INSERT INTO audit_record (id, at, actor_id, actor, action, object_type, object_id, object_name, changes, address, request_id, seal)
			SELECT '0000000c' || ` + id + `, CAST($2 AS BIGINT) - i * 5000000, '0000000a-0000-7000-8000-' || CAST(100000000000 + 1 + i % CAST($3 AS BIGINT) AS TEXT),
				'person-' || CAST(1 + i % CAST($3 AS BIGINT) AS TEXT) || '@institution.example', 'session.start', 'session', '0000000b' || ` + id + `, '', '{}', '192.0.2.1',
				'', 1 FROM numbers`,
			[]any{accounts * recordsEach, now, accounts},
		},
		{`ANALYZE`, nil},
	} {
		if _, err := db.ExecContext(ctx, one.statement, one.values...); err != nil {
			return fmt.Errorf("%.60s: %w", one.statement, err)
		}
	}
	return nil
}

// holds is as long as what a session of a project with two datasets was made from.
const holds = `{"id":"0198c0de-0000-7000-8000-000000000001","name":"Spike sorting","repositoryResource":{"id":"0198c0de-0000-7000-8000-000000000002","name":"Spike sorting tools","address":"https://github.com/example/spike-sorting"},"datasetResources":[{"id":"0198c0de-0000-7000-8000-000000000003","name":"Recordings of 2025","address":"recordings/2025"},{"id":"0198c0de-0000-7000-8000-000000000004","name":"Recordings of 2026","address":"recordings/2026"}]}`
