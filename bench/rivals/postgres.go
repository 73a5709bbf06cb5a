package rivals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cairn/bench/corpus"

	"github.com/jackc/pgx/v5"
)

// PostgresOptions are the settings of a server that has the machine to itself while it is measured.
const PostgresOptions = "-c shared_buffers=2GB -c effective_cache_size=6GB -c maintenance_work_mem=1GB -c work_mem=128MB " +
	"-c max_wal_size=8GB -c random_page_cost=1.1 -c jit=off"

// postgresSchema: words folded by unaccent, weighted by where they stand.
const postgresSchema = `
CREATE EXTENSION pg_trgm;
CREATE EXTENSION btree_gin;
CREATE EXTENSION unaccent;
CREATE TEXT SEARCH CONFIGURATION bench (COPY = simple);
ALTER TEXT SEARCH CONFIGURATION bench ALTER MAPPING FOR hword, hword_part, word WITH unaccent, simple;
CREATE TABLE entry (id INTEGER PRIMARY KEY, type SMALLINT NOT NULL, name TEXT NOT NULL, folded TEXT COLLATE "C" NOT NULL,
	description TEXT NOT NULL, authors TEXT NOT NULL, tags INTEGER[] NOT NULL, tag_words TEXT NOT NULL,
	words TSVECTOR GENERATED ALWAYS AS (setweight(to_tsvector('bench', name), 'A') || setweight(to_tsvector('bench', tag_words), 'B')
		|| setweight(to_tsvector('bench', authors), 'C') || setweight(to_tsvector('bench', description), 'D')) STORED);
`

// postgresIndexes are made when the rows are there: one GIN index for words, tags and types together, so that filters
// are intersected in the index; one of trigrams for parts of names.
const postgresIndexes = `
CREATE INDEX entry_words ON entry USING gin (words, tags, type) WITH (fastupdate = off);
CREATE INDEX entry_parts ON entry USING gin (folded gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX entry_folded ON entry (folded);
`

// Postgres is a PostgreSQL server asked over one connection.
type Postgres struct {
	connection *pgx.Conn
	tags       tagNumbers
}

// OpenPostgres connects to a server that has no tables yet.
func OpenPostgres(ctx context.Context, address string) (*Postgres, error) {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	// A plan for the very words of each search is the better one.
	if _, err := connection.Exec(ctx, `SET plan_cache_mode = force_custom_plan`); err != nil {
		return nil, errors.Join(err, connection.Close(ctx))
	}
	return &Postgres{connection: connection, tags: tagNumbers{}}, nil
}

// Close closes the connection.
func (p *Postgres) Close(ctx context.Context) error { return p.connection.Close(ctx) }

// Version tells which PostgreSQL answers.
func (p *Postgres) Version(ctx context.Context) (version string, err error) {
	err = p.connection.QueryRow(ctx, `SELECT split_part(current_setting('server_version'), ' ', 1)`).Scan(&version)
	return version, err
}

// Size is how much the table and its indexes take, in bytes.
func (p *Postgres) Size(ctx context.Context) (size int64, err error) {
	err = p.connection.QueryRow(ctx, `SELECT pg_total_relation_size('entry')`).Scan(&size)
	return size, err
}

// Fill copies a corpus into the server and makes the indexes.
func (p *Postgres) Fill(ctx context.Context, entries *corpus.Corpus) error {
	if _, err := p.connection.Exec(ctx, postgresSchema); err != nil {
		return err
	}
	making, stop := context.WithCancel(ctx)
	defer stop()
	lines := make(chan row, 1000)
	made := make(chan error, 1)
	go func() {
		defer close(lines)
		made <- rows(making, entries, p.tags, func(r row) error {
			select {
			case lines <- r:
				return nil
			case <-making.Done():
				return making.Err()
			}
		})
	}()
	_, err := p.connection.CopyFrom(ctx, pgx.Identifier{"entry"},
		[]string{"id", "type", "name", "folded", "description", "authors", "tags", "tag_words"},
		pgx.CopyFromFunc(func() ([]any, error) {
			r, ok := <-lines
			if !ok {
				return nil, nil //nolint:nilnil // the end, as the library wants it
			}
			return []any{r.number, r.kind, r.name, r.folded, r.description, r.authors, r.tags, r.tagWords}, nil
		}))
	stop()
	if madeErr := <-made; err == nil && madeErr != nil {
		err = madeErr
	}
	if err != nil {
		return err
	}
	for _, command := range []string{postgresIndexes, `VACUUM ANALYZE entry`} {
		if _, err := p.connection.Exec(ctx, command); err != nil {
			return err
		}
	}
	return nil
}

var postgresCard = fmt.Sprintf(`SELECT id, type, name, left(description, %d) FROM `, cardLength)

// Search answers as PostgreSQL does it best.
func (p *Postgres) Search(ctx context.Context, query corpus.Query) (total int, err error) {
	var arguments []any
	argument := func(value any) string {
		arguments = append(arguments, value)
		return fmt.Sprintf("$%d", len(arguments))
	}
	var conditions []string
	order := " ORDER BY folded LIMIT 24"
	switch query.Class {
	case corpus.TagOnly:
	case corpus.Substring:
		conditions = append(conditions, "folded LIKE "+argument("%"+query.Text+"%"))
	default:
		words := "to_tsquery('bench', " + argument(strings.Join(query.Words, " & ")+":*") + ")"
		conditions = append(conditions, "words @@ "+words)
		switch query.Sort {
		case "":
			order = " ORDER BY ts_rank(words, " + words + ") DESC, id DESC LIMIT 24"
		case "newest", "stars": // there are no stars here: the newest are found sooner
			order = " ORDER BY id DESC LIMIT 24"
		}
	}
	if query.Type != "" {
		conditions = append(conditions, "type = "+argument(slices.Index(kinds, query.Type)))
	}
	if query.Tag != "" {
		conditions = append(conditions, "tags @> ARRAY["+argument(p.tags[query.Tag])+"::integer]")
	}
	where := " WHERE " + strings.Join(conditions, " AND ")
	page := postgresCard + "entry" + where + order
	if strings.Contains(order, "ts_rank") {
		page = postgresCard + fmt.Sprintf("(SELECT * FROM entry%s LIMIT %d) found", where, rankLimit) + order
	}
	if err := p.connection.QueryRow(ctx, "SELECT count(*) FROM entry"+where, arguments...).Scan(&total); err != nil {
		return 0, err
	}
	statements := []string{page}
	if query.Facets {
		statements = append(statements, "SELECT type, count(*) FROM entry"+where+" GROUP BY type",
			fmt.Sprintf("SELECT tag, count(*) FROM entry, unnest(tags) AS tag%s GROUP BY tag ORDER BY 2 DESC LIMIT %d", where, facetLimit))
	}
	for _, statement := range statements {
		if err := p.readAll(ctx, statement, arguments); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// readAll fetches all rows of a statement, as a server would that shows them.
func (p *Postgres) readAll(ctx context.Context, statement string, arguments []any) error {
	found, err := p.connection.Query(ctx, statement, arguments...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if _, err := found.Values(); err != nil {
			return err
		}
	}
	return found.Err()
}
