package catalog_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestPaging(t *testing.T) {
	t.Parallel()
	var entries []catalog.Entry
	for i := range 5 {
		entries = append(entries, catalogtest.Entry(fmt.Sprint("e", i)))
	}
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), entries...)
	for query, want := range map[string]catalog.ResourcePage{
		"sort=name":               {TotalElements: 5, TotalPages: 1, Size: 100, NumberOfElements: 5, First: true, Last: true},
		"pageSize=2":              {TotalElements: 5, TotalPages: 3, Size: 2, NumberOfElements: 2, First: true},
		"pageSize=2&pageNumber=1": {TotalElements: 5, TotalPages: 3, Size: 2, Number: 1, NumberOfElements: 2},
		"pageSize=2&pageNumber=2": {TotalElements: 5, TotalPages: 3, Size: 2, Number: 2, NumberOfElements: 1, Last: true},
		"pageSize=2&pageNumber=3": {TotalElements: 5, TotalPages: 3, Size: 2, Number: 3, Last: true, Empty: true},
		"pageNumber=10000000":     {TotalElements: 5, TotalPages: 1, Size: 100, Number: 10_000_000, Last: true, Empty: true},
		"nameSearch=x":            {Size: 100, First: true, Last: true, Empty: true},
		"type=&tag=&nameSearch=&sort=&view=&facets=&pageNumber=&pageSize=5": {
			TotalElements: 5, TotalPages: 1, Size: 5, NumberOfElements: 5, First: true, Last: true,
		},
	} {
		var got catalog.ResourcePage
		w.Ask("", http.MethodGet, "/resources/public?"+query, http.StatusOK, &got)
		if got.Content == nil || len(got.Content) != got.NumberOfElements {
			t.Errorf("%s: content %v", query, got.Content)
		}
		if got.Empty != (got.Hint != nil) && got.TotalElements == 0 {
			t.Errorf("%s: hint %+v", query, got.Hint)
		}
		if got.Content, got.Hint = nil, nil; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %+v\nwant %+v", query, got, want)
		}
	}
}

func TestCardsHaveShortDescriptions(t *testing.T) {
	t.Parallel()
	long := "**Bold** " + strings.Repeat("word ", 100)
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.About(long)))
	var whole, card catalog.ResourcePage
	w.Ask("", http.MethodGet, "/resources/", http.StatusOK, &whole)
	w.Ask("", http.MethodGet, "/resources/?view=card", http.StatusOK, &card)
	var typed []catalog.Resource
	w.Ask("", http.MethodGet, "/resources/search?view=card&name=e", http.StatusOK, &typed)
	if typed[0].Description != card.Content[0].Description {
		t.Errorf("while typing: %q", typed[0].Description)
	}
	if whole.Content[0].Description != long {
		t.Errorf("got %q", whole.Content[0].Description)
	}
	if text := card.Content[0].Description; len([]rune(text)) > 280 || !strings.HasPrefix(text, "Bold word") || !strings.HasSuffix(text, "…") {
		t.Errorf("got %q", text)
	}
}

func TestTagsInTheAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("one", catalogtest.Tagged("md, namd", "v1")),
		catalogtest.Entry("two", catalogtest.Tagged("md", "namd", `a\b`)),
	)
	for query, want := range map[string]string{
		"tag=" + url.QueryEscape(`md\, namd`):    "one",
		"tag=" + url.QueryEscape(`md\, namd,v1`): "one",
		"tag=md,namd":                            "two",
		"tag=md&tag=namd":                        "two",
		"tag=md&tag=" + url.QueryEscape(`a\\b`):  "two",
		"tag=v1&tag=md":                          "",
		"tag=" + url.QueryEscape(`md, namd`):     "two",
	} {
		var got catalog.ResourcePage
		if w.Ask("", http.MethodGet, "/resources/public?"+query, http.StatusOK, &got); catalogtest.Names(got.Content) != want {
			t.Errorf("%s finds %q, want %q", query, catalogtest.Names(got.Content), want)
		}
	}
}

func TestUnknownTypeNamesTheValidOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	for _, path := range []string{"/resources/public?type=VIDEO", "/resources/?type=DATASET,VIDEO", "/resources/search?type=VIDEO"} {
		var problem httpapi.Problem
		w.Ask("", http.MethodGet, path, http.StatusUnprocessableEntity, &problem)
		if !strings.Contains(problem.Detail, "REPOSITORY, NOTEBOOK, DATASET, MODEL") || problem.Errors[0].Location != "query.type" {
			t.Errorf("%s: %+v", path, problem)
		}
	}
}

// A list of a hundred thousand tags cost seconds of work.
func TestMoreTagsThanAnyEntryHasAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "%d,", i)
	}
	w.Ask("", http.MethodGet, "/resources/public?tag="+list.String(), http.StatusUnprocessableEntity, nil)
}

// As long as a text and as many tags as may be are searched; one more is refused with the limit.
func TestLimitsOfASearch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("entry"))
	tags := func(count int) string {
		list := make([]string, count)
		for i := range list {
			list[i] = fmt.Sprint("t", i)
		}
		return strings.Join(list, ",")
	}
	for query, status := range map[string]int{
		"nameSearch=" + url.QueryEscape(strings.Repeat("é", 1000)): http.StatusOK,
		"nameSearch=" + url.QueryEscape(strings.Repeat("é", 1001)): http.StatusUnprocessableEntity,
		"tag=" + tags(30): http.StatusOK,
		"tag=" + tags(31): http.StatusUnprocessableEntity,
		"tag=" + tags(30) + "&facets=types,tags&highlight=true&nameSearch=" + url.QueryEscape(strings.Repeat("a b ", 250)): http.StatusOK,
	} {
		var problem struct {
			Errors []struct{ Message string }
		}
		w.Ask("", http.MethodGet, "/resources/public?"+query, status, &problem)
		if status != http.StatusOK && (len(problem.Errors) != 1 || !strings.Contains(problem.Errors[0].Message, "at most")) {
			t.Errorf("%.40s: %+v", query, problem)
		}
	}
}

func parameterPaths(types, tag, text, number string) []string {
	q, p := url.QueryEscape, url.PathEscape
	return []string{
		"/resources/public?type=" + q(types) + "&tag=" + q(tag) + "&nameSearch=" + q(text) + "&pageNumber=" + q(number) +
			"&pageSize=" + q(number) + "&sort=" + q(types) + "&facets=" + q(tag) + "&view=" + q(text) + "&runs=" + q(types),
		"/resources/public?runs=" + q(types),
		"/resources/public?facets=types,tags&tag=" + q(tag) + "&nameSearch=" + q(text),
		"/resources/search?type=" + q(types) + "&name=" + q(text),
		"/resources/public/search?name=" + q(text) + "&" + q(tag) + "=" + q(types),
		"/resources/public/" + p(text), "/resources/" + p(text) + "/star", "/resources/" + p(text) + "/stars",
	}
}

func TestHostileParametersOnBothDatabases(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("entry", catalogtest.Tagged("tag"), catalogtest.About("words")))
		handler := w.Handler()
		for _, email := range []string{"", catalogtest.Ada} {
			for _, text := range catalogtest.HostileTexts {
				for _, path := range parameterPaths(text, text, text, text) {
					for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
						request := httptest.NewRequestWithContext(t.Context(), method, httpapi.Base+path, http.NoBody)
						if email != "" {
							request.Header.Set("Authorization", "Bearer "+email)
						}
						answer := httptest.NewRecorder()
						handler.ServeHTTP(answer, request)
						if answer.Code != http.StatusOK && (answer.Code < 400 || answer.Code > 499) {
							t.Errorf("%s %q: %d %s", method, path, answer.Code, answer.Body)
						}
					}
				}
			}
		}
	})
}

func TestMatchesAreMarked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("filler ", 100)
	w := newWorld(
		t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("Quokka atlas", catalogtest.About(long+"where a **quokka** lives "+long), catalogtest.Tagged("quokkas", "other")),
	)
	var got catalog.ResourcePage
	w.Ask("", http.MethodGet, "/resources/public?nameSearch=quokka&highlight=true&view=card", http.StatusOK, &got)
	fields := ""
	for _, one := range got.Content[0].Matched {
		fields += one.Field + " "
		if one.Field != "description" {
			continue
		}
		mark := one.Marks[0]
		if len(one.Marks) != 1 || len([]rune(one.Text)) > 200 || string([]rune(one.Text)[mark[0]:mark[1]]) != "quokka" {
			t.Errorf("the description: %+v", one)
		}
	}
	if fields != "name description tags " {
		t.Errorf("matched %s", fields)
	}
	got = catalog.ResourcePage{}
	w.Ask("", http.MethodGet, "/resources/public?nameSearch=quokka", http.StatusOK, &got)
	if got.Content[0].Matched != nil {
		t.Errorf("unasked: %+v", got.Content[0].Matched)
	}
}
