package contribute_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
)

const eve = "eve@example.org"

// refused is the part of a problem that tests check.
type refused struct {
	Message string
	Errors  []struct{ Location, Message string }
}

func (p refused) locations() string {
	var list []string
	for _, field := range p.Errors {
		list = append(list, field.Location)
	}
	return strings.Join(list, " ")
}

func TestAddingEntries(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		for _, c := range []struct{ body, authors, tags, address string }{
			{
				`{"type":"DATASET","name":" Spikes ","description":"**many**","tags":["md, namd","v1","v1"],"authors":["EVE@example.org"],` +
					`"datasetUrl":" https://example.org/spikes.h5 "}`,
				"ada@example.org eve@example.org", "md, namd|v1", "https://example.org/spikes.h5",
			},
			{
				`{"type":"NOTEBOOK","name":"Analysis","authors":["eve@example.org","Ada@Example.org"],"privacy":"PRIVATE",` +
					`"notebookPath":"https://github.com/o/r/blob/main/a.ipynb"}`,
				"eve@example.org ada@example.org", "", "https://github.com/o/r/blob/main/a.ipynb",
			},
			{`{"type":"MODEL","name":"Neuron","applicationInterfaceId":"neuron_1","version":"2.1"}`, "ada@example.org", "", "neuron_1 2.1"},
		} {
			var made catalog.Resource
			w.Send(catalogtest.Ada, http.MethodPost, "/resources/", c.body, http.StatusCreated, &made)
			var tags []string
			for _, tag := range made.Tags {
				tags = append(tags, tag.Value)
			}
			if got := strings.Join(made.Authors, " "); got != c.authors || strings.Join(tags, "|") != c.tags {
				t.Errorf("%s: authors %q, tags %q", c.body, got, tags)
			}
			if got := made.DatasetURL + made.NotebookPath + strings.TrimSpace(made.ApplicationInterfaceID+" "+made.Version); got != c.address {
				t.Errorf("%s: its own fields are %q", c.body, got)
			}
			if made.CanEdit == nil || !*made.CanEdit || !*made.CanDelete || made.State != catalog.StateActive || made.Status != "NONE" {
				t.Errorf("made %+v", made)
			}
			// Every search finds it immediately, for those who may see it.
			if got := catalogtest.Names(w.Find(catalogtest.Ada, catalog.Query{Text: made.Name}).Resources); got != made.Name {
				t.Errorf("a search for %q finds %q", made.Name, got)
			}
			want := made.Name
			if made.Privacy == catalog.PrivacyPrivate {
				want = ""
			}
			if got := catalogtest.Names(w.Find(catalogtest.Bob, catalog.Query{Text: made.Name}).Resources); got != want {
				t.Errorf("others find %q, want %q", got, want)
			}
		}
	})
}

func TestWhatIsNoEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	for _, c := range []struct{ body, want string }{
		{`{"type":"DATASET"}`, "body.name body.datasetUrl"},
		{`{"type":"DATASET","name":" ","datasetUrl":"ftp://example.org/x"}`, "body.name body.datasetUrl"},
		{`{"type":"DATASET","name":"x","datasetUrl":"https://user:secret@example.org/x"}`, "body.datasetUrl"},
		{`{"type":"DATASET","name":"x","datasetUrl":"https://example.org/x","version":"1","notebookPath":""}`, "body.notebookPath"},
		{`{"type":"NOTEBOOK","name":"x","notebookPath":"javascript:alert(1)"}`, "body.notebookPath"},
		{`{"type":"MODEL","name":"x","version":"a\nb"}`, "body.version body.applicationInterfaceId"},
		{`{"type":"MODEL","name":"x","applicationInterfaceId":"m","version":"a\nb"}`, "body.version"},
		{`{"type":"MODEL","name":"x","applicationInterfaceId":"m","authors":["nobody"],"tags":["a\u0001"],"privacy":"SECRET","headerImage":"a\nb"}`, "body.authors body.tags body.privacy body.headerImage"},
		{`{"type":"MODEL","name":"x","applicationInterfaceId":"m","description":"\u0000"}`, "body.description"},
		{`{"type":"REPOSITORY","name":"x"}`, "body.type"},
		{`{"type":"THING","name":"x"}`, "body.type"},
		{`{"name":"x"}`, "body.type"},
		{`{"type":"MODEL","name":"x","applicationInterfaceId":"m","id":"1"}`, "body.id"},
	} {
		var problem refused
		w.Send(catalogtest.Ada, http.MethodPost, "/resources", c.body, http.StatusUnprocessableEntity, &problem)
		if got := problem.locations(); got != c.want {
			t.Errorf("%s: faults at %q, want %q", c.body, got, c.want)
		}
	}
	// Those who may only add web addresses read only about those.
	for body, want := range map[string]string{
		`{"type":"DATASET","name":"x"}`:                                     "Give an address that begins with https://, or a DOI.",
		`{"type":"DATASET","name":"x","datasetUrl":"http://example.org/x"}`: `"http://example.org/x" must be an address that begins with https://, or a DOI`,
		`{"type":"NOTEBOOK","name":"x","notebookPath":"../x"}`:              `"../x" must be an address that begins with https://`,
	} {
		var problem refused
		if w.Send(catalogtest.Ada, http.MethodPost, "/resources", body, http.StatusUnprocessableEntity, &problem); problem.Errors[0].Message != want {
			t.Errorf("%s: %s", body, problem.Errors[0].Message)
		}
	}
	w.Send("", http.MethodPost, "/resources", `{"type":"MODEL"}`, http.StatusUnauthorized, nil)
	unverified := identity.With(t.Context(), identity.Caller{AccountID: sqldb.NewID()})
	if _, err := w.contribute.Create(unverified, catalog.Model, contribute.Edit{}); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("without a verified e-mail: %v", err)
	}
	if got := w.Find(catalogtest.Ada, catalog.Query{}).Total; got != 0 {
		t.Errorf("%d entries were made", got)
	}
}

// A flood of bad tags or authors gets a short answer.
func TestAFloodOfTagsIsAnsweredInAFewWords(t *testing.T) {
	t.Parallel()
	many := make([]string, 50_000)
	for i := range many {
		many[i] = "\n"
	}
	r := catalogtest.Entry("x", catalogtest.By(many...), catalogtest.Tagged(many...))
	if faults := r.Check(); len(faults) > 2+catalog.TagsLimit+catalog.AuthorsLimit {
		t.Errorf("%d faults", len(faults))
	}
}

// Through folders below the operators' data root and bundled files, anybody could get any data on the server into their
// sessions (CVE-2023-51449 is a path that left such a root): only operators and `cairn import` may name them.
func TestOnlyOperatorsAddWhatLiesOnTheServer(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.Import(catalogtest.Entry("imported"))
		imported := w.Entry(catalogtest.Ada, w.ID("imported"))
		web := w.made(catalogtest.Ada, `{"type":"DATASET","name":"web","datasetUrl":"https://example.org/d"}`)
		text := func(value string) *string { return &value }
		operator := func(email string) identity.Caller {
			caller, _ := identity.From(w.As(email))
			caller.Operator = true
			return caller
		}
		for _, address := range []string{"spikes", "spikes/2024", "bundled:spikes", "example.org/data.zip"} {
			var problem refused
			w.Send(catalogtest.Ada, http.MethodPost, "/resources", `{"type":"DATASET","name":"x","datasetUrl":"`+address+`"}`, http.StatusForbidden, &problem)
			if problem.locations() != "body.datasetUrl" || !strings.Contains(problem.Message, "https://") {
				t.Errorf("%s: %+v", address, problem)
			}
			w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+web.ID, `{"datasetUrl":"`+address+`","updatedAt":"`+stamp(web)+`"}`, http.StatusForbidden, nil)
			made, err := w.contribute.Create(identity.With(t.Context(), operator(catalogtest.Bob)), catalog.Dataset,
				contribute.Edit{Name: text("x"), DatasetURL: &address})
			if err != nil || made.DatasetURL != address || made.Authors[0] != catalogtest.Bob {
				t.Errorf("an operator: %+v, %v", made, err)
			}
		}
		for _, address := range []string{"../etc", "/etc/passwd", "a/../b", ".hidden", "file:///etc/passwd"} {
			w.Send(catalogtest.Ada, http.MethodPost, "/resources", `{"type":"DATASET","name":"x","datasetUrl":"`+address+`"}`, http.StatusUnprocessableEntity, nil)
		}
		w.Send(catalogtest.Ada, http.MethodPost, "/resources", `{"type":"NOTEBOOK","name":"x","notebookPath":"bundled:a.ipynb"}`, http.StatusForbidden, nil)
		// Authors of an imported entry may change the rest of it; its address may only stay.
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+imported.ID, `{"name":"renamed","datasetUrl":"spikes","updatedAt":"`+stamp(imported)+`"}`, http.StatusOK, &imported)
		if imported.Name != "renamed" || imported.DatasetURL != "spikes" {
			t.Errorf("changed into %+v", imported)
		}
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+imported.ID, `{"datasetUrl":"images","updatedAt":"`+stamp(imported)+`"}`, http.StatusForbidden, nil)
		if now := w.Entry(catalogtest.Ada, imported.ID); now.DatasetURL != "spikes" {
			t.Errorf("the address is %s", now.DatasetURL)
		}
	})
}

func TestChangingEntries(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.Import(catalogtest.Entry("code", catalogtest.Repository("https://github.com/o/r")))
		if err := w.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := w.made(catalogtest.Ada, `{"type":"DATASET","name":"Spikes","tags":["old","kept"],"datasetUrl":"https://example.org/d","authors":["bob@example.org"]}`)
		path := "/resources/" + first.ID
		var second catalog.Resource
		w.Send(catalogtest.Bob, http.MethodPatch, path+"/", `{"name":"Bursts","tags":["kept","new"],"privacy":"PRIVATE","updatedAt":"`+stamp(first)+`"}`, http.StatusOK, &second)
		if second.Name != "Bursts" || second.DatasetURL != first.DatasetURL || second.Privacy != catalog.PrivacyPrivate || len(second.Authors) != 2 {
			t.Errorf("changed into %+v: what was left out must stay", second)
		}
		if !second.UpdatedAt.After(first.UpdatedAt) || !second.CreatedAt.Equal(first.CreatedAt) {
			t.Errorf("times %v %v after %v", second.CreatedAt, second.UpdatedAt, first.UpdatedAt)
		}
		for _, c := range []struct{ email, text, want string }{
			{catalogtest.Ada, "Spikes", ""}, {catalogtest.Ada, "Bursts", "Bursts"}, {catalogtest.Ada, "tag:old", ""}, {catalogtest.Ada, "tag:new", "Bursts"}, {eve, "Bursts", ""},
		} {
			if got := catalogtest.Names(w.Find(c.email, catalog.Query{Text: c.text}).Resources); got != c.want {
				t.Errorf("%s finds %q for %q, want %q", c.email, got, c.text, c.want)
			}
		}

		// Two people edit the same state: the second one gets a conflict, and nothing of the first is lost.
		var problem refused
		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"name":"Mine","updatedAt":"`+stamp(first)+`"}`, http.StatusConflict, &problem)
		if !strings.Contains(problem.Message, "changed in the meantime") {
			t.Errorf("refused with %q", problem.Message)
		}
		if now := w.Entry(catalogtest.Ada, first.ID); now.Name != "Bursts" || !now.UpdatedAt.Equal(second.UpdatedAt) {
			t.Errorf("it is now %+v", now)
		}

		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"name":"x"}`, http.StatusUnprocessableEntity, &problem)
		if problem.locations() != "body.updatedAt" {
			t.Errorf("without updatedAt: %+v", problem)
		}
		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"name":"","notebookPath":"x","language":"English","updatedAt":"`+stamp(second)+`"}`, http.StatusUnprocessableEntity, &problem)
		if problem.locations() != "body.notebookPath body.name body.language" {
			t.Errorf("bad fields: %+v", problem)
		}
		w.Send("", http.MethodPatch, path, `{}`, http.StatusUnauthorized, nil)
		w.Send(eve, http.MethodPatch, path, `{"updatedAt":"`+stamp(second)+`"}`, http.StatusNotFound, nil) // private, so invisible
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/no-id", `{"updatedAt":"`+stamp(second)+`"}`, http.StatusNotFound, nil)
		code := w.Entry(catalogtest.Ada, w.ID("code"))
		w.Send(eve, http.MethodPatch, "/resources/"+code.ID, `{"name":"x","updatedAt":"`+stamp(code)+`"}`, http.StatusForbidden, nil)
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+code.ID, `{"name":"x","updatedAt":"`+stamp(code)+`"}`, http.StatusConflict, &problem)
		if !strings.Contains(problem.Message, "descriptor") || *code.CanEdit || !*code.CanSync {
			t.Errorf("a repository: %q, can edit %v", problem.Message, *code.CanEdit)
		}
		w.Ask(catalogtest.Ada, http.MethodDelete, path, http.StatusOK, nil)
		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"updatedAt":"`+stamp(second)+`"}`, http.StatusNotFound, nil)
	})
}

// Clients that show a notebook in a frame have its frame's address as its notebookPath, and send it back.
func TestAFrameIsNotANotebooksSource(t *testing.T) {
	t.Parallel()
	const source = "https://github.com/o/r/blob/main/a.ipynb"
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("spikes", catalogtest.Notebook(source), catalogtest.By(catalogtest.Ada)))
	id := w.ID("spikes")
	w.contribute.IsFrame = func(of, address string) bool { return of == id && strings.HasPrefix(address, "https://n.example.org/") }
	for path, want := range map[string]string{
		"https://n.example.org/?expires=1&signature=2": source, " https://n.example.org/ ": source, "https://example.org/b.ipynb": "https://example.org/b.ipynb",
	} {
		var before, after catalog.Resource
		w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+id, http.StatusOK, &before)
		seen, _ := before.UpdatedAt.MarshalText()
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+id,
			`{"name":"Renamed","notebookPath":"`+path+`","updatedAt":"`+string(seen)+`"}`, http.StatusOK, &after)
		if after.NotebookPath != want || after.Name != "Renamed" {
			t.Errorf("%q: %q at %q", path, after.Name, after.NotebookPath)
		}
		w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+id, http.StatusOK, &before)
		seen, _ = before.UpdatedAt.MarshalText()
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+id, `{"notebookPath":"`+source+`","updatedAt":"`+string(seen)+`"}`, http.StatusOK, nil)
	}
}

func TestAuthorsMayLeaveButTheLastOne(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.made(catalogtest.Ada, `{"type":"MODEL","name":"m","applicationInterfaceId":"m","authors":["ada@example.org","bob@example.org"],"privacy":"PRIVATE"}`)
		path := "/resources/" + made.ID
		var problem refused
		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"authors":[" "],"updatedAt":"`+stamp(made)+`"}`, http.StatusUnprocessableEntity, &problem)
		if problem.locations() != "body.authors" {
			t.Errorf("nobody left: %+v", problem)
		}
		w.Send(catalogtest.Ada, http.MethodPatch, path, `{"authors":["bob@example.org"],"updatedAt":"`+stamp(made)+`"}`, http.StatusOK, &made)
		if len(made.Authors) != 1 || *made.CanEdit || *made.CanDelete {
			t.Errorf("left with %+v", made)
		}
		w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+made.ID, http.StatusNotFound, nil)
		if got := catalogtest.Names(w.Find(catalogtest.Ada, catalog.Query{}).Resources); got != "" {
			t.Errorf("who left still finds %q", got)
		}
		if now := w.Entry(catalogtest.Bob, made.ID); !*now.CanEdit {
			t.Error("the other one may not change it")
		}
	})
}

// Of many who change the same state at once, one succeeds and all others get a conflict.
func TestOneOfManyChangesAtOnce(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.made(catalogtest.Ada, `{"type":"MODEL","name":"m","applicationInterfaceId":"m","tags":["a","b"]}`)
		var changed, conflicts atomic.Int32
		var all sync.WaitGroup
		ctx := w.As(catalogtest.Ada)
		for i := range 8 {
			all.Go(func() {
				name, tags := string(rune('a'+i)), []string{"t" + string(rune('a'+i)), "t" + string(rune('h'-i))}
				_, err := w.contribute.Update(ctx, made.ID, contribute.Edit{Name: &name, Tags: &tags}, made.UpdatedAt)
				switch {
				case err == nil:
					changed.Add(1)
				case fault.KindOf(err) == fault.Conflict:
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			})
			all.Go(func() { // others add entries with the same tags, in reverse order
				name, tags := "other", []string{"t" + string(rune('h'-i)), "t" + string(rune('a'+i))}
				if _, err := w.contribute.Create(ctx, catalog.Model, contribute.Edit{Name: &name, Tags: &tags, ApplicationInterfaceID: &name}); err != nil {
					t.Error(err)
				}
			})
			all.Go(func() { // and so does an import
				lines := []catalog.Entry{
					catalogtest.Entry("line "+string(rune('h'-i)), catalogtest.Tagged("t"+string(rune('h'-i)))),
					catalogtest.Entry("line "+string(rune('a'+i)), catalogtest.Tagged("t"+string(rune('a'+i)))),
				}
				if err := w.Store.Import(ctx, lines); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if changed.Load() != 1 || conflicts.Load() != 7 {
			t.Errorf("%d changed it, %d were told; want 1 and 7", changed.Load(), conflicts.Load())
		}
	})
}

// made adds an entry as somebody.
func (w *world) made(email, body string) catalog.Resource {
	w.T.Helper()
	var made catalog.Resource
	w.Send(email, http.MethodPost, "/resources", body, http.StatusCreated, &made)
	return made
}

// stamp returns updatedAt as it was sent.
func stamp(r catalog.Resource) string {
	text, err := json.Marshal(r.UpdatedAt)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(text), `"`)
}

func TestDisabledAccountsChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("data"))
	w.withGitHub("")
	id := w.ID("data")
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Disabled = true
		return caller
	}
	for _, call := range [][3]string{
		{http.MethodPost, "/resources", `{"type":"MODEL","name":"New","applicationInterfaceId":"m"}`},
		{http.MethodPost, "/resources/repository?githubUrl=https://github.com/lab/spikes", `{}`},
		{http.MethodPatch, "/resources/repository", `{"id":"` + id + `"}`},
		{http.MethodPatch, "/resources/" + id, `{"name":"New","updatedAt":"2020-01-01T00:00:00Z"}`},
		{http.MethodPut, "/resources/" + id + "/star", ""},
		{http.MethodPost, "/resources/" + id + "/star", ""},
	} {
		var problem struct{ Code string }
		if w.Send(catalogtest.Ada, call[0], call[1], call[2], http.StatusForbidden, &problem); problem.Code != "account_disabled" {
			t.Errorf("%s %s: %s", call[0], call[1], problem.Code)
		}
	}
}

func TestAdditionsPerHour(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	w := newWorld(t, sqldbtest.SQLite(t, func() time.Time { return now }))
	w.contribute.AdditionsPerHour = 2
	add := func(email string, status int) (problem struct {
		Code       string
		RetryAfter int
	},
	) {
		t.Helper()
		w.Send(email, http.MethodPost, "/resources", `{"type":"MODEL","name":"New","applicationInterfaceId":"m"}`, status, &problem)
		return problem
	}
	add(catalogtest.Ada, http.StatusCreated)
	now = now.Add(20 * time.Minute)
	w.Send(catalogtest.Ada, http.MethodPost, "/resources", `{"type":"MODEL"}`, http.StatusUnprocessableEntity, nil) // doesn't count
	add(catalogtest.Ada, http.StatusCreated)
	if problem := add(catalogtest.Ada, http.StatusTooManyRequests); problem.Code != "too_many" || problem.RetryAfter != 40*60 {
		t.Errorf("the third: %+v", problem)
	}
	add(catalogtest.Bob, http.StatusCreated)
	now = now.Add(41 * time.Minute)
	add(catalogtest.Ada, http.StatusCreated)
	add(catalogtest.Ada, http.StatusTooManyRequests)
	w.SignIn = func(caller identity.Caller) identity.Caller {
		caller.Operator = true
		return caller
	}
	add(catalogtest.Ada, http.StatusCreated)
}

// Naming somebody who left is refused: what was typed stays in the form, and they stay out.
func TestWhoeverLeftIsNotNamedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	made := w.made(catalogtest.Ada, `{"type":"MODEL","name":"m","applicationInterfaceId":"m","authors":["ada@example.org","bob@example.org"]}`)
	w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+made.ID+"/authors/me", http.StatusOK, nil)
	now := w.Entry(catalogtest.Ada, made.ID)
	var problem refused
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/"+made.ID, `{"authors":["ada@example.org","Bob@example.org"],"updatedAt":"`+stamp(now)+`"}`,
		http.StatusUnprocessableEntity, &problem)
	if problem.locations() != "body.authors" {
		t.Errorf("refused %+v", problem)
	}
}
