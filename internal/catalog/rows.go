package catalog

import (
	"context"

	"cairn/internal/catalog/index"
)

// row is an entry as lists show it.
type row struct {
	Resource

	card string // the description as a line of plain text
}

// rows returns the current state of entries: from the file if nothing has changed since the index was last updated. Only
// whole rows are sure to have the description.
func (s *Service) rows(ctx context.Context, ids []string, whole bool) ([]*row, error) {
	rows := make([]*row, len(ids))
	if ready, file := s.mirror.ready.Load(), s.mirror.rows.Load(); ready != nil && file != nil {
		found := ready.Rows(ids)
		followed := s.mirror.followed.Load()
		last, err := s.store.LastChange(ctx)
		if err != nil {
			return nil, err
		}
		read := make([]row, len(ids))
		for i := range found {
			if last == followed && found[i].Place > 0 && file.read(found[i].Place, ids[i], whole, &read[i]) {
				read[i].StarCount = found[i].Stars
				rows[i] = &read[i]
			}
		}
	}
	return s.fill(ctx, ids, rows)
}

// fill reads the rows that are missing from the database, and leaves out those that aren't there either.
func (s *Service) fill(ctx context.Context, ids []string, rows []*row) ([]*row, error) {
	var missing []string
	for i, one := range rows {
		if one == nil {
			missing = append(missing, ids[i])
		}
	}
	if missing == nil {
		return rows, nil
	}
	resources, err := s.store.Load(ctx, missing)
	if err != nil {
		return nil, err
	}
	read := make(map[string]*row, len(resources))
	for _, resource := range resources {
		read[resource.ID] = &row{Resource: resource, card: plainText(resource.Description, cardLength)}
	}
	filled := make([]*row, 0, len(rows))
	for i, one := range rows {
		if one == nil {
			one = read[ids[i]]
		}
		if one != nil {
			filled = append(filled, one)
		}
	}
	return filled, nil
}

// loadDocuments reads what the index stores of active entries.
func (m *mirror) loadDocuments(ctx context.Context, ids []string) ([]index.Document, error) {
	resources, err := m.store.Load(ctx, ids)
	if err != nil {
		return nil, err
	}
	return m.documents(ctx, resources)
}

// documents returns what the index stores of entries, of those that are active, and writes their rows.
func (m *mirror) documents(ctx context.Context, resources []Resource) ([]index.Document, error) {
	active := onlyActive(resources)
	documents, err := m.store.documents(ctx, active)
	rows := m.rows.Load()
	if err != nil || rows == nil {
		return documents, err
	}
	places, err := rows.add(active)
	if err != nil {
		m.complain(ctx, err)
		return documents, nil
	}
	for i := range documents {
		documents[i].Row = places[i]
	}
	return documents, nil
}

// freshRows begins a file for an index that is built anew.
func (m *mirror) freshRows(ctx context.Context) {
	fresh, err := createRows(m.rowsPath())
	if err != nil {
		m.complain(ctx, err)
	}
	m.useRows(fresh)
}

// useRows replaces the file; nil if there is none.
func (m *mirror) useRows(rows *rowFile) {
	if before := m.rows.Swap(rows); before != nil {
		before.close()
	}
}

func (m *mirror) rowsPath() string {
	if m.snapshot == "" {
		return ""
	}
	return m.snapshot + ".rows"
}

func (m *mirror) complain(ctx context.Context, err error) {
	m.logger.WarnContext(ctx, "rows of the catalog can't be written to their file; lists read them from the database", "error", err)
}
