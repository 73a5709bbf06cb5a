package sqldb

import (
	"context"
	"strconv"
	"strings"
)

// parametersPerStatement stays below SQLite's limit of 32,766 and PostgreSQL's of 65,535.
const parametersPerStatement = 6000

// InsertRows inserts many rows with few statements. The suffix is what follows the values, such as an ON CONFLICT
// clause. Table, columns and suffix are text of the program, never of users.
func (tx *Tx) InsertRows(ctx context.Context, table string, columns []string, rows [][]any, suffix string) error {
	perStatement := parametersPerStatement / len(columns)
	for start := 0; start < len(rows); start += perStatement {
		part := rows[start:min(start+perStatement, len(rows))]
		parameters := make([]any, 0, len(part)*len(columns))
		var text strings.Builder
		text.WriteString("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES ")
		for i, row := range part {
			if i > 0 {
				text.WriteString(", ")
			}
			text.WriteString("(" + Placeholders(len(parameters)+1, len(row)) + ")")
			parameters = append(parameters, row...)
		}
		text.WriteString(" " + suffix)
		if _, err := tx.ExecContext(ctx, text.String(), parameters...); err != nil {
			return err
		}
	}
	return nil
}

// Placeholders writes count placeholders from $first on, separated by commas.
func Placeholders(first, count int) string {
	var text strings.Builder
	for i := range count {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString("$" + strconv.Itoa(first+i))
	}
	return text.String()
}

// Chunks calls fn with parts of values that fit into the placeholders of one statement.
func Chunks[Value any](values []Value, fn func(part []Value) error) error {
	for start := 0; start < len(values); start += parametersPerStatement {
		if err := fn(values[start:min(start+parametersPerStatement, len(values))]); err != nil {
			return err
		}
	}
	return nil
}

// Arguments turns values into the arguments of a statement.
func Arguments[Value any](values []Value) []any {
	arguments := make([]any, len(values))
	for i, value := range values {
		arguments[i] = value
	}
	return arguments
}

// Meta gives a fact about this database, "" when it is not known.
func (db *DB) Meta(ctx context.Context, key string) (string, error) {
	var value string
	err := db.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM meta WHERE key = $1), '')`, key).Scan(&value)
	return value, err
}

// SetMeta writes a fact about this database down.
func (db *DB) SetMeta(ctx context.Context, key, value string) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ($1, $2)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}
