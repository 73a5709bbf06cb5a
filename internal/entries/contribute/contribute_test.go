package contribute_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/entries/contribute"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const spikes = `project:
  name: Spike sorting
  description: Sorts spikes.
  authors:
    - ada@example.org
    - bob@example.org
  tags: [neuroscience, "md, namd"]
  privacy: PUBLIC
`

// spikesCopy is what pages post after they have shown the descriptor.
const spikesCopy = `{"name":"Spike sorting","headerImage":"image.png","description":"Sorts spikes.","tags":["neuroscience","md, namd"],` +
	`"authors":["ada@example.org","bob@example.org"],"privacy":"PUBLIC"}`

const spikesURL = "https://github.com/lab/spikes"

// refusal is what people read when they are refused.
type refusal struct {
	Status  int
	Code    fault.Code
	Message string
	Link    string
	Errors  []struct{ Location, Message string }
}

type added struct {
	Type     string
	Resource catalog.Resource
}

func (w *world) add(email string) catalog.Resource {
	w.T.Helper()
	var answer added
	w.Send(email, http.MethodPost, "/resources/repository?githubUrl="+spikesURL, spikesCopy, http.StatusCreated, &answer)
	return answer.Resource
}

func TestRepositoryIsAddedByItsDescriptor(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.withGitHub("")
		var pulled contribute.Descriptor
		w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+url.QueryEscape(spikesURL+".git"), http.StatusOK, &pulled)
		if pulled.RepositoryURL != spikesURL || pulled.File != "cairn.yml" || pulled.Branch != "main" || pulled.Name != "Spike sorting" ||
			fmt.Sprintf("%q", pulled.Tags) != `["md, namd" "neuroscience"]` || pulled.Privacy != "PUBLIC" || pulled.PrivacyMissing {
			t.Errorf("pulled %+v", pulled)
		}
		var answer added
		w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+spikesURL, spikesCopy, http.StatusCreated, &answer)
		r := answer.Resource
		if answer.Type != "REPOSITORY" || r.Type != catalog.Repository || r.RepositoryURL != spikesURL || r.HeaderImage != "image.png" ||
			r.HeaderImageURL != "" || r.Description != "Sorts spikes." || strings.Join(r.Authors, " ") != catalogtest.Ada+" "+catalogtest.Bob || len(r.Tags) != 2 || !*r.CanSync {
			t.Errorf("added %+v", answer)
		}
		if page := w.Find("", catalog.Query{Text: "spike", Tags: []string{"md, namd"}}); catalogtest.Names(page.Resources) != "Spike sorting" {
			t.Errorf("the catalog shows %q", catalogtest.Names(page.Resources))
		}
	})
}

// Each row is a call and its refusal.
func TestRefusedAdditions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub(githubtest.Token)
	put := func(name, content string) {
		host.Put(githubtest.Repository{Name: "lab/" + name, Files: map[string]string{"cairn.yml": content}})
	}
	put("no-privacy", strings.Replace(spikes, "  privacy: PUBLIC\n", "", 1))
	put("flow", strings.Replace(spikes, "authors:\n    - ada@example.org\n    - bob@example.org", "authors: [ada@example.org, bob@example.org]", 1))
	put("large", spikes+strings.Repeat("# "+strings.Repeat("x", 1000)+"\n", 10_000))
	put("binary", "\x7fELF\x02\x01\x01\x00\x00")
	host.Put(githubtest.Repository{Name: "lab/secret", Private: true, Files: map[string]string{"cairn.yml": spikes}})
	host.Put(githubtest.Repository{Name: "lab/bare", Files: map[string]string{"README.md": ""}})
	const failed = "Failed to fetch cairn.yml. Please check the URL."
	const invalid = "Invalid GitHub URL format."
	const changed = "The descriptor changed. Pull it again."
	for name, c := range map[string]struct {
		email, repository, body string
		status                  int
		message                 string // the beginning
	}{
		"no author":       {"carl@example.org", spikesURL, spikesCopy, 403, "You (carl@example.org) aren't listed as an author in cairn.yml. Add this line to it, below line 6, then pull it again: - \"carl@example.org\""},
		"authors in line": {"carl@example.org", "https://github.com/lab/flow", spikesCopy, 403, `You (carl@example.org) aren't listed as an author in cairn.yml. Add this line to it, in place of the authors on line 4, then pull it again: authors: [ada@example.org, bob@example.org, "carl@example.org"]`},
		"another name":    {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, "Spike", "Spoke", 1), 409, changed},
		"another author":  {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, "bob", "eve", 1), 409, changed},
		"fewer tags":      {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, `,"md, namd"`, "", 1), 409, changed},
		"more private":    {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, "PUBLIC", "PRIVATE", 1), 409, changed},
		"no text":         {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, "Sorts spikes.", "", 1), 409, changed},
		"odd image":       {catalogtest.Ada, spikesURL, strings.Replace(spikesCopy, "image.png", `a\nb`, 1), 422, "headerImage: can have at most"},
		"no privacy":      {catalogtest.Ada, "https://github.com/lab/no-privacy", "{}", 422, "cairn.yml can't be used as it is. privacy: This field is missing. Add to project: privacy: PUBLIC"},
		"10 MB":           {catalogtest.Ada, "https://github.com/lab/large", spikesCopy, 422, "cairn.yml can't be used as it is. line 1: The file is larger than 256 KiB."},
		"binary":          {catalogtest.Ada, "https://github.com/lab/binary", spikesCopy, 422, "cairn.yml can't be used as it is. line 1: This isn't text in UTF-8"},
		"of this server":  {catalogtest.Ada, "http://127.0.0.1:8080/demo/git/none", spikesCopy, 404, failed},
		"private":         {catalogtest.Ada, "https://github.com/lab/secret", spikesCopy, 404, failed},
		"no repository":   {catalogtest.Ada, "https://github.com/lab/nothing", spikesCopy, 404, failed},
		"no descriptor":   {catalogtest.Ada, "https://github.com/lab/bare", spikesCopy, 404, failed},
		"another host":    {catalogtest.Ada, "https://evil.example/github.com/a/b", spikesCopy, 422, invalid},
		"host inside":     {catalogtest.Ada, "https://github.com.evil.example/lab/spikes", spikesCopy, 422, invalid},
		"user in front":   {catalogtest.Ada, "https://github.com@evil.example/lab/spikes", spikesCopy, 422, invalid},
		"odd scheme":      {catalogtest.Ada, "hhttps://github.com/lab/spikes", spikesCopy, 422, invalid},
		"owner alone":     {catalogtest.Ada, "https://github.com/lab", spikesCopy, 422, invalid},
		"an option":       {catalogtest.Ada, "https://github.com/-x/--upload-pack=y", spikesCopy, 422, invalid},
		"a command":       {catalogtest.Ada, "ext::sh -c x", spikesCopy, 422, invalid},
		"nothing":         {catalogtest.Ada, "", spikesCopy, 422, invalid},
		"no JSON":         {catalogtest.Ada, spikesURL, `{"name":`, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var refused refusal
			status := w.call(c.email, http.MethodPost, "/resources/repository?githubUrl="+url.QueryEscape(c.repository), c.body, &refused)
			if status != c.status || !strings.HasPrefix(refused.Message, c.message) {
				t.Errorf("%d %s", status, refused.Message)
			}
		})
	}
	if page := w.Find(catalogtest.Ada, catalog.Query{}); page.Total != 0 {
		t.Errorf("the catalog has %s", catalogtest.Names(page.Resources))
	}
}

// What the caller saw may differ in case and spaces, tags in their order, and what they didn't see isn't compared.
func TestPostedCopies(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"other case and blanks": `{"name":" spike  SORTING ","headerImage":"","description":"sorts\n spikes.","tags":["MD,  NAMD","neuroscience"],` +
			`"authors":["ADA@example.org","bob@example.org "],"privacy":"public"}`,
		"twice the same": `{"tags":["neuroscience","neuroscience","md, namd",""]}`,
		"more members":   `{"name":"Spike sorting","status":"NONE"}`,
		"nulls":          `{"name":null,"tags":null,"authors":null,"privacy":null,"description":null,"headerImage":null}`,
		"empty":          `{}`,
		"nothing":        ``,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sqldbtest.SQLite(t, time.Now))
			w.withGitHub("")
			var answer added
			if status := w.call(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+spikesURL, body, &answer); status != http.StatusCreated {
				t.Errorf("%d: %+v", status, answer)
			}
			if answer.Resource.Name != "Spike sorting" || fmt.Sprint(answer.Resource.Authors) != "[ada@example.org bob@example.org]" {
				t.Errorf("added %+v", answer)
			}
		})
	}
}

// On each branch the primary name, then the aliases; main, master, then the default branch; bypassing every cache.
func TestDescriptorsAreFoundInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub("")
	named := func(name string) string { return strings.Replace(spikes, "Spike sorting", name, 1) }
	for _, c := range []struct {
		files    map[string]string
		branches map[string]map[string]string
		standard string
		want     string
	}{
		{map[string]string{"cairn.yml": named("a"), "cybershuttle.yml": named("b")}, nil, "main", "a cairn.yml main"},
		{map[string]string{"cybershuttle.yml": named("b")}, map[string]map[string]string{"master": {"cairn.yml": named("c")}}, "main", "b cybershuttle.yml main"},
		{map[string]string{"cairn.yml": named("d")}, map[string]map[string]string{"master": {"cairn.yml": named("e")}}, "trunk", "e cairn.yml master"},
		{map[string]string{"cairn.yml": named("d")}, map[string]map[string]string{"main": {"x": ""}}, "trunk", "d cairn.yml trunk"},
	} {
		host.Put(githubtest.Repository{Name: "lab/spikes", Files: c.files, Branches: c.branches, Default: c.standard})
		var pulled contribute.Descriptor
		w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor/?githubUrl="+spikesURL, http.StatusOK, &pulled)
		if got := pulled.Name + " " + pulled.File + " " + pulled.Branch; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, request := range host.Requests() {
		if strings.HasSuffix(request.Path, ".yml") && request.Query == "" {
			t.Errorf("%s is asked for without a query that passes caches", request.Path)
		}
	}
}

// The host fails in many ways: each results in a sentence and a status, never a 500.
func TestHostThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		disturbance githubtest.Disturbance
		status      int
	}{
		"500":                   {githubtest.Disturbance{Status: 500}, 503},
		"502 in HTML":           {githubtest.Disturbance{Status: 502, Body: "<html>"}, 503},
		"429":                   {githubtest.Disturbance{Status: 429, Header: map[string]string{"Retry-After": "60"}}, 503},
		"451":                   {githubtest.Disturbance{Status: 451}, 404},
		"403":                   {githubtest.Disturbance{Status: 403, Body: "no"}, 502},
		"broken off":            {githubtest.Disturbance{BreakOff: true}, 502},
		"to a private address":  {githubtest.Disturbance{Status: 302, Header: map[string]string{"Location": "http://10.0.0.1/x"}}, 502},
		"to a metadata address": {githubtest.Disturbance{Status: 301, Header: map[string]string{"Location": "http://169.254.169.254/latest"}}, 502},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sqldbtest.SQLite(t, time.Now))
			w.withGitHub("").Disturb(c.disturbance)
			var refused refusal
			status := w.call(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+spikesURL, "", &refused)
			if status != c.status || !strings.HasSuffix(refused.Message, ".") {
				t.Errorf("%d %q", status, refused.Message)
			}
		})
	}
}

func TestRepositoryThatIsThereAlready(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.withGitHub("")
		there := w.add(catalogtest.Ada)
		for _, address := range []string{spikesURL, "HTTPS://GitHub.com/LAB/Spikes.git/", "github.com/lab/spikes/tree/main"} {
			var refused refusal
			status := w.call(catalogtest.Bob, http.MethodPost, "/resources/repository?githubUrl="+address, spikesCopy, &refused)
			if status != 409 || refused.Link != "/resources/repositories/"+there.ID || refused.Message != `This repository is already in the catalog: "Spike sorting".` {
				t.Errorf("%s: %d %+v", address, status, refused)
			}
		}
		w.Ask(catalogtest.Ada, http.MethodDelete, "/resources/"+there.ID, http.StatusOK, nil)
		if again := w.add(catalogtest.Bob); again.ID == there.ID {
			t.Error("a deleted entry came back")
		}
	})
}

// A private entry that doesn't list somebody isn't shown to them, even if the descriptor names them by now.
func TestRepositoryThatIsThereForOthersOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("hidden", catalogtest.Repository("https://github.com/Lab/Spikes.git"), catalogtest.Private),
	)
	w.withGitHub("")
	var refused refusal
	status := w.call(catalogtest.Bob, http.MethodPost, "/resources/repository?githubUrl="+spikesURL, spikesCopy, &refused)
	if status != 409 || refused.Link != "" || strings.Contains(refused.Message, "hidden") {
		t.Errorf("%d %+v", status, refused)
	}
}

func TestTwoAtOnceMakeOneEntry(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		w.withGitHub("")
		const tries = 6
		statuses := make([]int, tries)
		var working sync.WaitGroup
		for i := range tries {
			working.Go(func() {
				var answer json.RawMessage
				statuses[i] = w.call([]string{catalogtest.Ada, catalogtest.Bob}[i%2], http.MethodPost, "/resources/repository?githubUrl="+spikesURL, spikesCopy, &answer)
			})
		}
		working.Wait()
		var count int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM resource`).Scan(&count); err != nil || count != 1 {
			t.Errorf("%d rows, %v: %v", count, err, statuses)
		}
		counts := map[int]int{}
		for _, status := range statuses {
			counts[status]++
		}
		if counts[http.StatusCreated] != 1 || counts[http.StatusConflict] != tries-1 {
			t.Errorf("statuses %v", statuses)
		}
	})
}

// A repository can also be added by its former name.
func TestRepositoryThatWasRenamed(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", githubtest.Token} {
		w := newWorld(t, sqldbtest.SQLite(t, time.Now))
		w.withGitHub(token).Put(githubtest.Repository{Name: "lab/new", Former: []string{"lab/old"}, Files: map[string]string{"cairn.yml": spikes}})
		var answer added
		w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl=https://github.com/lab/old", spikesCopy, http.StatusCreated, &answer)
		if answer.Resource.Name != "Spike sorting" {
			t.Errorf("added %+v", answer)
		}
	}
}

func TestRepositoryOfThisServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.withGitHub("")
	const address = "http://127.0.0.1:8080/demo/git/first.git"
	var answer added
	w.Send(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl="+strings.TrimSuffix(address, ".git"), "{}", http.StatusCreated, &answer)
	if answer.Resource.RepositoryURL != address {
		t.Errorf("it is at %s", answer.Resource.RepositoryURL)
	}
}

func syncBody(id, changes string) string { return `{"id":"` + id + `"` + changes + `}` }

func TestSync(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		host := w.withGitHub("")
		r := w.add(catalogtest.Ada)
		host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": `project:
  name: Spikes, sorted
  description: Better.
  authors: [bob@example.org, carl@example.org]
  tags: [neuroscience, ephys]
`}})
		var pulled contribute.Descriptor
		w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?sync=true&githubUrl="+spikesURL, http.StatusOK, &pulled)
		if pulled.Privacy != "PUBLIC" || !pulled.PrivacyMissing {
			t.Errorf("pulled %+v", pulled)
		}
		var synced catalog.Resource
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository/", syncBody(r.ID, `,"name":"Spikes, sorted","headerImage":"image.png","description":"Better.",`+
			`"tags":["neuroscience","ephys"],"authors":["bob@example.org","carl@example.org"],"privacy":"PUBLIC","type":"REPOSITORY"`), http.StatusOK, &synced)
		if synced.Name != "Spikes, sorted" || synced.Description != "Better." || strings.Join(synced.Authors, " ") != catalogtest.Bob+" carl@example.org" ||
			len(synced.Tags) != 2 || synced.Tags[0].Value != "ephys" || synced.Privacy != "PUBLIC" || synced.ID != r.ID ||
			synced.HeaderImage != "image.png" || *synced.CanSync || !synced.UpdatedAt.After(r.UpdatedAt) || !synced.CreatedAt.Equal(r.CreatedAt) {
			t.Errorf("synced %+v", synced)
		}
		if page := w.Find("", catalog.Query{Tags: []string{"ephys"}}); catalogtest.Names(page.Resources) != "Spikes, sorted" {
			t.Errorf("the catalog shows %q", catalogtest.Names(page.Resources))
		}
		// Ada is no longer an author.
		var refused refusal
		if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(r.ID, ""), &refused); status != http.StatusForbidden {
			t.Errorf("%d %+v", status, refused)
		}
	})
}

func TestRefusedSyncs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("data"),
		catalogtest.Entry("elsewhere", catalogtest.Repository("https://git.example.org/lab/x")),
		catalogtest.Entry("hidden", catalogtest.Repository("https://github.com/lab/hidden"), catalogtest.Private),
		catalogtest.Entry("spikes", catalogtest.Repository(spikesURL), func(r *catalog.Entry) { r.HeaderImage = "https://example.org/x.png" }),
		catalogtest.Entry("odd", catalogtest.Repository("https://github.com/lab/odd")), catalogtest.Entry("gone", catalogtest.Repository("https://github.com/lab/gone")))
	host := w.withGitHub("")
	host.Put(githubtest.Repository{Name: "lab/odd", Files: map[string]string{"cairn.yml": strings.Replace(spikes, "PUBLIC", "open", 1)}})
	for name, c := range map[string]struct {
		email, entry, changes string
		status                int
		code                  fault.Code
		message               string // empty where TestRefusedAdditions asserts the sentence
	}{
		"changed":     {catalogtest.Ada, "spikes", `,"name":"Spoke"`, 409, fault.DescriptorChanged, ""},
		"no author":   {catalogtest.Bob, "spikes", "", 403, fault.NotAuthor, `Only the authors of "spikes" can sync it: ada@example.org.`},
		"hidden":      {catalogtest.Bob, "hidden", "", 404, "not_found", ""},
		"dataset":     {catalogtest.Ada, "data", "", 409, "conflict", `"data" isn't a repository, so there is no descriptor to sync it with.`},
		"other host":  {catalogtest.Ada, "elsewhere", "", 409, "conflict", "This server can't read the repository \"https://git.example.org/lab/x\", so its entry stays as it is."},
		"odd privacy": {catalogtest.Ada, "odd", "", 422, fault.DescriptorInvalid, `cairn.yml can't be used as it is. line 8: privacy: "open" is neither PUBLIC nor PRIVATE.`},
		"gone":        {catalogtest.Ada, "gone", "", 404, fault.DescriptorMissing, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var refused refusal
			status := w.call(c.email, http.MethodPatch, "/resources/repository", syncBody(w.ID(c.entry), c.changes), &refused)
			if status != c.status || refused.Code != c.code || !strings.HasPrefix(refused.Message, c.message) {
				t.Errorf("%d %s %s", status, refused.Code, refused.Message)
			}
		})
	}
	var refused refusal
	if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", "{}", &refused); status != 422 {
		t.Errorf("without an id: %d %+v", status, refused)
	}
	if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody("nonsense", ""), &refused); status != 404 {
		t.Errorf("with an odd id: %d %+v", status, refused)
	}
	// The placeholder that pages post doesn't remove a picture.
	var synced catalog.Resource
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(w.ID("spikes"), `,"headerImage":"image.png"`), http.StatusOK, &synced)
	if synced.HeaderImage != "https://example.org/x.png" || synced.Name != "Spike sorting" {
		t.Errorf("synced %+v", synced)
	}
}
