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

// create posts a project and decodes the answer.
func (w *world) create(email, body string) projects.Project {
	w.t.Helper()
	var made projects.Project
	if err := json.Unmarshal([]byte(w.send(email, http.MethodPost, "/projects/", body, http.StatusCreated)), &made); err != nil {
		w.t.Fatal(err)
	}
	return made
}

func TestMakingAProject(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		code, spikes, images := w.id("code"), w.id("spikes"), w.id("images")
		made := w.create(bob, fmt.Sprintf(`{"name":"  Spikes 名前 ","ownerId":" BOB@Example.org","repositoryId":%q,"datasetIds":[%q,%q,%q]}`,
			code, images, spikes, images))
		if made.Name != "Spikes 名前" || made.OwnerID != bob || made.Published || !made.Available || made.State != catalog.StateActive {
			t.Errorf("made %+v", made)
		}
		if parts := made.DatasetResources; len(parts) != 2 || parts[0].ID != images || parts[1].ID != spikes || made.RepositoryResource.ID != code {
			t.Errorf("parts %+v of %+v, want each once in the order of asking", parts, made.RepositoryResource)
		}
		// As existing clients send it, without datasets; and as short as possible.
		w.create(bob, fmt.Sprintf(`{"name":"no datasets","ownerId":%q,"repositoryId":%q,"datasetIds":[]}`, bob, code))
		w.create(bob, fmt.Sprintf(`{"name":"short","repositoryId":%q,"published":true}`, code))
		if got := names(t, w.ask(bob, "/projects", http.StatusOK)); got != "short, no datasets, Spikes 名前" {
			t.Errorf("Bob has %q", got)
		}
		if got := names(t, w.ask("", "/resources/public/"+code+"/projects", http.StatusOK)); got != "short" {
			t.Errorf("others see %q, want the published one", got)
		}
	})
}

func TestWhatIsNoProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.entry("secret", catalog.PrivacyPrivate)
	w.entry("deleted", catalog.PrivacyPublic)
	if err := w.entries.Delete(as(ada), w.id("deleted")); err != nil {
		t.Fatal(err)
	}
	code, spikes, secret, deleted, absent := w.id("code"), w.id("spikes"), w.id("secret"), w.id("deleted"), sqldb.NewID()
	project := func(name, repository string, datasets ...string) string {
		return mustJSON(t, map[string]any{"name": name, "ownerId": bob, "repositoryId": repository, "datasetIds": datasets})
	}
	hidden := func(location, id string) string { return location + `: "` + id + `" isn't an entry that you can see` }
	for _, c := range []struct{ body, want string }{
		{project("", code, spikes), "body.name: must be 1 to 200 characters"},
		{project(" \t ", code), "body.name: must be 1 to 200 characters"},
		{project(strings.Repeat("名", 201), code), "body.name: must be 1 to 200 characters"},
		{project("two\nlines", code), "body.name: must be one line of text without control characters"},
		{project("p", ""), "body.repositoryId: Please select a repository."},
		{project("p", absent), hidden("body.repositoryId", absent)},
		{project("p", "' OR 1=1"), `body.repositoryId: "' OR 1=1" isn't an entry that you can see`},
		{project("p", "\x01"), `body.repositoryId: "\x01" isn't an entry that you can see`},
		{project("p", strings.Repeat("x", 10_000)), `body.repositoryId: "` + strings.Repeat("x", 60) + `…" isn't an entry that you can see`},
		{project("p", spikes), `body.repositoryId: "spikes" (` + spikes + `) is a DATASET, not a REPOSITORY`},
		{project("p", code, spikes, code), `body.datasetIds[1]: "code" (` + code + `) is a REPOSITORY, not a DATASET`},
		{project("p", code, secret), hidden("body.datasetIds[0]", secret)},
		{project("p", code, deleted), hidden("body.datasetIds[0]", deleted)},
		{
			project("", "", absent, "no id"),
			"body.name: must be 1 to 200 characters, body.repositoryId: Please select a repository., " +
				hidden("body.datasetIds[0]", absent) + ", " + hidden("body.datasetIds[1]", "no id"),
		},
		{`{"repositoryId":"` + code + `"}`, "body.name: must be 1 to 200 characters"},
	} {
		answer := w.send(bob, http.MethodPost, "/projects", c.body, http.StatusUnprocessableEntity)
		if got := faultsOf(t, answer); got != c.want {
			t.Errorf("%.200s:\n got %s\nwant %s", c.body, got, c.want)
		}
		if strings.Contains(answer, "hush") || strings.Contains(answer, `secret"`) {
			t.Errorf("the refusal tells of what is hidden: %s", answer)
		}
	}
	many := make([]string, projects.DatasetsLimit+1)
	for i := range many {
		many[i] = sqldb.NewID()
	}
	if got := faultsOf(t, w.send(bob, http.MethodPost, "/projects", project("p", code, many...), http.StatusUnprocessableEntity)); got != "body.datasetIds: can't be more than 100" {
		t.Errorf("a flood of datasets: %s", got)
	}
	w.send(bob, http.MethodPost, "/projects", `{"name":`, http.StatusBadRequest)
	w.send(bob, http.MethodPost, "/projects", `{"name":"p","ownerId":"ada@example.org","repositoryId":"`+code+`"}`, http.StatusForbidden)
	w.send("", http.MethodPost, "/projects", project("p", code), http.StatusUnauthorized)
	if got := names(t, w.ask(bob, "/projects", http.StatusOK)); got != "" {
		t.Errorf("something was made: %q", got)
	}
}

func TestOnlyPublicPartsArePublished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.entry("images", catalog.PrivacyPrivate)
	code, images := w.id("code"), w.id("images")
	body := func(published bool) string {
		return mustJSON(t, map[string]any{"name": "p", "repositoryId": code, "datasetIds": []string{images}, "published": published})
	}
	want := `body.datasetIds[0]: "images" (` + images + `) is private; the parts of a published project must be public`
	if got := faultsOf(t, w.send(ada, http.MethodPost, "/projects", body(true), http.StatusUnprocessableEntity)); got != want {
		t.Errorf("got %s", got)
	}
	if made := w.create(ada, body(false)); !made.Available {
		t.Errorf("unpublished it works for who may see the parts, got %+v", made)
	}
}

// A published project with a part that becomes private: others read its name, which its owner published, and its other
// parts; they learn nothing about the part, and may not start the project. Those who see the part see and start it as
// before. When it becomes public again, everything is as before.
func TestAPartOfAPublishedProjectTurnsPrivate(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.create(bob, fmt.Sprintf(`{"name":"open","repositoryId":%q,"datasetIds":[%q,%q],"published":true}`,
			w.id("code"), w.id("spikes"), w.id("images")))
		for _, c := range []struct {
			privacy   catalog.Privacy
			email     string
			available bool
		}{
			{catalog.PrivacyPublic, "", true},
			{catalog.PrivacyPrivate, "", false},
			{catalog.PrivacyPrivate, bob, false}, // the owner of the project isn't an author of the dataset
			{catalog.PrivacyPrivate, ada, true},
			{catalog.PrivacyPublic, "", true},
		} {
			w.entry("spikes", c.privacy)
			answer := w.ask(c.email, "/resources/public/"+w.id("code")+"/projects", http.StatusOK)
			var list []projects.Project
			if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list) != 1 || list[0].Name != "open" {
				t.Fatalf("%v: %s", err, answer)
			}
			if list[0].Available != c.available || (list[0].DatasetResources[0].Name == "spikes") != c.available {
				t.Errorf("%s, %q: %s", c.privacy, c.email, answer)
			}
			if list[0].DatasetResources[1].Name != "images" {
				t.Errorf("%s, %q: the other part is hidden too: %s", c.privacy, c.email, answer)
			}
			if got, err := w.service.Get(as(c.email), made.ID); err != nil || got.Available != c.available {
				t.Errorf("%s, %q: started from it: %v, %v", c.privacy, c.email, got.Available, err)
			}
		}
	})
}

// faultsOf returns the invalid fields of an answer as text, and checks that its message consists of them.
func faultsOf(t *testing.T, answer string) string {
	t.Helper()
	var problem struct {
		Message string
		Errors  []struct{ Location, Message string }
	}
	if err := json.Unmarshal([]byte(answer), &problem); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	var faults []string
	for _, field := range problem.Errors {
		faults = append(faults, field.Location+": "+field.Message)
		if !strings.Contains(problem.Message, field.Message) {
			t.Errorf("the message %q does not say %q", problem.Message, field.Message)
		}
	}
	return strings.Join(faults, ", ")
}
