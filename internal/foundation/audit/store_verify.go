package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cairn/internal/foundation/sqldb"
)

const (
	// problemsLimit is the number of problems after which Verify stops.
	problemsLimit = 20
	// sealsRead is the number of seals that Verify reads together.
	sealsRead = 50
)

// Verify checks the hash chain, and returns a sentence for each place where records aren't as they were sealed. It stops
// after twenty. Records that aren't sealed yet aren't looked at.
func (s *Store) Verify(ctx context.Context) (problems []string, err error) {
	state, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	chain, err := openChain(ctx, state)
	if err != nil {
		return nil, err
	}
	for more := true; more && len(chain.problems) < problemsLimit; {
		if more, err = chain.next(ctx); err != nil {
			return nil, err
		}
	}
	if len(chain.problems) < problemsLimit {
		err = chain.finish(ctx)
	}
	return chain.problems, err
}

// chain is a chain that is being verified.
type chain struct {
	state    reader
	head     seal
	removed  int64 // the checkpoint: the last seal whose records retention removed; 0: none
	last     seal  // the last one that was looked at
	problems []string
}

func openChain(ctx context.Context, state reader) (*chain, error) {
	c := &chain{state: state}
	rows, err := state.QueryContext(ctx, `SELECT number, hash, removed FROM audit_head`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	count := 0
	for ; rows.Next(); count++ {
		if err := rows.Scan(&c.head.number, &c.head.hash, &c.removed); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if count != 1 {
		c.report("The audit has %d rows in audit_head, and needs one: it says where the chain ends.", count)
	}
	c.last.number = max(0, c.removed-1) // the checkpoint is read too, for its hash
	return c, nil
}

func (c *chain) report(format string, values ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, values...))
}

// next verifies some more seals; false after the last.
func (c *chain) next(ctx context.Context) (more bool, err error) {
	seals, err := c.seals(ctx)
	if err != nil || len(seals) == 0 {
		return false, err
	}
	found, err := records(ctx, c.state, `WHERE r.seal > $1 AND r.seal <= $2 ORDER BY r.seal, r.id`, c.last.number, seals[len(seals)-1].number)
	if err != nil {
		return false, err
	}
	under := map[int64][]record{}
	for _, r := range found {
		under[r.seal] = append(under[r.seal], r)
	}
	for _, one := range seals {
		if one.number != c.removed {
			c.check(one, under[one.number])
		}
		c.last = one
	}
	return true, nil
}

// check verifies a seal and its link to the last one.
func (c *chain) check(one seal, under []record) {
	at := sqldb.Time(one.at).Format(time.DateTime) + " UTC"
	switch found := int64(len(under)); {
	case one.number != c.last.number+1:
		c.report("Seals %d to %d of the audit are missing, with their records.", c.last.number+1, one.number-1)
	case found < one.records:
		c.report("Seal %d of the audit (%s) is of %d records, and %d of them are missing.", one.number, at, one.records, one.records-found)
	case found > one.records:
		c.report("Seal %d of the audit (%s) is of %d records, and there are %d now.", one.number, at, one.records, found)
	case hashOf(c.last.hash, one.number, one.at, under) != one.hash:
		c.report("Seal %d of the audit (%s) doesn't match: one of its %d records was changed or replaced, or the seal was.", one.number, at, one.records)
	}
}

// finish compares the ends.
func (c *chain) finish(ctx context.Context) error {
	if c.last.number != c.head.number || c.last.hash != c.head.hash {
		c.report("The chain of the audit ends at seal %d, and should end at seal %d: the last seals were removed or changed.", c.last.number, c.head.number)
	}
	strays, err := recordsOnly(ctx, c.state, fromRecords+`WHERE r.seal > $1 AND NOT EXISTS (SELECT 1 FROM audit_seal s WHERE s.number = r.seal) LIMIT 1`, c.removed)
	if err == nil && len(strays) > 0 {
		c.report("The record %s of the audit is under seal %d, which doesn't exist.", strays[0].id, strays[0].seal)
	}
	return err
}

func (c *chain) seals(ctx context.Context) (found []seal, err error) {
	rows, err := c.state.QueryContext(ctx, `SELECT number, at, records, hash FROM audit_seal WHERE number > $1 ORDER BY number LIMIT $2`, c.last.number, sealsRead)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one seal
		if err := rows.Scan(&one.number, &one.at, &one.records, &one.hash); err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, rows.Err()
}
