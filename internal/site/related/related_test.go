package related_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/site"
	"cairn/internal/site/related"
)

const (
	ada = "ada@example.org"
	bob = "bob@example.org"
)

// answer is what the call answers.
type answer struct {
	Entries []related.RelatedEntry
	Events  []related.EventName
}

// said is an answer in one line an entry: its name and why.
func (a answer) said() []string {
	lines := []string{}
	for _, one := range a.Entries {
		line := one.Name + " " + string(one.Why.Reason)
		switch {
		case one.Why.Project != nil:
			line += " " + one.Why.Project.Name
		case one.Why.Event != nil:
			line += " " + one.Why.Event.Slug
		case one.Why.Tags != nil:
			line += fmt.Sprint(one.Why.Tags)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestRelatedEntries(t *testing.T) {
	db := sqldbtest.SQLite(t, time.Now)
	private := catalogtest.Private
	tagged := catalogtest.Tagged
	w := catalogtest.New(t, db,
		catalogtest.Entry("code", catalogtest.Repository("https://github.com/lab/Code.git"), tagged("rare", "school-25")),
		catalogtest.Entry("worked", catalogtest.Notebook("https://github.com/lab/code/blob/main/a.ipynb"), tagged("rare")),
		catalogtest.Entry("other", catalogtest.Notebook("https://github.com/lab/else/blob/main/a.ipynb"), tagged("rare", "school-25")),
		catalogtest.Entry("pupil", tagged("school-25")),
		catalogtest.Entry("hidden", private, tagged("rare", "school-25"), catalogtest.By(ada)),
		catalogtest.Entry("data", catalogtest.By(ada)),
		catalogtest.Entry("alone"),
	)
	shared := projects.NewService(projects.NewStore(db), w.Service)
	service := &related.Service{Entries: w.Service, Projects: shared, Events: func() []site.Event {
		return []site.Event{{Title: "Spring school", Slug: "school", Tag: "school-25"}, {Title: "Fair", Slug: "fair"}}
	}}
	w.Mount(shared, service)
	w.Send(ada, http.MethodPost, "/projects", fmt.Sprintf(`{"name":"Study","repositoryId":%q,"datasetIds":[%q]}`, w.ID("code"), w.ID("data")), http.StatusCreated, nil)
	of := func(email, name string) answer {
		var got answer
		w.Ask(email, http.MethodGet, "/resources/public/"+w.ID(name)+"/related", http.StatusOK, &got)
		return got
	}
	for _, one := range []struct {
		email, name, want string
	}{
		{"", "code", "[worked repository other event school pupil event school]"},
		{ada, "code", "[worked repository data project Study hidden event school other event school pupil event school]"},
		{bob, "worked", "[code repository other tags[rare]]"},
		{"", "data", "[]"},
		{ada, "data", "[code project Study]"},
		{"", "alone", "[]"},
	} {
		if got := fmt.Sprint(of(one.email, one.name).said()); got != one.want {
			t.Errorf("%s for %q: got %s, want %s", one.name, one.email, got, one.want)
		}
	}
	if got := of("", "pupil"); len(got.Events) != 1 || got.Events[0] != (related.EventName{Slug: "school", Title: "Spring school"}) {
		t.Errorf("The events are %+v", got.Events)
	}
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("hidden")+"/related", http.StatusNotFound, nil)
}

// TestRareTagsSayMoreThanCommonOnes also bounds the answer.
func TestRareTagsSayMoreThanCommonOnes(t *testing.T) {
	var entries []catalog.Entry
	for i := range 40 {
		entries = append(entries, catalogtest.Entry(fmt.Sprintf("common %02d", i), catalogtest.Tagged("common")))
	}
	entries = append(entries, catalogtest.Entry("one", catalogtest.Tagged("common", "rare")), catalogtest.Entry("two", catalogtest.Tagged("rare")))
	db := sqldbtest.SQLite(t, time.Now)
	w := catalogtest.New(t, db, entries...)
	service := &related.Service{Entries: w.Service, Projects: projects.NewService(projects.NewStore(db), w.Service), Events: func() []site.Event { return nil }}
	found, _, err := service.Of(w.As(""), w.ID("one"))
	if err != nil || len(found) != 6 || found[0].Name != "two" || fmt.Sprint(found[5].Why.Tags) != "[common]" {
		t.Errorf("got %+v, %v", found, err)
	}
}

// TestAPartThatBecamePrivateIsNotRelated: a published project still holds it.
func TestAPartThatBecamePrivateIsNotRelated(t *testing.T) {
	db := sqldbtest.SQLite(t, time.Now)
	w := catalogtest.New(t, db, catalogtest.Entry("code", catalogtest.Repository("https://github.com/lab/code")), catalogtest.Entry("data", catalogtest.By(ada)))
	shared := projects.NewService(projects.NewStore(db), w.Service)
	service := &related.Service{Entries: w.Service, Projects: shared, Events: func() []site.Event { return nil }}
	w.Mount(shared)
	w.Send(ada, http.MethodPost, "/projects", fmt.Sprintf(`{"name":"Study","published":true,"repositoryId":%q,"datasetIds":[%q]}`, w.ID("code"), w.ID("data")), http.StatusCreated, nil)
	for _, want := range []int{1, 0} {
		found, _, err := service.Of(w.As(""), w.ID("code"))
		if err != nil || len(found) != want {
			t.Errorf("got %+v, %v; want %d", found, err, want)
		}
		w.Import(catalogtest.Entry("data", catalogtest.By(ada), catalogtest.Private))
	}
}
