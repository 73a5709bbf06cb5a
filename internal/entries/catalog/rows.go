package catalog

import (
	"context"
	"slices"

	"cairn/internal/entries/catalog/index"
)

// entries returns the current state of entries, from the file if nothing has changed since the index was last updated; those
// that don't exist, and texts that aren't ids, are left out. Only whole rows are sure to have the description.
func (m *indexSync) entries(ctx context.Context, ids []string, whole bool) ([]Entry, error) {
	return readRows(ctx, m, ids, whole, func(entry *Entry) *Entry { return entry })
}

// answers is entries for callers who answer with them: rows are read to where they are answered from, because copying them
// is a twentieth of the time of a short list.
func (m *indexSync) answers(ctx context.Context, ids []string, whole bool) ([]Resource, error) {
	return readRows(ctx, m, ids, whole, (*Resource).Entry)
}

func readRows[T Entry | Resource](ctx context.Context, m *indexSync, ids []string, whole bool, entry func(*T) *Entry) ([]T, error) {
	rows := make([]T, len(ids)) // never nil: an answer's list may be empty, but is there
	if len(ids) == 0 {
		return rows, nil
	}
	followed := m.followed.Load() // before the rows: they may be newer, but not older
	if ready, file := m.ready.Load(), m.rows.Load(); ready != nil && file != nil {
		found := ready.Rows(ids)
		last, err := m.store.LastChange(ctx)
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			at := found[i]
			row := entry(&rows[i])
			if last == followed && at.Place > 0 && file.read(at.Place, id, whole, row) {
				row.StarCount = at.Stars
			} else {
				*row = Entry{}
			}
		}
	}
	return fill(ctx, m.store, ids, rows, entry)
}

// fill reads the rows that are missing from the database, and leaves out those that aren't there either.
func fill[T Entry | Resource](ctx context.Context, store *Store, ids []string, rows []T, entry func(*T) *Entry) ([]T, error) {
	var missing []string
	for i := range rows {
		if entry(&rows[i]).ID == "" {
			missing = append(missing, ids[i])
		}
	}
	if missing == nil {
		return rows, nil
	}
	read, err := store.Load(ctx, missing)
	if err != nil {
		return nil, err
	}
	at := make(map[string]int, len(read))
	for i := range read {
		read[i].listed.card = plainText(read[i].Description, cardLength)
		at[read[i].ID] = i
	}
	for i, id := range ids {
		if found, ok := at[id]; ok {
			*entry(&rows[i]) = read[found]
		}
	}
	return slices.DeleteFunc(rows, func(row T) bool { return entry(&row).ID == "" }), nil
}

// loadDocuments reads what the index stores of active entries.
func (m *indexSync) loadDocuments(ctx context.Context, ids []string) ([]index.Document, error) {
	resources, err := m.store.Load(ctx, ids)
	if err != nil {
		return nil, err
	}
	return m.documents(ctx, resources)
}

// documents returns what the index stores of entries, of those that are active, and writes their rows.
func (m *indexSync) documents(ctx context.Context, resources []Entry) ([]index.Document, error) {
	active := onlyActive(resources)
	documents, err := m.store.documents(ctx, active)
	rows := m.rows.Load()
	if err != nil || rows == nil {
		return documents, err
	}
	places, err := rows.add(active)
	if err != nil {
		m.warnFallback(ctx, err)
		return documents, nil
	}
	for i := range documents {
		documents[i].Row = places[i]
	}
	return documents, nil
}

// freshRows begins a file for an index that is being rebuilt.
func (m *indexSync) freshRows(ctx context.Context) {
	fresh, err := createRows(m.rowsPath())
	if err != nil {
		m.warnFallback(ctx, err)
	}
	m.useRows(fresh)
}

// useRows replaces the file; nil if there is none.
func (m *indexSync) useRows(rows *rowFile) {
	if before := m.rows.Swap(rows); before != nil {
		before.close()
	}
}

func (m *indexSync) rowsPath() string {
	if m.snapshot == "" {
		return ""
	}
	return m.snapshot + ".rows"
}

func (m *indexSync) warnFallback(ctx context.Context, err error) {
	m.logger.WarnContext(ctx, "rows of the catalog can't be written to their file; entries are read from the database", "error", err)
}
