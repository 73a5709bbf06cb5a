package catalog

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/sqldb"
)

// CountActive is how many entries there are.
func (s *Store) CountActive(ctx context.Context) (int, error) {
	var count int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM resource WHERE state = $1`, StateActive).Scan(&count)
	return count, err
}

// After gives the active entries whose ids come after one, by id, limit at most.
func (s *Store) After(ctx context.Context, id string, limit int) ([]Resource, error) {
	var found []*Resource
	byID := map[string]*Resource{}
	err := each(ctx, s.db, func(rows *sqldb.Rows) error {
		resource, err := scanResource(rows)
		found, byID[resource.ID] = append(found, &resource), &resource
		return err
	}, `SELECT `+resourceColumns+` FROM resource r WHERE r.id > $1 AND r.state = $2 ORDER BY r.id LIMIT $3`, id, StateActive, limit)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	last := found[len(found)-1].ID
	err = addTagsAndAuthors(ctx, s.db, byID, `resource_id > $1 AND resource_id <= $2`, id, last)
	return finish(found), err
}

// History tells the state of the database after a change from that of another with as many changes.
func (s *Store) History(ctx context.Context, seq int64) (string, error) {
	var id string
	err := s.db.QueryRowContext(ctx, `SELECT coalesce((SELECT resource_id FROM change WHERE seq = $1), '')`, seq).Scan(&id)
	return id, err
}

// Notified gives a channel that tells of changes by any process; nil where the database tells nobody.
func (s *Store) Notified(ctx context.Context) <-chan struct{} { return s.db.Notified(ctx) }

// Search finds entries without a text, by the database alone: it serves while the index is not there yet.
func (s *Store) Search(ctx context.Context, query Query) (Result, error) {
	where, arguments := listCondition(query, true)
	order := `r.name, r.id`
	switch query.Sort {
	case SortNewest:
		order = `r.created_at DESC, ` + order
	case SortStars:
		order = `(SELECT count(*) FROM star WHERE star.resource_id = r.id) DESC, ` + order
	case SortName, SortRelevance:
	}
	result := Result{}
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM resource r WHERE `+where, arguments...).Scan(&result.Total)
	if err != nil {
		return result, err
	}
	result.IDs, err = texts(ctx, s.db, `SELECT r.id FROM resource r WHERE `+where+` ORDER BY `+order+
		` LIMIT `+strconv.Itoa(query.Limit)+` OFFSET `+strconv.Itoa(query.Offset), arguments...)
	if err == nil && query.Facets {
		result.Facets, err = s.listFacets(ctx, query)
	}
	return result, err
}

func (s *Store) listFacets(ctx context.Context, query Query) (*Facets, error) {
	facets := &Facets{Types: map[Type]int{}, Tags: []TagFacet{}}
	for _, value := range Types {
		facets.Types[value] = 0
	}
	where, arguments := listCondition(query, false)
	err := each(ctx, s.db, func(rows *sqldb.Rows) error {
		var value Type
		var count int
		err := rows.Scan(&value, &count)
		facets.Types[value] = count
		return err
	}, `SELECT r.type, count(*) FROM resource r WHERE `+where+` GROUP BY r.type`, arguments...)
	if err != nil {
		return nil, err
	}
	where, arguments = listCondition(query, true)
	err = each(ctx, s.db, func(rows *sqldb.Rows) error {
		var facet TagFacet
		err := rows.Scan(&facet.Value, &facet.Count)
		facets.Tags = append(facets.Tags, facet)
		return err
	}, `SELECT t.value, count(*) FROM resource r JOIN resource_tag rt ON rt.resource_id = r.id JOIN tag t ON t.id = rt.tag_id
		WHERE `+where+` GROUP BY t.value ORDER BY count(*) DESC, t.value LIMIT `+strconv.Itoa(tagFacetLimit), arguments...)
	return facets, err
}

// listCondition says in SQL what a query without a text asks for.
func listCondition(query Query, withTypes bool) (string, []any) {
	arguments := []any{StateActive, PrivacyPublic, query.Email}
	conditions := []string{`r.state = $1`, `(r.privacy = $2 OR EXISTS (
		SELECT 1 FROM resource_author a WHERE a.resource_id = r.id AND a.email = $3))`}
	if withTypes && len(query.Types) > 0 {
		conditions = append(conditions, `r.type IN (`+sqldb.Placeholders(len(arguments)+1, len(query.Types))+`)`)
		arguments = append(arguments, sqldb.Arguments(query.Types)...)
	}
	for _, tag := range query.Tags {
		arguments = append(arguments, tag)
		conditions = append(conditions, `EXISTS (SELECT 1 FROM resource_tag rt JOIN tag t ON t.id = rt.tag_id
			WHERE rt.resource_id = r.id AND t.value = $`+strconv.Itoa(len(arguments))+`)`)
	}
	return strings.Join(conditions, ` AND `), arguments
}

// Tags gives the tags of entries that an e-mail may see, by value.
func (s *Store) Tags(ctx context.Context, email string) ([]TagCount, error) {
	result := []TagCount{}
	err := each(ctx, s.db, func(rows *sqldb.Rows) error {
		var tag TagCount
		err := rows.Scan(&tag.ID, &tag.Value, &tag.Count)
		result = append(result, tag)
		return err
	}, `SELECT t.id, t.value, count(*) FROM tag t JOIN resource_tag rt ON rt.tag_id = t.id JOIN resource r ON r.id = rt.resource_id
		WHERE r.state = $1 AND (r.privacy = $2 OR EXISTS (
			SELECT 1 FROM resource_author a WHERE a.resource_id = r.id AND a.email = $3))
		GROUP BY t.id, t.value`, StateActive, PrivacyPublic, email)
	slices.SortFunc(result, func(a, b TagCount) int { return strings.Compare(a.Value, b.Value) })
	return result, err
}
