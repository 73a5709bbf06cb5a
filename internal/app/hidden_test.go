package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/commands"
)

// TestHiddenEntriesShowNowhere hides entries with the command beside a running server, and looks for them in every
// public place.
func TestHiddenEntriesShowNowhere(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	s := start(t, settings)
	type entry struct{ ID, Type, HeaderImageURL string }
	var page struct{ Content []entry }
	_, body := s.get("/api/v1/rf/resources/public?pageSize=100", "")
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	var ids, places []string
	kinds := map[string]string{} // their ids
	seen := map[string]bool{}
	for _, one := range page.Content {
		if seen[one.Type] {
			continue
		}
		seen[one.Type] = true
		ids, kinds[one.Type] = append(ids, one.ID), one.ID
		kind := map[string]string{"NOTEBOOK": "notebooks", "DATASET": "datasets", "REPOSITORY": "repositories", "MODEL": "models"}[one.Type]
		call := "/api/v1/rf/resources/public/" + one.ID
		places = append(places, "/resources/"+kind+"/"+one.ID, "/badge/"+one.ID+".svg", "/badge/"+one.ID+".json", call, call+"/projects", call+"/cover")
		if one.HeaderImageURL != "" {
			places = append(places, one.HeaderImageURL)
		}
		switch one.Type {
		case "NOTEBOOK":
			places = append(places, call+"/notebook")
		case "DATASET":
			places = append(places, call+"/dataset")
		case "REPOSITORY":
			places = append(places, call+"/environment")
		}
	}
	if len(ids) != 4 {
		t.Fatalf("the demo has %d types", len(ids))
	}
	for _, place := range places {
		if answer, body := s.get(place, ""); answer.StatusCode != http.StatusOK {
			t.Errorf("before, %s: %d %.200s", place, answer.StatusCode, body)
		}
	}

	owner, err := commands.Token(settings, "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	var project struct{ ID string }
	draft := fmt.Sprintf(`{"name":"Mine","repositoryId":%q,"datasetIds":[%q],"published":true}`, kinds["REPOSITORY"], kinds["DATASET"])
	if answer, body := s.send(http.MethodPost, "/api/v1/rf/projects", owner, draft); answer.StatusCode != http.StatusCreated || json.Unmarshal([]byte(body), &project) != nil {
		t.Fatalf("a project: %d %s", answer.StatusCode, body)
	}

	var printed bytes.Buffer
	if err := commands.ChangeEntries(t.Context(), settings, commands.HideEntry("Not for this catalog."), ids, &printed); err != nil {
		t.Fatal(err)
	}
	for _, place := range places {
		if answer, _ := s.get(place, ""); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", place, answer.StatusCode)
		}
	}
	for _, id := range ids {
		if answer, body := s.send(http.MethodPost, "/api/v1/rf/sessions", owner, fmt.Sprintf(`{"resourceId":%q}`, id)); answer.StatusCode != http.StatusNotFound {
			t.Errorf("a session of %s: %d %s", id, answer.StatusCode, body)
		}
	}
	_, body = s.get("/api/v1/rf/projects/public/"+project.ID, owner)
	var parts struct {
		Available          bool
		RepositoryResource struct{ Name, RepositoryURL string }
		DatasetResources   []struct{ Name, DatasetURL string }
	}
	if err := json.Unmarshal([]byte(body), &parts); err != nil || parts.Available || parts.RepositoryResource.Name != "Not available" ||
		parts.RepositoryResource.RepositoryURL != "" || len(parts.DatasetResources) != 1 || parts.DatasetResources[0].Name != "Not available" {
		t.Errorf("a project with hidden parts is %s (%v)", body, err)
	}
	if answer, body := s.send(http.MethodPost, "/api/v1/rf/sessions", owner, fmt.Sprintf(`{"projectId":%q}`, project.ID)); answer.StatusCode != http.StatusConflict || !strings.Contains(body, "part_missing") {
		t.Errorf("a session of it: %d %s", answer.StatusCode, body)
	}
	stranger, err := commands.Token(settings, "newcomer@example.org")
	if err != nil {
		t.Fatal(err)
	}
	total := len(page.Content) - len(ids)
	for deadline := time.Now().Add(time.Minute); ; { // until the search index has followed
		_, body := s.get("/api/v1/rf/resources/public?facets=types,tags&pageSize=100", "")
		var now struct{ TotalElements int }
		if err := json.Unmarshal([]byte(body), &now); err != nil || time.Now().After(deadline) {
			t.Fatalf("%d entries are left, want %d (%v)", now.TotalElements, total, err)
		}
		if now.TotalElements == total {
			break
		}
		<-time.After(20 * time.Millisecond)
	}
	for _, token := range []string{"", stranger} {
		for _, place := range []string{
			"/", "/resources", "/resources/notebooks", "/resources/datasets", "/resources/repositories", "/resources/models", "/sitemap.xml",
			"/api/v1/rf/resources/public?facets=types,tags", "/api/v1/rf/resources/landing", "/api/v1/rf/resources", "/api/v1/rf/resources/search", "/api/v1/rf/resources/public/search",
		} {
			answer, body := s.get(place, token)
			for _, id := range ids {
				if answer.StatusCode != http.StatusOK || strings.Contains(body, id) {
					t.Errorf("%s: %d, shows %s: %v", place, answer.StatusCode, id, strings.Contains(body, id))
				}
			}
		}
		for _, id := range ids {
			if _, body := s.get("/run/"+id, token); strings.Contains(body, `"id":"`+id) {
				t.Errorf("the link that runs %s shows it", id)
			}
		}
	}

	printed.Reset()
	if err := commands.ListEntries(t.Context(), settings, nil, "hidden", &printed); err != nil || strings.Count(printed.String(), "hidden: Not for this catalog.") != len(ids) {
		t.Errorf("the command lists (%v):\n%s", err, printed.String())
	}
	if err := commands.ChangeEntries(t.Context(), settings, commands.ShowEntry(), ids, &printed); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if answer, _ := s.get("/api/v1/rf/resources/public/"+id, ""); answer.StatusCode != http.StatusOK {
			t.Errorf("%s isn't back: %d", id, answer.StatusCode)
		}
	}
}
