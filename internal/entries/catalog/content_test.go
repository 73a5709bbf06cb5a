package catalog_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func described(text string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.Description = text }
}

func TestContentIsSearched(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("long", described("Nothing.")), catalogtest.Entry("short", described("About dendrites.")),
			catalogtest.Entry("secret", catalogtest.Private))
		expect := func(email, text, want string) {
			t.Helper()
			page := w.Find(email, catalog.Query{Text: text, Limit: 10})
			if page.Hint == nil && catalogtest.Names(page.Resources) != want || page.Hint != nil && want != "" {
				t.Errorf("%s finds %s (%+v), want %s", text, catalogtest.Names(page.Resources), page.Hint, want)
			}
		}
		w.NoteContent(t.Context(), w.ID("long"), "README.md", "# Dendrites\n\nThe *quokka* method, [explained](https://example.org/dendrites).")
		w.NoteContent(t.Context(), w.ID("long"), "data/values.csv", "voltage\ncurrent_pA")
		w.NoteContent(t.Context(), w.ID("secret"), "README.md", "A quokka in private.")
		expect("", "quokka", "long")
		expect("", "dendrite", "short, long") // descriptions count more
		expect("", "method voltage", "long")  // in two files
		expect("", `"quokka method"`, "long")
		expect("", "explained -quokka", "")
		expect(catalogtest.Ada, "quokka private", "secret")
		w.Open() // a new index has it too
		expect("", "quokka", "long")

		var page catalog.ResourcePage
		w.Ask("", http.MethodGet, "/resources/public?nameSearch=quokka&highlight=true&view=card", http.StatusOK, &page)
		if len(page.Content) != 1 || len(page.Content[0].Matched) != 1 {
			t.Fatalf("highlighted: %+v", page.Content)
		}
		matched := page.Content[0].Matched[0]
		if mark := matched.Marks[0]; matched.Field != "content" || matched.Text[mark[0]:mark[1]] != "quokka" {
			t.Errorf("it matches with %+v", matched)
		}

		w.NoteContent(t.Context(), w.ID("long"), "README.md", "It was rewritten.")
		expect("", "quokka", "")
		expect("", "rewritten", "long")
		w.NoteContent(t.Context(), w.ID("long"), "README.md", "")
		expect("", "rewritten", "")
		expect("", "voltage", "long")
	})
}

func TestImportsGiveContent(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		containing := func(name, content string) catalog.Entry {
			return catalogtest.Entry(name, func(r *catalog.Entry) { r.Content = content })
		}
		w := newWorld(t, db, containing("quoll", "# The quokka\n\nand its *burrow*"), containing("numbat", "a quokka"), containing("deleted", "nothing"))
		expect := func(text, want string) {
			t.Helper()
			w.Open()
			page := w.Find("", catalog.Query{Text: text, Limit: 10})
			if page.Hint == nil && catalogtest.Names(page.Resources) != want || page.Hint != nil && want != "" {
				t.Errorf("%s finds %s (%+v), want %s", text, catalogtest.Names(page.Resources), page.Hint, want)
			}
		}
		expect("quokka burrow", "quoll")
		w.NoteContent(t.Context(), w.ID("quoll"), "README.md", "a wombat")
		if _, err := w.Store.Delete(t.Context(), w.ID("deleted")); err != nil {
			t.Fatal(err)
		}
		w.Import(containing("quoll", "a bilby"), containing("numbat", ""), containing("deleted", "a dugong"))
		expect("quokka", "")
		expect("bilby wombat", "quoll")
		contents, err := w.Store.Contents(t.Context(), []string{w.ID("deleted"), w.ID("quoll")})
		if err != nil || len(contents) != 1 {
			t.Errorf("content is kept of %v, %v", contents, err)
		}
	})
}

func TestContentIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC), catalogtest.Entry("flood"))
	id := w.ID("flood")
	finds := func(text string) bool {
		page := w.Find("", catalog.Query{Text: `"` + text + `"`, Limit: 10})
		return page.Total == 1 && page.Hint == nil
	}
	var words []string
	for i := range 2000 {
		words = append(words, fmt.Sprintf("w%cx%cy%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676))
	}
	w.NoteContent(t.Context(), id, "a", "first "+strings.Repeat("A1b2", 10_000)+" after\x00 the\x1b data "+strings.Join(words, " "))
	for word, want := range map[string]bool{"first": true, "after the data": true, words[200]: true, words[300]: false} {
		if finds(word) != want {
			t.Errorf("%s is found: %t", word, !want)
		}
	}
	w.NoteContent(t.Context(), id, "a", strings.Repeat("again ", 5000)+"last")
	if !finds("again again") || finds("last") {
		t.Error("more than the first 8 KiB count")
	}
	for i := range 30 {
		w.NoteContent(t.Context(), id, fmt.Sprint(i), "one of many files")
	}
	var files int
	if err := w.DB.QueryRowContext(t.Context(), `SELECT count(*) FROM entry_content`).Scan(&files); err != nil || files != 16 {
		t.Errorf("%d files are kept (%v)", files, err)
	}
	w.NoteContent(t.Context(), "0190a0a0-0000-7000-8000-000000000000", "a", "of no entry") // is ignored
}

func TestContentOfFilesElsewhereGoes(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("moving"))
		w.NoteContent(t.Context(), w.ID("moving"), "README.md", "quokka")
		change := func(edit func(*catalog.Entry), want int) {
			t.Helper()
			entry := w.Entry(catalogtest.Ada, w.ID("moving"))
			edit(entry.Entry())
			if _, err := w.Update(w.As(catalogtest.Ada), *entry.Entry(), entry.UpdatedAt); err != nil {
				t.Fatal(err)
			}
			if page := w.Find("", catalog.Query{Text: "quokka", Limit: 10}); page.Total != want {
				t.Errorf("%d entries are found, want %d", page.Total, want)
			}
		}
		change(described("Another text."), 1)
		change(func(r *catalog.Entry) { r.DatasetURL = "https://example.org/elsewhere.csv" }, 0)
		w.NoteContent(t.Context(), w.ID("moving"), "README.md", "quokka") // the same text is there too
		change(described("A third text."), 1)

		if err := w.Delete(w.As(catalogtest.Ada), w.ID("moving")); err != nil {
			t.Fatal(err)
		}
		w.NoteContent(t.Context(), w.ID("moving"), "README.md", "quokka") // somebody still reads it
		var files int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM entry_content`).Scan(&files); err != nil || files != 0 {
			t.Errorf("%d files of a deleted entry are kept (%v)", files, err)
		}
	})
}
