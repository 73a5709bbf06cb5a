package catalog

import "context"

// WithData returns the ids of the active entries whose data is that of a datasetUrl, oldest first.
func (s *Store) WithData(ctx context.Context, address string) ([]string, error) {
	return idsWithData(ctx, s.db, address, "")
}

// publicWithData is WithData for entries that everybody sees: a private one is nobody else's business.
func publicWithData(ctx context.Context, db reader, address string) ([]string, error) {
	return idsWithData(ctx, db, address, `AND privacy = 'PUBLIC' AND NOT hidden`)
}

func idsWithData(ctx context.Context, db reader, address, which string) ([]string, error) {
	alike := alikeDataAddresses(address)
	for len(alike) < 4 {
		alike = append(alike, address)
	}
	// Addresses with a DOI were typed in any case before they were looked up.
	return texts(ctx, db, `SELECT id FROM resource WHERE type = $1 AND state = $2 AND (dataset_url = $3 OR lower(dataset_url) IN ($4, $5, $6)) `+which+`
		ORDER BY created_at, id`, Dataset, StateActive, alike[0], alike[1], alike[2], alike[3])
}
