package catalog_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

func nowUTC() time.Time { return time.Now().UTC() }

func TestStars(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("first"), catalogtest.Entry("second"))
		first, second := w.ID("first"), w.ID("second")
		expect := func(method, path string, want bool) {
			t.Helper()
			var starred bool
			if w.Ask(catalogtest.Bob, method, path, http.StatusOK, &starred); starred != want {
				t.Errorf("%s %s: %v, want %v", method, path, starred, want)
			}
		}
		expect(http.MethodGet, "/resources/"+first+"/star", false)
		expect(http.MethodPost, "/resources/"+first+"/star", true)
		expect(http.MethodGet, "/resources/"+first+"/star/", true)
		expect(http.MethodPost, "/resources/"+first+"/star", false)
		expect(http.MethodPut, "/resources/"+first+"/star", true)
		expect(http.MethodPut, "/resources/"+first+"/star", true)
		expect(http.MethodPut, "/resources/"+second+"/star", true)
		w.Ask("", http.MethodPost, "/resources/"+first+"/star", http.StatusUnauthorized, nil)

		var starred []catalog.Resource
		w.Ask(catalogtest.Bob, http.MethodGet, "/resources/Bob%40Example.org/stars", http.StatusOK, &starred)
		if catalogtest.Names(starred) != "second, first" || starred[0].StarCount != 1 || starred[0].Starred == nil || !*starred[0].Starred {
			t.Errorf("got %+v, want the newest star first", starred)
		}
		w.Ask(catalogtest.Ada, http.MethodGet, "/resources/"+catalogtest.Bob+"/stars", http.StatusForbidden, nil)
		w.Ask("", http.MethodGet, "/resources/"+catalogtest.Bob+"/stars", http.StatusUnauthorized, nil)

		expect(http.MethodDelete, "/resources/"+first+"/star", false)
		expect(http.MethodDelete, "/resources/"+first+"/star", false)
		if page := w.Find("", catalog.Query{Sort: catalog.SortStars}); catalogtest.Names(page.Resources) != "second, first" {
			t.Errorf("by stars: %s", catalogtest.Names(page.Resources))
		}
	})
}

func TestMostUsedFirst(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("idle"), catalogtest.Entry("starred"), catalogtest.Entry("started"), catalogtest.Entry("once"))
		for _, email := range []string{catalogtest.Ada, catalogtest.Bob} {
			w.Ask(email, http.MethodGet, "/resources/"+w.ID("idle")+"/star", http.StatusOK, nil) // makes the account
		}
		w.Ask(catalogtest.Bob, http.MethodPut, "/resources/"+w.ID("starred")+"/star", http.StatusOK, nil)
		var accounts []string
		rows, err := db.QueryContext(t.Context(), `SELECT id FROM account ORDER BY email`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			accounts = append(accounts, "")
			if err := rows.Scan(&accounts[len(accounts)-1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil || len(accounts) < 2 {
			t.Fatal(accounts, err)
		}
		start := func(account string, names ...string) {
			t.Helper()
			var ids []string
			for _, name := range names {
				ids = append(ids, w.ID(name))
			}
			if err := db.Write(t.Context(), func(tx *sqldb.Tx) error { return catalog.RecordStart(t.Context(), tx, account, ids) }); err != nil {
				t.Fatal(err)
			}
		}
		expect := func(want string) {
			t.Helper()
			if page := w.Find("", catalog.Query{Sort: catalog.SortUsed, Limit: 10}); catalogtest.Names(page.Resources) != want {
				t.Errorf("most used first: %s, want %s", catalogtest.Names(page.Resources), want)
			}
		}
		count := func() {
			t.Helper()
			ended := make(chan time.Time)
			close(ended)
			w.CountStarters(t.Context(), ended)
		}
		start(accounts[0], "started", "once")
		start(accounts[1], "started")
		start(accounts[1], "started") // the same account counts once
		count()
		expect("starred, started, once, idle") // a star counts as much as three accounts
		w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+w.ID("starred")+"/star", http.StatusOK, nil)
		expect("started, once, idle, starred")

		err = db.Write(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(t.Context(), `UPDATE entry_start SET started_at = $1 WHERE resource_id = $2`,
				sqldb.Micros(nowUTC().Add(-91*24*time.Hour)), w.ID("started"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		count()
		expect("once, idle, starred, started")
		again, err := w.Store.CountStarters(t.Context())
		if err != nil || len(again.IDs) != 0 {
			t.Errorf("counting again changed %v (%v)", again.IDs, err)
		}
	})
}

func TestStarsOfEntriesThatBecamePrivateAreHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, nowUTC), catalogtest.Entry("open"))
	w.Ask(catalogtest.Bob, http.MethodPut, "/resources/"+w.ID("open")+"/star", http.StatusOK, nil)
	w.Import(catalogtest.Entry("open", catalogtest.Private))
	var starred []catalog.Resource
	if w.Ask(catalogtest.Bob, http.MethodGet, "/resources/"+catalogtest.Bob+"/stars", http.StatusOK, &starred); len(starred) != 0 {
		t.Errorf("got %s", catalogtest.Names(starred))
	}
}

func TestTwoQuickTogglesNeverMakeTwoStars(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("entry"))
		id, ctx := w.ID("entry"), w.As(catalogtest.Bob)
		for range 5 {
			answers := make(chan bool, 2)
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() {
					starred, err := w.Stars().Toggle(ctx, id)
					if err != nil {
						t.Error(err)
					}
					answers <- starred
				})
			}
			both.Wait()
			if one, two := <-answers, <-answers; one == two {
				t.Errorf("both toggles answered %v", one)
			}
			if found, err := w.Get(ctx, id); err != nil || found.StarCount != 0 || *found.Starred {
				t.Fatalf("after two toggles: %+v, %v", found, err)
			}
		}
	})
}

// Somebody who starred much reads no more with each search than others do.
func TestAPageReadsItsOwnStarsAlone(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		var entries []catalog.Entry
		for number := range 40 {
			entries = append(entries, catalogtest.Entry(fmt.Sprintf("entry %02d", number)))
		}
		w := newWorld(t, db, entries...)
		bobs := w.As(catalogtest.Bob)
		for number := range 40 {
			if _, err := w.Stars().Set(bobs, w.ID(fmt.Sprintf("entry %02d", number)), true); err != nil {
				t.Fatal(err)
			}
		}
		search := func() {
			t.Helper()
			page, err := w.Search(bobs, catalog.Query{Limit: 2}, false)
			if err != nil || len(page.Resources) != 2 || !*page.Resources[0].Starred {
				t.Fatalf("got %+v, %v", page, err)
			}
		}
		search()
		reads := sqldbtest.CountReads(t, db)
		search()
		if statements, rows := reads.Statements.Load(), reads.Rows.Load(); statements != 2 || rows != 3 {
			t.Errorf("%d statements read %d rows, want the last change and two stars", statements, rows)
		}
	})
}

// All that a star costs: who may see the entry, the star, its record, its note for other processes, and reading the entry again.
func TestAStarCostsAFewStatements(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db, catalogtest.Entry("listed"), catalogtest.Entry("not listed"))
		bobs := w.As(catalogtest.Bob)
		w.Find("", catalog.Query{Text: "listed", Limit: 1}) // its row is kept
		counts := sqldbtest.CountReads(t, db)
		for _, name := range []string{"listed", "not listed"} {
			id := w.ID(name)
			for _, step := range []struct {
				what   string
				do     func() (bool, error)
				want   bool
				atMost int64
			}{
				{"star", func() (bool, error) { return w.Stars().Set(bobs, id, true) }, true, 6},
				{"star again", func() (bool, error) { return w.Stars().Set(bobs, id, true) }, true, 2},
				{"toggle off", func() (bool, error) { return w.Stars().Toggle(bobs, id) }, false, 6},
				{"toggle on", func() (bool, error) { return w.Stars().Toggle(bobs, id) }, true, 7},
				{"unstar", func() (bool, error) { return w.Stars().Set(bobs, id, false) }, false, 6},
			} {
				counts.Statements.Store(0)
				counts.Writes.Store(0)
				if got, err := step.do(); err != nil || got != step.want {
					t.Errorf("%s, %s: %t, %v", name, step.what, got, err)
				}
				if reads, writes := counts.Statements.Load(), counts.Writes.Load(); writes == 0 || reads+writes > step.atMost {
					t.Errorf("%s, %s: %d statements to read and %d to write, want %d at most", name, step.what, reads, writes, step.atMost)
				}
			}
			if page := w.Find(catalogtest.Bob, catalog.Query{}); page.Resources[0].StarCount != 0 || *page.Resources[0].Starred {
				t.Errorf("%s: %+v", name, page.Resources[0])
			}
		}
	})
}
