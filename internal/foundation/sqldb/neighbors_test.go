package sqldb_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// harmless are the statements that the program of the version before doesn't notice: it may go on reading and writing while a newer
// one has brought the tables up to date. What takes something away waits until no server needs it any more, a version later.
var harmless = regexp.MustCompile(`(?is)^(CREATE TABLE \w+ \(.*\)|CREATE (UNIQUE )?INDEX .*|ALTER TABLE \w+ ADD COLUMN (\S+ \w+ NOT NULL DEFAULT .*|\w+ \w+)|(INSERT INTO|UPDATE) .*)$`)

const lastBeforeTheRule = "0021_entry_content.sql"

func TestMigrationsLetTheVersionBeforeGoOn(t *testing.T) {
	t.Parallel()
	if harmless.MatchString("DROP TABLE star") || harmless.MatchString("ALTER TABLE star ADD COLUMN why TEXT NOT NULL") ||
		harmless.MatchString("ALTER TABLE star RENAME COLUMN id TO key") || !harmless.MatchString("ALTER TABLE star ADD COLUMN why TEXT NOT NULL DEFAULT ''") {
		t.Fatal("the rule finds nothing")
	}
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if filepath.Base(name) <= lastBeforeTheRule {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		up, _, _ := strings.Cut(string(content), "-- +goose Down")
		_, up, _ = strings.Cut(up, "-- +goose Up")
		for statement := range strings.SplitSeq(regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(up, ""), ";") {
			if statement = strings.TrimSpace(statement); statement != "" && !harmless.MatchString(statement) {
				t.Errorf("%s: %s", filepath.Base(name), statement)
			}
		}
	}
}
