package catalog_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestTagsAreInTheOrderOfTheirLetters(t *testing.T) {
	t.Parallel()
	const want = "Aves|Heron|heron|Zebra|zoo"
	w := catalogtest.New(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("birds", catalogtest.Tagged("zoo", "Zebra", "heron", "Heron", "Aves")))
	valuesOf := func(tags []catalog.Tag) string {
		values := make([]string, len(tags))
		for i, tag := range tags {
			values[i] = tag.Value
		}
		return strings.Join(values, "|")
	}
	var single catalog.Resource
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID("birds"), http.StatusOK, &single)
	var page struct{ Content []catalog.Resource }
	w.Ask("", http.MethodGet, "/resources/public", http.StatusOK, &page)
	var all []index.TagCount
	w.Ask("", http.MethodGet, "/resources/public/tags/all", http.StatusOK, &all)
	counted := make([]catalog.Tag, len(all))
	for i, one := range all {
		counted[i].Value = one.Value
	}
	for name, got := range map[string]string{"the entry": valuesOf(single.Tags), "a list": valuesOf(page.Content[0].Tags), "all tags": valuesOf(counted)} {
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
