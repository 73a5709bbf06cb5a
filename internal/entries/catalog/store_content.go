package catalog

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/sqldb"
)

// NoteContent stores the text of one of an active entry's files; "" removes it. It reports whether the text is stored now:
// files beyond contentSources aren't.
func (s *Store) NoteContent(ctx context.Context, id, source, text string) (stored bool, changes Changes, err error) {
	changes, err = s.db.WriteChanges(ctx, func(tx *sqldb.Tx) error {
		stored = true
		var before string
		err := tx.QueryRowContext(ctx, `SELECT text FROM entry_content WHERE resource_id = $1 AND source = $2`, id, source).Scan(&before)
		known := err == nil
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		}
		switch {
		case before == text:
			return nil
		case text == "":
			_, err = tx.ExecContext(ctx, `DELETE FROM entry_content WHERE resource_id = $1 AND source = $2`, id, source)
		case known:
			_, err = tx.ExecContext(ctx, `UPDATE entry_content SET text = $3 WHERE resource_id = $1 AND source = $2`, id, source, text)
		default:
			var written sql.Result
			written, err = tx.ExecContext(ctx, `INSERT INTO entry_content (resource_id, source, text) SELECT r.id, $2, $3 FROM resource r
				WHERE r.id = $1 AND r.state = $5 AND (SELECT count(*) FROM entry_content c WHERE c.resource_id = r.id) < $4 ON CONFLICT DO NOTHING`, id, source, text, contentSources, StateActive)
			if err == nil {
				if count, err := written.RowsAffected(); err != nil || count == 0 {
					stored = false
					return err
				}
			}
		}
		if err == nil {
			tx.Changed(id)
		}
		return err
	})
	return stored, changes, err
}

// Contents returns the content of entries by id; those without any are left out.
func (s *Store) Contents(ctx context.Context, ids []string) (map[string]string, error) {
	found := map[string]string{}
	err := sqldb.Chunks(ids, func(part []string) error {
		return forEachRow(ctx, s.db, func(rows *sqldb.Rows) error {
			var id, text string
			err := rows.Scan(&id, &text)
			if before := found[id]; before != "" {
				text = before + "\n" + text
			}
			found[id] = strings.ToValidUTF8(text[:min(len(text), contentLimit)], "")
			return err
		}, `SELECT resource_id, text FROM entry_content WHERE resource_id IN (`+sqldb.Placeholders(1, len(part))+`) ORDER BY resource_id, source`, sqldb.Arguments(part)...)
	})
	return found, err
}

// documents returns what the index stores of entries.
func (s *Store) documents(ctx context.Context, resources []Entry) ([]index.Document, error) {
	documents := make([]index.Document, len(resources))
	ids := make([]string, len(resources))
	for i := range resources {
		documents[i], ids[i] = resources[i].document(), resources[i].ID
	}
	contents, err := s.Contents(ctx, ids)
	for i := range documents {
		documents[i].Content = contents[documents[i].ID]
	}
	return documents, err
}

// importSource is the file of the content that an import gave. No file is named so.
const importSource = ""

// importContent replaces what imports gave as the content of entries; the known ones may have some.
func importContent(ctx context.Context, tx *sqldb.Tx, known []string, entries []Entry) error {
	err := sqldb.Chunks(known, func(part []string) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM entry_content WHERE source = $1 AND resource_id IN (`+sqldb.Placeholders(2, len(part))+`)`,
			append([]any{importSource}, sqldb.Arguments(part)...)...)
		return err
	})
	if err != nil {
		return err
	}
	var rows [][]any
	for _, r := range entries {
		if text := contentOf(r.Content); text != "" {
			rows = append(rows, []any{r.ID, importSource, text})
		}
	}
	return tx.InsertRows(ctx, "entry_content", []string{"resource_id", "source", "text"}, rows, "")
}

func onlyActive(resources []Entry) []Entry {
	return slices.DeleteFunc(slices.Clone(resources), func(r Entry) bool { return r.State != StateActive })
}

// dropMovedContent removes the content of an entry whose files are elsewhere from now on.
func dropMovedContent(ctx context.Context, tx *sqldb.Tx, r Entry) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM entry_content WHERE resource_id = $1 AND EXISTS (SELECT 1 FROM resource
		WHERE id = $1 AND (repository_url <> $2 OR dataset_url <> $3 OR notebook_path <> $4))`, r.ID, r.RepositoryURL, r.DatasetURL, r.NotebookPath)
	return err
}

// dropContent removes the content of an entry that is deleted.
func dropContent(ctx context.Context, tx *sqldb.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM entry_content WHERE resource_id = $1`, id)
	return err
}
