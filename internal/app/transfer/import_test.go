package transfer

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const (
	publicLine = `{"kind": "resource", "externalId": "d1", "type": "DATASET", "name": "Spikes", "description": "Markdown", ` +
		`"authors": ["Neuro@Example.org"], "tags": ["md, namd", "v1"], "privacy": "PUBLIC", "headerImage": "", "datasetUrl": "spikes"}`
	privateLine = `{"kind": "resource", "externalId": "secret", "type": "DATASET", "name": "Hush", "description": "", ` +
		`"authors": ["neuro@example.org"], "privacy": "PRIVATE", "datasetUrl": "hush"}`
	repositoryLine = `{"kind": "resource", "externalId": "r1", "type": "REPOSITORY", "name": "Code", "description": "", ` +
		`"authors": ["neuro@example.org"], "tags": [], "privacy": "PUBLIC", "repositoryUrl": "https://github.com/owner/name"}`
	projectLine = `{"kind": "project", "externalId": "p1", "name": "Project", "ownerId": "Neuro@example.org", "repository": "r1", ` +
		`"datasets": ["d1"], "published": true}`
)

// importText imports lines as `cairn import` does, but from a string.
func importText(ctx context.Context, db *sqldb.DB, text string) error {
	run := newImporter(db, nil)
	read := func(each func(name string, number int, line importLine, err error) error) error {
		return readLines(strings.NewReader(text), strings.HasPrefix(text, "-"), func(number int, line importLine, err error) error {
			return each("test", number, line, err)
		})
	}
	if err := read(run.check); err != nil {
		return err
	}
	if err := run.finishCheck(ctx); err != nil {
		return err
	}
	if err := read(func(_ string, _ int, line importLine, _ error) error { return run.write(ctx, line) }); err != nil {
		return err
	}
	return run.flush(ctx)
}

func idOf(t *testing.T, db *sqldb.DB, externalID string) string {
	t.Helper()
	id, err := catalog.NewStore(db).IDByExternalID(t.Context(), externalID)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func loadOne(t *testing.T, db *sqldb.DB, externalID string) catalog.Entry {
	t.Helper()
	found, err := catalog.NewStore(db).Load(t.Context(), []string{idOf(t, db, externalID)})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	return found[0]
}

func projectsOf(t *testing.T, db *sqldb.DB, email string) []projects.Project {
	t.Helper()
	entries := catalog.NewService(t.Context(), catalog.NewStore(db), catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	own, err := projects.NewService(projects.NewStore(db), entries).
		Own(identity.With(t.Context(), identity.Caller{AccountID: "1", Email: email}), email)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestImport(t *testing.T) {
	t.Parallel()
	yaml := `- {kind: resource, externalId: d1, type: DATASET, name: Spikes, description: Markdown, authors: [Neuro@Example.org],
   tags: ["md, namd", v1], privacy: PUBLIC, headerImage: "", datasetUrl: spikes}
- {kind: project, externalId: p1, name: Project, ownerId: Neuro@example.org, repository: r1, datasets: [d1], published: true}
- kind: resource
  externalId: r1
  type: REPOSITORY
  name: Code
  authors: [neuro@example.org]
  privacy: PUBLIC
  repositoryUrl: https://github.com/owner/name
`
	for name, text := range map[string]string{
		"lines":          publicLine + "\n\n" + repositoryLine + "\r\n" + projectLine,
		"projects first": projectLine + "\n" + repositoryLine + "\n" + publicLine + "\n",
		"YAML":           yaml,
	} {
		t.Run(name, func(t *testing.T) {
			sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
				if err := importText(t.Context(), db, text); err != nil {
					t.Fatal(err)
				}
				got := loadOne(t, db, "d1")
				if got.Name != "Spikes" || got.DatasetURL != "spikes" || got.Authors[0] != "neuro@example.org" || len(got.Tags) != 2 ||
					got.Tags[0].Value != "md, namd" || got.Status != "NONE" || got.State != catalog.StateActive || got.Privacy != catalog.PrivacyPublic {
					t.Errorf("got %+v", got)
				}
				own := projectsOf(t, db, "neuro@example.org")
				if len(own) != 1 || !own[0].Published || own[0].RepositoryResource.Name != "Code" || own[0].DatasetResources[0].Name != "Spikes" {
					t.Errorf("got %+v", own)
				}
			})
		})
	}
}

// Entries named by projects are looked up once each, in batches.
func TestImportedAddressesOfRepositories(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	for address, want := range map[string]string{
		"https://github.com/owner/name.git": "https://github.com/owner/name", "https://GitHub.com/owner/name.git": "https://GitHub.com/owner/name",
		"https://github.com/owner/name": "https://github.com/owner/name", "https://git.example.org/owner/name.git": "https://git.example.org/owner/name.git",
		"http://127.0.0.1:8080/demo/git/start.git": "http://127.0.0.1:8080/demo/git/start.git",
	} {
		if err := importText(t.Context(), db, strings.Replace(repositoryLine, "https://github.com/owner/name", address, 1)); err != nil {
			t.Fatal(err)
		}
		if got := loadOne(t, db, "r1").RepositoryURL; got != want {
			t.Errorf("%s is imported as %s, want %s", address, got, want)
		}
	}
}

func TestImportAsksForManyReferencesAtOnce(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		if err := importText(t.Context(), db, publicLine+"\n"+repositoryLine); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i := range 50 {
			lines = append(lines, strings.Replace(projectLine, `"p1"`, fmt.Sprintf(`"p%d"`, i), 1))
		}
		reads := sqldbtest.CountReads(t, db)
		for range 2 { // the second time they exist
			reads.Statements.Store(0)
			if err := importText(t.Context(), db, strings.Join(lines, "\n")); err != nil {
				t.Fatal(err)
			}
			if got := reads.Statements.Load(); got != 2 { // one for the check, one for the write
				t.Errorf("%d statements read", got)
			}
			own := projectsOf(t, db, "neuro@example.org")
			if len(own) != 50 || len(own[0].DatasetResources) != 1 || own[49].RepositoryResource.Name != "Code" {
				t.Fatalf("%d projects, the first is %+v", len(own), own[0])
			}
		}
	})
}

func TestImportAgainUpdates(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		if err := importText(t.Context(), db, publicLine); err != nil {
			t.Fatal(err)
		}
		before := loadOne(t, db, "d1")
		changed := strings.NewReplacer("Spikes", "New name", "md, namd", "v2", "Neuro@", "other@x.org\", \"neuro@").Replace(publicLine)
		// The repository exists already: projects may name entries from earlier imports.
		if err := importText(t.Context(), db, changed+"\n"+repositoryLine); err != nil {
			t.Fatal(err)
		}
		if err := importText(t.Context(), db, projectLine); err != nil {
			t.Fatal(err)
		}
		after := loadOne(t, db, "d1")
		if after.ID != before.ID || after.Name != "New name" || after.Tags[0].Value != "v1" || after.Tags[1].Value != "v2" ||
			len(after.Authors) != 2 || !after.CreatedAt.Equal(before.CreatedAt) || !after.UpdatedAt.After(before.UpdatedAt) {
			t.Errorf("before %+v\nafter  %+v", before, after)
		}
	})
}

func TestBadLinesAreNamedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	with := func(line, from, to string) string { return strings.Replace(line, from, to, 1) }
	cases := map[string][2]string{
		"broken":               {`{"kind": "resource",`, "line 2: unexpected EOF"},
		"unknown field":        {with(publicLine, `"tags"`, `"tag"`), `line 2: there is no field "tag"`},
		"wrong type":           {with(publicLine, `"Spikes"`, `5`), "line 2: name: number was given where string is expected"},
		"no object":            {`["kind"]`, "line 2: the line: array was given where object is expected"},
		"two objects":          {publicLine + publicLine, "line 2: there's something after the JSON object"},
		"a brace too many":     {publicLine + "}", "line 2: there's something after the JSON object"},
		"no kind":              {with(publicLine, `"resource"`, `"thing"`), "line 2: kind: must be"},
		"no external id":       {with(publicLine, `"d1"`, `""`), "line 2: externalId: must be"},
		"the same id twice":    {with(privateLine, `"secret"`, `"first"`), "line 2: externalId: is used in test line 1"},
		"no name":              {with(publicLine, `"Spikes"`, `" "`), "line 2: name: must be"},
		"a zero byte":          {with(publicLine, `"Spikes"`, `"a\u0000"`), "line 2: name: must be"},
		"a zero byte in a tag": {with(publicLine, `"v1"`, `"a\u0000"`), "line 2: tags: "},
		"no author":            {with(publicLine, `"Neuro@Example.org"`, ``), "line 2: authors: at least"},
		"bad author":           {with(publicLine, `"Neuro@Example.org"`, `"a\u0000@b"`), "line 2: authors: "},
		"bad type":             {with(publicLine, `"DATASET"`, `"VIDEO"`), "line 2: type: "},
		"bad address":          {with(repositoryLine, `https://github.com/owner/name`, `ext::sh -c id`), "line 2: repositoryUrl: "},
		"traversal":            {with(publicLine, `"spikes"`, `"../../etc"`), "line 2: datasetUrl: "},
		"bad owner":            {repositoryLine + "\n" + publicLine + "\n" + with(projectLine, `Neuro@example.org`, `me`), "line 4: ownerId: "},
		"unknown repository":   {projectLine, `line 2: repository: no entry has the externalId "r1"`},
		"repository of a kind": {publicLine + "\n" + with(projectLine, `"r1"`, `"d1"`), `line 3: repository: "d1" is a DATASET, not a REPOSITORY`},
		"no such notebook": {
			with(with(with(publicLine, `"DATASET"`, `"NOTEBOOK"`), `datasetUrl`, `notebookPath`), `"spikes"`, `"bundled:nothing.ipynb"`),
			`line 2: notebookPath: no notebook "nothing.ipynb" is included with this server; the names are cable-equation-neuron.ipynb, `,
		},
		"unknown dataset": {repositoryLine + "\n" + projectLine, `line 3: datasets: no entry has the externalId "d1"`},
		"dataset twice":   {repositoryLine + "\n" + publicLine + "\n" + with(projectLine, `"d1"]`, `"d1", "d1"]`), `line 4: datasets: "d1" is listed twice`},
		"private part":    {repositoryLine + "\n" + privateLine + "\n" + with(projectLine, `"d1"`, `"secret"`), `line 4: datasets: "secret" is private`},
		"too long":        {strings.Repeat("x", 1<<20), "line 2: the line is longer than 1 MiB"},
	}
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		first := strings.Replace(publicLine, `"d1"`, `"first"`, 1)
		for name, c := range cases {
			err := importText(t.Context(), db, first+"\n"+c[0])
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "test "+c[1]) {
				t.Errorf("%s: got %v, want %q", name, err, c[1])
			}
		}
		if count, err := catalog.NewStore(db).CountActive(t.Context()); err != nil || count != 0 {
			t.Errorf("%d entries were written (%v)", count, err)
		}
	})
}

func TestAllBadLinesAreNamedUpToALimit(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, nowUTC)
	err := importText(t.Context(), db, strings.Repeat("{}\n", 100))
	if lines := strings.Count(fault.MessageOf(err), "\n"); lines != faultLimit+1 || !strings.Contains(err.Error(), "and perhaps more") {
		t.Errorf("%d lines: %v", lines, err)
	}
}

func TestDeletedEntriesAreNoPartsOfProjects(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, nowUTC)
	if err := importText(t.Context(), db, publicLine+"\n"+repositoryLine); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.NewStore(db).Delete(t.Context(), idOf(t, db, "r1")); err != nil {
		t.Fatal(err)
	}
	if err := importText(t.Context(), db, projectLine); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

func generatedLines(count int) string {
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `{"kind": "resource", "externalId": "e%d", "type": "DATASET", "name": "Recording %d of cortex", "description": `+
			`"Spike trains of session %d, %s", "authors": ["lab%d@example.org"], "tags": ["t%d", "spikes"], "privacy": "PUBLIC", "datasetUrl": "lab/%d"}`+"\n",
			i, i, i, strings.Repeat("some words about it ", 10), i%500, i%300, i)
	}
	return text.String()
}

type cancelAtFirstProgress struct{ cancel context.CancelFunc }

func (c cancelAtFirstProgress) Write(text []byte) (int, error) { c.cancel(); return len(text), nil }

func TestInterruptedImportIsCompletedByRunningItAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(file, []byte(generatedLines(importChunk+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := config.Default()
	settings.Data = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	err := Import(ctx, settings, []string{file}, cancelAtFirstProgress{cancel})
	if err == nil || !strings.Contains(err.Error(), "after 5000 of 5001 lines. Run it again") {
		t.Fatalf("got %v", err)
	}
	var progress strings.Builder
	if err := Import(t.Context(), settings, []string{file}, &progress); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(progress.String(), "\rImported 5001 of 5001\n") {
		t.Errorf("progress %q", progress.String())
	}
	db, err := sqldb.Open(t.Context(), settings.DatabaseAddress(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if count, err := catalog.NewStore(db).CountActive(t.Context()); err != nil || count != importChunk+1 {
		t.Errorf("%d entries, %v", count, err)
	}
}

func TestImportOfAMissingFile(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Data = t.TempDir()
	if err := Import(t.Context(), settings, []string{"/nowhere.jsonl"}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("got %v", err)
	}
}

// BenchmarkImport imports 100,000 lines into an empty SQLite database.
func BenchmarkImport(b *testing.B) {
	file := filepath.Join(b.TempDir(), "lines.jsonl")
	if err := os.WriteFile(file, []byte(generatedLines(100_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		settings := config.Default()
		settings.Data = b.TempDir()
		if err := Import(b.Context(), settings, []string{file}, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func nowUTC() time.Time { return time.Now().UTC() }
