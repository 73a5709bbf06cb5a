// Package sqldb opens the database, SQLite or PostgreSQL, and provides the stores of the slices with transactions. The
// stores write one portable SQL text with $1 placeholders; the differences between the two systems are here: opening
// (sqlite.go, postgres.go), error classes, migrations. Times are stored as microseconds since 1970 UTC, because the
// drivers disagree about time values.
package sqldb
