package archives_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"cairn/internal/entries/archives"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/connections"
)

var _ connections.Service = (*archives.Client)(nil)

func TestADepositBecomesARecord(t *testing.T) {
	each(t, func(w *world) {
		_, found, err := w.client.FindDraft(w.Context(), token, mark)
		if err != nil || found {
			w.Fatalf("found before there is one: %v", err)
		}
		draft := w.create()
		again, found, err := w.client.FindDraft(w.Context(), token, mark)
		if err != nil || !found || again != draft || draft.Published || draft.URL != w.stand.URL()+"/uploads/"+draft.ID {
			w.Fatalf("%+v %+v %v %v", draft, again, found, err)
		}
		if _, found, _ = w.client.FindDraft(w.Context(), token, mark+"1"); found {
			w.Error("found by another mark")
		}
		w.must(w.upload(draft, "old.txt", "old"))
		w.must(w.upload(draft, "data ü#?.csv", "1,2"))
		w.must(w.upload(draft, "data ü#?.csv", "1,2,3"))
		w.must(w.upload(draft, "empty", ""))
		w.must(w.client.DeleteFile(w.Context(), token, draft, "old.txt"))
		w.must(w.client.DeleteFile(w.Context(), token, draft, "old.txt"))
		files, err := w.client.Files(w.Context(), token, draft)
		want := []archives.DraftFile{{Name: "data ü#?.csv", Size: 5, MD5: "55b84a9d317184fe61224bfb4a060fb0"}, {Name: "empty", MD5: "d41d8cd98f00b204e9800998ecf8427e"}}
		if err != nil || !slices.Equal(files, want) {
			w.Fatalf("%+v %v", files, err)
		}

		reserved, err := w.client.Reserve(w.Context(), token, draft)
		w.must(err)
		w.must(w.client.Describe(w.Context(), token, draft, about()))
		if kept, err := w.client.Get(w.Context(), token, draft); err != nil || kept != reserved {
			w.Errorf("describing changed %+v into %+v, %v", reserved, kept, err)
		}
		second, err := w.client.Reserve(w.Context(), token, draft)
		if err != nil || reserved.DOI == "" || reserved != second {
			w.Fatalf("%+v %+v %v", reserved, second, err)
		}
		if _, found, err = w.client.FindDraft(w.Context(), token, mark); !found || err != nil {
			w.Error("the mark is gone")
		}

		record, err := w.client.Publish(w.Context(), token, draft)
		if err != nil || !record.Published || record.DOI != reserved.DOI || record.URL != w.stand.URL()+"/records/"+record.ID {
			w.Fatalf("%+v %v", record, err)
		}
		_ = w.stand.Calls()
		twice, err := w.client.Publish(w.Context(), token, draft)
		if asked := w.stand.Calls(); err != nil || twice != record || slices.Contains(asked, "publish") {
			w.Errorf("%+v %v %q", twice, err, asked)
		}
		wantFault(w.T, w.client.Discard(w.Context(), token, draft), fault.Conflict)
		if err := w.upload(draft, "late.txt", "x"); err == nil {
			w.Error("a file was put into a record")
		}
		w.checkRecord(record.DOI)
	})
}

// checkRecord reads what was published as everybody does.
func (w *world) checkRecord(doi string) {
	w.Helper()
	record, err := archives.NewRecords(w.all.Records()).Find(w.Context(), doi)
	w.must(err)
	if record.DOI != doi || record.Title != "Waves and rocks" || record.License != "CC-BY-4.0" || record.Published != "2026-11-30" || record.Version != "3" || len(record.Files) != 2 {
		w.Errorf("%+v", record)
	}
	if content := fetch(w.T, record.Files[0].URL); content != "1,2,3" {
		w.Errorf("%q", content)
	}
	deposit := w.stand.Deposits()[0]
	if said := fmt.Sprint(deposit.Metadata); !strings.Contains(said, "0000-0002-1825-0097") || !strings.Contains(said, "Sea Institute") || !strings.Contains(said, "From a catalog.") {
		w.Error(said)
	}
}

// publish deposits something with one file.
func (w *world) publish() archives.Draft {
	w.Helper()
	draft := w.create()
	w.must(w.upload(draft, "data.csv", "1,2,3"))
	w.must(w.client.Describe(w.Context(), token, draft, about()))
	record, err := w.client.Publish(w.Context(), token, draft)
	w.must(err)
	return record
}

func TestAVersionHasOneNext(t *testing.T) {
	each(t, func(w *world) {
		first := w.publish()
		draft, err := w.client.NewVersion(w.Context(), token, first.ID, "mark 2")
		w.must(err)
		again, err := w.client.NewVersion(w.Context(), token, first.ID, "mark 2")
		found, ok, findErr := w.client.FindDraft(w.Context(), token, "mark 2")
		if err != nil || findErr != nil || !ok || draft.ID != again.ID || draft.ID != found.ID || draft.ID == first.ID || draft.Published {
			w.Fatalf("%+v %+v %+v %v %v", draft, again, found, err, findErr)
		}
		files, err := w.client.Files(w.Context(), token, draft)
		if err != nil || len(files) != 1 || files[0].Name != "data.csv" {
			w.Fatalf("%+v %v", files, err)
		}
		w.must(w.upload(draft, "data.csv", "4,5,6"))
		next := about()
		next.Mark = "mark 2"
		w.must(w.client.Describe(w.Context(), token, draft, next))
		second, err := w.client.Publish(w.Context(), token, draft)
		if err != nil || second.DOI == first.DOI {
			w.Fatalf("%+v %v", second, err)
		}
		all := w.stand.Deposits()
		if len(all) != 2 || string(all[0].Files["data.csv"]) != "1,2,3" || string(all[1].Files["data.csv"]) != "4,5,6" {
			w.Errorf("%+v", all)
		}
		if _, err := w.client.NewVersion(w.Context(), token, first.ID, "mark 3"); fault.KindOf(err) != fault.Invalid {
			w.Errorf("an old version got a next one: %v", err)
		}
	})
}

func TestADraftIsDiscarded(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		w.must(w.client.Discard(w.Context(), token, draft))
		w.must(w.client.Discard(w.Context(), token, draft))
		if len(w.stand.Deposits()) != 0 {
			w.Error("it's still there")
		}
		_, err := w.client.Get(w.Context(), token, draft)
		wantFault(w.T, err, fault.NotFound)
	})
}

func TestZenodoMayHideWhatIsPublished(t *testing.T) {
	each(t, func(w *world) {
		w.stand.HidesPublished = true
		record := w.publish()
		if got, err := w.client.Get(w.Context(), token, record); err != nil || got != record {
			w.Errorf("%+v %v", got, err)
		}
	})
}

func TestALostAnswerToPublishIsAskedForAgain(t *testing.T) {
	each(t, func(w *world) {
		w.stand.Lose("publish")
		if record := w.publish(); record.DOI == "" || !record.Published {
			w.Errorf("%+v", record)
		}
		if asked := w.stand.Calls(); slices.Index(asked, "publish") < 0 || slices.Contains(asked[slices.Index(asked, "publish")+1:], "publish") {
			w.Errorf("%q", asked)
		}
	})
}

// TestADraftIsFoundWithoutTheSearch: an archive may divide a mark into words as it likes, and index it late.
func TestADraftIsFoundWithoutTheSearch(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		w.stand.Disturb(func(to http.ResponseWriter, r *http.Request) bool {
			if !r.URL.Query().Has("q") {
				return false
			}
			fmt.Fprint(to, map[archives.Kind]string{archives.KindZenodo: "[]", archives.KindInvenioRDM: `{"hits": {"hits": []}}`}[w.client.Kind])
			return true
		})
		if found, ok, err := w.client.FindDraft(w.Context(), token, mark); err != nil || !ok || found != draft {
			w.Errorf("%+v %v %v", found, ok, err)
		}
	})
}

// job deposits as a server does that may stop after each call: it knows the draft's id once Create or FindDraft has answered.
type job struct {
	*world

	previous string
	draft    archives.Draft
}

func (j *job) run(ctx context.Context) (archives.Draft, error) {
	if err := j.begin(ctx); err != nil {
		return archives.Draft{}, err
	}
	if now, err := j.client.Get(ctx, token, j.draft); err != nil || now.Published {
		return now, err
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if err := j.client.Upload(ctx, token, j.draft, name, 7, strings.NewReader("content")); err != nil {
			return archives.Draft{}, err
		}
	}
	if err := j.client.DeleteFile(ctx, token, j.draft, "b.txt"); err != nil {
		return archives.Draft{}, err
	}
	if err := j.client.Describe(ctx, token, j.draft, about()); err != nil {
		return archives.Draft{}, err
	}
	if _, err := j.client.Reserve(ctx, token, j.draft); err != nil {
		return archives.Draft{}, err
	}
	return j.client.Publish(ctx, token, j.draft)
}

func (j *job) begin(ctx context.Context) error {
	if j.draft.ID != "" {
		return nil
	}
	found, ok, err := j.client.FindDraft(ctx, token, mark)
	switch {
	case err != nil:
		return err
	case ok:
		j.draft = found
		return nil
	case j.previous != "":
		j.draft, err = j.client.NewVersion(ctx, token, j.previous, mark)
	default:
		j.draft, err = j.client.Create(ctx, token, mark)
	}
	return err
}

// TestNoLostAnswerDoubles loses the answer of each call once, in one deposit for all calls and in one deposit for each.
func TestNoLostAnswerDoubles(t *testing.T) {
	each(t, func(w *world) {
		calls := []string{"create", "register", "upload", "commit", "deletefile", "describe", "reserve", "publish", "newversion", "import"}
		for _, lost := range append([][]string{calls}, slices.Collect(slices.Chunk(calls, 1))...) {
			before := len(w.stand.Deposits())
			previous, _ := w.stand.Add(itemForVersions, "")
			id := previous[strings.LastIndexAny(previous, "./")+1:]
			for _, from := range []string{"", id} {
				for _, call := range lost {
					w.stand.Lose(call)
				}
				work := &job{world: w, previous: from}
				record, err := work.run(w.Context())
				for tries := 0; err != nil && tries < 20; tries++ {
					record, err = work.run(w.Context())
				}
				if err != nil || record.DOI == "" {
					w.Fatalf("lost %v: %+v %v", lost, record, err)
				}
				w.hide(record.ID)
			}
			if all := w.stand.Deposits(); len(all) != before+3 || slices.ContainsFunc(all, func(one depositOf) bool { return !one.Published }) {
				w.Fatalf("lost %v: %+v", lost, all)
			}
		}
	})
}

// hide checks a record, and takes its mark away, so that the next job doesn't find it.
func (w *world) hide(id string) {
	w.Helper()
	for _, one := range w.stand.Deposits() {
		if one.ID == id {
			if string(one.Files["a.txt"]) != "content" || one.Files["b.txt"] != nil {
				w.Errorf("%q", one.Files)
			}
		}
	}
	w.stand.Forget(id)
}

func TestAnUploadThatBreaksOffIsSentAgain(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		content := strings.Repeat("0123456789", 300_000)
		w.stand.BreakUpload()
		broken := wantFault(w.T, w.upload(draft, "big.bin", content), fault.Unavailable)
		if broken.RetryAfter == 0 {
			w.Error("it doesn't say when to come back")
		}
		w.must(w.upload(draft, "big.bin", content))
		if got := w.stand.Deposits()[0].Files; len(got) != 1 || string(got["big.bin"]) != content {
			w.Errorf("%d bytes", len(got["big.bin"]))
		}
	})
}

func TestAFileThatCannotBeReadIsNotTheArchivesFault(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		failed := errors.New("the disk is broken")
		reader := io.MultiReader(strings.NewReader("begin"), iotest.ErrReader(failed))
		if err := w.client.Upload(w.Context(), token, draft, "a", 10, reader); !errors.Is(err, failed) {
			w.Errorf("got %v", err)
		}
		for _, size := range []int64{3, 8} {
			wantFault(w.T, w.client.Upload(w.Context(), token, draft, "a", size, strings.NewReader("12345")), fault.Conflict)
		}
	})
}

func TestWhatTheArchiveFindsWrongIsNamed(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		wrong := about()
		wrong.Title, wrong.Type, wrong.License, wrong.Published, wrong.Creators = "", "dance", "My-Own", "yesterday", nil
		found := wantFault(w.T, w.client.Describe(w.Context(), token, draft, wrong), fault.Invalid)
		var at []string
		for _, one := range found.Fields {
			at = append(at, one.Location)
			if one.Message == "" {
				w.Errorf("%+v", one)
			}
		}
		slices.Sort(at)
		want := []string{"metadata.creators", "metadata.license", "metadata.publication_date", "metadata.title", "metadata.upload_type"}
		if w.client.Kind == archives.KindInvenioRDM {
			want = []string{"metadata.creators", "metadata.publication_date", "metadata.resource_type", "metadata.rights.0", "metadata.title"}
		}
		if !slices.Equal(at, want) {
			w.Errorf("%q", at)
		}
		refused, err := w.client.Publish(w.Context(), token, draft)
		if wantFault(w.T, err, fault.Invalid); refused.Published || w.stand.Deposits()[0].Published {
			w.Error("it was published")
		}
	})
}
