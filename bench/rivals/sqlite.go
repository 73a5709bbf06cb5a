package rivals

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"cairn/bench/corpus"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// sqliteSchema: one FTS5 table for words, with prefix indexes and with the filters as words of a column of their own,
// so that FTS5 intersects lists instead of looking rows up; one of trigrams for parts of names.
const sqliteSchema = `
CREATE TABLE entry (id INTEGER PRIMARY KEY, type INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, description TEXT NOT NULL);
CREATE TABLE tag (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
CREATE TABLE entry_tag (entry INTEGER NOT NULL, tag INTEGER NOT NULL, PRIMARY KEY (entry, tag)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (name, tags, authors, description, filters, content='', prefix='2 3 4',
	tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE parts USING fts5 (folded, content='', tokenize='trigram');
`

// sqliteIndexes are made when the rows are there.
const sqliteIndexes = `
CREATE INDEX entry_tag_tag ON entry_tag (tag, entry);
CREATE INDEX entry_folded ON entry (folded);
INSERT INTO words (words) VALUES ('optimize');
INSERT INTO parts (parts) VALUES ('optimize');
ANALYZE;
`

// SQLite is FTS5 in this process.
type SQLite struct {
	db   *sql.DB
	tags tagNumbers
	// Like makes parts of names a LIKE over all names instead of a search by trigrams.
	Like bool
}

// OpenSQLite opens a file with a cache that holds most of it.
func OpenSQLite(ctx context.Context, path string) (*SQLite, error) {
	address := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=cache_size(-1048576)&_pragma=mmap_size(8589934592)&_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)"
	db, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // its cache stays warm
	s := &SQLite{db: db, tags: tagNumbers{}}
	if err := s.readTags(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *SQLite) readTags(ctx context.Context) error {
	var tables int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = 'tag'`).Scan(&tables)
	if err != nil || tables == 0 {
		return err
	}
	return each(ctx, s.db, func(found *sql.Rows) error {
		var number int
		var value string
		err := found.Scan(&number, &value)
		s.tags[value] = number
		return err
	}, `SELECT id, value FROM tag`)
}

// Close closes the file.
func (s *SQLite) Close() error { return s.db.Close() }

// Version tells which SQLite answers.
func (s *SQLite) Version(ctx context.Context) (version string, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&version)
	return version, err
}

// Size is how large the file is, in bytes.
func (s *SQLite) Size(ctx context.Context) (size int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`).Scan(&size)
	return size, err
}

// BuildSQLite makes the file of a corpus. An unfinished one is never left under its name.
func BuildSQLite(ctx context.Context, path string, entries *corpus.Corpus) error {
	unfinished := path + ".new"
	if err := os.Remove(unfinished); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s, err := OpenSQLite(ctx, unfinished)
	if err != nil {
		return err
	}
	if err := errors.Join(s.fill(ctx, entries), s.Close()); err != nil {
		return errors.Join(err, os.Remove(unfinished))
	}
	return os.Rename(unfinished, path)
}

func (s *SQLite) fill(ctx context.Context, entries *corpus.Corpus) error {
	if _, err := s.db.ExecContext(ctx, sqliteSchema); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	insertInto := func(table, columns string) *sql.Stmt {
		marks := strings.Repeat(", ?", strings.Count(columns, ","))
		statement, prepareErr := tx.PrepareContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES (?"+marks+")")
		err = errors.Join(err, prepareErr)
		return statement // the end of tx closes it
	}
	entry, entryTag := insertInto("entry", "id, type, name, folded, description"), insertInto("entry_tag", "entry, tag")
	words, parts := insertInto("words", "rowid, name, tags, authors, description, filters"), insertInto("parts", "rowid, folded")
	if err != nil {
		return err
	}
	err = rows(ctx, entries, s.tags, func(r row) error {
		if _, err := entry.ExecContext(ctx, r.number, r.kind, r.name, r.folded, r.description); err != nil {
			return err
		}
		filters := []string{typeWord(r.kind)}
		for _, tag := range r.tags {
			filters = append(filters, tagWord(tag))
			if _, err := entryTag.ExecContext(ctx, r.number, tag); err != nil {
				return err
			}
		}
		if _, err := words.ExecContext(ctx, r.number, r.name, r.tagWords, r.authors, r.description, strings.Join(filters, " ")); err != nil {
			return err
		}
		_, err := parts.ExecContext(ctx, r.number, r.folded)
		return err
	})
	if err != nil {
		return err
	}
	for value, number := range s.tags {
		if _, err := tx.ExecContext(ctx, `INSERT INTO tag (id, value) VALUES (?, ?)`, number, value); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, sqliteIndexes)
	return err
}

func typeWord(kind int) string  { return fmt.Sprintf("ztype%d", kind) }
func tagWord(number int) string { return fmt.Sprintf("ztag%d", number) }

const sqliteCard = `SELECT e.id, e.type, e.name, substr(e.description, 1, 280) FROM `

// Search answers as FTS5 does it best.
func (s *SQLite) Search(ctx context.Context, query corpus.Query) (total int, err error) {
	switch {
	case query.Class == corpus.TagOnly:
		tag := s.tags[query.Tag]
		return s.page(ctx, `SELECT count(*) FROM entry_tag WHERE tag = ?`,
			sqliteCard+`entry_tag t JOIN entry e ON e.id = t.entry WHERE t.tag = ? ORDER BY e.folded LIMIT 24`, tag)
	case query.Class == corpus.Substring && s.Like:
		return s.page(ctx, `SELECT count(*) FROM entry WHERE folded LIKE ?`,
			sqliteCard+`entry e WHERE e.folded LIKE ? ORDER BY e.folded LIMIT 24`, "%"+query.Text+"%")
	case query.Class == corpus.Substring:
		return s.page(ctx, `SELECT count(*) FROM parts WHERE parts MATCH ?`,
			sqliteCard+`parts p JOIN entry e ON e.id = p.rowid WHERE p.parts MATCH ? ORDER BY e.folded LIMIT 24`, `"`+query.Text+`"`)
	}
	match := s.match(query)
	page := sqliteCard + fmt.Sprintf(`(SELECT rowid AS id, bm25(words, 10, 3, 1, 1, 0) AS score FROM words WHERE words MATCH ? LIMIT %d) found
		JOIN entry e ON e.id = found.id ORDER BY found.score, e.id DESC LIMIT 24`, rankLimit)
	switch query.Sort {
	case "name":
		page = sqliteCard + `words w JOIN entry e ON e.id = w.rowid WHERE w.words MATCH ? ORDER BY e.folded LIMIT 24`
	case "newest", "stars": // there are no stars here: the newest are found sooner
		page = sqliteCard + `(SELECT rowid AS id FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 24) found
			JOIN entry e ON e.id = found.id ORDER BY e.id DESC`
	}
	if total, err = s.page(ctx, `SELECT count(*) FROM words WHERE words MATCH ?`, page, match); err != nil || !query.Facets {
		return total, err
	}
	for kind := range kinds {
		var count int
		err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM words WHERE words MATCH ?`,
			`filters : `+typeWord(kind)+` AND (`+match+`)`).Scan(&count)
		if err != nil {
			return 0, err
		}
	}
	err = each(ctx, s.db, func(found *sql.Rows) error {
		var tag, count int
		return found.Scan(&tag, &count)
	}, `SELECT t.tag, count(*) FROM words w JOIN entry_tag t ON t.entry = w.rowid WHERE w.words MATCH ? GROUP BY t.tag ORDER BY 2 DESC LIMIT ?`,
		match, facetLimit)
	return total, err
}

// match writes a query in FTS5's language: all words, the last as a prefix, and the filters.
func (s *SQLite) match(query corpus.Query) string {
	words := make([]string, len(query.Words))
	for i, word := range query.Words {
		words[i] = `"` + word + `"`
	}
	match := `{name tags authors description} : (` + strings.Join(words, " AND ") + `*)`
	if kind := slices.Index(kinds, query.Type); kind >= 0 {
		match += ` AND filters : ` + typeWord(kind)
	}
	if query.Tag != "" {
		match += ` AND filters : ` + tagWord(s.tags[query.Tag])
	}
	return match
}

func (s *SQLite) page(ctx context.Context, count, page string, argument any) (total int, err error) {
	if err := s.db.QueryRowContext(ctx, count, argument).Scan(&total); err != nil {
		return 0, err
	}
	return total, each(ctx, s.db, scanCard, page, argument)
}

func scanCard(found *sql.Rows) error {
	var id, kind int
	var name, description string
	return found.Scan(&id, &kind, &name, &description)
}

func each(ctx context.Context, db *sql.DB, scan func(*sql.Rows) error, query string, arguments ...any) error {
	found, err := db.QueryContext(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := scan(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// SQLiteDigest changes with the tables: a file with others is of no use.
func SQLiteDigest() string {
	sum := sha256.Sum256([]byte(sqliteSchema + sqliteIndexes))
	return hex.EncodeToString(sum[:4])
}
