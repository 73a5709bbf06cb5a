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
	"time"

	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/people/connections"
)

type depositOf = archivestest.Deposit

var itemForVersions = archivestest.Item{
	Title: "Before", Description: "<p>Old</p>", Published: "2020-01-02", Files: []archivestest.Content{{Path: "a.txt", Data: []byte("old")}},
	People: []archives.Person{{Name: "Doe, Jane"}},
}

// calls are all methods of a client that ask the archive.
func calls(ctx context.Context, client *archives.Client, with string, draft archives.Draft) map[string]error {
	all := map[string]error{}
	_, all["Look"] = client.Look(ctx, with)
	_, _, all["FindDraft"] = client.FindDraft(ctx, with, mark)
	_, all["Create"] = client.Create(ctx, with, mark)
	_, all["NewVersion"] = client.NewVersion(ctx, with, draft.ID, mark)
	_, all["Get"] = client.Get(ctx, with, draft)
	_, all["Files"] = client.Files(ctx, with, draft)
	all["Upload"] = client.Upload(ctx, with, draft, "a", 4, strings.NewReader("text"))
	all["DeleteFile"] = client.DeleteFile(ctx, with, draft, "a")
	all["Describe"] = client.Describe(ctx, with, draft, about())
	_, all["Reserve"] = client.Reserve(ctx, with, draft)
	_, all["Publish"] = client.Publish(ctx, with, draft)
	all["Discard"] = client.Discard(ctx, with, draft)
	return all
}

func TestLookSaysWhetherATokenIsAccepted(t *testing.T) {
	each(t, func(w *world) {
		granted, err := w.client.Look(w.Context(), token)
		if err != nil || !slices.Contains(granted.Rights, connections.RightWrite) {
			w.Errorf("%+v %v", granted, err)
		}
		_, err = w.client.Look(w.Context(), "another")
		if found := wantFault(w.T, err, fault.Invalid); len(found.Fields) != 1 || found.Fields[0].Location != "body.token" {
			w.Errorf("%+v", found.Fields)
		}
		if done, err := w.client.Revoke(w.Context(), token); done || err != nil {
			w.Errorf("%v %v", done, err)
		}
	})
}

func TestARefusedTokenIsNotConnected(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		for name, err := range calls(w.Context(), w.client, "secret-but-wrong", draft) {
			want := fault.Class(fault.NotConnected)
			if name == "Look" {
				want = fault.Invalid
			}
			if strings.Contains(fmt.Sprint(err), "secret-but-wrong") {
				w.Errorf("%s tells the token: %v", name, err)
			}
			if wantCode := fault.New(want, "x").Code; fault.CodeOf(err) != wantCode {
				w.Errorf("%s: %v", name, err)
			}
		}
		if all := w.stand.Deposits(); len(all) != 1 || len(all[0].Files) != 0 {
			w.Errorf("%+v", all)
		}
	})
}

func TestLimitsSayWhenToComeBack(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		w.stand.Limit(1_000)
		for name, err := range calls(w.Context(), w.client, token, draft) {
			if found := wantFault(w.T, err, fault.Unavailable); found.RetryAfter != 7*time.Second {
				w.Errorf("%s: %s %v", name, found.RetryAfter, err)
			}
		}
	})
}

func TestADeadArchiveIsUnavailable(t *testing.T) {
	each(t, func(w *world) {
		for _, answer := range []func(http.ResponseWriter){
			func(to http.ResponseWriter) { to.WriteHeader(http.StatusBadGateway) },
			func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		} {
			w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool { answer(to); return true })
			for name, err := range calls(w.Context(), w.client, token, archives.Draft{ID: "1"}) {
				if found := wantFault(w.T, err, fault.Unavailable); found.RetryAfter == 0 {
					w.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}

func TestUnreadableAnswersAreRefused(t *testing.T) {
	each(t, func(w *world) {
		for _, text := range []string{"<html>Who are you?", "", "12", `{"id": []}`} {
			w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(to, text); return true })
			for name, err := range calls(w.Context(), w.client, token, archives.Draft{ID: "1"}) {
				switch {
				case name == "DeleteFile" && w.client.Kind == archives.KindInvenioRDM: // whose answer to that has no content
				case text == `{"id": []}` && (name == "Describe" || name == "Look" || name == "Files"): // which look at no id
				case err == nil, fault.KindOf(err) != fault.BadUpstream && fault.KindOf(err) != fault.Conflict:
					w.Errorf("%s of %.20q: %v", name, text, err)
				}
			}
		}
	})
}

func TestHugeAnswersAreNotRead(t *testing.T) {
	each(t, func(w *world) {
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprintf(to, `{"id": 1, "x": "%s"}`, strings.Repeat("x", 9<<20))
			return true
		})
		_, err := w.client.Create(w.Context(), token, mark)
		wantFault(w.T, err, fault.BadUpstream)
	})
}

// TestNoOtherServerIsAsked: neither redirects nor the links in answers lead a token elsewhere.
func TestNoOtherServerIsAsked(t *testing.T) {
	each(t, func(w *world) {
		elsewhere := other(w.T)
		for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
			w.stand.Disturb(func(to http.ResponseWriter, r *http.Request) bool {
				http.Redirect(to, r, elsewhere.URL+r.URL.Path, status)
				return true
			})
			for _, err := range calls(w.Context(), w.client, token, archives.Draft{ID: "1"}) {
				if fault.KindOf(err) != fault.BadUpstream && fault.KindOf(err) != fault.Unavailable {
					w.Errorf("got %v", err)
				}
			}
		}
		w.stand.Disturb(func(to http.ResponseWriter, r *http.Request) bool {
			if w.client.Kind != archives.KindZenodo || r.Method != http.MethodGet {
				return false
			}
			fmt.Fprintf(to, `{"id": 1003, "links": {"bucket": "%s/api/files/bucket-1002", "latest_draft": "%s/x/1003"}}`, elsewhere.URL, elsewhere.URL)
			return true
		})
		draft := w.create()
		w.must(w.upload(draft, "a", "text"))
	})
}

func TestIDsOfAnswersAreNoPaths(t *testing.T) {
	each(t, func(w *world) {
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprint(to, `{"id": "../../admin", "links": {"latest_draft": "http://x/.."}}`)
			return true
		})
		_, err := w.client.Create(w.Context(), token, mark)
		wantFault(w.T, err, fault.BadUpstream)
		_, err = w.client.NewVersion(w.Context(), token, "1", mark)
		wantFault(w.T, err, fault.BadUpstream)
	})
}

func TestOddTextsOfOursAreRefused(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		_ = w.stand.Calls()
		for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a\nb", "\xff", strings.Repeat("x", 256)} {
			wantFault(w.T, w.upload(draft, name, "x"), fault.Invalid)
			wantFault(w.T, w.client.DeleteFile(w.Context(), token, draft, name), fault.Invalid)
		}
		for _, id := range []string{"", "..", "a/b", "1?x", "%2e"} {
			_, err := w.client.Get(w.Context(), token, archives.Draft{ID: id})
			wantFault(w.T, err, fault.NotFound)
			_, err = w.client.NewVersion(w.Context(), token, id, mark)
			wantFault(w.T, err, fault.NotFound)
		}
		for _, odd := range []string{"", `a"b`, "<b>", "a*", "a\nb", strings.Repeat("x", 201)} {
			_, err := w.client.Create(w.Context(), token, odd)
			wantFault(w.T, err, fault.Invalid)
			_, _, err = w.client.FindDraft(w.Context(), token, odd)
			wantFault(w.T, err, fault.Invalid)
		}
		if asked := w.stand.Calls(); len(asked) > 0 {
			w.Errorf("%q", asked)
		}
	})
}

func TestAChangedFileIsNoticed(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		w.stand.Disturb(func(to http.ResponseWriter, r *http.Request) bool {
			last := r.Method == http.MethodPut
			if w.client.Kind == archives.KindInvenioRDM {
				last = strings.HasSuffix(r.URL.Path, "/commit")
			}
			if last {
				_, _ = io.Copy(io.Discard, r.Body)
				fmt.Fprint(to, `{"status": "completed", "checksum": "md5:00000000000000000000000000000000"}`)
			}
			return last
		})
		wantFault(w.T, w.upload(draft, "a", "text"), fault.BadUpstream)
	})
}

func TestTheCallersEndIsNoFault(t *testing.T) {
	each(t, func(w *world) {
		draft := w.create()
		ended, end := context.WithCancel(w.Context())
		end()
		for name, err := range calls(ended, w.client, token, draft) {
			if !errors.Is(err, context.Canceled) {
				w.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestTheWordsOfArchivesAreMadeHarmless: they are shown to people.
func TestTheWordsOfArchivesAreMadeHarmless(t *testing.T) {
	each(t, func(w *world) {
		w.stand.Disturb(func(to http.ResponseWriter, _ *http.Request) bool {
			to.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(to, `{"message": "a\u202e\u0007\nb %s"}`, strings.Repeat("x", 5_000))
			return true
		})
		_, err := w.client.Create(w.Context(), token, mark)
		found := wantFault(w.T, err, fault.Invalid)
		if len(found.Message) > 500 || !strings.Contains(found.Message, "a b xxx") {
			w.Errorf("%q", found.Message)
		}
	})
}

// TestSSRFArchivesInPrivateNetworksNeedPermission: what the client may not reach isn't reached.
func TestSSRFArchivesInPrivateNetworksNeedPermission(t *testing.T) {
	each(t, func(w *world) {
		strict := archives.New(w.stand.Archive(), safehttp.New(safehttp.Options{}))
		for name, err := range calls(w.Context(), strict, token, archives.Draft{ID: "1"}) {
			if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Unavailable {
				w.Errorf("%s: %v", name, err)
			}
		}
		if asked := w.stand.Calls(); len(asked) > 0 {
			w.Errorf("%q", asked)
		}
	})
}
