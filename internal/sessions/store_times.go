package sessions

import (
	"errors"
	"time"

	"cairn/internal/sqldb"
)

// storedTime scans a stored number into a time; 0 is the zero time.
type storedTime struct{ time *time.Time }

// Scan implements sql.Scanner.
func (s storedTime) Scan(value any) error {
	number, ok := value.(int64)
	if !ok {
		return errors.New("a time is stored as a number")
	}
	if *s.time = (time.Time{}); number != 0 {
		*s.time = sqldb.Time(number)
	}
	return nil
}

// stored returns a time as the number that storedTime scans.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return sqldb.Micros(t)
}
