package cite_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/cite"
	"cairn/internal/entries/catalog"
)

func spikes() cite.CitationItem {
	return cite.CitationItem{
		ID: "https://hill.example/resources/datasets/1", Type: "dataset", Title: "The spikes of a neuron",
		Author: []cite.CitationName{{Given: "Jane", Family: "Doe"}, {Given: "Jean-Luc", Family: "van der Berg"}, {Literal: "lab@example.org"}},
		Issued: on(2026, 11, 21), Publisher: "Hill", URL: "https://hill.example/resources/datasets/1",
	}
}

func on(parts ...int) *cite.CitationDate { return &cite.CitationDate{DateParts: [][]int{parts}} }

// written returns the citation of a work in one format.
func written(t *testing.T, item cite.CitationItem, format string) string {
	t.Helper()
	for _, one := range item.Texts() {
		if one.Format == format {
			return one.Text
		}
	}
	t.Fatalf("there is no %s", format)
	return ""
}

func TestBibTeX(t *testing.T) {
	t.Parallel()
	want := `@dataset{doe2026spikes,
  author = {Doe, Jane and van der Berg, Jean-Luc and {lab@example.org}},
  title = {{The spikes of a neuron}},
  year = {2026},
  month = {11},
  publisher = {Hill},
  url = {https://hill.example/resources/datasets/1}
}`
	if got := written(t, spikes(), "BibTeX"); got != want {
		t.Errorf("got %s", got)
	}
	notebook := spikes()
	notebook.Type, notebook.Version, notebook.Genre, notebook.DOI = "software", "1.0_b", "Computational notebook", "10.1/a_b"
	for _, part := range []string{"@software{doe2026spikes,\n", "\n  version = {1.0\\_b},\n  type = {Computational notebook},\n", "\n  doi = {10.1/a_b},\n"} {
		if got := written(t, notebook, "BibTeX"); !strings.Contains(got, part) {
			t.Errorf("%s is not in %s", part, got)
		}
	}
	page := spikes()
	page.Type = "webpage"
	if got := written(t, page, "BibTeX"); !strings.HasPrefix(got, "@misc{") {
		t.Errorf("got %s", got)
	}
}

func TestBibTeXShowsTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"50% of R&D #1: $5_a":                   `50\% of R\&D \#1: \$5\_a`,
		`a \input{x} b`:                         `a \textbackslash{}input\textbraceleft{}x\textbraceright{} b`,
		"}, year = {1066":                       `\textbraceright{}, year = \textbraceleft{}1066`,
		"x ~ y ^ <b>|":                          `x \textasciitilde{} y \textasciicircum{} \textless{}b\textgreater{}\textbar{}`,
		"two\n  lines\tand @comment{x}":         `two lines and @comment\textbraceleft{}x\textbraceright{}`,
		"\u795e\u7d4c \U0001f9e0 \u201cx\u201d": "\u795e\u7d4c \U0001f9e0 \u201cx\u201d",
	} {
		item := spikes()
		item.Title = title
		if got := written(t, item, "BibTeX"); !strings.Contains(got, "\n  title = {{"+want+"}},\n") {
			t.Errorf("%q is written in %s", title, got)
		}
	}
}

// Whatever a field says, braces are balanced and the entry has the same fields.
func TestNoTextEndsItsField(t *testing.T) {
	t.Parallel()
	const hostile = "\\}{{ } and {\\{ \"@article{x, and, and\n}}"
	item := spikes()
	item.Title, item.Version, item.Publisher, item.URL = hostile, hostile, hostile, "https://x.example/"+hostile
	item.Author = []cite.CitationName{{Literal: hostile}, {Family: hostile, Given: hostile}}
	text := written(t, item, "BibTeX")
	depth := 0
	var fields []string
	for _, sign := range regexp.MustCompile(`[{}]|\w+ = `).FindAllString(text, -1) {
		switch {
		case sign == "{":
			depth++
		case sign == "}":
			depth--
		case depth == 1:
			fields = append(fields, strings.TrimSuffix(sign, " = "))
		}
		if depth < 0 {
			t.Fatalf("a brace closes too much in %s", text)
		}
	}
	if want := []string{"author", "title", "year", "month", "version", "publisher", "url"}; depth != 0 || !slices.Equal(fields, want) {
		t.Errorf("%d braces are open after %v in %s", depth, fields, text)
	}
	if lines := strings.Count(text, "\n") + 1; lines != len(fields)+2 {
		t.Errorf("there are %d lines: %s", lines, text)
	}
}

func TestBibTeXKeys(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		author     cite.CitationName
		title, key string
	}{
		{cite.CitationName{Literal: "s\u00f8ren_k@example.org"}, "\u00c9a b", "sorenk2026eab"},
		{cite.CitationName{Family: "van der Berg", Given: "J"}, "\u00dcber M\u00e4use", "berg2026uber"},
		{cite.CitationName{Literal: "\u674e@example.org"}, "\u8133", "entry2026"},
	} {
		item := spikes()
		item.Author, item.Title = []cite.CitationName{one.author}, one.title
		if got, _, _ := strings.Cut(written(t, item, "BibTeX"), "\n"); got != "@dataset{"+one.key+"," {
			t.Errorf("%+v, %q: %s", one.author, one.title, got)
		}
	}
}

func TestAPA(t *testing.T) {
	t.Parallel()
	software := spikes()
	software.Type, software.Version, software.DOI, software.Author = "software", "16", "10.1/x", []cite.CitationName{{Given: "Jane Ann", Family: "Doe"}}
	notebook := software
	notebook.Genre = "Computational notebook"
	for want, item := range map[string]cite.CitationItem{
		"Doe, J., van der Berg, J.-L., & lab@example.org (2026). The spikes of a neuron [Data set]. Hill. https://hill.example/resources/datasets/1": spikes(),
		"Doe, J. A. (2026). The spikes of a neuron (Version 16) [Computer software]. Hill. https://doi.org/10.1/x":                                   software,
		"Doe, J. A. (2026). The spikes of a neuron (Version 16) [Computational notebook]. Hill. https://doi.org/10.1/x":                              notebook,
		"Why not? (n.d.).": {ID: "1", Type: "book", Title: "Why not?"},
	} {
		if got := written(t, item, "APA"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	many := spikes()
	many.Author = nil
	for i := range 21 {
		many.Author = append(many.Author, cite.CitationName{Family: fmt.Sprintf("A%d", i+1), Given: "B"})
	}
	if got := written(t, many, "APA"); !strings.Contains(got, "A19, B., . . . A21, B. (2026)") {
		t.Errorf("of 21 authors: %s", got)
	}
	many.Author = many.Author[:20]
	if got := written(t, many, "APA"); !strings.Contains(got, "A19, B., & A20, B. (2026)") {
		t.Errorf("of 20 authors: %s", got)
	}
}

// Programs read CSL-JSON back. It has no place for ORCID iDs, which BibTeX has as biblatex reads them.
func TestORCIDs(t *testing.T) {
	t.Parallel()
	item := spikes()
	item.Author[0].ORCID, item.Author[2].ORCID = "0000-0002-1825-0097", "0000-0001-5109-3700"
	if got := written(t, item, "BibTeX"); !strings.Contains(got, "\n  author+an:orcid = {1=\"0000-0002-1825-0097\"; 3=\"0000-0001-5109-3700\"},\n") {
		t.Errorf("got %s", got)
	}
	var read []cite.CitationItem
	if err := json.Unmarshal([]byte(written(t, item, "CSL-JSON")), &read); err != nil || !reflect.DeepEqual(read, []cite.CitationItem{spikes()}) {
		t.Errorf("read back: %+v, %v", read, err)
	}
}

func TestArticlesHaveTheirJournal(t *testing.T) {
	t.Parallel()
	article := cite.CitationItem{
		ID: "10.1/x", Type: "article-journal", Title: "Sorting spikes", Issued: on(2024, 7), ContainerTitle: "Spikes & Co", Volume: "3", Issue: "2",
		Page: "10-20", DOI: "10.1/x",
		Author: []cite.CitationName{{Given: "Ludwig", Family: "Beethoven", Particle: "van"}, {Given: "Martin L.", Family: "King", Suffix: "Jr."}},
	}
	want := "van Beethoven, L., & King, M. L., Jr. (2024). Sorting spikes. Spikes & Co, 3(2), 10\u201320. https://doi.org/10.1/x"
	if got := written(t, article, "APA"); got != want {
		t.Errorf("got %s", got)
	}
	want = `@article{beethoven2024sorting,
  author = {van Beethoven, Ludwig and King, Jr., Martin L.},
  title = {{Sorting spikes}},
  year = {2024},
  month = {7},
  journal = {Spikes \& Co},
  volume = {3},
  number = {2},
  pages = {10--20},
  doi = {10.1/x}
}`
	if got := written(t, article, "BibTeX"); got != want {
		t.Errorf("got %s", got)
	}
	article.Type = "paper-conference"
	if got := written(t, article, "BibTeX"); !strings.HasPrefix(got, "@inproceedings{") || !strings.Contains(got, "\n  booktitle = ") {
		t.Errorf("got %s", got)
	}
}

const id = "01900000-0000-7000-8000-000000000000"

var hill = cite.Catalog{Publisher: func() string { return "Hill" }, Public: "https://hill.example"}

func entry(changes ...func(*catalog.Entry)) catalog.Entry {
	made := catalog.Entry{
		ID: id, Name: "Spikes", Type: catalog.Dataset, Privacy: catalog.PrivacyPublic, Authors: []string{"jane.doe@example.org", "lab@example.org"},
		CreatedAt: time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC),
	}
	for _, change := range changes {
		change(&made)
	}
	return made
}

func TestEntriesAsWorks(t *testing.T) {
	t.Parallel()
	const address = "https://hill.example/resources/datasets/" + id
	want := cite.CitationItem{
		ID: address, Type: "dataset", Title: "Spikes", Author: []cite.CitationName{{Given: "Jane", Family: "Doe"}, {Literal: "Lab"}},
		Issued: on(2026, 12, 31), Publisher: "Hill", URL: address,
	}
	if got := hill.Item(entry()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	issued := time.Date(2027, 2, 3, 12, 0, 0, 0, time.UTC)
	public := entry(func(r *catalog.Entry) {
		r.IssuedAt, r.License, r.DOI = &issued, "CC-BY-4.0", "10.1234/spikes"
		r.People = []catalog.Credit{
			{Name: "Ada Lovelace", ORCID: "0000-0002-1825-0097"}, {Email: "lab@example.org"}, {Name: "Bob Burns", Role: "DataCurator"}, {Name: "eve@example.org"},
		}
	})
	want = cite.CitationItem{
		ID: "https://hill.example/id/" + id, Type: "dataset", Title: "Spikes", Issued: on(2027, 2, 3), DOI: "10.1234/spikes", License: "CC-BY-4.0",
		Author:    []cite.CitationName{{Given: "Ada", Family: "Lovelace", ORCID: "0000-0002-1825-0097"}},
		Publisher: "Hill", URL: "https://hill.example/id/" + id,
	}
	if got := hill.Item(public); !reflect.DeepEqual(got, want) {
		t.Errorf("a public one: %+v", got)
	}
	if cite.AreNamesGuessed(public) || !cite.AreNamesGuessed(entry()) {
		t.Error("names are guessed where somebody is credited by name, or not where nobody is")
	}
	public.Privacy = catalog.PrivacyPrivate
	if got := hill.Item(public); got.URL != address {
		t.Errorf("one that is private again is at %s", got.URL)
	}
}

func TestEntriesAreCitedAsWhatTheyAre(t *testing.T) {
	t.Parallel()
	for kind, want := range map[catalog.Type]string{
		catalog.Repository: "Spikes [Computer software]. Hill. https://hill.example/resources/repositories/",
		catalog.Notebook:   "Spikes [Computational notebook]. Hill. https://hill.example/resources/notebooks/",
		catalog.Dataset:    "Spikes [Data set]. Hill. https://hill.example/resources/datasets/",
		catalog.Model:      "Spikes (Version 1.2) [Computer software]. Hill. https://hill.example/resources/models/",
	} {
		item := hill.Item(entry(func(r *catalog.Entry) {
			if r.Type = kind; kind == catalog.Model {
				r.Version = "1.2"
			}
		}))
		if got := written(t, item, "APA"); got != "Doe, J., & Lab (2026). "+want+id {
			t.Errorf("a %s: %s", kind, got)
		}
	}
	for _, kind := range catalog.Types {
		if item := hill.Item(entry(func(r *catalog.Entry) { r.Type = kind })); item.Type == "" {
			t.Errorf("nobody knows what kind of work a %s is", kind)
		}
	}
}

// What a citation file doesn't say is the entry's own, unless it asks for an article.
func TestCitationsOfRepositoriesAreCompleted(t *testing.T) {
	t.Parallel()
	own := hill.Item(entry(func(r *catalog.Entry) { r.Type, r.Version = catalog.Repository, "2.1" }))
	asked := cite.CitationItem{ID: "Spikes", Type: "software", Title: "Spikes", Author: []cite.CitationName{{Family: "Doe"}}}
	want := asked
	want.Version, want.Issued, want.URL = "2.1", own.Issued, own.URL
	if got := asked.With(own); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	whole := asked
	whole.Version, whole.Issued, whole.DOI = "3", on(2020), "10.1/x"
	if got := whole.With(own); !reflect.DeepEqual(got, whole) {
		t.Errorf("a whole one: %+v", got)
	}
	article := asked
	article.Type, article.DOI = "article-journal", "10.1/x"
	if got := article.With(own); !reflect.DeepEqual(got, article) {
		t.Errorf("an article: %+v", got)
	}
}

func TestRunsAreCitedAsTheirCrates(t *testing.T) {
	t.Parallel()
	by := entry(func(r *catalog.Entry) {
		r.License, r.People = "MIT", []catalog.Credit{{Name: "Ada Lovelace"}}
	})
	at := time.Date(2027, 1, 2, 0, 30, 0, 0, time.UTC)
	item := hill.Run(by, "first steps.ipynb", "0c9e2f", at, "/runs/1/crate.zip")
	want := "Lovelace, A. (2027). Run of first steps.ipynb of Spikes on 2027-01-02 (Version 0c9e2f) [RO-Crate]. Hill. https://hill.example/runs/1/crate.zip"
	if got := written(t, item, "APA"); got != want || item.License != "MIT" || !reflect.DeepEqual(item.Issued, on(2027, 1, 2)) {
		t.Errorf("got %s, %+v", got, item)
	}
	for _, file := range []string{"", "Spikes"} {
		if item := hill.Run(by, file, "", at, "/x"); item.Title != "Run of Spikes on 2027-01-02" || item.Version != "" {
			t.Errorf("of %q: %+v", file, item)
		}
	}
}
