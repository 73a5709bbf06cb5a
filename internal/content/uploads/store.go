package uploads

import (
	"context"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

// Store stores what is known about uploads.
type Store struct{ db *sqldb.DB }

// NewStore returns a store on an open database.
func NewStore(db *sqldb.DB) *Store { return &Store{db} }

// Upload is a file that an account sends or has sent, and that isn't the content of an entry yet.
type Upload struct {
	ID        string    `json:"id"`
	Filename  string    `json:"filename"`
	Path      string    `json:"path,omitempty" doc:"In the folder that is sent, with the name of the file; absent for a single file"`
	Packed    bool      `json:"packed,omitempty" doc:"A tar stream of many small files of the folder"`
	Bytes     int64     `json:"bytes" doc:"How many it has when it is complete"`
	Received  int64     `json:"received" doc:"How many have arrived"`
	Digest    string    `json:"digest,omitempty" doc:"The SHA-256 of what arrived, in hexadecimal digits; once it is complete"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt" doc:"When it is deleted if nothing else arrives"`

	account string
	wanted  string // the digest that its sender announced; "" for none
}

// UploadQuota is how much an account may keep here.
type UploadQuota struct {
	Bytes int64 `json:"bytes" doc:"What the account may have in uploads and entries together"`
	Used  int64 `json:"used"`
	File  int64 `json:"file" doc:"What one upload may have"`
}

// newID returns an id for an upload.
func newID() string { return sqldb.NewID() }

// isID reports whether a text can be the id of an upload.
func isID(text string) bool { return sqldb.IsID(text) }

const uploadColumns = `id, account_id, filename, path, packed, bytes, wanted, digest, created_at, touched_at`

func (s *Store) find(ctx context.Context, condition string, arguments ...any) (found []Upload, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+uploadColumns+` FROM upload WHERE `+condition+` ORDER BY created_at, id`, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Upload
		var created, touched int64
		if err := rows.Scan(&one.ID, &one.account, &one.Filename, &one.Path, &one.Packed, &one.Bytes, &one.wanted, &one.Digest, &created, &touched); err != nil {
			return nil, err
		}
		one.CreatedAt, one.ExpiresAt = sqldb.Time(created), sqldb.Time(touched).Add(lifetime)
		found = append(found, one)
	}
	return found, rows.Err()
}

// of returns the uploads of an account, the oldest first.
func (s *Store) of(ctx context.Context, accountID string) ([]Upload, error) {
	return s.find(ctx, `account_id = $1`, accountID)
}

// get returns an upload of an account; NotFound if it has none of that id.
func (s *Store) get(ctx context.Context, accountID, id string) (Upload, error) {
	var found []Upload
	var err error
	if sqldb.IsID(id) {
		found, err = s.find(ctx, `account_id = $1 AND id = $2`, accountID, id)
	}
	if err == nil && len(found) == 0 {
		err = fault.New(fault.NotFound, "There is no such upload. It may have been used, deleted, or left for more than a week.")
	}
	if err != nil {
		return Upload{}, err
	}
	return found[0], nil
}

// usedBytes is what an account has in uploads and in the entries whose content it sent: of each the largest version, because versions share
// what is equal. Its arguments are an account's id and e-mail address.
const usedBytes = `SELECT (SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM upload WHERE account_id = $1) +
	(SELECT CAST(COALESCE(SUM(most), 0) AS BIGINT) FROM (SELECT MAX(v.bytes) AS most FROM entry_version v JOIN resource r ON r.id = v.resource_id
		WHERE v.made_by = $2 AND v.stored <> '' AND r.state = 'ACTIVE' GROUP BY v.resource_id) AS kept)`

// used returns how many bytes an account has here.
func (s *Store) used(ctx context.Context, accountID, email string) (bytes int64, err error) {
	return bytes, s.db.QueryRowContext(ctx, usedBytes, accountID, email).Scan(&bytes)
}

// add stores a new upload; QuotaReached if the account would have more than most bytes, or more than maxUploads.
func (s *Store) add(ctx context.Context, one Upload, email string, most int64) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		// Two requests of an account wait for each other, so both together stay below its quota.
		if _, err := tx.ExecContext(ctx, `UPDATE account SET updated_at = updated_at WHERE id = $1`, one.account); err != nil {
			return err
		}
		var used, count int64
		if err := tx.QueryRowContext(ctx, usedBytes, one.account, email).Scan(&used); err != nil {
			return err
		}
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM upload WHERE account_id = $1`, one.account).Scan(&count); err != nil {
			return err
		}
		switch {
		case count >= maxUploads:
			return fault.New(fault.QuotaReached, "You have %d uploads that aren't used yet, the most an account can have. Use or delete some. Many small files are sent packed, as one.", count)
		case used+one.Bytes > most:
			return quotaReached(used, one.Bytes, most)
		}
		now := sqldb.Micros(tx.Now)
		return tx.InsertRows(ctx, "upload", []string{"id", "account_id", "filename", "path", "packed", "bytes", "wanted", "created_at", "touched_at"},
			[][]any{{one.ID, one.account, one.Filename, one.Path, one.Packed, one.Bytes, one.wanted, now, now}}, "")
	})
}

// touch notes that bytes arrived, and the digest of all of them once they did.
func (s *Store) touch(ctx context.Context, id, digest string) error {
	return s.db.Write(ctx, func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE upload SET touched_at = $1, digest = CASE WHEN $2 <> '' THEN $2 ELSE digest END WHERE id = $3`, sqldb.Micros(tx.Now), digest, id)
		return err
	})
}

// remove forgets uploads.
func (s *Store) remove(ctx context.Context, ids []string) error {
	return sqldb.Chunks(ids, func(part []string) error {
		return s.db.Write(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM upload WHERE id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
			return err
		})
	})
}

// left returns the uploads whose last bytes arrived before a time.
func (s *Store) left(ctx context.Context, before time.Time) ([]Upload, error) {
	return s.find(ctx, `touched_at < $1`, sqldb.Micros(before))
}

// exists returns which of some ids are known.
func (s *Store) exists(ctx context.Context, ids []string) (known map[string]bool, err error) {
	known = map[string]bool{}
	err = sqldb.Chunks(ids, func(part []string) error {
		found, err := s.find(ctx, `id IN (`+sqldb.Placeholders(1, len(part))+`)`, sqldb.Arguments(part)...)
		for _, one := range found {
			known[one.ID] = true
		}
		return err
	})
	return known, err
}
