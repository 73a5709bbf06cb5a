package catalog_test

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func TestTextRules(t *testing.T) {
	t.Parallel()
	w := newWorld(
		t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("Über Neuronen", catalogtest.Tagged("calcium imaging"), catalogtest.About("Spike trains of *mouse* cortex")),
		catalogtest.Entry("torch_brain"),
		catalogtest.Entry("MatterTune", catalogtest.By("grace.hopper@example.edu")),
		catalogtest.Entry("HTMLParser"),
		catalogtest.Entry("md/namd-tutorial.v2"),
		catalogtest.Entry("細胞の画像"),
		catalogtest.Entry("100% _sure_"),
	)
	cases := map[string]string{
		// Words or their beginnings in any order, all of them.
		"neuronen über":    "Über Neuronen",
		"über neuro":       "Über Neuronen",
		"mouse spike cor":  "Über Neuronen",
		"spi mouse":        "Über Neuronen",
		"mouse zebra fish": "",
		// In name, description, tags and authors, together.
		"cortex calcium ada": "Über Neuronen",
		"imaging":            "Über Neuronen",
		"hopper":             "MatterTune",
		"grace.hopper@exam":  "MatterTune",
		// Case and diacritics.
		"uber":          "Über Neuronen",
		"ÜBER":          "Über Neuronen",
		"U\u0308ber":    "Über Neuronen",
		"UBER NEURONEN": "Über Neuronen",
		// Signs and camelCase split, on both sides.
		"torch_brain":      "torch_brain",
		"torch brain":      "torch_brain",
		"torch-bra":        "torch_brain",
		"brain torch":      "torch_brain",
		"MatterTune":       "MatterTune",
		"mattertune":       "MatterTune",
		"matter tune":      "MatterTune",
		"tune":             "MatterTune",
		"tune matter":      "MatterTune",
		"HTMLParser":       "HTMLParser",
		"html parser":      "HTMLParser",
		"parser":           "HTMLParser",
		"htmlpa":           "HTMLParser",
		"namd":             "md/namd-tutorial.v2",
		"md namd tutorial": "md/namd-tutorial.v2",
		"namd.tutorial v2": "md/namd-tutorial.v2",
		// Any part of a name, but of nothing else.
		"euron":   "Über Neuronen",
		"rch_br":  "torch_brain",
		"ttertu":  "MatterTune",
		"lcium":   "",
		"の画像":     "細胞の画像",
		"0% _s":   "100% _sure_",
		"_":       "100% _sure_, torch_brain",
		"%":       "100% _sure_",
		"nothing": "",
	}
	for text, want := range cases {
		if got := catalogtest.Names(w.Find("", catalog.Query{Text: text, Sort: catalog.SortName}).Resources); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if page := w.Find("", catalog.Query{Text: "  "}); page.Total != 7 {
		t.Errorf("blanks find %d entries, want all", page.Total)
	}
}

func TestBestMatchesComeFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(
		t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("A study", catalogtest.About("On neuron models")),
		catalogtest.Entry("Tagged", catalogtest.Tagged("neuron")),
		catalogtest.Entry("The neuron atlas"),
		catalogtest.Entry("Neuron models"),
		catalogtest.Entry("NEURON"),
		catalogtest.Entry("Interneurons"),
	)
	got := catalogtest.Names(w.Find("", catalog.Query{Text: "neuron"}).Resources)
	if want := "NEURON, Neuron models, The neuron atlas, Tagged, A study, Interneurons"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := catalogtest.Names(w.Find("", catalog.Query{}).Resources); got != "A study, Interneurons, NEURON, Neuron models, Tagged, The neuron atlas" {
		t.Errorf("without a text: %s, want by name", got)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("b1"))
	w.Import(catalogtest.Entry("a2"))
	w.Import(catalogtest.Entry("c3"))
	w.Open()
	if _, err := w.Stars().Set(w.As(catalogtest.Bob), w.ID("c3"), true); err != nil {
		t.Fatal(err)
	}
	for order, want := range map[catalog.Sort]string{
		"": "a2, b1, c3", catalog.SortName: "a2, b1, c3", catalog.SortRelevance: "a2, b1, c3",
		catalog.SortNewest: "c3, a2, b1", catalog.SortStars: "c3, a2, b1",
	} {
		if got := catalogtest.Names(w.Find("", catalog.Query{Sort: order}).Resources); got != want {
			t.Errorf("%q: %s, want %s", order, got, want)
		}
	}
}

func TestFiltersAndFacets(t *testing.T) {
	t.Parallel()
	w := newWorld(
		t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("one", catalogtest.Tagged("a", "b")),
		catalogtest.Entry("two", catalogtest.Tagged("a")),
		catalogtest.Entry("three", catalogtest.Tagged("a", "c, d"), notebook),
		catalogtest.Entry("four", catalogtest.Repository("https://github.com/o/four")),
	)
	cases := []struct {
		name  string
		query catalog.Query
		found string
		types map[catalog.Type]int
		tags  map[string]int
	}{
		{
			"nothing",
			catalog.Query{},
			"four, one, three, two",
			map[catalog.Type]int{"DATASET": 2, "NOTEBOOK": 1, "REPOSITORY": 1, "MODEL": 0},
			map[string]int{"a": 3, "b": 1, "c, d": 1},
		},
		{
			"a type: types are counted without it",
			catalog.Query{Types: []string{string(catalog.Dataset)}},
			"one, two",
			map[catalog.Type]int{"DATASET": 2, "NOTEBOOK": 1, "REPOSITORY": 1, "MODEL": 0},
			map[string]int{"a": 2, "b": 1},
		},
		{
			"a tag",
			catalog.Query{Tags: []string{"a"}},
			"one, three, two",
			map[catalog.Type]int{"DATASET": 2, "NOTEBOOK": 1, "REPOSITORY": 0, "MODEL": 0},
			map[string]int{"a": 3, "b": 1, "c, d": 1},
		},
		{
			"all tags must match",
			catalog.Query{Tags: []string{"a", "b"}},
			"one",
			map[catalog.Type]int{"DATASET": 1, "NOTEBOOK": 0, "REPOSITORY": 0, "MODEL": 0},
			map[string]int{"a": 1, "b": 1},
		},
		{
			"tags are compared whole",
			catalog.Query{Tags: []string{"c"}},
			"",
			map[catalog.Type]int{"DATASET": 0, "NOTEBOOK": 0, "REPOSITORY": 0, "MODEL": 0},
			map[string]int{},
		},
		{
			"all together",
			catalog.Query{Text: "t", Tags: []string{"a"}, Types: []string{string(catalog.Notebook), string(catalog.Dataset)}},
			"three, two",
			map[catalog.Type]int{"DATASET": 1, "NOTEBOOK": 1, "REPOSITORY": 0, "MODEL": 0},
			map[string]int{"a": 2, "c, d": 1},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.query.Facets, c.query.Sort = true, catalog.SortName
			page := w.Find("", c.query)
			if got := catalogtest.Names(page.Resources); got != c.found || page.Total != len(page.Resources) {
				t.Errorf("found %q of %d, want %q", got, page.Total, c.found)
			}
			tags := map[string]int{}
			for _, tag := range page.Facets.Tags {
				tags[tag.Value] = tag.Count
			}
			if !maps.Equal(page.Facets.Types, c.types) || !maps.Equal(tags, c.tags) {
				t.Errorf("facets %v %v, want %v %v", page.Facets.Types, tags, c.types, c.tags)
			}
		})
	}
}

func TestChangesByOtherProcessesAreSeen(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("first"))
		other := newWorld(t, db)
		feed := sqldb.NewFeed(db, slog.New(slog.DiscardHandler))
		w.Follow(feed)
		done := make(chan struct{})
		go func() { feed.Run(t.Context()); close(done) }()
		t.Cleanup(func() { <-done })

		other.Import(catalogtest.Entry("second"), catalogtest.Entry("first", catalogtest.About("now with words")))
		w.waitFor("first, second")
		if err := other.Delete(other.As(catalogtest.Ada), other.ID("second")); err != nil {
			t.Fatal(err)
		}
		w.waitFor("first")
	})
}

// waitFor waits until everybody sees these entries.
func (w *world) waitFor(want string) {
	w.T.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		got := catalogtest.Names(w.Find("", catalog.Query{}).Resources)
		if got == want {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.T.Fatalf("shows %q, want %q", got, want)
		}
	}
}

// Whatever is searched for, the database is asked for the last change, and for the content of what matches nowhere else.
func TestASearchCostsAFewStatements(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		var entries []catalog.Entry
		for number := range 60 {
			entries = append(entries, catalogtest.Entry(fmt.Sprintf("entry %02d", number), catalogtest.About("spikes of the cortex")))
		}
		w := newWorld(t, db, entries...)
		counts := sqldbtest.CountReads(t, db)
		for _, text := range []string{
			"", "spikes", "entry 07", "entri", "spkes", "cortex nowhere", strings.Repeat("a b ", 250), strings.Repeat(`"of the" `, 111),
			strings.Repeat("-a ", 333), "tag:none type:none author:none", "\x00\xff",
		} {
			for _, highlight := range []bool{false, true} {
				counts.Statements.Store(0)
				if _, err := w.Search(t.Context(), catalog.Query{Text: text, Limit: 100, Facets: true, Highlight: highlight}, true); err != nil {
					t.Fatalf("%.40q: %v", text, err)
				}
				if statements := counts.Statements.Load(); statements > 2 || (statements > 1 && !highlight) {
					t.Errorf("%.40q, highlight %t: %d statements", text, highlight, statements)
				}
			}
		}
	})
}
