package fair

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const (
	public = "https://cairn.example"
	ada    = "ada.lovelace@example.org"
)

var testSite = Site{
	Product: "Hill", Tagline: "Rocks & <data>", Public: public, Base: "/api/v1/rf",
	Publisher: Organization{Name: "Hill University", URL: public + "/", ROR: "https://ror.org/038t36y30"},
}

// world is a catalog with its forms.
type world struct {
	*Service

	t     *testing.T
	db    *sqldb.DB
	store *catalog.Store
	now   time.Time
}

func newWorld(t *testing.T, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	w := &world{t: t, db: db, store: catalog.NewStore(db), now: time.Now()}
	w.Service = New(Options{
		Entries: stored{w.store}, Appearances: w.store, Site: func() Site { return testSite }, AdminEmail: "admin@example.org", Now: func() time.Time { return w.now },
	})
	w.write(entries...)
	return w
}

type stored struct{ store *catalog.Store }

func (s stored) LoadAny(ctx context.Context, ids []string) ([]catalog.Entry, error) {
	return s.store.Load(ctx, ids)
}

func onSQLite(t *testing.T, entries ...catalog.Entry) *world {
	t.Helper()
	return newWorld(t, sqldbtest.SQLite(t, time.Now), entries...)
}

func (w *world) write(entries ...catalog.Entry) {
	w.t.Helper()
	for i := range entries {
		entries[i].Normalize()
	}
	if err := w.store.Import(w.t.Context(), entries); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) id(externalID string) string {
	w.t.Helper()
	id, err := w.store.IDByExternalID(w.t.Context(), externalID)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) entry(externalID string) catalog.Entry {
	w.t.Helper()
	found, err := w.store.Load(w.t.Context(), []string{w.id(externalID)})
	if err != nil || len(found) != 1 {
		w.t.Fatal(found, err)
	}
	return found[0]
}

// form returns a form of an entry as text.
func (w *world) form(externalID, name string) string {
	w.t.Helper()
	text, _, _, err := w.export(w.t.Context(), w.id(externalID), name)
	if err != nil {
		w.t.Fatal(externalID, name, err)
	}
	return string(text)
}

// parsed returns a form in JSON.
func (w *world) parsed(externalID, name string) (value map[string]any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(w.form(externalID, name)), &value); err != nil {
		w.t.Fatal(externalID, name, err)
	}
	return value
}

// oai asks as a harvester.
func (w *world) oai(query string) string {
	w.t.Helper()
	answer := httptest.NewRecorder()
	w.ServeHarvest(answer, httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, HarvestPath+"?"+query, http.NoBody))
	if answer.Code != http.StatusOK {
		w.t.Fatalf("%s: %d %s", query, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// feedText returns the feed.
func (w *world) feedText() string {
	w.t.Helper()
	answer := httptest.NewRecorder()
	w.ServeFeed(answer, httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, FeedPath, http.NoBody))
	if answer.Code != http.StatusOK {
		w.t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// expect reports the parts that a text lacks.
func expect(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in %s", part, text)
		}
	}
}

// everyEntry are the external ids of the public entries of described: one of each type.
var everyEntry = []string{"d1", "r1", "n1", "m1"}

// described returns one public entry of each type with everything that forms write, and a private one.
func described() []catalog.Entry {
	whole := func(externalID string, kind catalog.Type) catalog.Entry {
		return catalog.Entry{
			ExternalID: externalID, Type: kind, Name: `Spikes <1> & "2"`, Description: "# About\n\nFirst *line*. Ask ada@lab.example.org.", Privacy: catalog.PrivacyPublic,
			Authors: []string{ada}, AddedBy: "eve@example.org", Tags: []catalog.Tag{{Value: "md, namd"}, {Value: "v1"}}, License: "CC-BY-4.0", Version: "2.1",
			DOI: "10.5281/zenodo.1234", Language: "en",
			People: []catalog.Credit{
				{
					Name: "Ada Lovelace", Email: ada, ORCID: "0000-0002-1825-0097",
					Affiliation: &catalog.Organization{Name: "Heidelberg University", ROR: "https://ror.org/038t36y30"},
				},
				{Name: "Bob", Role: "DataCurator"},
				{Name: "mail@example.org"},
			},
			Funding: []catalog.Funding{{
				Funder: "ERC", FunderID: "https://ror.org/0472cxd90", AwardNumber: "282703", AwardTitle: "Spikes of neurons", AwardURL: "https://cordis.europa.eu/project/id/282703",
			}},
			RelatedIdentifiers: []catalog.RelatedIdentifier{
				{Identifier: "10.1038/nature14539", Type: "DOI", Relation: "IsSupplementTo"},
				{Identifier: "swh:1:dir:d198bc9d7a6bcf6db04f476d29314f157507d505", Type: "SWHID", Relation: "IsIdenticalTo"},
			},
		}
	}
	data, code, notebook, model := whole("d1", catalog.Dataset), whole("r1", catalog.Repository), whole("n1", catalog.Notebook), whole("m1", catalog.Model)
	data.DatasetURL, code.RepositoryURL, notebook.NotebookPath, model.ApplicationInterfaceID = "https://data.example.org/a,b.csv", "https://github.com/owner/code", "bundled:shape.ipynb", "x"
	secret := whole("secret", catalog.Dataset)
	secret.DatasetURL, secret.Privacy = "secret", catalog.PrivacyPrivate
	return []catalog.Entry{data, code, notebook, model, secret}
}
