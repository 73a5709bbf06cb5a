package catalog

import "context"

// WithData returns the ids of the active entries whose data is that of a datasetUrl, oldest first.
func (s *Store) WithData(ctx context.Context, address string) ([]string, error) {
	return idsWithData(ctx, s.db, address)
}

func idsWithData(ctx context.Context, db reader, address string) ([]string, error) {
	alike := alikeDataAddresses(address)
	for len(alike) < 4 {
		alike = append(alike, address)
	}
	// Addresses with a DOI were typed in any case before they were looked up.
	return texts(ctx, db, `SELECT id FROM resource WHERE type = $1 AND state = $2 AND (dataset_url = $3 OR lower(dataset_url) IN ($4, $5, $6))
		ORDER BY created_at, id`, Dataset, StateActive, alike[0], alike[1], alike[2], alike[3])
}
