package curation

import (
	"context"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/sqldb"
)

// Store reads entries for operators, and stores reports.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db: db} }

const (
	newTime    = 7 * 24 * time.Hour
	wordsLimit = 10 // words of a search; the others are left out
)

// arguments are the values of a query, numbered as they are added.
type arguments []any

func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// list returns the ids of a page of active entries, newest first, and the number of all that match.
func (s *Store) list(ctx context.Context, query Query) (ids []string, total int, err error) {
	var values arguments
	conditions := []string{`r.state = ` + values.add(catalog.StateActive)}
	const public = `r.privacy = '` + string(catalog.PrivacyPublic) + `'`
	var states []string
	for _, state := range query.States {
		switch state {
		case StateNew:
			states = append(states, `r.created_at > `+values.add(sqldb.Micros(s.db.Now().Add(-newTime))))
		case StateReported:
			states = append(states, public+` AND r.id IN (SELECT resource_id FROM report)`)
		case StateHidden:
			states = append(states, `r.hidden`)
		}
	}
	if len(states) > 0 {
		conditions = append(conditions, `(`+strings.Join(states, ` OR `)+`)`)
	}
	words := strings.Fields(query.Text)
	for _, word := range words[:min(len(words), wordsLimit)] {
		// SQLite knows upper and lower case of ASCII alone.
		given, lower := values.add(pattern(word)), values.add(pattern(strings.ToLower(word)))
		const texts = `(r.name || ' ' || r.description || ' ' || r.repository_url || ' ' || r.dataset_url || ' ' || r.notebook_path)`
		conditions = append(conditions, `((`+public+` AND (`+texts+` LIKE `+given+` ESCAPE '\' OR lower`+texts+` LIKE `+lower+` ESCAPE '\'))
			OR r.id = `+values.add(strings.ToLower(word))+`
			OR EXISTS (SELECT 1 FROM resource_author a WHERE a.resource_id = r.id AND a.email LIKE `+lower+` ESCAPE '\'))`)
	}
	from := ` FROM resource r WHERE ` + strings.Join(conditions, ` AND `)
	if err := s.db.QueryRowContext(ctx, `SELECT count(*)`+from, values...).Scan(&total); err != nil {
		return nil, 0, err
	}
	page := from + ` ORDER BY r.id DESC LIMIT ` + values.add(query.Limit) + ` OFFSET ` + values.add(query.Offset)
	rows, err := s.db.QueryContext(ctx, `SELECT r.id`+page, values...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, 0, err
		}
		ids = append(ids, id)
	}
	return ids, total, rows.Err()
}

// pattern returns the pattern of LIKE for texts that contain a word.
func pattern(word string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(word) + "%"
}

// reports returns the open reports of entries, oldest first.
func (s *Store) reports(ctx context.Context, ids []string) (map[string][]EntryReport, error) {
	found := map[string][]EntryReport{}
	err := sqldb.Chunks(ids, func(part []string) error {
		rows, err := s.db.QueryContext(ctx, `SELECT o.resource_id, a.email, o.reason, o.created_at FROM report o
			JOIN account a ON a.id = o.account_id WHERE o.resource_id IN (`+sqldb.Placeholders(1, len(part))+`)
			ORDER BY o.created_at, o.account_id`, sqldb.Arguments(part)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var one EntryReport
			var at int64
			if err := rows.Scan(&id, &one.By, &one.Reason, &at); err != nil {
				return err
			}
			one.At = sqldb.Time(at)
			found[id] = append(found[id], one)
		}
		return rows.Err()
	})
	return found, err
}

// report stores what an account says of an entry, instead of what it said before.
func (s *Store) report(ctx context.Context, resourceID, accountID, reason string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO report (resource_id, account_id, reason, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (resource_id, account_id) DO UPDATE SET reason = excluded.reason, created_at = excluded.created_at`,
			resourceID, accountID, reason, sqldb.Micros(tx.Now))
		if err != nil {
			return err
		}
		return catalog.RecordAbout(ctx, tx, audit.ReportEntry, resourceID, audit.Change{Column: "report.reason", New: reason})
	})
}

// closeReports deletes the reports of an entry.
func (s *Store) closeReports(ctx context.Context, resourceID string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		closed, err := tx.ExecContext(ctx, `DELETE FROM report WHERE resource_id = $1`, resourceID)
		if err != nil {
			return err
		}
		if count, err := closed.RowsAffected(); err != nil || count == 0 {
			return err
		}
		return catalog.RecordAbout(ctx, tx, audit.CloseReports, resourceID)
	})
}
