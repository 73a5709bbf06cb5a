package deposits_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/sharing/deposits"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

var waves = map[string]string{"a.csv": "1,2", "b.csv": "3,4"}

// audited counts the records of an action about an entry.
func (w *world) audited(action, id string) (count int) {
	w.T.Helper()
	w.must(w.DB.QueryRowContext(w.T.Context(), `SELECT COUNT(*) FROM audit_inbox WHERE action = $1 AND object_id = $2`, action, id).Scan(&count))
	return count
}

func TestAVersionBecomesARecordWhoseDOIComesBack(t *testing.T) {
	for _, kind := range []archives.Kind{archives.KindZenodo, archives.KindInvenioRDM} {
		t.Run(string(kind), func(t *testing.T) {
			clock := newClock()
			sqldbtest.EachAt(t, clock.Now, func(t *testing.T, db *sqldb.DB) { newWorld(t, db, clock, kind).wholeFlow() })
		})
	}
}

func (w *world) wholeFlow() {
	t := w.T
	w.connect(ada)
	id := w.addKept(waves)
	begun := w.begin(id)
	if begun.State != deposits.Uploading || begun.Version != 1 || begun.By != ada || begun.At != w.name || begun.CreatedAt.IsZero() {
		t.Errorf("%+v", begun)
	}
	draft := w.settle(id, begun.ID)
	at := w.stand.Deposits()
	if draft.State != deposits.Draft || draft.DOI == "" || len(at) != 1 || at[0].Published {
		t.Fatalf("%+v %+v %s", draft, draft.Problem, w.log)
	}
	if got := names(at[0]); got != `a.csv=1,2 b.csv=3,4 ro-crate-metadata.json={"ID"` || draft.Progress.Files != 3 || draft.Progress.Bytes != draft.Progress.TotalBytes {
		t.Errorf("%s %+v", got, draft.Progress)
	}
	if crate := string(at[0].Files["ro-crate-metadata.json"]); !strings.Contains(crate, draft.DOI) || !strings.Contains(crate, `"URL":"a.csv"`) {
		t.Error(crate)
	}
	said := fmt.Sprint(at[0].Metadata)
	for _, part := range []string{
		"Rocks & waves", "de Lovelace", "Ada", "0000-0002-1825-0097", "Sea Institute", "<strong>rocks</strong>", "cc-by-4.0", "waves", "2026-11-30", "cairn " + draft.ID,
		public + "/id/" + id, public + "/id/" + id + "/v1", "10.1234/paper",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("%q isn't in %s", part, said)
		}
	}
	if strings.Contains(said, "@") || strings.Contains(said, "<script") {
		t.Error(said)
	}
	if w.entry(id).DOI != "" || w.audited("entry.deposit", id) != 1 {
		t.Error("a draft has changed the entry")
	}
	if worked, err := w.server.WorkOnce(w.ctx); worked || err != nil {
		t.Errorf("a draft is worked on: %v", err)
	}

	publishing, err := w.server.Publish(w.As(ada), id, draft.ID)
	if err != nil || publishing.State != deposits.Publishing {
		t.Fatalf("%+v %v", publishing, err)
	}
	if again, err := w.server.Publish(w.As(ada), id, draft.ID); err != nil || again.State != deposits.Publishing {
		t.Errorf("%+v %v", again, err)
	}
	done := w.settle(id, draft.ID)
	if at = w.stand.Deposits(); done.State != deposits.Published || len(at) != 1 || !at[0].Published || done.DOI != at[0].DOI || !strings.Contains(done.URL, "/records/") {
		t.Fatalf("%+v %+v", done, at)
	}
	_, version, _, err := w.Versions().Get(w.As(ada), id, 1)
	if err != nil || version.DOI != done.DOI || w.entry(id).DOI != done.DOI || w.audited("entry.deposit", id) != 2 {
		t.Errorf("%+v %v %s", version, err, w.entry(id).DOI)
	}
	if again, err := w.server.Publish(w.As(ada), id, draft.ID); err != nil || again.State != deposits.Published {
		t.Errorf("%+v %v", again, err)
	}
	if again := w.begin(id); again.ID != done.ID || again.State != deposits.Published {
		t.Errorf("%+v", again)
	}
	w.wantCode(w.server.Discard(w.As(ada), id, done.ID), fault.Conflict)
	_, err = w.server.Retry(w.As(ada), id, done.ID)
	w.wantCode(err, fault.Conflict)
	if list, err := w.server.List(w.As(ada), id); err != nil || len(list) != 1 || list[0].ID != done.ID {
		t.Errorf("%+v %v", list, err)
	}

	w.renew(id, 2, waves)
	next := w.settle(id, w.begin(id).ID)
	w.renew(id, 3, waves)
	_, err = w.server.Begin(w.As(ada), id, w.name, 0)
	w.wantCode(err, fault.Conflict)
	w.must(w.server.Discard(w.As(ada), id, next.ID))
	if list, err := w.server.List(w.As(ada), id); err != nil || len(list) != 1 || len(w.stand.Deposits()) != 1 {
		t.Errorf("%+v %v", list, err)
	}
}

func TestOneRecordComesOutWhereverAServerIsKilled(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		for killAt := 1; ; killAt++ {
			before := len(w.stand.Deposits())
			id := w.addKept(waves)
			w.start(killAt)
			begun, err := w.server.Begin(w.As(ada), id, w.name, 0)
			if err != nil {
				w.start(0)
				begun = w.begin(id)
			}
			draft := w.settle(id, begun.ID)
			if draft.State != deposits.Draft {
				w.T.Fatalf("killed at %d: %+v %+v %s", killAt, draft, draft.Problem, w.log)
			}
			if _, err := w.server.Publish(w.As(ada), id, draft.ID); err != nil {
				w.start(0)
				_, err := w.server.Publish(w.As(ada), id, draft.ID)
				w.must(err)
			}
			done := w.settle(id, draft.ID)
			all := w.stand.Deposits()
			if done.State != deposits.Published || len(all) != before+1 || !all[before].Published || len(all[before].Files) != 3 {
				w.T.Fatalf("killed at %d: %+v %+v %d deposits %s", killAt, done, done.Problem, len(all)-before, w.log)
			}
			if w.entry(id).DOI != done.DOI || done.DOI == "" || w.audited("entry.deposit", id) != 2 {
				w.T.Fatalf("killed at %d: %s, %d records", killAt, w.entry(id).DOI, w.audited("entry.deposit", id))
			}
			w.life.mu.Lock()
			whole := w.life.killAt == killAt // it lived
			w.life.mu.Unlock()
			if whole {
				if killAt < 20 {
					w.T.Errorf("only %d events", killAt)
				}
				return
			}
		}
	})
}

func TestLostAnswersAndBrokenUploadsMakeNoSecondRecord(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		for _, call := range []string{"create", "register", "upload", "commit", "describe", "reserve", "publish"} {
			before := len(w.stand.Deposits())
			w.stand.Lose(call)
			if call == "upload" {
				w.stand.BreakUpload()
			}
			id := w.addKept(waves)
			w.deposit(id)
			if all := w.stand.Deposits(); len(all) != before+1 || names(all[before]) != `a.csv=1,2 b.csv=3,4 ro-crate-metadata.json={"ID"` {
				w.T.Errorf("%s: %d, %s", call, len(all)-before, names(all[before]))
			}
		}
	})
}

func TestWhatIsThereIsNotSentAgain(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		w.stand.Lose("describe")
		begun := w.begin(id)
		_, err := w.server.WorkOnce(w.ctx)
		w.must(err)
		waiting := w.get(id, begun.ID)
		if waiting.State != deposits.Uploading || waiting.Problem == nil || waiting.Problem.Code != "unavailable" {
			w.T.Fatalf("%+v", waiting)
		}
		_ = w.stand.Calls()
		if draft := w.settle(id, begun.ID); draft.State != deposits.Draft || draft.Problem != nil {
			w.T.Errorf("%+v", draft)
		}
		if calls := w.stand.Calls(); slices.Contains(calls, "upload") || slices.Contains(calls, "create") {
			w.T.Errorf("%q", calls)
		}
	})
}

func TestALimitIsWaitedForAndNotForEver(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		w.stand.Limit(1)
		_, err := w.server.WorkOnce(w.ctx)
		w.must(err)
		if worked, _ := w.server.WorkOnce(w.ctx); worked {
			w.T.Error("the archive is asked again at once")
		}
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			to.WriteHeader(http.StatusBadGateway)
			return true
		})
		for range 40 {
			w.pass(time.Hour)
			_, err := w.server.WorkOnce(w.ctx)
			w.must(err)
		}
		failed := w.get(id, begun.ID)
		if failed.State != deposits.Failed || failed.Problem.Code != "unavailable" {
			w.T.Fatalf("%+v", failed)
		}
		w.stand.Disturb(nil)
		if again, err := w.server.Retry(w.As(ada), id, begun.ID); err != nil || again.State != deposits.Uploading || again.Problem != nil {
			w.T.Fatalf("%+v %v", again, err)
		}
		if draft := w.settle(id, begun.ID); draft.State != deposits.Draft || len(w.stand.Deposits()) != 1 {
			w.T.Errorf("%+v", draft)
		}
	})
}

func TestWithoutAConnectionNothingIsDeposited(t *testing.T) {
	each(t, func(w *world) {
		id := w.addKept(waves)
		list, err := w.server.Archives(w.As(ada))
		if err != nil || len(list) != 1 || list[0].Connected || list[0].Name != w.name {
			w.T.Errorf("%+v %v", list, err)
		}
		_, err = w.server.Begin(w.As(ada), id, w.name, 0)
		w.wantCode(err, fault.NotConnected)
		if !strings.Contains(fault.MessageOf(err), "account's settings") {
			w.T.Error(fault.MessageOf(err))
		}
		w.connect(ada)
		if list, err := w.server.Archives(w.As(ada)); err != nil || !list[0].Connected {
			w.T.Errorf("%+v %v", list, err)
		}
		if list, err := w.server.Archives(w.As(bob)); err != nil || list[0].Connected {
			w.T.Errorf("%+v %v", list, err)
		}
	})
}

func TestARefusedTokenFailsUntilTheAccountIsConnectedAgain(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			to.WriteHeader(http.StatusUnauthorized)
			return true
		})
		failed := w.settle(id, begun.ID)
		if failed.State != deposits.Failed || failed.Problem.Code != fault.NotConnected {
			w.T.Fatalf("%+v", failed)
		}
		w.stand.Disturb(nil)
		_, err := w.server.Retry(w.As(ada), id, begun.ID) // the token isn't sent again
		w.wantCode(err, fault.NotConnected)
		w.connect(ada)
		if again := w.begin(id); again.ID != begun.ID || again.State != deposits.Uploading {
			w.T.Fatalf("%+v", again)
		}
		if draft := w.settle(id, begun.ID); draft.State != deposits.Draft || len(w.stand.Deposits()) != 1 {
			w.T.Errorf("%+v", draft)
		}
	})
}

func TestADraftIsDiscarded(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		draft := w.settle(id, w.begin(id).ID)
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			to.WriteHeader(http.StatusBadGateway)
			return true
		})
		w.wantCode(w.server.Discard(w.As(ada), id, draft.ID), fault.Unavailable)
		w.stand.Disturb(nil)
		if still := w.get(id, draft.ID); still.State != deposits.Draft {
			w.T.Errorf("%+v", still)
		}
		w.stand.Lose("discard")
		if err := w.server.Discard(w.As(ada), id, draft.ID); err != nil {
			w.must(w.server.Discard(w.As(ada), id, draft.ID))
		}
		_, err := w.server.Get(w.As(ada), id, draft.ID)
		w.wantCode(err, fault.NotFound)
		if len(w.stand.Deposits()) != 0 || w.audited("entry.discard_deposit", id) != 1 {
			w.T.Errorf("%+v", w.stand.Deposits())
		}
		if other := w.deposit(id); other.ID == draft.ID || len(w.stand.Deposits()) != 1 {
			w.T.Errorf("%+v", other)
		}
	})
}

// TestADraftThatIsLostIsDiscardedToo: the answer to Create was lost, so the archive has a draft that isn't known here.
func TestADraftThatIsLostIsDiscardedToo(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		begun := w.begin(id)
		w.stand.Lose("create")
		_, err := w.server.WorkOnce(w.ctx)
		w.must(err)
		w.wantCode(w.server.Discard(w.As(ada), id, begun.ID), fault.Unavailable)
		w.pass(time.Minute)
		w.must(w.server.Discard(w.As(ada), id, begun.ID))
		if len(w.stand.Deposits()) != 0 {
			w.T.Errorf("%+v", w.stand.Deposits())
		}
	})
}

func TestADraftThatSomebodyDeletedOrPublishedAtTheArchive(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		client := w.options.Archives[0]
		id := w.addKept(waves)
		draft := w.settle(id, w.begin(id).ID)
		w.must(client.Discard(w.T.Context(), archivestest.Token, archives.Draft{ID: w.stand.Deposits()[0].ID}))
		_, err := w.server.Publish(w.As(ada), id, draft.ID)
		w.must(err)
		if failed := w.settle(id, draft.ID); failed.State != deposits.Failed || failed.Problem.Code != "not_found" {
			w.T.Fatalf("%+v", failed)
		}
		_, err = w.server.Retry(w.As(ada), id, draft.ID)
		w.must(err)
		if again := w.settle(id, draft.ID); again.State != deposits.Draft || len(w.stand.Deposits()) != 1 {
			w.T.Fatalf("%+v", again)
		}
		_, err = client.Publish(w.T.Context(), archivestest.Token, archives.Draft{ID: w.stand.Deposits()[0].ID})
		w.must(err)
		w.wantCode(w.server.Discard(w.As(ada), id, draft.ID), fault.Conflict)
		if done := w.settle(id, draft.ID); done.State != deposits.Published || w.entry(id).DOI != done.DOI {
			w.T.Errorf("%+v", done)
		}
	})
}

func TestTheNextVersionIsOneOfTheRecord(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		first := w.settle(id, w.begin(id).ID)
		w.renew(id, 2, map[string]string{"a.csv": "1,2", "c.csv": "5,6"})
		_, err := w.server.Begin(w.As(ada), id, w.name, 2)
		w.wantCode(err, fault.Conflict) // the archive has one draft at a time
		if again, err := w.server.Begin(w.As(ada), id, w.name, 1); err != nil || again.ID != first.ID {
			w.T.Errorf("%+v %v", again, err)
		}
		_, err = w.server.Publish(w.As(ada), id, first.ID)
		w.must(err)
		first = w.settle(id, first.ID)
		if w.entry(id).DOI != "" {
			w.T.Error("the DOI of an earlier version became the entry's")
		}
		w.stand.Lose("newversion")
		_ = w.stand.Calls()
		second := w.deposit(id)
		calls := w.stand.Calls()
		all := w.stand.Deposits()
		if len(all) != 2 || second.DOI == first.DOI || slices.Contains(calls, "create") || !slices.Contains(calls, "newversion") || !all[1].Published {
			w.T.Fatalf("%+v %q", all, calls)
		}
		if got := names(all[1]); got != `a.csv=1,2 c.csv=5,6 ro-crate-metadata.json={"ID"` {
			w.T.Error(got)
		}
		w.renew(id, 3, map[string]string{"a.csv": "9,9"}) // as long as before
		third := w.deposit(id)
		if all = w.stand.Deposits(); w.entry(id).DOI != third.DOI || len(all) != 3 || names(all[2]) != `a.csv=9,9 ro-crate-metadata.json={"ID"` {
			w.T.Errorf("%s %+v", w.entry(id).DOI, all)
		}
		list, err := w.server.List(w.As(ada), id)
		if err != nil || len(list) != 3 || list[0].ID != third.ID || list[2].ID != first.ID {
			w.T.Errorf("%+v %v", list, err)
		}
		_, err = w.server.Begin(w.As(ada), id, w.name, 4)
		w.wantCode(err, fault.NotFound)
	})
}

func TestADOIOfTheAuthorsStays(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves, func(r *catalog.Entry) { r.DOI = "10.1234/own" })
		done := w.deposit(id)
		_, version, _, err := w.Versions().Get(w.As(ada), id, 1)
		if err != nil || version.DOI != done.DOI || w.entry(id).DOI != "10.1234/own" {
			w.T.Errorf("%+v %v %s", version, err, w.entry(id).DOI)
		}
		if said := fmt.Sprint(w.stand.Deposits()[0].Metadata); !strings.Contains(said, "10.1234/own") {
			w.T.Error(said)
		}
	})
}

func TestFoldersAndManyFilesGoUpInOne(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		deep := map[string]string{"data/a.csv": "1,2", "README": "x"}
		many := map[string]string{}
		for i := range deposits.MostFiles + 1 {
			many[fmt.Sprintf("%03d", i)] = "x"
		}
		odd := map[string]string{"run.json": "theirs"}
		for i, files := range []map[string]string{deep, many, odd} {
			id := w.addKept(files)
			w.stand.Lose("describe") // so that it's made twice
			_ = w.stand.Calls()
			w.settle(id, w.begin(id).ID)
			at := w.stand.Deposits()[i]
			packed := at.Files["Rocks & waves-v1.zip"]
			reader, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
			if err != nil || len(reader.File) != len(files) || len(at.Files) != 2 {
				w.T.Fatalf("%v %s", err, names(at))
			}
			for _, one := range reader.File {
				content, err := one.Open()
				w.must(err)
				text, err := io.ReadAll(content)
				if err != nil || string(text) != files[one.Name] {
					w.T.Errorf("%s: %q %v", one.Name, text, err)
				}
			}
			if sent := strings.Count(strings.Join(w.stand.Calls(), " "), "upload"); sent != 2 {
				w.T.Errorf("%d uploads: the same files made another zip", sent)
			}
		}
		left, err := os.ReadDir(w.temp)
		if err != nil || len(left) > 0 {
			w.T.Errorf("%v %v", left, err)
		}
	})
}

func TestOfAnEntryElsewhereTheDescriptionIsDeposited(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		licensed := func(r *catalog.Entry) { r.License = "MIT OR Apache-2.0" }
		w.Import(catalogtest.Entry("code", catalogtest.Repository("https://github.com/lab/code"), licensed), catalogtest.Entry("bare"))
		run := &catalog.LastRun{ID: sqldb.NewID(), File: "a.ipynb", Verdict: catalog.RunClean}
		w.must(w.DB.Write(w.T.Context(), func(tx *sqldb.Tx) error {
			tx.Changed(w.ID("code"))
			return catalog.RecordRun(w.T.Context(), tx, w.ID("code"), run)
		}))
		w.must(w.CatchUp(w.T.Context()))
		w.deposit(w.ID("code"))
		at := w.stand.Deposits()[0]
		said := fmt.Sprint(at.Metadata)
		if names(at) != `ro-crate-metadata.json={"ID" run.json={`+"\n  "+`"` || !strings.Contains(said, "https://github.com/lab/code") || !strings.Contains(said, "software") ||
			!strings.Contains(said, "MIT OR Apache-2.0") || !strings.Contains(said, "Hill University") {
			w.T.Errorf("%q %s", names(at), said)
		}
		_, err := w.server.Begin(w.As(ada), w.ID("bare"), w.name, 0)
		w.wantCode(err, fault.Invalid) // it has no license
		_, err = w.server.Begin(w.As(ada), w.ID("code"), "elsewhere", 0)
		w.wantCode(err, fault.Invalid)
	})
}

func TestFilesThatAreGoneFail(t *testing.T) {
	each(t, func(w *world) {
		w.connect(ada)
		id := w.addKept(waves)
		clear(w.folders)
		if failed := w.settle(id, w.begin(id).ID); failed.State != deposits.Failed || failed.Problem.Code != "internal" || strings.Contains(failed.Problem.Detail, "kept:") {
			w.T.Errorf("%+v", failed)
		}
	})
}
