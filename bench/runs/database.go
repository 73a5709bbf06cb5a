package runs

import (
	"context"
	"database/sql"
	"encoding/json"
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
	tidy                  string // the statement for what it does by itself before long
}

// sqliteOf is the one that a program has by default.
func sqliteOf(folder string) database {
	return database{name: "SQLite", driver: "sqlite", address: filepath.Join(folder, "cairn.db"), tidy: `ANALYZE`}
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
	_, err = server.ExecContext(ctx, `CREATE DATABASE cairn_runs`)
	address.Path = "/cairn_runs"
	made := database{
		name: "PostgreSQL", driver: "pgx", address: address.String(), config: fmt.Sprintf("database_url: %q\n", address), tidy: `VACUUM ANALYZE`,
	}
	return made, errors.Join(err, server.Close())
}

// fill adds runs of an entry, of which each has ended and the last one counts. The statements mean the same to both.
func (d database) fill(ctx context.Context, entry string, count int) error {
	db, err := sql.Open(d.driver, d.address)
	if err != nil {
		return err
	}
	environment, err := json.Marshal(map[string]any{"digest": digest, "python": "3.11.2", "packages": packages()})
	if err != nil {
		return err
	}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	_, err = db.ExecContext(ctx, `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < $1)
		INSERT INTO run (id, resource_id, file, ref, started_by, account_id, engine, state, verdict, commit_id, digest, cells, environment,
			attempts, seconds, peak_memory, queued_at, started_at, ended_at, kept, latest)
		SELECT '00000000-0000-7000-8000-' || CAST(100000000000 + i AS TEXT), CAST($2 AS TEXT), 'first-steps.ipynb', '', 'schedule', '', 'local', 'DONE', 'CLEAN',
			CAST($3 AS TEXT), CAST($4 AS TEXT), '{"total":17,"ran":17,"same":17,"close":0,"differs":0,"varies":0}', CAST($5 AS TEXT),
			1, 41.5, 200000000, CAST($6 AS BIGINT) + i, CAST($6 AS BIGINT) + i, CAST($6 AS BIGINT) + i, FALSE, i = $1 FROM numbers`,
		count, entry, digest[:40], digest, string(environment), began)
	if err == nil {
		_, err = db.ExecContext(ctx, d.tidy)
	}
	return errors.Join(err, db.Close())
}

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// packages are as many as a scientific environment has.
func packages() (names []string) {
	for i := range 150 {
		names = append(names, fmt.Sprintf("package-%03d==1.%d.0", i, i%20))
	}
	return names
}
