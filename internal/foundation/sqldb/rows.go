package sqldb

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// parametersPerStatement is small because SQLite searches all parameters of a statement for each $1, $2, ...: with
// 6000, an import takes eight times as long.
const parametersPerStatement = 250

// InsertRows inserts many rows, some hundred values per statement. The suffix follows the values, such as an ON
// CONFLICT clause. Table, columns and suffix are literals of the program, never user input.
func (tx *Tx) InsertRows(ctx context.Context, table string, columns []string, rows [][]any, suffix string) error {
	perStatement := max(1, parametersPerStatement/len(columns))
	insert := func(count int) string { return insertOf(table, columns, count) + " " + suffix }
	if len(rows) >= perStatement {
		full, err := tx.PrepareContext(ctx, insert(perStatement))
		if err != nil {
			return err
		}
		defer full.Close()
		for ; len(rows) >= perStatement; rows = rows[perStatement:] {
			if _, err := full.ExecContext(ctx, slices.Concat(rows[:perStatement]...)...); err != nil {
				return err
			}
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, insert(len(rows)), slices.Concat(rows...)...)
	return err
}

// insertOf returns the statement that inserts a number of rows.
func insertOf(table string, columns []string, count int) string {
	groups := make([]string, count)
	for i := range groups {
		groups[i] = "(" + Placeholders(i*len(columns)+1, len(columns)) + ")"
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Join(groups, ", ")
}

// Placeholders returns count placeholders from $first on, separated by commas.
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

// Meta returns a fact about this database; "" if it isn't known.
func (db *DB) Meta(ctx context.Context, key string) (string, error) {
	var value string
	err := db.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM meta WHERE key = $1), '')`, key).Scan(&value)
	return value, err
}

// SetMeta stores a fact about this database.
func (db *DB) SetMeta(ctx context.Context, key, value string) error {
	return db.Write(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ($1, $2)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
		return err
	})
}

// secretBytes is the length of a secret.
const secretBytes = 32

// Secret returns the secret with a name, and creates it at the first call. All servers on this database share it.
func (db *DB) Secret(ctx context.Context, name string) ([]byte, error) {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	var text string
	err := db.Write(ctx, func(tx *Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`,
			name, base64.StdEncoding.EncodeToString(secret))
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = $1`, name).Scan(&text)
	})
	if err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}
