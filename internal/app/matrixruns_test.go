package app

import (
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/runs"
)

// addRun adds a run of an entry with the files that it left.
func addRun(t *testing.T, p *program, entry string) runs.Run {
	t.Helper()
	id, err := catalog.NewStore(p.db).IDByExternalID(t.Context(), entry)
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := runs.NewStore(p.db).Add(t.Context(), runs.Run{ResourceID: id, File: sqldb.NewID() + ".ipynb", StartedBy: runs.BySchedule, Engine: "fake"}, entry, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(p.config.Data, "runs", run.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"author.ipynb", "executed.ipynb", "log.txt", "comparison.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return run
}

// end lets a run begin and end, and returns its id.
func end(t *testing.T, p *program, run runs.Run) string {
	t.Helper()
	store := runs.NewStore(p.db)
	if begun, err := store.Begin(t.Context(), run.ID); !begun || err != nil {
		t.Fatal(begun, err)
	}
	run.State, run.Verdict = runs.Done, runs.Clean
	if _, err := store.End(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	return run.ID
}
