package app_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/app/transfer"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// What builds left that closed a piece of work: their databases, with stars, a project, a session and decisions of operators.
// Beside each is what this program exports of it; UPDATE=1 writes that anew, and the difference shows what a change does to
// installations that exist.
var earlierBuilds = []struct{ name, commit string }{
	{"sessions-of-entries", "20a1544a"},
	{"search-and-covers", "555803f"},
	{"survive", "db4e6393"},
	{"runs-and-people", "c3964243"},
}

func TestDatabasesOfEarlierBuildsAreBroughtUpToDate(t *testing.T) {
	t.Parallel()
	for _, build := range earlierBuilds {
		name := build.name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := config.Default()
			settings.Data = t.TempDir()
			unzipped, err := gzip.NewReader(bytes.NewReader(readInstallation(t, name+".db.gz")))
			check(t, err)
			content, err := io.ReadAll(unzipped)
			check(t, err)
			check(t, os.WriteFile(filepath.Join(settings.Data, "cairn.db"), content, 0o644))
			exported := func(settings config.Config) string {
				var lines, notes strings.Builder
				check(t, transfer.Export(t.Context(), settings, "-", &lines, &notes))
				if notes.Len() > 0 {
					t.Errorf("left out: %s", &notes)
				}
				return lines.String()
			}
			got := exported(settings)
			golden := filepath.Join("testdata", "installations", name+".export.jsonl")
			if os.Getenv("UPDATE") != "" {
				check(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			check(t, err)
			if got != string(want) {
				t.Errorf("the export differs from %s; with UPDATE=1 it is written anew", golden)
			}
			for _, kind := range []string{"account", "grant", "resource", "project", "star", "session"} {
				if !strings.Contains(got, `{"kind":"`+kind+`"`) {
					t.Errorf("it has no %s", kind)
				}
			}

			folder := filepath.Join(t.TempDir(), "backup")
			check(t, commands.Backup(t.Context(), settings, "", folder, "", "test", false, io.Discard))
			elsewhere := settings
			elsewhere.Data, elsewhere.DatabaseURL = filepath.Join(t.TempDir(), "restored"), sqldbtest.Postgres(t)
			check(t, commands.Restore(t.Context(), folder, elsewhere.Data, elsewhere.DatabaseURL, "", io.Discard))
			if exported(elsewhere) != got {
				t.Error("it exports something else on the other system")
			}
		})
	}
}
