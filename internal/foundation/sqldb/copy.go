package sqldb

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"cairn/internal/foundation/fault"

	"github.com/pressly/goose/v3"
)

// Tables are the tables that a copy of a database has, each after those that it refers to. Left out is what is of use for
// minutes only, or to the servers that run now: the numbered changes, ways into sessions, sessions that nobody has
// asked for yet, and the additions of the last hour.
var Tables = []string{
	"account", "account_grant", "ended_sign_in", "access_token", "connection", "tag", "resource", "entry_version", "deposit", "resource_tag", "resource_author", "named_author", "left_author",
	"entry_content", "entry_start", "star", "report", "project", "project_dataset", "project_member", "session", "session_share", "session_share_joined", "session_request", "session_visit", "session_version", "launch", "engine_record", "run", "job",
	"reservation", "workshop", "workshop_host", "workshop_seat", "workshop_message", "workshop_handout", "workshop_delivery", "schedule", "appearance", "appearance_clock", "counter", "change_counter", "meta", "audit_inbox", "audit_record", "audit_concern", "audit_seal", "audit_head",
}

// leftOut are the other tables; the tests compare both lists with the schema.
var leftOut = []string{"addition", "batch_place", "change", "connection_attempt", "content_task", "session_access", "upload", "warm_session"}

// Snapshot is one state of a database, unaffected by later writes. It must be closed.
type Snapshot struct {
	tx      *sql.Tx
	dialect dialect
}

// Snapshot begins to read the present state. Writers go on meanwhile.
func (db *DB) Snapshot(ctx context.Context) (*Snapshot, error) {
	options := &sql.TxOptions{ReadOnly: true}
	if db.dialect.goose == goose.DialectPostgres {
		options.Isolation = sql.LevelRepeatableRead // SQLite's readers have it anyway
	}
	tx, err := db.BeginTx(ctx, options)
	if err == nil {
		// The state is that of the first statement.
		if err = tx.QueryRowContext(ctx, `SELECT seq FROM change_counter`).Scan(new(int64)); err != nil {
			_ = tx.Rollback()
		}
	}
	if err != nil {
		return nil, db.dialect.classify(err)
	}
	return &Snapshot{tx, db.dialect}, nil
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.tx.Rollback() }

// QueryContext queries rows of the snapshot.
func (s *Snapshot) QueryContext(ctx context.Context, query string, arguments ...any) (*Rows, error) {
	return s.dialect.query(ctx, s.tx, query, arguments)
}

// QueryRowContext queries one row of the snapshot.
func (s *Snapshot) QueryRowContext(ctx context.Context, query string, arguments ...any) *Row {
	return &Row{row: s.tx.QueryRowContext(ctx, query, arguments...), classify: s.dialect.classify}
}

// WriteTable writes a table as lines of JSON, one object for each row with its columns in the schema's order. The lines are in
// the same order on both systems, so equal databases have equal files. keep may be nil, or tells which rows are written.
func (s *Snapshot) WriteTable(ctx context.Context, table string, to io.Writer, keep func(row map[string]any) bool) error {
	names, types, err := s.columns(ctx, table)
	if err != nil {
		return err
	}
	order := make([]string, len(names))
	for i, name := range names {
		order[i] = name
		if types[i] == "TEXT" && s.dialect.goose == goose.DialectPostgres {
			order[i] += ` COLLATE "C"` // SQLite's order
		}
	}
	rows, err := s.tx.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+table+` ORDER BY `+strings.Join(order, ", ")) //nolint:gosec // names of the schema
	if err != nil {
		return s.dialect.classify(err)
	}
	defer rows.Close()
	values, places := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		places[i] = &values[i]
	}
	var line bytes.Buffer
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		row := make(map[string]any, len(names))
		line.Reset()
		for i, name := range names {
			if content, ok := values[i].(string); ok && !utf8.ValidString(content) {
				return fault.New(fault.Internal, "The column %s of the table %s has a text that isn't valid UTF-8.", name, table)
			}
			if number, ok := values[i].(int64); ok && types[i] == "BOOLEAN" { // of SQLite
				values[i] = number != 0
			}
			row[name] = values[i]
			line.WriteString(separator(i) + `"` + name + `":`)
			if err := writeJSON(&line, values[i]); err != nil {
				return err
			}
		}
		line.WriteString("}\n")
		if keep != nil && !keep(row) {
			continue
		}
		if _, err := to.Write(line.Bytes()); err != nil {
			return err
		}
	}
	return s.dialect.classify(rows.Err())
}

func separator(i int) string {
	if i == 0 {
		return "{"
	}
	return ","
}

func writeJSON(line *bytes.Buffer, value any) error {
	encoder := json.NewEncoder(line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	line.Truncate(line.Len() - 1) // its line break
	return nil
}

// columns returns the names of a table's columns and their types, by the system's names.
func (s *Snapshot) columns(ctx context.Context, table string) (names, types []string, err error) {
	rows, err := s.tx.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`) //nolint:gosec // a name of the schema
	if err != nil {
		return nil, nil, s.dialect.classify(err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	for _, column := range columns {
		names, types = append(names, column.Name()), append(types, column.DatabaseTypeName())
	}
	return names, types, rows.Err()
}

// Version returns the version of the tables.
func (db *DB) Version(ctx context.Context) (version int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&version)
	return version, err
}

// IsEmpty reports whether nobody has used the database yet.
func (db *DB) IsEmpty(ctx context.Context) (empty bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT 1 FROM account) AND NOT EXISTS (SELECT 1 FROM resource) AND
		NOT EXISTS (SELECT 1 FROM account_grant)`).Scan(&empty)
	return empty, err
}

// loadRows is the number of rows that are inserted together.
const loadRows = 1000

// LoadTable replaces the rows of a table by those that WriteTable wrote.
func (tx *Tx) LoadTable(ctx context.Context, table string, from io.Reader) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM `+table); err != nil {
		return err
	}
	names, fractions, err := tx.columns(ctx, table)
	if err != nil {
		return err
	}
	lines := json.NewDecoder(from)
	lines.UseNumber()
	var rows [][]any
	for number := 1; ; number++ {
		var row map[string]any
		err := lines.Decode(&row)
		if errors.Is(err, io.EOF) {
			return tx.InsertRows(ctx, table, names, rows, "")
		}
		if err == nil {
			rows, err = appendRow(rows, names, fractions, row)
		}
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "Row %d of the table %s can't be read.", number, table)
		}
		if len(rows) == loadRows {
			if err := tx.InsertRows(ctx, table, names, rows, ""); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
}

// columns returns the names of a table's columns, and which of them hold numbers with a fraction.
func (tx *Tx) columns(ctx context.Context, table string) (names []string, fractions map[string]bool, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, nil, err
	}
	fractions = map[string]bool{}
	for _, column := range columns {
		kind := column.DatabaseTypeName()
		names, fractions[column.Name()] = append(names, column.Name()), kind == "DOUBLE PRECISION" || kind == "FLOAT8"
	}
	return names, fractions, rows.Err()
}

func appendRow(rows [][]any, names []string, fractions map[string]bool, row map[string]any) ([][]any, error) {
	values := make([]any, len(names))
	for i, name := range names {
		value, there := row[name]
		if !there {
			return rows, fmt.Errorf("it has no %s", name)
		}
		if number, ok := value.(json.Number); ok {
			var err error
			if fractions[name] {
				value, err = number.Float64()
			} else {
				value, err = number.Int64()
			}
			if err != nil {
				return rows, err
			}
		}
		values[i] = value
	}
	return append(rows, values), nil
}
