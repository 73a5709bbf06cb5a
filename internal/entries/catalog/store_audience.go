package catalog

import "context"

// OwnForHost returns the ids of the entries that are ForHost and that an e-mail is an author of, or has added.
func (s *Store) OwnForHost(ctx context.Context, email string) ([]string, error) {
	return texts(ctx, s.db, `SELECT r.id FROM resource r WHERE r.audience = $1 AND r.audience <> '' AND r.state = $2 AND r.privacy = $3
		AND (r.added_by = $4 OR EXISTS (SELECT 1 FROM resource_author a WHERE a.resource_id = r.id AND a.email = $4)) ORDER BY r.id`,
		AudienceHost, StateActive, PrivacyPrivate, email)
}
