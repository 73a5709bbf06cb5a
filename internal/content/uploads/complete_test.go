package uploads_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

func TestCompleteRefusesWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	whole := content(20, 1000)
	done := w.send(ada, whole)
	begun := idOf(w.create(ada, 1000))
	w.patch(ada, place+"/"+begun, 0, whole[:999])
	others := w.send(bob, whole)
	account := w.caller(ada).AccountID
	many := make([]string, 10_001)
	for i := range many {
		many[i] = sqldb.NewID()
	}
	for what, one := range map[string]struct {
		ids     []string
		digests map[string]string
		code    fault.Code
		at      string
	}{
		"an incomplete one":  {[]string{done, begun}, nil, fault.UploadIncomplete, "body.upload[1]"},
		"the same one twice": {[]string{done, done}, nil, "invalid", "body.upload[1]"},
		"none":               {nil, nil, "invalid", "body.upload"},
		"too many":           {many, nil, "invalid", "body.upload"},
		"somebody else's":    {[]string{done, others}, nil, "not_found", ""},
		"an unknown one":     {[]string{sqldb.NewID()}, nil, "not_found", ""},
		"a path":             {[]string{"../" + done}, nil, "not_found", ""},
		"another digest":     {[]string{done}, map[string]string{done: sumOf(nil)}, fault.DigestMismatch, "body.upload[0]"},
	} {
		_, err := w.service.Complete(w.as(ada), account, one.ids, one.digests)
		known, _ := errors.AsType[*fault.Fault](err)
		if known == nil || known.Code != one.code {
			t.Errorf("%s: %v (%s), want %s", what, err, fault.CodeOf(err), one.code)
			continue
		}
		if one.at != "" && (len(known.Fields) != 1 || known.Fields[0].Location != one.at) {
			t.Errorf("%s: %+v, want it at %s", what, known.Fields, one.at)
		}
	}
	found, err := w.service.Complete(w.as(ada), account, []string{done}, map[string]string{done: strings.ToUpper(sumOf(whole))})
	if err != nil || len(found) != 1 || found[0].ID != done {
		t.Errorf("the upload after all that: %+v %v", found, err)
	}
}

// An upload that isn't its sender's file stays for them to look at.
func TestDigestMismatchKeepsTheUpload(t *testing.T) {
	w := newWorld(t)
	whole := content(21, 1000)
	id := w.send(ada, whole, "filename", "a.bin", "sha256", sumOf(content(22, 1000)))
	account := w.caller(ada).AccountID
	for range 2 {
		_, err := w.service.Complete(w.as(ada), account, []string{id}, map[string]string{id: sumOf(whole)})
		if fault.CodeOf(err) != fault.DigestMismatch {
			t.Errorf("%v", err)
		}
	}
	if found := w.offset(w.server, ada, place+"/"+id); found != 1000 {
		t.Errorf("%d bytes are left", found)
	}
}

func TestSweepDeletesWhatWasLeftForAWeek(t *testing.T) {
	each(t, func(w *world) {
		old := idOf(w.create(ada, 10))
		touched := idOf(w.create(ada, 10))
		w.clock.add(7*24*time.Hour - time.Minute)
		w.patch(ada, place+"/"+touched, 0, []byte("0"))
		if err := w.service.Sweep(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		if found := w.ask(ada, http.MethodHead, place+"/"+old, nil); found.status != http.StatusOK {
			w.t.Fatalf("it went before its time: %d", found.status)
		}
		w.clock.add(2 * time.Minute)
		for range 2 {
			if err := w.service.Sweep(w.t.Context()); err != nil {
				w.t.Fatal(err)
			}
		}
		if found := w.ask(ada, http.MethodHead, place+"/"+old, nil); found.status != http.StatusNotFound {
			w.t.Errorf("it stays after a week: %d", found.status)
		}
		if found := w.offset(w.server, ada, place+"/"+touched); found != 1 {
			w.t.Errorf("the one that goes on has %d bytes", found)
		}
		left, err := filepath.Glob(filepath.Join(w.folder, old+"*"))
		if err != nil || len(left) > 0 {
			w.t.Errorf("files are left: %v %v", left, err)
		}
		if quota, err := w.service.Limits(w.as(ada)); err != nil || quota.Used != 10 {
			w.t.Errorf("%+v %v", quota, err)
		}
	})
}

// Files of which the database knows nothing go after an hour; the folder itself, and what others put into it, stay.
func TestSweepDeletesOrphans(t *testing.T) {
	for _, others := range []int{0, 1, 3} {
		w := newWorld(t)
		kept := map[string]bool{}
		for range others {
			id := w.send(ada, []byte("0123"))
			kept[id], kept[id+".info"], kept[id+".lock"] = true, true, true
		}
		for range 3 {
			id := sqldb.NewID()
			for _, name := range []string{id, id + ".info", id + ".lock"} {
				if err := os.WriteFile(filepath.Join(w.folder, name), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.service.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(w.folder); err != nil || len(left) != len(kept)+9 {
			t.Errorf("%d others: what is new is deleted already: %d %v", others, len(left), err)
		}
		w.clock.add(2 * time.Hour)
		for range 2 {
			if err := w.service.Sweep(t.Context()); err != nil {
				t.Fatalf("%d others: %v", others, err)
			}
		}
		left, err := os.ReadDir(w.folder)
		if err != nil || len(left) != len(kept) {
			t.Errorf("%d others: %d files are left, want %d: %v", others, len(left), len(kept), err)
		}
		for _, one := range left {
			if !kept[one.Name()] {
				t.Errorf("%s is left", one.Name())
			}
		}
		w.send(ada, []byte("0123")) // the folder works on
	}
}
