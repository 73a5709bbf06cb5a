package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/app/commands"
)

// TestHarvestersSeeOnlyWhatIsPublic asks for a private entry, one that became private, one that was hidden and one that was
// deleted, wherever entries are cited and harvested: as nobody, as their author, as a stranger and as an operator.
func TestHarvestersSeeOnlyWhatIsPublic(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	s := start(t, settings)
	tokens := map[string]string{"": ""}
	for _, email := range []string{"researcher@example.org", "newcomer@example.org", "operator@example.org"} {
		token, err := commands.Token(settings, email)
		if err != nil {
			t.Fatal(err)
		}
		tokens[email] = token
	}
	author := tokens["researcher@example.org"]
	type entry struct{ ID, UpdatedAt string }
	add := func(name, privacy string) entry {
		answer, body := s.send(http.MethodPost, "/api/v1/rf/resources", author,
			`{"type":"MODEL","name":"`+name+`","applicationInterfaceId":"m","authors":["researcher@example.org"],"privacy":"`+privacy+`"}`)
		var made entry
		if err := json.Unmarshal([]byte(body), &made); err != nil || answer.StatusCode >= http.StatusBadRequest || made.ID == "" {
			t.Fatalf("%s: %d %s", name, answer.StatusCode, body)
		}
		return made
	}
	private, withdrawn, hidden, deleted, public := add("Never shown", "PRIVATE"), add("Once shown", "PUBLIC"), add("Soon hidden", "PUBLIC"),
		add("Soon deleted", "PUBLIC"), add("Still shown", "PUBLIC")
	if answer, body := s.send(http.MethodPatch, "/api/v1/rf/resources/"+withdrawn.ID, author, `{"privacy":"PRIVATE","updatedAt":"`+withdrawn.UpdatedAt+`"}`); answer.StatusCode != http.StatusOK {
		t.Fatalf("made private: %d %s", answer.StatusCode, body)
	}
	if err := commands.ChangeEntries(t.Context(), settings, commands.HideEntry("Not for this catalog."), []string{hidden.ID}, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	if answer, body := s.send(http.MethodDelete, "/api/v1/rf/resources/"+deleted.ID, author, ""); answer.StatusCode != http.StatusOK {
		t.Fatalf("deleted: %d %s", answer.StatusCode, body)
	}

	for who, token := range tokens {
		for id, want := range map[string]int{private.ID: 404, withdrawn.ID: 404, hidden.ID: 404, deleted.ID: 410, public.ID: 303} {
			if answer, body := s.get("/id/"+id, token); answer.StatusCode != want || strings.Contains(body, "@example.org") && want != http.StatusNotFound {
				t.Errorf("%q asks for the permanent address of %s: %d, want %d: %s", who, id, answer.StatusCode, want, body)
			}
			want = map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[id == public.ID]
			for _, call := range []string{
				"/fair", "/export/jsonld", "/export/datacite", "/export/datacite-xml", "/export/rocrate", "/export/codemeta", "/export/bibtex", "/export/csl",
				"/export/cff", "/export/linkset",
			} {
				if answer, body := s.get("/api/v1/rf/resources/public/"+id+call, token); answer.StatusCode != want || strings.Contains(body, "@example.org") {
					t.Errorf("%q asks for %s of %s: %d, want %d: %s", who, call, id, answer.StatusCode, want, body)
				}
			}
		}
		for _, prefix := range []string{"oai_dc", "oai_datacite"} {
			answer, body := s.get("/oai?verb=ListRecords&metadataPrefix="+prefix, token)
			body = strings.ReplaceAll(body, "operator@example.org", "") // whom Identify names
			if answer.StatusCode != http.StatusOK || strings.Contains(body, "@example.org") || strings.Contains(body, private.ID) || !strings.Contains(body, "Still shown") {
				t.Errorf("%q harvests %s: %d %s", who, prefix, answer.StatusCode, body)
			}
			if strings.Contains(body, "Once shown") || strings.Contains(body, "Soon hidden") || strings.Contains(body, "Soon deleted") {
				t.Errorf("%q harvests the metadata of entries that aren't public: %s", who, body)
			}
			for _, one := range []entry{withdrawn, hidden, deleted} {
				_, record, _ := strings.Cut(body, one.ID)
				if header, _, _ := strings.Cut(record, "</record>"); record == "" || strings.Contains(header, "<metadata") {
					t.Errorf("%q: %s is no deleted record: %s", who, one.ID, body)
				}
			}
		}
		answer, body := s.get("/feed.atom", token)
		if answer.StatusCode != http.StatusOK || strings.Contains(body, "@example.org") || !strings.Contains(body, "Still shown") {
			t.Errorf("%q reads the feed: %d %s", who, answer.StatusCode, body)
		}
		for _, one := range []entry{private, withdrawn, hidden, deleted} {
			if strings.Contains(body, one.ID) {
				t.Errorf("%q sees %s in the feed: %s", who, one.ID, body)
			}
		}
	}
}
