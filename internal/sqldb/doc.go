// Package sqldb opens the one database, SQLite or PostgreSQL, and gives the stores of the slices their transactions.
// The stores write one portable SQL text with $1 placeholders; whatever differs between the two systems lives here:
// opening (sqlite.go, postgres.go), error classes, migrations. Times are stored as microseconds since 1970 UTC, because
// the drivers disagree about time values.
package sqldb
