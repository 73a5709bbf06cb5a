package contribute_test

import (
	"fmt"
	"net/http"
	"strings"
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

const named = `project:
  name: Spike sorting
  description: Sorts spikes.
  authors:
    - {name: Ada Lovelace, orcid: 0000-0002-1825-0097}
    - Bob Stone
  tags: [2025, 3.10]
  license: MIT
  version: 1.10
  doi: doi:10.5281/zenodo.1234
`

const addition = "/resources/repository?githubUrl=" + spikesURL

// refusedDraft is a refusal with the file to correct.
type refusedDraft struct {
	Code    fault.Code
	Message string
	Draft   *fault.FileDraft
}

// corrected is the file that people copy.
func (r refusedDraft) corrected() string {
	var text strings.Builder
	for _, line := range r.Draft.Lines {
		if line.Mark != "removed" {
			text.WriteString(line.Text + "\n")
		}
	}
	return text.String()
}

func TestAdderHasTheRightsOfAnAuthor(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		host := w.withGitHub(githubtest.Token)
		put := func(content string) {
			host.Put(githubtest.Repository{Name: "lab/spikes", ID: 7, Files: map[string]string{"cairn.yml": content}})
		}
		put(named)
		var refused refusedDraft
		for body, want := range map[string]struct {
			code    fault.Code
			message string // its beginning; empty where TestRefusedAdditions asserts it
		}{
			`{"privacy":"PUBLIC"}`:                    {fault.DescriptorInvalid, "cairn.yml can't be used as it is. line 4: authors: No author has an e-mail address. Add one, such as yours below line 6: - \"bob@example.org\""},
			`{"addAs":"adder"}`:                       {fault.DescriptorInvalid, ""},
			`{"addAs":"adder","privacy":"PRIVATE"}`:   {fault.DescriptorInvalid, ""},
			`{"addAs":"adder","authors":["Eve"]}`:     {fault.DescriptorChanged, ""},
			`{"addAs":"adder","tags":[2025]}`:         {fault.DescriptorChanged, ""},
			`{"addAs":"operator","privacy":"PUBLIC"}`: {"invalid", "addAs must be one of"},
		} {
			if status := w.call(catalogtest.Bob, http.MethodPost, addition, body, &refused); status < 400 || refused.Code != want.code || !strings.HasPrefix(refused.Message, want.message) {
				t.Errorf("%s: %d %s %s", body, status, refused.Code, refused.Message)
			}
		}
		var answer added
		w.Send(catalogtest.Bob, http.MethodPost, addition,
			`{"addAs":"adder","privacy":"PUBLIC","tags":[null,3.1,2025],"authors":[{"name":"Ada Lovelace"},"bob stone"]}`, http.StatusCreated, &answer)
		r := answer.Resource
		if len(r.Authors) != 0 || r.AddedBy != catalogtest.Bob || !*r.CanDelete || !*r.CanSync || r.License != "MIT" || r.Version != "1.10" ||
			r.DOI != "10.5281/zenodo.1234" || len(r.People) != 2 || r.People[0].ORCID != "0000-0002-1825-0097" || r.People[1].Name != "Bob Stone" ||
			r.Tags[1].Value != "3.10" {
			t.Errorf("added %+v", r)
		}
		for _, email := range []string{"", catalogtest.Ada} {
			if seen := w.Entry(email, r.ID); seen.AddedBy != "" || len(seen.People) != 2 || len(seen.Authors) != 0 || (seen.CanSync != nil && *seen.CanSync) {
				t.Errorf("%q sees %+v", email, seen)
			}
		}
		if page := w.Find("", catalog.Query{Text: "spike"}); len(page.Resources) != 1 || page.Resources[0].AddedBy != "" {
			t.Errorf("the catalog shows %+v", page.Resources)
		}
		var synced catalog.Resource
		put(strings.Replace(named, "Bob Stone", "Bob Stone <carl@example.org>", 1))
		w.Send(catalogtest.Bob, http.MethodPatch, "/resources/repository", syncBody(r.ID, ""), http.StatusOK, &synced)
		if strings.Join(synced.Authors, " ") != "carl@example.org" || synced.AddedBy != catalogtest.Bob || synced.People[1].Email != "carl@example.org" {
			t.Errorf("synced %+v", synced)
		}
		if seen := w.Entry("", r.ID); seen.People[1].Email != "" || seen.People[1].Name != "Bob Stone" {
			t.Errorf("strangers see %+v", seen.People)
		}
		if seen := w.Entry("carl@example.org", r.ID); seen.AddedBy != catalogtest.Bob || seen.People[1].Email != "carl@example.org" {
			t.Errorf("an author sees %+v", seen)
		}
	})
}

// An entry stays private until somebody says that it becomes public.
func TestSyncThatMakesAnEntryPublic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("secret", catalogtest.Repository(spikesURL), catalogtest.Private))
	w.withGitHub("").Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": strings.Replace(spikes, "  privacy: PUBLIC\n", "", 1)}})
	var refused refusal
	if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(w.ID("secret"), ""), &refused); status != http.StatusConflict ||
		!strings.HasPrefix(refused.Message, "This sync makes the private entry public, because cairn.yml has no privacy field.") {
		t.Errorf("%d %+v", status, refused)
	}
	if r := w.Entry(catalogtest.Ada, w.ID("secret")); r.Privacy != catalog.PrivacyPrivate {
		t.Errorf("it is %s", r.Privacy)
	}
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(w.ID("secret"), `,"privacy":"PUBLIC"`), http.StatusOK, nil)
}

// Both files are there: clients that read the other one may add what they saw.
func TestCopyOfTheOtherDescriptor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.withGitHub("").Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{
		"cairn.yml": strings.Replace(spikes, "Spike", "Newer spike", 1), "cybershuttle.yml": spikes,
	}})
	var answer added
	w.Send(catalogtest.Ada, http.MethodPost, addition, spikesCopy, http.StatusCreated, &answer)
	if answer.Resource.Name != "Spike sorting" {
		t.Errorf("added %+v", answer.Resource)
	}
}

// The host's own id tells whether a repository is there already, and where it is now.
func TestRepositoryKeepsItsEntryUnderANewName(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("older", catalogtest.Repository("https://github.com/lab/older")))
		host := w.withGitHub(githubtest.Token)
		host.Put(githubtest.Repository{Name: "lab/spikes", ID: 7, Files: map[string]string{"cairn.yml": spikes}})
		there := w.add(catalogtest.Ada)
		host.Remove("lab/spikes")
		host.Put(githubtest.Repository{Name: "institute/sorter", ID: 7, Former: []string{"lab/spikes"}, Files: map[string]string{"cairn.yml": spikes}})
		for _, address := range []string{"https://github.com/institute/sorter", spikesURL} {
			var refused refusal
			status := w.call(catalogtest.Bob, http.MethodPost, "/resources/repository?githubUrl="+address, spikesCopy, &refused)
			if status != http.StatusConflict || refused.Link != "/resources/repositories/"+there.ID {
				t.Errorf("%s: %d %+v", address, status, refused)
			}
		}
		var synced catalog.Resource
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(there.ID, ""), http.StatusOK, &synced)
		if synced.RepositoryURL != "https://github.com/institute/sorter" {
			t.Errorf("it is at %s", synced.RepositoryURL)
		}
		// Somebody else takes the name of a repository: its entry doesn't become theirs.
		host.Remove("institute/sorter")
		host.Put(githubtest.Repository{Name: "institute/sorter", ID: 8, Files: map[string]string{"cairn.yml": strings.Replace(spikes, "Spike", "Spam", 1)}})
		var refused refusal
		if status := w.call(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(there.ID, ""), &refused); status != http.StatusConflict {
			t.Errorf("%d %+v", status, refused)
		}
		// An entry from before has no id until it is synced.
		host.Put(githubtest.Repository{Name: "lab/older", ID: 9, Files: map[string]string{"cairn.yml": spikes}})
		w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(w.ID("older"), ""), http.StatusOK, nil)
		host.Remove("lab/older")
		host.Put(githubtest.Repository{Name: "lab/other", ID: 9, Files: map[string]string{"cairn.yml": spikes}})
		if status := w.call(catalogtest.Ada, http.MethodPost, "/resources/repository?githubUrl=https://github.com/lab/other", "{}", &refused); status != http.StatusConflict {
			t.Errorf("%d %+v", status, refused)
		}
	})
}

// Only authors see a private entry: one without an author's address would be lost.
func TestPrivateEntriesNeedTheAddressOfAnAuthor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub("")
	for i, authors := range []string{"authors: [Ada Lovelace]", "authors:\n    - Ada Lovelace\n    - name: Bob\n      orcid: 0000-0002-1825-0097", "authors: []", "authors:"} {
		address := fmt.Sprintf("lab/private-%d", i)
		content := "project:\n  name: a\n  description: b\n  " + authors + "\n  privacy: PRIVATE\n"
		host.Put(githubtest.Repository{Name: address, Files: map[string]string{"cairn.yml": content}})
		query := "/codehost/descriptor?githubUrl=https://github.com/" + address
		var refused refusedDraft
		if status := w.call(catalogtest.Ada, http.MethodGet, query, "", &refused); status != http.StatusUnprocessableEntity || refused.Draft == nil || !refused.Draft.Complete ||
			!strings.Contains(refused.Message, "one of them needs an e-mail address.") {
			t.Errorf("%q: %d %s %+v", authors, status, refused.Message, refused.Draft)
			continue
		}
		host.Put(githubtest.Repository{Name: address, Files: map[string]string{"cairn.yml": refused.corrected()}})
		w.Ask(catalogtest.Ada, http.MethodGet, query, http.StatusOK, nil)
	}
}

func TestSyncDoesNotBringBackWhoeverLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.withGitHub("")
	there := w.add(catalogtest.Ada)
	w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+there.ID+"/authors/me", http.StatusOK, nil)
	var synced catalog.Resource
	w.Send(catalogtest.Ada, http.MethodPatch, "/resources/repository", syncBody(there.ID, ""), http.StatusOK, &synced)
	if strings.Join(synced.Authors, " ") != catalogtest.Ada || len(synced.People) != 1 {
		t.Errorf("synced %+v", synced)
	}
	if seen := w.Entry(catalogtest.Ada, there.ID); strings.Join(seen.FormerAuthors, " ") != catalogtest.Bob {
		t.Errorf("an author sees %+v", seen)
	}
}

// Whoever adds a repository decides about a privacy that the file has where it isn't read; nothing decides for them.
func TestPrivacyOutsideOfProjectIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	content := strings.Replace(spikes, "  privacy: PUBLIC", "workspace:\n  privacy: PRIVATE", 1)
	w.withGitHub("").Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": content}})
	var pulled contribute.Descriptor
	w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+spikesURL, http.StatusOK, &pulled)
	if strings.Join(pulled.Missing, " ") != "privacy" || pulled.Privacy != "" {
		t.Fatalf("pulled %+v", pulled)
	}
	var refused refusedDraft
	w.Send(catalogtest.Ada, http.MethodPost, addition, `{"privacy":"PRIVATE"}`, http.StatusUnprocessableEntity, &refused)
	if refused.Code != fault.DescriptorInvalid || !strings.Contains(refused.corrected(), "project:\n  privacy: PRIVATE\n") {
		t.Errorf("refused %+v", refused)
	}
	var made added
	if w.Send(catalogtest.Ada, http.MethodPost, addition, `{"privacy":"PUBLIC"}`, http.StatusCreated, &made); made.Resource.Privacy != catalog.PrivacyPublic {
		t.Errorf("it is %s", made.Resource.Privacy)
	}
}

// A refusal repeats the file with the lines that would do.
func TestRefusalsShowTheCorrectedFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub("")
	for name, c := range map[string]struct {
		content, want string
		complete      bool
	}{
		"not an author":   {strings.ReplaceAll(spikes, catalogtest.Ada, "carl@example.org"), "    - bob@example.org\n    - \"ada@example.org\"\n  tags", true},
		"author in line":  {"project:\n  name: a\n  description: b\n  authors: [{name: Carl, email: carl@example.org}]\n  privacy: PUBLIC\n", `  authors: [{name: "Carl", email: "carl@example.org"}, "ada@example.org"]`, true},
		"lower case":      {strings.Replace(spikes, "PUBLIC", "public", 1), "project:\n  privacy: PUBLIC\n  name:", true},
		"elsewhere":       {strings.Replace(spikes, "  privacy", "privacy", 1), "project:\n  privacy: PUBLIC\n  name:", true},
		"under workspace": {strings.Replace(spikes, "  privacy: PUBLIC", "  workspace:\n    visibility: private", 1), "project:\n  privacy: PRIVATE\n  name:", true},
		"title":           {strings.Replace(spikes, "  name", "  title", 1), "  name: Spike sorting\n", true},
		"author":          {"project:\n  name: a\n  description: b\n  author: ada@example.org\n  privacy: PUBLIC\n", "  authors: [ada@example.org]\n", true},
		"tabs":            {strings.ReplaceAll(spikes, "  ", "\t"), spikes, true},
		"no project":      {strings.ReplaceAll(strings.TrimPrefix(spikes, "project:\n"), "  ", ""), "project:\n  name: Spike sorting\n", true},
		"capital":         {strings.Replace(spikes, "project", "Project", 1), spikes, true},
		"no name":         {strings.Replace(spikes, "  name: Spike sorting\n", "", 1), "project:\n  name: \"spikes\"\n", true},
		"no description":  {strings.Replace(spikes, "description: Sorts spikes.", "description:", 1), "  description: \"Add your description here\"\n", false},
		"something else":  {"workspace:\n  location: work\n", "project:\n  name: \"spikes\"\n  description: \"Add your description here\"\n  authors: [\"ada@example.org\"]\n  privacy: PUBLIC\nworkspace:", false},
		"names, no name":  {"project:\n  description: b\n  authors:\n    - Ada Lovelace\n  privacy: PUBLIC\n", "  name: \"spikes\"\n  description: b\n  authors:\n    - Ada Lovelace\n", false},
		"open":            {strings.Replace(spikes, "PUBLIC", "open", 1), "privacy: open", false},
	} {
		t.Run(name, func(t *testing.T) {
			host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": c.content}})
			var refused refusedDraft
			status := w.call(catalogtest.Ada, http.MethodPost, addition, "{}", &refused)
			if refused.Draft == nil || !strings.Contains(refused.corrected(), c.want) || refused.Draft.Complete != c.complete ||
				refused.Draft.Address != "https://github.com/lab/spikes/edit/main/cairn.yml" {
				t.Fatalf("%d %+v", status, refused)
			}
			if !c.complete {
				return
			}
			host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": refused.corrected()}})
			w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl="+spikesURL, http.StatusOK, nil)
		})
	}
	for name, content := range map[string]string{"UTF-16": "\xff\xfep\x00", "Latin-1": "project:\n  name: caf\xe9\n"} {
		host.Put(githubtest.Repository{Name: "lab/spikes", Files: map[string]string{"cairn.yml": content}})
		var refused refusedDraft
		if w.call(catalogtest.Ada, http.MethodPost, addition, "{}", &refused); refused.Draft != nil || !strings.Contains(refused.Message, "UTF-8") {
			t.Errorf("%s: %+v", name, refused)
		}
	}
}

func TestRepositoryWithoutADescriptorIsOfferedOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	host := w.withGitHub(githubtest.Token)
	for i, files := range []map[string]string{
		{"README.md": "[![CI](a.svg)](b)\n\n# Spike *sorting*\n\n> note\n\nSorts the spikes\nof electrodes.\n"},
		{"README.rst": "Spike sorting\n=============\n\nSorts the spikes\nof electrodes.\n"},
		{"README.md": "", "CITATION.cff": "cff-version: 1.2.0\ntitle: Spike sorting\nabstract: Sorts the spikes of electrodes.\nversion: 1.10\ndoi: 10.5281/zenodo.1\n" +
			"authors:\n  - family-names: Lovelace\n    given-names: Ada\n    email: ada@example.org\n    orcid: https://orcid.org/0000-0002-1825-0097\nkeywords: [md]\n"},
		{"x": ""},
	} {
		name := fmt.Sprintf("lab/spikes-%d", i) // answers about files are kept for a while
		host.Put(githubtest.Repository{Name: name, License: "MIT", Topics: []string{"neuroscience"}, Files: files})
		var refused refusedDraft
		status := w.call(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl=https://github.com/"+name, "", &refused)
		if status != http.StatusNotFound || refused.Draft == nil || !refused.Draft.New || refused.Draft.Address != "https://github.com/"+name+"/new/main?filename=cairn.yml" {
			t.Fatalf("%d %+v", status, refused)
		}
		if refused.Draft.Complete != (i < 3) {
			t.Errorf("%+v", refused.Draft)
		}
		if !refused.Draft.Complete {
			continue
		}
		host.Put(githubtest.Repository{Name: name, Files: map[string]string{"cairn.yml": refused.corrected()}})
		var pulled contribute.Descriptor
		w.Ask(catalogtest.Ada, http.MethodGet, "/codehost/descriptor?githubUrl=https://github.com/"+name, http.StatusOK, &pulled)
		if pulled.Description != "Sorts the spikes of electrodes." || pulled.License != "MIT" || len(pulled.Tags) == 0 || strings.Join(pulled.Authors, " ") != catalogtest.Ada ||
			(files["CITATION.cff"] != "" && (pulled.DOI == "" || pulled.Version != "1.10" || pulled.People[0].Name != "Ada Lovelace" || pulled.People[0].ORCID == "")) {
			t.Errorf("pulled %+v", pulled)
		}
	}
}
