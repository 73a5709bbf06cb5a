package transfer

import (
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/site/demo"
)

// whole is an export with something of every kind, in the order in which an export writes it.
const (
	exportedAccount = `{"kind":"account","externalId":"01900000-0000-7000-8000-00000000000a","id":"01900000-0000-7000-8000-00000000000a",` +
		`"createdAt":"2025-03-04T05:06:07.000008Z","name":"Ada","issuer":"https://idp.example.org","subject":"1","email":"ada@example.org","disabledAs":"old@example.org"}`
	exportedGrants = `{"kind":"grant","email":"ada@example.org","role":"user"}` + "\n" +
		`{"kind":"grant","email":"grace@example.org","enabled":true,"role":"operator"}`
	exportedEntries = `{"kind":"resource","externalId":"01900000-0000-7000-8000-0000000000b1","id":"01900000-0000-7000-8000-0000000000b1",` +
		`"createdAt":"2025-01-02T03:04:05Z","name":"Code & <more>","type":"REPOSITORY","description":"# Text","authors":["ada@example.org"],"tags":["a, b","c"],` +
		`"privacy":"PUBLIC","repositoryUrl":"https://github.com/owner/name","people":[{"name":"Ada","orcid":"","email":"ada@example.org"},{"name":"Zoë","orcid":"0000-0002-1825-0097","affiliation":{"name":"Lab","ror":""},"role":"Editor"}],` +
		`"license":"MIT","doi":"10.5281/zenodo.1","language":"en","issuedAt":"2024-01-02T03:04:05Z",` +
		`"funding":[{"funder":"ERC","funderId":"https://ror.org/0472cxd90","awardNumber":"282703"}],` +
		`"relatedIdentifiers":[{"identifier":"10.1038/nature14539","type":"DOI","relation":"IsSupplementTo"}],"needs":{"memoryBytes":8589934592,"cpus":0.5,"gpus":1},"status":"VERIFIED","featured":2,"content":"words of its README"}` + "\n" +
		`{"kind":"resource","externalId":"d1","id":"01900000-0000-7000-8000-0000000000b2","createdAt":"2025-01-02T03:04:06Z","name":"Spikes","type":"DATASET",` +
		`"authors":["ada@example.org"],"privacy":"PRIVATE","datasetUrl":"spikes","hidden":true,"hiddenReason":"spam","featured":1}`
	exportedProject = `{"kind":"project","externalId":"01900000-0000-7000-8000-0000000000c1","id":"01900000-0000-7000-8000-0000000000c1",` +
		`"createdAt":"2025-02-02T03:04:05Z","name":"Both","ownerId":"ada@example.org","repository":"01900000-0000-7000-8000-0000000000b1","datasets":["d1"],"members":[{"email":"eve@example.org","role":"editor"}]}`
	exportedStar    = `{"kind":"star","createdAt":"2025-05-05T05:05:05Z","account":"01900000-0000-7000-8000-00000000000a","resource":"d1"}`
	exportedSession = `{"kind":"session","externalId":"01900000-0000-7000-8000-0000000000d1","createdAt":"2025-06-06T06:06:06Z","name":"Try","ownerId":"ada@example.org",` +
		`"account":"01900000-0000-7000-8000-00000000000a","engine":"local","holds":{"id":"","name":"Code","repositoryResource":{"id":"01900000-0000-7000-8000-0000000000b1","name":"Code"},"datasetResources":[]},` +
		`"startedFrom":{"file":"a.ipynb"}}`
)

var whole = strings.Join([]string{exportedAccount, exportedGrants, exportedEntries, exportedProject, exportedStar, exportedSession}, "\n") + "\n"

func exported(t *testing.T, db *sqldb.DB) string {
	t.Helper()
	var out, notes strings.Builder
	if err := exportTo(t.Context(), db, &out, &notes); err != nil || notes.Len() > 0 {
		t.Fatal(err, notes.String())
	}
	return out.String()
}

func mustImport(t *testing.T, db *sqldb.DB, text string) {
	t.Helper()
	if err := importText(t.Context(), db, text); err != nil {
		t.Fatal(err)
	}
}

func TestAnExportIsWhatWasImported(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		mustImport(t, db, whole)
		if got := exported(t, db); got != whole {
			t.Errorf("got\n%s\nwant\n%s", got, whole)
		}
		mustImport(t, db, whole)
		if got := exported(t, db); got != whole {
			t.Errorf("after the second import:\n%s", got)
		}
		var status string
		err := db.QueryRowContext(t.Context(), `SELECT status FROM session`).Scan(&status)
		if err != nil || status != "TERMINATED" {
			t.Errorf("an imported session is %q, %v", status, err)
		}
	})
}

func TestTheDemoIsTheSameAfterAnExport(t *testing.T) {
	t.Parallel()
	first, second := sqldbtest.SQLite(t, time.Now), sqldbtest.SQLite(t, time.Now)
	mustImport(t, first, string(demo.Catalog("http://127.0.0.1:8080", func([]byte) string { return "text" })))
	text := exported(t, first)
	if strings.Count(text, "\n") < 30 {
		t.Fatalf("only %s", text)
	}
	mustImport(t, second, text)
	if exported(t, second) != text {
		t.Error("the second export differs from the first")
	}
}

func TestAnExportTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	mustImport(t, db, whole)
	if _, err := catalog.NewStore(db).Delete(t.Context(), "01900000-0000-7000-8000-0000000000b2"); err != nil {
		t.Fatal(err)
	}
	var out, notes strings.Builder
	if err := exportTo(t.Context(), db, &out, &notes); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(notes.String(), "(1)") || strings.Contains(out.String(), `"kind":"project"`) || strings.Contains(out.String(), `"kind":"star"`) {
		t.Errorf("%s\n%s", notes.String(), out.String())
	}
	mustImport(t, sqldbtest.SQLite(t, time.Now), out.String())
}

func TestBadLinesAboutPeopleAreNamed(t *testing.T) {
	t.Parallel()
	db := sqldbtest.SQLite(t, time.Now)
	for wanted, text := range map[string]string{
		"id: must be a UUID":                                 strings.Replace(exportedProject, `"id":"0`, `"id":"x`, 1),
		"members[0]: must have the e-mail address":           strings.Replace(exportedProject, `"role":"editor"`, `"role":"boss"`, 1),
		"subject: an account needs the issuer":               strings.Replace(exportedAccount, `"subject":"1",`, ``, 1),
		"email: must be an e-mail address":                   `{"kind":"grant","email":"nobody","role":"user"}`,
		"role: must be user or operator":                     `{"kind":"grant","email":"ada@example.org","role":"king"}`,
		"status: must be NONE, VERIFIED or REJECTED":         strings.Replace(exportedEntries, "VERIFIED", "GREAT", 1),
		"no account in these files has the externalId":       exportedSession,
		"resource: no entry has the externalId":              exportedAccount + "\n" + exportedStar,
		"holds: must be what an export wrote":                exportedAccount + "\n" + strings.Replace(exportedSession, `"datasetResources":[]`, `"datasetResources":1`, 1),
		"startedFrom: must be what an export wrote":          exportedAccount + "\n" + strings.Replace(exportedSession, `{"file":"a.ipynb"}`, `"x"`, 1),
		"externalId: is used in test line 1 already":         exportedGrants[:strings.Index(exportedGrants, "\n")] + "\n" + exportedGrants,
		"kind: must be resource, project, account, grant, s": `{"kind":"planet","externalId":"1"}`,
	} {
		err := importText(t.Context(), db, text)
		if err == nil || !strings.Contains(err.Error(), wanted) || !strings.Contains(err.Error(), "Nothing was imported") {
			t.Errorf("%s: got %v", wanted, err)
		}
	}
	if text := exported(t, db); text != "" {
		t.Errorf("something was written: %s", text)
	}
	mustImport(t, db, whole)
	err := importText(t.Context(), db, strings.Replace(exportedEntries, `"externalId":"d1"`, `"externalId":"d2"`, 1))
	if err == nil || !strings.Contains(err.Error(), "has another externalId here") {
		t.Errorf("an id that another entry has: %v", err)
	}
}
