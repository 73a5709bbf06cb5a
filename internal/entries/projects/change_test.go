package projects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// change patches a project as Bob, decodes the answer, and checks that the project is read as it was answered.
func (w *world) change(id, body string) projects.Project {
	w.t.Helper()
	answer := w.send(bob, http.MethodPatch, "/projects/"+id, body, http.StatusOK)
	var changed projects.Project
	if err := json.Unmarshal([]byte(answer), &changed); err != nil {
		w.t.Fatal(err)
	}
	if read := w.ask(bob, "/projects/public/"+id, http.StatusOK); read != answer {
		w.t.Errorf("%s was answered with %s, but is %s", body, answer, read)
	}
	return changed
}

func datasetsOf(project projects.Project) string {
	var names []string
	for _, dataset := range project.DatasetResources {
		names = append(names, dataset.Name)
	}
	return strings.Join(names, ", ")
}

func TestChangingAProject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		spikes, images := w.id("spikes"), w.id("images")
		made := w.create(bob, fmt.Sprintf(`{"name":"first","repositoryId":%q,"datasetIds":[%q]}`, w.id("code"), spikes))
		for _, c := range []struct {
			body, name, datasets string
			published            bool
		}{
			{`{"name":"  second 名前 "}`, "second 名前", "spikes", false},
			{fmt.Sprintf(`{"datasetIds":[%q,%q,%q]}`, images, spikes, images), "second 名前", "images, spikes", false},
			{`{"published":true}`, "second 名前", "images, spikes", true},
			{`{}`, "second 名前", "images, spikes", true},
			{`{"name":"third","datasetIds":[],"published":false}`, "third", "", false},
			{fmt.Sprintf(`{"datasetIds":[%q],"published":true}`, spikes), "third", "spikes", true},
			{`{"datasetIds":null,"name":null,"published":null}`, "third", "spikes", true},
		} {
			got := w.change(made.ID, c.body)
			if got.Name != c.name || datasetsOf(got) != c.datasets || got.Published != c.published || got.RepositoryResource.ID != w.id("code") {
				t.Errorf("%s: %q of %q, published: %v", c.body, got.Name, datasetsOf(got), got.Published)
			}
			if !got.CreatedAt.Equal(made.CreatedAt) || !got.Available {
				t.Errorf("%s: %+v", c.body, got)
			}
		}
	})
}

func TestTwoChangesOfOneProject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.create(bob, fmt.Sprintf(`{"name":"first","repositoryId":%q}`, w.id("code")))
		seen := made.UpdatedAt.Format(time.RFC3339Nano)
		changed := w.change(made.ID, fmt.Sprintf(`{"name":"one","updatedAt":%q}`, seen))
		if !changed.UpdatedAt.After(made.UpdatedAt) {
			t.Errorf("a change moved %v to %v", made.UpdatedAt, changed.UpdatedAt)
		}
		refused := w.send(bob, http.MethodPatch, "/projects/"+made.ID, fmt.Sprintf(`{"name":"other","datasetIds":[%q],"updatedAt":%q}`, w.id("spikes"), seen), http.StatusConflict)
		if !strings.Contains(refused, `"project_changed"`) {
			t.Errorf("the second one got %s", refused)
		}
		if got := w.change(made.ID, `{"published":true}`); got.Name != "one" || datasetsOf(got) != "" || !got.Published { // from a client that sends no time
			t.Errorf("it became %+v", got)
		}
	})
}

func TestWhatAProjectCannotBecome(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.entry("secret", catalog.PrivacyPrivate)
	w.entry("own", catalog.PrivacyPublic)
	code, spikes, secret, own := w.id("code"), w.id("spikes"), w.id("secret"), w.id("own")
	made := w.create(bob, fmt.Sprintf(`{"name":"p","repositoryId":%q,"datasetIds":[%q,%q]}`, code, spikes, own))
	w.entry("own", catalog.PrivacyPrivate)
	path := "/projects/" + made.ID
	before := w.ask(bob, "/projects/public/"+made.ID, http.StatusOK)
	many := make([]string, projects.DatasetsLimit+1)
	for i := range many {
		many[i] = sqldb.NewID()
	}
	for _, c := range []struct{ body, want string }{
		{`{"name":" "}`, "body.name: must be 1 to 200 characters"},
		{mustJSON(t, map[string]any{"name": strings.Repeat("名", 201)}), "body.name: must be 1 to 200 characters"},
		{mustJSON(t, map[string]any{"name": "", "datasetIds": []string{secret, code}}), `body.name: must be 1 to 200 characters, body.datasetIds[0]: "` +
			secret + `" isn't an entry that you can see, body.datasetIds[1]: "code" (` + code + `) is a REPOSITORY, not a DATASET`},
		{mustJSON(t, map[string]any{"datasetIds": many}), "body.datasetIds: can't be more than 100"},
		// The part is gone for the owner of the project, who kept it.
		{`{"published":true}`, `body.published: "` + own + `" isn't an entry that you can see`},
		{mustJSON(t, map[string]any{"datasetIds": []string{own}}), `body.datasetIds[0]: "` + own + `" isn't an entry that you can see`},
	} {
		if got := faultsOf(t, w.send(bob, http.MethodPatch, path, c.body, http.StatusUnprocessableEntity)); got != c.want {
			t.Errorf("%.200s:\n got %s\nwant %s", c.body, got, c.want)
		}
	}
	if after := w.ask(bob, "/projects/public/"+made.ID, http.StatusOK); after != before {
		t.Errorf("refused, but changed from %s to %s", before, after)
	}
	if got := w.change(made.ID, `{"name":"renamed"}`); got.Name != "renamed" || got.Available || len(got.DatasetResources) != 2 {
		t.Errorf("without its part it is renamed to %+v", got)
	}
	w.entry("code", catalog.PrivacyPrivate)
	if got := w.change(made.ID, mustJSON(t, map[string]any{"datasetIds": []string{spikes}})); datasetsOf(got) != "spikes" || got.Available {
		t.Errorf("without its repository its datasets are %q", datasetsOf(got))
	}
	if got := faultsOf(t, w.send(bob, http.MethodPatch, path, `{"published":true}`, http.StatusUnprocessableEntity)); got != `body.published: "`+code+`" isn't an entry that you can see` {
		t.Errorf("publishing without the repository: %s", got)
	}
}

// Others learn that a project exists only if it is published.
func TestOnlyTheOwnerChangesAProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	made := w.create(bob, fmt.Sprintf(`{"name":"p","repositoryId":%q}`, w.id("code")))
	path, body := "/projects/"+made.ID, `{"name":"taken"}`
	w.send("", http.MethodPatch, path, body, http.StatusUnauthorized)
	absent := w.send(ada, http.MethodPatch, "/projects/"+sqldb.NewID(), body, http.StatusNotFound)
	if got := w.send(ada, http.MethodPatch, path, body, http.StatusNotFound); got != absent {
		t.Errorf("an unpublished project answers %s, an absent one %s", got, absent)
	}
	w.change(made.ID, `{"published":true}`)
	w.send(ada, http.MethodPatch, path, body, http.StatusForbidden)
	if got := names(t, w.ask(bob, "/projects", http.StatusOK)); got != "p" {
		t.Errorf("it is named %q", got)
	}
	w.send(bob, http.MethodDelete, path, "", http.StatusOK)
	w.send(bob, http.MethodPatch, path, body, http.StatusNotFound)
}
