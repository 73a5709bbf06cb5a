package audit

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/sqldb"
)

// AuditRecord is a record as people read it.
type AuditRecord struct {
	ID         string     `json:"id" format:"uuid"`
	At         time.Time  `json:"at"`
	Actor      string     `json:"actor" doc:"E-mail address (or the account's id without one); command: a command on the server; operators: one of them, in the activity of others"`
	Action     Action     `json:"action" example:"entry.edit"`
	ObjectType ObjectType `json:"objectType" enum:"account,catalog,connection,entry,job,project,schedule,session,token,workshop"`
	ObjectID   string     `json:"objectId" doc:"Of accounts the e-mail address; of several sessions all ids, separated by commas"`
	ObjectName string     `json:"objectName" doc:"Empty for what isn't public: sessions, projects that aren't published, private entries, access tokens"`
	Changes    Changes    `json:"changes" doc:"The changed fields by name. Texts are cut after 1,000 characters"`
	Address    string     `json:"address" doc:"Of the client; empty for commands, and in the activity of others"`
	RequestID  string     `json:"requestId" doc:"X-Request-Id of the answer; empty likewise"`
	Sealed     bool       `json:"sealed" doc:"Part of the hash chain: a later change of the record would show"`
}

func (r record) entry() (AuditRecord, error) {
	entry := AuditRecord{
		ID: r.id, At: sqldb.Time(r.at), Actor: r.actor, Action: r.action, ObjectType: r.objectType, ObjectID: r.objectID,
		ObjectName: r.objectName, Address: r.address, RequestID: r.requestID, Sealed: r.seal > 0,
	}
	return entry, json.Unmarshal([]byte(r.changes), &entry.Changes)
}

// Query selects records: all conditions must hold, and zero values select everything.
type Query struct {
	Actor    string // an id, e-mail address or name of an account, or Command
	Object   string // an id, e-mail address or name
	Action   Action
	From, To time.Time // from From on, before To

	by *Actor // only what concerns this account
}

// arguments are the values of a query, numbered as they are added.
type arguments []any

func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// condition returns the condition of a query. concerned returns the condition that a record is about whom besides its object.
func (q Query) condition(values *arguments, concerned func(values *arguments, whom string) string) string {
	conditions := []string{"1 = 1"}
	if q.Actor != "" {
		exactly, lower := values.add(q.Actor), values.add(strings.ToLower(q.Actor))
		conditions = append(conditions, `(r.actor = `+lower+` OR r.actor_id = `+lower+` OR r.actor_id IN (SELECT id FROM account WHERE name = `+exactly+`))`)
	}
	if q.Object != "" {
		exactly, lower := values.add(q.Object), values.add(strings.ToLower(q.Object))
		condition := `r.object_id = ` + lower + ` OR (r.object_name = ` + exactly + ` AND r.object_name <> '')`
		if sqldb.IsID(strings.ToLower(q.Object)) {
			condition += ` OR ` + concerned(values, strings.ToLower(q.Object))
		}
		conditions = append(conditions, `(`+condition+`)`)
	}
	if q.Action != "" {
		conditions = append(conditions, `r.action = `+values.add(q.Action))
	}
	if !q.From.IsZero() {
		conditions = append(conditions, `r.at >= `+values.add(sqldb.Micros(q.From)))
	}
	if !q.To.IsZero() {
		conditions = append(conditions, `r.at < `+values.add(sqldb.Micros(q.To)))
	}
	if q.by != nil {
		condition := `r.actor_id = ` + values.add(q.by.AccountID)
		if q.by.Email != "" {
			condition += ` OR ` + concerned(values, q.by.Email) +
				` OR (r.object_type = '` + string(Account) + `' AND r.object_id = ` + values.add(q.by.Email) + `)`
		}
		conditions = append(conditions, `(`+condition+`)`)
	}
	return ` WHERE ` + strings.Join(conditions, ` AND `)
}

func placedConcern(values *arguments, whom string) string {
	return `r.id IN (SELECT record_id FROM audit_concern WHERE whom = ` + values.add(whom) + `)`
}

func waitingConcern(values *arguments, whom string) string {
	text, _ := json.Marshal(whom) // a text
	return `r.concerns LIKE ` + values.add("%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(string(text))+"%") + ` ESCAPE '\'`
}

// Find returns a page of records, newest first, and the number of all that match.
func (s *Store) Find(ctx context.Context, query Query, offset, size int) (entries []AuditRecord, total int, err error) {
	found, total, err := s.find(ctx, query, offset, size)
	if err != nil {
		return nil, 0, err
	}
	entries, err = entriesOf(found)
	return entries, total, err
}

func (s *Store) find(ctx context.Context, query Query, offset, size int) (found []record, total int, err error) {
	var values arguments
	placed, waiting := query.condition(&values, placedConcern), query.condition(&values, waitingConcern)
	err = s.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM audit_record r`+placed+`) + (SELECT count(*) FROM audit_inbox r`+waiting+`)`, values...).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	found, err = recordsOnly(ctx, s.db, fromRecords+placed+` UNION ALL `+fromInbox+waiting+
		` ORDER BY 2 DESC, 1 DESC LIMIT `+values.add(size)+` OFFSET `+values.add(offset), values...)
	return found, total, err
}

func entriesOf(found []record) ([]AuditRecord, error) {
	entries := make([]AuditRecord, len(found))
	for i, r := range found {
		var err error
		if entries[i], err = r.entry(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// eachRead is the number of records that Each reads together.
const eachRead = 500

// ForEachRecord calls fn with all records of a query, oldest first, without holding the database meanwhile.
func (s *Store) ForEachRecord(ctx context.Context, query Query, fn func(AuditRecord) error) error {
	for at, id := int64(-1), ""; ; {
		var values arguments
		placed, waiting := query.condition(&values, placedConcern), query.condition(&values, waitingConcern)
		after, same := values.add(at), values.add(id)
		later := ` AND (r.at > ` + after + ` OR (r.at = ` + after + ` AND r.id > ` + same + `))`
		found, err := recordsOnly(ctx, s.db, fromRecords+placed+later+` UNION ALL `+fromInbox+waiting+later+` ORDER BY 2, 1 LIMIT `+values.add(eachRead), values...)
		if err != nil {
			return err
		}
		for _, r := range found {
			entry, err := r.entry()
			if err == nil {
				err = fn(entry)
			}
			if err != nil {
				return err
			}
			at, id = r.at, r.id
		}
		if len(found) < eachRead {
			return nil
		}
	}
}
