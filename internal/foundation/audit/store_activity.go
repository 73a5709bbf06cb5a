package audit

import (
	"context"
	"slices"

	"cairn/internal/foundation/sqldb"
)

// Operators is the actor in the activity of those whom operators decided about: it doesn't say which of them it was.
const Operators = "operators"

// Activity returns a page of what concerns somebody, newest first, and the number of all: what they did, and what others did to
// their account, entries and sessions. It shows the names of their own things, and tells nothing of others' addresses.
func (s *Store) Activity(ctx context.Context, person Actor, offset, size int) (entries []AuditRecord, total int, err error) {
	found, total, err := s.find(ctx, Query{by: &person}, offset, size)
	if err != nil {
		return nil, 0, err
	}
	names, err := s.ownNames(ctx, person, found)
	if err != nil {
		return nil, 0, err
	}
	for i := range found {
		r := &found[i]
		if r.objectName == "" {
			r.objectName = names[r.objectID]
		}
		if r.actorID == person.AccountID && r.actorID != "" {
			continue
		}
		r.address, r.requestID = "", ""
		if slices.Contains(ofOperators, r.action) {
			r.actor = Operators
		}
	}
	entries, err = entriesOf(found)
	return entries, total, err
}

// ownNames returns the names of the things in records that are somebody's own, by id.
func (s *Store) ownNames(ctx context.Context, person Actor, found []record) (map[string]string, error) {
	ids := make([]string, len(found))
	for i, r := range found {
		ids[i] = r.objectID
	}
	slices.Sort(ids)
	names := map[string]string{}
	err := sqldb.Chunks(slices.Compact(ids), func(part []string) error {
		in := ` IN (` + sqldb.Placeholders(3, len(part)) + `)`
		rows, err := s.db.QueryContext(ctx, `SELECT id, name FROM session WHERE account_id = $1 AND id`+in+`
			UNION ALL SELECT id, name FROM project WHERE owner_email = $2 AND id`+in+`
			UNION ALL SELECT r.id, r.name FROM resource r JOIN resource_author a ON a.resource_id = r.id WHERE a.email = $2 AND r.id`+in,
			append([]any{person.AccountID, person.Email}, sqldb.Arguments(part)...)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, name string
			if err := rows.Scan(&id, &name); err != nil {
				return err
			}
			names[id] = name
		}
		return rows.Err()
	})
	return names, err
}
