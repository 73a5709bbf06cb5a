package fair

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
)

// withVersions is a world whose entries have versions.
func withVersions(t *testing.T) (*world, *catalog.Service) {
	t.Helper()
	w := onSQLite(t, described()...)
	entries := catalog.NewService(t.Context(), w.store, catalog.Options{Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = entries.Close() })
	w.options.Versions = entries.Versions()
	return w, entries
}

// renew gives an entry another content.
func (w *world) renew(entries *catalog.Service, externalID, place string) {
	w.t.Helper()
	entry := w.entry(externalID)
	seen := entry.UpdatedAt
	switch entry.Type {
	case catalog.Dataset:
		entry.DatasetURL = "https://data.example.org/" + place
	case catalog.Repository:
		entry.RepositoryURL = "https://github.com/owner/" + place
	case catalog.Notebook:
		entry.NotebookPath = "bundled:" + place + ".ipynb"
	default:
		entry.ApplicationInterfaceID = place
	}
	entry.Name, entry.Description, entry.Version, entry.DOI = "Name of "+place, "What "+place+" is", "", ""
	if _, err := entries.Versions().Renew(w.t.Context(), entry, seen, catalog.NewVersion{Note: place}); err != nil {
		w.t.Fatal(externalID, err)
	}
}

// formOf returns a form of a version.
func (w *world) formOf(externalID, name string, number int) string {
	w.t.Helper()
	text, _, _, err := w.export(catalog.InVersion(w.t.Context(), number), w.id(externalID), name)
	if err != nil {
		w.t.Fatal(externalID, name, number, err)
	}
	return string(text)
}

// Every form of a version but the link set stays byte for byte what it was when later versions come.
func TestFormsOfVersionsStay(t *testing.T) {
	t.Parallel()
	w, entries := withVersions(t)
	forms := func(number int) map[string]string {
		found := map[string]string{}
		for _, externalID := range everyEntry {
			for _, one := range formsFor(w.record(t.Context(), w.entry(externalID), filesInForms)) {
				if one.Name != linksetName {
					found[externalID+" "+one.Name] = w.formOf(externalID, one.Name, number)
				}
			}
		}
		return found
	}
	first := forms(1)
	for _, externalID := range everyEntry {
		w.renew(entries, externalID, "second")
	}
	w.now = w.now.Add(time.Hour)
	second := forms(2)
	for _, externalID := range everyEntry {
		w.renew(entries, externalID, "third")
	}
	w.now = w.now.Add(time.Hour)
	for number, before := range map[int]map[string]string{1: first, 2: second} {
		for form, text := range forms(number) {
			if text != before[form] {
				t.Errorf("%s of version %d was\n%s\nand is\n%s", form, number, before[form], text)
			}
		}
	}
	for _, externalID := range everyEntry {
		if text := w.formOf(externalID, "datacite", 1); strings.Contains(text, "second") || strings.Contains(text, "third") || strings.Contains(text, "/v2") {
			t.Errorf("version 1 of %s knows later ones: %s", externalID, text)
		}
		if text := w.form(externalID, "datacite"); !strings.Contains(text, "Name of third") {
			t.Errorf("the latest version of %s is %s", externalID, text)
		}
	}
}

// A version says of what it is one, and before which it comes after.
func TestVersionsNameEarlierOnes(t *testing.T) {
	t.Parallel()
	w, entries := withVersions(t)
	w.renew(entries, "d1", "second")
	w.renew(entries, "d1", "third")
	concept := public + "/id/" + w.id("d1")
	type relation struct{ RelationType, RelatedIdentifier string }
	for number, want := range map[int][]relation{
		1: {{"IsVersionOf", concept}},
		2: {{"IsVersionOf", concept}, {"IsNewVersionOf", concept + "/v1"}},
		3: {{"IsVersionOf", concept}, {"IsNewVersionOf", concept + "/v2"}},
	} {
		var said struct{ RelatedIdentifiers []relation }
		if err := json.Unmarshal([]byte(w.formOf("d1", "datacite", number)), &said); err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, one := range said.RelatedIdentifiers {
			if one.RelationType != "IsVersionOf" && one.RelationType != "IsNewVersionOf" {
				continue
			}
			if count++; count > len(want) || one != want[count-1] {
				t.Errorf("version %d: %+v, want %+v", number, one, want)
			}
		}
		if count != len(want) {
			t.Errorf("version %d has %d relations to others, want %d", number, count, len(want))
		}
	}
	if text := w.form("d1", "datacite"); strings.Contains(text, "IsVersionOf") || strings.Contains(text, "IsNewVersionOf") {
		t.Errorf("the entry itself is a version: %s", text)
	}
}

// The link set alone names later versions.
func TestLinkSetNamesAllNeighbors(t *testing.T) {
	t.Parallel()
	w, entries := withVersions(t)
	if text := w.form("d1", linksetName); strings.Contains(text, "version") {
		t.Errorf("an entry with one version: %s", text)
	}
	w.renew(entries, "d1", "second")
	w.renew(entries, "d1", "third")
	concept := public + "/id/" + w.id("d1")
	for number, want := range map[int]map[string]string{
		1: {"successor-version": concept + "/v2", "latest-version": concept},
		2: {"predecessor-version": concept + "/v1", "successor-version": concept + "/v3", "latest-version": concept},
		3: {"predecessor-version": concept + "/v2"},
		0: {"predecessor-version": concept + "/v2"},
	} {
		text := w.form("d1", linksetName)
		if number > 0 {
			text = w.formOf("d1", linksetName, number)
		}
		var said struct {
			Linkset []map[string]any `json:"linkset"`
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil || len(said.Linkset) == 0 {
			t.Fatal(err)
		}
		for _, relation := range []string{"predecessor-version", "successor-version", "latest-version"} {
			targets, _ := said.Linkset[0][relation].([]any)
			found := ""
			if len(targets) == 1 {
				one, _ := targets[0].(map[string]any)
				found, _ = one["href"].(string)
			}
			if found != want[relation] {
				t.Errorf("version %d has %s %q, want %q", number, relation, found, want[relation])
			}
		}
		if history, _ := json.Marshal(said.Linkset[0]["version-history"]); !strings.Contains(string(history), "/versions") {
			t.Errorf("version %d: %s", number, history)
		}
	}
}

// A kept repository has no code host, so its authors are sent to the entry's form.
func TestKeptRepositoriesAreMendedHere(t *testing.T) {
	t.Parallel()
	fix := editField("Nobody finds it.", "Add tags", "tags")
	kept := Record{Type: catalog.Repository, Source: catalog.Kept{ID: "0190b6e2-7f0a-7cc3-98c4-dc0c0c07398f", Number: 2}.Repository("https://catalog.example.org", "spikes")}
	elsewhere := Record{Type: catalog.Repository, Source: "https://github.com/owner/name"}
	if here := fix(kept); here.Line != "" || here.Why != "Nobody finds it." {
		t.Errorf("%+v", here)
	}
	if there := fix(elsewhere); there.Line == "" {
		t.Errorf("%+v", there)
	}
}

// A version is cited by its own permanent address, and its links lead to its own page and forms.
func TestAVersionHasItsOwnAddresses(t *testing.T) {
	t.Parallel()
	record := Record{
		Type: catalog.Dataset, Permanent: "https://c.example.org/id/a", Address: "https://c.example.org/resources/datasets/a", Exports: "https://c.example.org/export/",
	}
	record.inVersion(2)
	for want, got := range map[string]string{
		"https://c.example.org/id/a/v2":                        record.identifier(),
		"https://c.example.org/resources/datasets/a?version=2": record.Address,
		"https://c.example.org/export/jsonld?version=2":        record.form("jsonld"),
		`<https://c.example.org/id/a/v2>; rel="cite-as"`:       strings.Split(pageLinks(record), ", ")[0],
		"IsVersionOf https://c.example.org/id/a":               record.Relations[0].Relation + " " + record.Relations[0].Identifier,
		"IsNewVersionOf https://c.example.org/id/a/v1":         record.Relations[1].Relation + " " + record.Relations[1].Identifier,
	} {
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}
