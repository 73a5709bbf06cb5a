package audit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
)

const (
	// sealLimit is the number of records under one seal at most.
	sealLimit = 1000
	// leaseTime is how long one server alone seals after it last did.
	leaseTime = time.Second
	// removeLimit is how many records a transaction removes, so that other writes don't wait long.
	removeLimit = 2000
)

// seal is a row of audit_seal.
type seal struct {
	number  int64
	at      int64
	records int64
	hash    string
}

// hashOf returns the hash of a seal: of the hash before it, of its number and time, and of its records in the order of their
// ids. In hex, as SHA-256 of lines of JSON.
func hashOf(before string, number, at int64, records []record) string {
	digest := sha256.New()
	line := json.NewEncoder(digest) // neither the values nor a digest can fail
	_ = line.Encode([]any{before, number, at})
	for _, r := range slices.SortedFunc(slices.Values(records), func(a, b record) int { return cmp.Compare(a.id, b.id) }) {
		_ = line.Encode([]any{
			r.id, r.at, r.actorID, r.actor, r.action, r.objectType, r.objectID, r.objectName, r.changes, r.address, r.requestID, r.concerns,
		})
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// Seal puts the committed records that have no seal yet under the next one, in the name of a server, and returns them. It
// returns none while another server does this. Records that are committed later get a later seal, whatever their ids.
func (s *Store) Seal(ctx context.Context, server string) (sealed []record, made seal, err error) {
	var waiting bool
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit_inbox) OR EXISTS (SELECT 1 FROM audit_record WHERE seal = 0)`).Scan(&waiting)
	if err != nil || !waiting {
		return nil, made, err
	}
	err = s.db.Write(ctx, func(tx *sqldb.Tx) error {
		var before seal
		if before, err = takeLease(ctx, tx, server); errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		// From servers of the version before; they have their place already.
		placed, err := records(ctx, tx, `WHERE r.seal = 0 ORDER BY r.id LIMIT $1`, sealLimit)
		if err != nil {
			return err
		}
		waiting, err := recordsOnly(ctx, tx, fromInbox+`ORDER BY r.id LIMIT $1`, sealLimit-len(placed))
		if sealed = slices.Concat(placed, waiting); err != nil || len(sealed) == 0 {
			return err
		}
		made = seal{number: before.number + 1, at: sqldb.Micros(tx.Now), records: int64(len(sealed))}
		made.hash = hashOf(before.hash, made.number, made.at, sealed)
		return write(ctx, tx, made, placed, waiting)
	})
	if err != nil {
		return nil, seal{}, err
	}
	return sealed, made, nil
}

// takeLease makes sure that no other server seals until the transaction ends, and will not for leaseTime; sql.ErrNoRows if one
// does. It returns the end of the chain.
func takeLease(ctx context.Context, tx *sqldb.Tx, server string) (last seal, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE audit_head SET holder = $1, held_until = $2 WHERE holder = $1 OR held_until <= $3 RETURNING number, hash`,
		server, sqldb.Micros(tx.Now.Add(leaseTime)), sqldb.Micros(tx.Now)).Scan(&last.number, &last.hash)
	return last, err
}

// write puts records under a seal: those that have their place, and those that wait in the inbox.
func write(ctx context.Context, tx *sqldb.Tx, made seal, placed, waiting []record) error {
	if err := execOnRecords(ctx, tx, placed, `UPDATE audit_record SET seal = $1 WHERE id IN `, made.number); err != nil {
		return err
	}
	var rows, concerns [][]any
	for _, r := range waiting {
		rows = append(rows, append(r.values(), made.number))
		for _, whom := range r.concerns {
			concerns = append(concerns, []any{whom, r.id})
		}
	}
	if err := tx.InsertRows(ctx, "audit_record", strings.Split(recordColumns+", seal", ", "), rows, ""); err != nil {
		return err
	}
	if err := tx.InsertRows(ctx, "audit_concern", []string{"whom", "record_id"}, concerns, ""); err != nil {
		return err
	}
	if err := execOnRecords(ctx, tx, waiting, `DELETE FROM audit_inbox WHERE id IN `); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO audit_seal (number, at, records, hash) VALUES ($1, $2, $3, $4)`, made.number, made.at, made.records, made.hash)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE audit_head SET number = $1, hash = $2`, made.number, made.hash)
	return err
}

// execOnRecords carries out a statement on records, some hundred at a time; it ends with IN.
func execOnRecords(ctx context.Context, tx *sqldb.Tx, some []record, statement string, arguments ...any) error {
	ids := make([]string, len(some))
	for i, r := range some {
		ids[i] = r.id
	}
	return sqldb.Chunks(ids, func(part []string) error {
		_, err := tx.ExecContext(ctx, statement+`(`+sqldb.Placeholders(len(arguments)+1, len(part))+`)`, slices.Concat(arguments, sqldb.Arguments(part))...)
		return err
	})
}

// Remove removes the records that were sealed before a time. The last of their seals stays as a checkpoint, from which the
// rest of the chain can still be verified.
func (s *Store) Remove(ctx context.Context, before time.Time) error {
	var last sql.NullInt64
	err := s.db.QueryRowContext(ctx, `SELECT max(number) FROM audit_seal WHERE at < $1`, sqldb.Micros(before)).Scan(&last)
	if err != nil || !last.Valid {
		return err
	}
	for count := int64(removeLimit); count == removeLimit; {
		err := s.db.Write(ctx, func(tx *sqldb.Tx) error {
			// Said first: if this process ends half-way, what is left isn't taken for a manipulated chain.
			if _, err := tx.ExecContext(ctx, `UPDATE audit_head SET removed = $1 WHERE removed < $1`, last.Int64); err != nil {
				return err
			}
			done, err := tx.ExecContext(ctx, `DELETE FROM audit_record WHERE id IN (SELECT id FROM audit_record WHERE seal > 0 AND seal <= $1 LIMIT $2)`,
				last.Int64, removeLimit)
			if err != nil {
				return err
			}
			if count, err = done.RowsAffected(); err != nil || count == removeLimit {
				return err
			}
			_, err = tx.ExecContext(ctx, `DELETE FROM audit_seal WHERE number < $1`, last.Int64)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
