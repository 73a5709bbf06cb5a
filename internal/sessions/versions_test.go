package sessions

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions/difference"
	"cairn/internal/sessions/engine"
)

// saved makes a version of a running session with these files.
func (w *world) saved(id string, files map[string]string) Version {
	w.t.Helper()
	for name, content := range files {
		w.machine.Put(id, name, content)
	}
	w.clock.advance(time.Minute)
	made, err := w.service.SaveVersion(w.as(w.ann), id, "step")
	check(w.t, err)
	return made
}

func TestVersionsOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	odd := "b\xff.txt"
	first := w.saved(session.ID, map[string]string{"a.txt": "one\n", "notes/" + odd: "odd"})
	second := w.saved(session.ID, map[string]string{"a.txt": "two\n"})
	api := w.api()
	base := "/sessions/" + session.ID + "/versions"

	page := decode[VersionPage](t, call(api, http.MethodGet, base+"?pageSize=2", "ann"))
	if page.TotalElements < 2 || len(page.Content) != 2 || page.Content[0].ID != second.ID || page.Content[0].Changed.Modified != 1 || page.Account.StoredBytes == 0 {
		t.Fatalf("got %+v", page)
	}
	ofFile := decode[VersionPage](t, call(api, http.MethodGet, base+"?path=notes/b%E2%90%9Bff.txt", "ann"))
	if len(ofFile.Content) != 1 || ofFile.Content[0].ID != first.ID {
		t.Errorf("of one file: %+v", ofFile)
	}
	files := decode[VersionFilePage](t, call(api, http.MethodGet, base+"/"+first.ID+"/files?path=notes", "ann"))
	if len(files.Content) != 1 || files.Content[0].Path != "notes/b␛ff.txt" || files.Content[0].Kind != "file" {
		t.Errorf("the folder: %+v", files)
	}
	answer := call(api, http.MethodGet, base+"/"+first.ID+"/file?path=a.txt", "ann")
	header := answer.Header()
	if answer.Body.String() != "one\n" || header.Get("X-Content-Type-Options") != "nosniff" ||
		header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || header.Get("Content-Disposition") != "attachment; filename=a.txt" {
		t.Errorf("the file: %q with %v", answer.Body, header)
	}
	if now := call(api, http.MethodGet, base+"/present/file?path=a.txt", "ann"); now.Body.String() != "two\n" {
		t.Errorf("the present file: %d %q", now.Code, now.Body)
	}
	archive := call(api, http.MethodGet, base+"/"+first.ID+".zip", "ann")
	if archive.Code != http.StatusOK || !strings.HasPrefix(archive.Body.String(), "PK") {
		t.Errorf("the archive: %d %.40q", archive.Code, archive.Body)
	}
	for what, path := range map[string]string{
		"another's version": base + "/" + someID + "/files", "no such file": base + "/" + first.ID + "/file?path=b.txt",
		"no such version": base + "/" + someID + "/diff?path=a.txt", "no such archive": base + "/" + someID + ".zip",
	} {
		w.wantStatus(what, call(api, http.MethodGet, path, "ann"), http.StatusNotFound)
	}
	for what, path := range map[string]string{"above": "../secret", "absolute": "/etc/passwd", "an escape": "%E2%90%9Bzz"} {
		w.wantStatus(what, call(api, http.MethodGet, base+"/"+first.ID+"/file?path="+path, "ann"), http.StatusUnprocessableEntity)
	}
	w.wantStatus("a stranger", call(api, http.MethodGet, base, "bob"), http.StatusNotFound)
}

func TestDifferencesOfVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	notebook := func(source string) string {
		text, err := json.Marshal(source)
		check(t, err)
		return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"x","metadata":{},"source":` + string(text) + `,"outputs":[],"execution_count":1}]}`
	}
	first := w.saved(session.ID, map[string]string{"a.txt": "one\ntwo\n", "a.ipynb": notebook("1"), "a.bin": "\x00", "gone.txt": "x"})
	second := w.saved(session.ID, map[string]string{"a.txt": "one\n2\n", "a.ipynb": notebook("2")})
	compare := func(with, path string) (difference.FileDifference, error) {
		return w.service.CompareVersions(w.as(w.ann), session.ID, first.ID, with, path)
	}
	for _, with := range []string{"", second.ID} {
		found, err := compare(with, "a.txt")
		check(t, err)
		if text, _ := json.Marshal(found.Lines); !strings.Contains(string(text), `{"op":"removed","text":"two","before":2},{"op":"added","text":"2","after":2}`) {
			t.Errorf("lines: %s", text)
		}
		cells, err := compare(with, "a.ipynb")
		check(t, err)
		if len(cells.Cells) != 1 || cells.Cells[0].Op != difference.Changed || cells.Cells[0].Before != "1" || cells.Cells[0].After != "2" || cells.Lines != nil {
			t.Errorf("cells: %+v", cells)
		}
	}
	same, err := compare(first.ID, "a.txt")
	if err != nil || same.Lines == nil || len(same.Lines) != 0 {
		t.Errorf("with itself: %+v, %v", same, err)
	}
	for path, kind := range map[string]fault.Kind{"a.bin": fault.Invalid, "b.txt": fault.NotFound, "": fault.Invalid} {
		_, err := compare("", path)
		wantKind(t, err, kind)
	}
}

func TestRestoreAndStartFromAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(w.service)
	session := w.running("Session")
	first := w.saved(session.ID, map[string]string{"a.txt": "one"})
	w.saved(session.ID, map[string]string{"a.txt": "two"})
	restore := func(id, path, into string) (string, error) {
		return w.service.RestoreVersion(w.as(w.ann), id, first.ID, path, into)
	}
	written, err := restore(session.ID, "a.txt", beside)
	if err != nil || !strings.HasPrefix(written, "a (") || w.machine.Work(session.ID, written) != "one" || w.machine.Work(session.ID, "a.txt") != "two" {
		t.Errorf("beside: %q, %v", written, err)
	}
	written, err = restore(session.ID, "a.txt", inPlace)
	if err != nil || written != "a.txt" || w.machine.Work(session.ID, "a.txt") != "one" {
		t.Errorf("in its place: %q, %v", written, err)
	}
	_, err = restore(session.ID, "b.txt", inPlace)
	wantKind(t, err, fault.NotFound)

	check(t, w.service.Delete(w.as(w.ann), []string{session.ID}, false))
	w.waitFor(session.ID, Deleted)
	_, err = restore(session.ID, "a.txt", inPlace)
	wantKind(t, err, fault.Conflict)
	_, err = w.service.SaveVersion(w.as(w.ann), session.ID, "late")
	wantKind(t, err, fault.Conflict)
	if page, err := w.service.Versions(w.as(w.ann), session.ID, "", 0, 10); err != nil || page.TotalElements == 0 {
		t.Errorf("the deleted session has %d versions, %v", page.TotalElements, err)
	}

	from := &engine.FromVersion{Session: session.ID, Version: first.ID}
	_, err = w.service.StartFrom(w.as(w.bob), Wish{FromVersion: from})
	wantKind(t, err, fault.NotFound)
	for what, wish := range map[string]Wish{
		"a project": {FromVersion: from, ProjectID: w.projects["notes"]}, "another engine": {FromVersion: from, Engine: "other"},
	} {
		if _, err := w.service.StartFrom(w.as(w.ann), wish); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = w.service.StartFrom(w.as(w.ann), Wish{FromVersion: &engine.FromVersion{Session: session.ID, Version: someID}})
	wantKind(t, err, fault.NotFound)
	made, err := w.service.StartFrom(w.as(w.ann), Wish{FromVersion: from})
	check(t, err)
	if made.SessionName != "Session" || made.Project.Name != session.Project.Name || made.ID == session.ID {
		t.Errorf("got %+v", made)
	}
	w.launched(made.ID)
	w.machine.Ready(made.ID)
	w.waitFor(made.ID, Running)
	if work := w.machine.Work(made.ID, "a.txt"); work != "one" {
		t.Errorf("its work is %q", work)
	}
}

func TestListsShowWhatIsSaved(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.run(w.service)
		session := w.running("Session")
		kill()
		pass := func() Session {
			check(t, w.service.reconcile(t.Context(), w.service.Engines[0]))
			return w.row(session.ID)
		}
		w.machine.Put(session.ID, "a.txt", "one")
		w.machine.Save(session.ID)
		if row := pass(); row.Versions == 0 || row.SavedAt == nil || !row.SavedAt.Equal(w.machine.At(session.ID)) {
			t.Errorf("got %d versions, saved at %v", row.Versions, row.SavedAt)
		}
		before, _ := w.store.ListNumber(t.Context(), w.ann.AccountID)
		pass()
		if after, _ := w.store.ListNumber(t.Context(), w.ann.AccountID); after != before {
			t.Error("the list changed although nothing was saved")
		}
		w.machine.StopSaving(session.ID, "The disk is full.")
		if row := pass(); row.SavingStopped != "The disk is full." {
			t.Errorf("saving stopped because %q", row.SavingStopped)
		}
		if after, _ := w.store.ListNumber(t.Context(), w.ann.AccountID); after == before {
			t.Error("the list didn't change although saving stopped")
		}
		_, err := w.service.SaveVersion(w.as(w.ann), session.ID, "now")
		wantKind(t, err, fault.Unavailable)
	})
}

func TestAnIdleStopSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Idle = hourAndWorkday
	w.service = w.newService()
	w.run(w.service)
	session := w.running("Session")
	w.machine.Put(session.ID, "a.txt", "one")
	w.machine.Report(session.ID, engine.Activity{LastAt: w.clock.Now()}, "")
	eventually(t, "it is known when it stops", func() bool { return w.row(session.ID).StopsAt != nil })
	w.clock.advance(2 * time.Hour)
	w.service.announce()
	w.waitFor(session.ID, Finished)
	page, err := w.service.Versions(w.as(w.ann), session.ID, "", 0, 1)
	if err != nil || len(page.Content) != 1 || page.Content[0].Cause != engine.VersionIdle {
		t.Errorf("got %+v, %v", page, err)
	}
}

// An open page that read a file before a version was restored in its place can't save it.
func TestSavesOfOutdatedPagesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, hostForm)
	session := w.running("Session")
	cookie := w.enter(session, w.ann)
	first := w.saved(session.ID, map[string]string{"notes/a.ipynb": "one", "b.txt": "b"})
	address := w.origin(session) + "/s/" + session.ID + "/api/contents/"
	read := w.visit(http.MethodGet, address+"notes/a.ipynb", "Cookie", cookie).Header().Get(readHeader)
	save := func(method, file, read string) *httptest.ResponseRecorder {
		return w.visit(method, address+file, "Cookie", cookie, "Origin", w.origin(session), readHeader, read)
	}
	w.wantStatus("before", save(http.MethodPut, "notes/a.ipynb", read), http.StatusOK)
	w.clock.advance(time.Second)
	_, err := w.service.RestoreVersion(w.as(w.ann), session.ID, first.ID, "notes/a.ipynb", inPlace)
	check(t, err)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for _, stamp := range []string{read, "", "soon"} {
			answer := save(method, "notes/a.ipynb", stamp)
			w.wantStatus("a page from before", answer, http.StatusConflict)
			got := decode[struct {
				Message string  `json:"message"`
				Reason  *string `json:"reason"`
			}](t, answer)
			if !strings.Contains(got.Message, `"notes/a.ipynb" was restored from an earlier version`) || got.Reason != nil {
				t.Errorf("got %+v", got)
			}
		}
	}
	w.wantStatus("another file", save(http.MethodPut, "b.txt", read), http.StatusOK)
	state := w.pageState(session, cookie, http.StatusOK).Session
	if len(state.Restored) != 1 || state.Restored[0].Path != "notes/a.ipynb" {
		t.Errorf("the page is told %+v", state.Restored)
	}
	w.clock.advance(time.Second)
	again := w.visit(http.MethodGet, address+"notes/a.ipynb", "Cookie", cookie).Header().Get(readHeader)
	w.wantStatus("after it was loaded again", save(http.MethodPut, "notes/a.ipynb", again), http.StatusOK)
}
