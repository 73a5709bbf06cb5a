package relevance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"cairn/bench/corpus"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// engine answers searches with the numbers of entries, the best first, at most depth.
type engine struct {
	name   string
	search func(ctx context.Context, text string) ([]int, error)
}

// term is a part of a search for the alternatives: words side by side.
type term struct {
	words    []string
	quoted   bool
	excluded bool
}

var termPattern = regexp.MustCompile(`(-?)(?:(?:tag|type|author):)?(?:"([^"]*)"|(\S+))`)

// parseTerms reads quotes and -word as Cairn does. The alternatives have no fields, so those are words.
func parseTerms(text string) []term {
	var terms []term
	for _, found := range termPattern.FindAllStringSubmatch(text, -1) {
		words := strings.FieldsFunc(found[2]+found[3], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) })
		switch {
		case len(words) == 0:
		case found[1] == "-" || found[2] != "":
			terms = append(terms, term{words, true, found[1] == "-"})
		default:
			for _, word := range words {
				terms = append(terms, term{words: []string{word}})
			}
		}
	}
	return terms
}

// cells returns the texts that all engines index, words of addresses apart.
func cells(number int, e corpus.Entry) []any {
	authors := strings.NewReplacer("@", " ", ".", " ").Replace(strings.Join(e.Authors, " "))
	return []any{number, e.Name, strings.Join(e.Tags, " "), authors, e.Description, e.Content}
}

const sqliteSchema = `CREATE VIRTUAL TABLE words USING fts5 (name, tags, authors, description, content,
	prefix='2 3 4', tokenize='porter unicode61 remove_diacritics 2')`

// openSQLite fills FTS5 in memory, with its stemming.
func openSQLite(ctx context.Context, entries []entry) (engine, func() error, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return engine{}, nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, sqliteSchema)
	for i := range entries {
		if err == nil {
			_, err = db.ExecContext(ctx, `INSERT INTO words (rowid, name, tags, authors, description, content) VALUES (?, ?, ?, ?, ?, ?)`, cells(i, entries[i].Entry)...)
		}
	}
	if err != nil {
		return engine{}, nil, errors.Join(err, db.Close())
	}
	return engine{"SQLite FTS5", func(ctx context.Context, text string) ([]int, error) {
		return firstFound(parseTerms(text), sqliteText, func(match string) ([]int, error) {
			rows, err := db.QueryContext(ctx, fmt.Sprintf(`SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 6, 3, 1, 1, 0.2), rowid DESC LIMIT %d`, depth), match)
			if err != nil {
				return nil, err
			}
			defer func() { _ = rows.Close() }()
			var found []int
			for rows.Next() {
				var number int
				if err := rows.Scan(&number); err != nil {
					return nil, err
				}
				found = append(found, number)
			}
			return found, rows.Err()
		})
	}}, db.Close, nil
}

// firstFound asks for entries with all words, and if there is none, for entries with any.
func firstFound(terms []term, write func(terms []term, operator string) string, search func(text string) ([]int, error)) ([]int, error) {
	and, or := " AND ", " OR "
	for _, operator := range []string{and, or} {
		found, err := search(write(terms, operator))
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

func sqliteText(terms []term, operator string) string {
	var wanted, without []string
	for _, one := range terms {
		text := `"` + strings.Join(one.words, " ") + `"`
		switch {
		case one.excluded:
			without = append(without, text)
		case one.quoted:
			wanted = append(wanted, text)
		default:
			wanted = append(wanted, text+"*")
		}
	}
	return strings.Join(append([]string{"(" + strings.Join(wanted, operator) + ")"}, without...), " NOT ")
}

// postgresSchema folds accents and stems in English.
const postgresSchema = `
CREATE EXTENSION IF NOT EXISTS unaccent;
CREATE TEMPORARY TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tags TEXT NOT NULL, authors TEXT NOT NULL, description TEXT NOT NULL, content TEXT NOT NULL);
CREATE TEXT SEARCH CONFIGURATION pg_temp.folded (COPY = english);
ALTER TEXT SEARCH CONFIGURATION pg_temp.folded ALTER MAPPING FOR asciiword, asciihword, hword_asciipart, hword, hword_part, word WITH unaccent, english_stem;
`

const postgresWords = `
ALTER TABLE entry ADD words TSVECTOR, ADD in_content TSVECTOR, ADD all_words TSVECTOR;
UPDATE entry SET in_content = to_tsvector('pg_temp.folded', content), words = setweight(to_tsvector('pg_temp.folded', name), 'A') || setweight(to_tsvector('pg_temp.folded', tags), 'B')
	|| setweight(to_tsvector('pg_temp.folded', authors), 'C') || setweight(to_tsvector('pg_temp.folded', description), 'D');
UPDATE entry SET all_words = words || in_content;
`

// openPostgres fills a PostgreSQL server over one connection.
func openPostgres(ctx context.Context, address string, entries []entry) (engine, func() error, error) {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return engine{}, nil, err
	}
	stop := func() error { return connection.Close(context.WithoutCancel(ctx)) }
	if _, err = connection.Exec(ctx, postgresSchema); err == nil {
		_, err = connection.CopyFrom(ctx, pgx.Identifier{"entry"}, []string{"id", "name", "tags", "authors", "description", "content"},
			pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) { return cells(i, entries[i].Entry), nil }))
	}
	if err == nil {
		_, err = connection.Exec(ctx, postgresWords)
	}
	if err != nil {
		return engine{}, nil, errors.Join(err, stop())
	}
	return engine{"PostgreSQL", func(ctx context.Context, text string) ([]int, error) {
		return firstFound(parseTerms(text), postgresText, func(match string) ([]int, error) {
			rows, err := connection.Query(ctx, fmt.Sprintf(`SELECT id FROM entry, to_tsquery('pg_temp.folded', $1) AS wanted
				WHERE all_words @@ wanted ORDER BY ts_rank(words, wanted) + 0.2 * ts_rank(in_content, wanted) DESC, id DESC LIMIT %d`, depth), match)
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowTo[int])
		})
	}}, stop, nil
}

func postgresText(terms []term, operator string) string {
	operator = map[string]string{" AND ": " & ", " OR ": " | "}[operator]
	var wanted, without []string
	for _, one := range terms {
		switch {
		case one.excluded:
			without = append(without, " & !("+strings.Join(one.words, " <-> ")+")")
		case one.quoted:
			wanted = append(wanted, "("+strings.Join(one.words, " <-> ")+")")
		default:
			wanted = append(wanted, one.words[0]+":*")
		}
	}
	return "(" + strings.Join(wanted, operator) + ")" + strings.Join(without, "")
}
