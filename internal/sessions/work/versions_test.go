package work_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/content/difference"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/work"
)

func TestVersionsOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	odd := "b\xff.txt"
	first := w.Saved(session.ID, map[string]string{"a.txt": "one\n", "notes/" + odd: "odd"})
	second := w.Saved(session.ID, map[string]string{"a.txt": "two\n"})
	api := w.API()
	base := "/sessions/" + session.ID + "/versions"

	page := sessionstest.Decode[work.VersionPage](t, sessionstest.Call(api, http.MethodGet, base+"?pageSize=2", "ann"))
	if page.TotalElements < 2 || len(page.Content) != 2 || page.Content[0].ID != second.ID || page.Content[0].Changed.Modified != 1 || page.Account.StoredBytes == 0 {
		t.Fatalf("got %+v", page)
	}
	ofFile := sessionstest.Decode[work.VersionPage](t, sessionstest.Call(api, http.MethodGet, base+"?path=notes/b%E2%90%9Bff.txt", "ann"))
	if len(ofFile.Content) != 1 || ofFile.Content[0].ID != first.ID {
		t.Errorf("of one file: %+v", ofFile)
	}
	files := sessionstest.Decode[work.VersionFilePage](t, sessionstest.Call(api, http.MethodGet, base+"/"+first.ID+"/files?path=notes", "ann"))
	if len(files.Content) != 1 || files.Content[0].Path != "notes/b␛ff.txt" || files.Content[0].Kind != "file" {
		t.Errorf("the folder: %+v", files)
	}
	answer := sessionstest.Call(api, http.MethodGet, base+"/"+first.ID+"/file?path=a.txt", "ann")
	header := answer.Header()
	if answer.Body.String() != "one\n" || header.Get("X-Content-Type-Options") != "nosniff" ||
		header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || header.Get("Content-Disposition") != "attachment; filename=a.txt" {
		t.Errorf("the file: %q with %v", answer.Body, header)
	}
	if now := sessionstest.Call(api, http.MethodGet, base+"/present/file?path=a.txt", "ann"); now.Body.String() != "two\n" {
		t.Errorf("the present file: %d %q", now.Code, now.Body)
	}
	for _, version := range []string{"present", first.ID} { // with every validator of the other state
		seen := sessionstest.Call(api, http.MethodGet, base+"/"+version+"/file?path=a.txt", "ann").Header()
		other := map[string]string{"present": first.ID, first.ID: "present"}[version]
		for _, asked := range [][]string{
			{"If-None-Match", cmp.Or(seen.Get("ETag"), `""`)},
			{"If-Modified-Since", cmp.Or(seen.Get("Last-Modified"), time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))},
			{"Range", "bytes=2-", "If-Range", cmp.Or(seen.Get("ETag"), `""`)},
			{"Range", "bytes=2-", "If-Range", cmp.Or(seen.Get("Last-Modified"), "x")},
		} {
			want := map[string]string{"present": "two\n", first.ID: "one\n"}[other]
			if answer := sessionstest.Call(api, http.MethodGet, base+"/"+other+"/file?path=a.txt", "ann", asked...); answer.Code != http.StatusOK || answer.Body.String() != want {
				t.Errorf("%s after %s, with %v: %d %q", other, version, asked, answer.Code, answer.Body)
			}
		}
	}
	if part := sessionstest.Call(api, http.MethodGet, base+"/present/file?path=a.txt", "ann", "Range", "bytes=2-"); part.Code != http.StatusOK || part.Header().Get("Accept-Ranges") != "none" {
		t.Errorf("a part of what may change: %d, %v", part.Code, part.Header())
	}
	if part := sessionstest.Call(api, http.MethodGet, base+"/"+first.ID+"/file?path=a.txt", "ann", "Range", "bytes=2-", "If-Range", header.Get("ETag")); part.Code != http.StatusPartialContent || part.Body.String() != "e\n" {
		t.Errorf("a part of a version: %d %q", part.Code, part.Body)
	}
	archive := sessionstest.Call(api, http.MethodGet, base+"/"+first.ID+".zip", "ann")
	if archive.Code != http.StatusOK || !strings.HasPrefix(archive.Body.String(), "PK") {
		t.Errorf("the archive: %d %.40q", archive.Code, archive.Body)
	}
	for what, path := range map[string]string{
		"another's version": base + "/" + sessionstest.SomeID + "/files", "no such file": base + "/" + first.ID + "/file?path=b.txt",
		"no such version": base + "/" + sessionstest.SomeID + "/diff?path=a.txt", "no such archive": base + "/" + sessionstest.SomeID + ".zip",
	} {
		w.WantStatus(what, sessionstest.Call(api, http.MethodGet, path, "ann"), http.StatusNotFound)
	}
	for what, path := range map[string]string{"above": "../secret", "absolute": "/etc/passwd", "an escape": "%E2%90%9Bzz"} {
		w.WantStatus(what, sessionstest.Call(api, http.MethodGet, base+"/"+first.ID+"/file?path="+path, "ann"), http.StatusUnprocessableEntity)
	}
	w.WantStatus("a stranger", sessionstest.Call(api, http.MethodGet, base, "bob"), http.StatusNotFound)
}

func TestDifferencesOfVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	notebook := func(source string) string {
		text, err := json.Marshal(source)
		sessionstest.Check(t, err)
		return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","id":"x","metadata":{},"source":` + string(text) + `,"outputs":[],"execution_count":1}]}`
	}
	first := w.Saved(session.ID, map[string]string{"a.txt": "one\ntwo\n", "a.ipynb": notebook("1"), "a.bin": "\x00", "gone.txt": "x"})
	second := w.Saved(session.ID, map[string]string{"a.txt": "one\n2\n", "a.ipynb": notebook("2")})
	compare := func(with, path string) (difference.FileDifference, error) {
		return w.Server.Work.CompareVersions(w.As(w.Ann), session.ID, first.ID, with, path)
	}
	for _, with := range []string{"", second.ID} {
		found, err := compare(with, "a.txt")
		sessionstest.Check(t, err)
		if text, _ := json.Marshal(found.Lines); !strings.Contains(string(text), `{"op":"removed","text":"two","before":2},{"op":"added","text":"2","after":2}`) {
			t.Errorf("lines: %s", text)
		}
		cells, err := compare(with, "a.ipynb")
		sessionstest.Check(t, err)
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
		sessionstest.WantKind(t, err, kind)
	}
}

// People can make as many versions with names as are allowed; others are discarded in time, and don't count.
func TestNamedVersionsHaveALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session, other := w.Running("Session"), w.Running("Other")
	for range 100 {
		w.Saved(session.ID, map[string]string{"a.txt": "one"})
	}
	for _, name := range []string{"one more", "step", "Ünïcode"} {
		_, err := w.Server.Work.SaveVersion(w.As(w.Ann), session.ID, name)
		sessionstest.WantKind(t, err, fault.Conflict)
	}
	w.Saved(other.ID, map[string]string{"a.txt": "one"})
}

func TestRestoreAndStartFromAVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Run(w.Server)
	session := w.Running("Session")
	first := w.Saved(session.ID, map[string]string{"a.txt": "one"})
	w.Saved(session.ID, map[string]string{"a.txt": "two"})
	restore := func(id, path, into string) (string, error) {
		return w.Server.Work.RestoreVersion(w.As(w.Ann), id, first.ID, path, into)
	}
	written, err := restore(session.ID, "a.txt", "beside")
	if err != nil || !strings.HasPrefix(written, "a (") || w.Machine.Work(session.ID, written) != "one" || w.Machine.Work(session.ID, "a.txt") != "two" {
		t.Errorf("beside: %q, %v", written, err)
	}
	written, err = restore(session.ID, "a.txt", "place")
	if err != nil || written != "a.txt" || w.Machine.Work(session.ID, "a.txt") != "one" {
		t.Errorf("in its place: %q, %v", written, err)
	}
	_, err = restore(session.ID, "b.txt", "place")
	sessionstest.WantKind(t, err, fault.NotFound)

	sessionstest.Check(t, w.Server.Delete(w.As(w.Ann), []string{session.ID}, false))
	w.WaitFor(session.ID, sessions.Deleted)
	_, err = restore(session.ID, "a.txt", "place")
	sessionstest.WantKind(t, err, fault.Conflict)
	_, err = w.Server.Work.SaveVersion(w.As(w.Ann), session.ID, "late")
	sessionstest.WantKind(t, err, fault.Conflict)
	if page, err := w.Server.Work.Versions(w.As(w.Ann), session.ID, "", 0, 10); err != nil || page.TotalElements == 0 {
		t.Errorf("the deleted session has %d versions, %v", page.TotalElements, err)
	}

	from := &engine.FromVersion{Session: session.ID, Version: first.ID}
	_, err = w.Server.StartFrom(w.As(w.Bob), sessions.StartRequest{FromVersion: from})
	sessionstest.WantKind(t, err, fault.NotFound)
	for what, wish := range map[string]sessions.StartRequest{
		"a project": {FromVersion: from, ProjectID: w.Projects["notes"]}, "another engine": {FromVersion: from, Engine: "other"},
	} {
		if _, err := w.Server.StartFrom(w.As(w.Ann), wish); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{FromVersion: &engine.FromVersion{Session: session.ID, Version: sessionstest.SomeID}})
	sessionstest.WantKind(t, err, fault.NotFound)
	made, err := w.Server.StartFrom(w.As(w.Ann), sessions.StartRequest{FromVersion: from})
	sessionstest.Check(t, err)
	if made.SessionName != "Session" || made.Project.Name != session.Project.Name || made.ID == session.ID {
		t.Errorf("got %+v", made)
	}
	w.Launched(made.ID)
	w.Machine.Ready(made.ID)
	w.WaitFor(made.ID, sessions.Running)
	if work := w.Machine.Work(made.ID, "a.txt"); work != "one" {
		t.Errorf("its work is %q", work)
	}
}

func TestListsShowWhatIsSaved(t *testing.T) {
	eachWorld(t, func(t *testing.T, w *world) {
		kill := w.Run(w.Server)
		session := w.Running("Session")
		kill()
		pass := func() sessions.Session {
			sessionstest.Check(t, w.Server.Pass(t.Context()))
			return w.Row(session.ID)
		}
		w.Machine.Put(session.ID, "a.txt", "one")
		w.Machine.Save(session.ID)
		if row := pass(); row.Versions == 0 || row.SavedAt == nil || !row.SavedAt.Equal(w.Machine.At(session.ID)) {
			t.Errorf("got %d versions, saved at %v", row.Versions, row.SavedAt)
		}
		before, _ := w.Store.ListNumber(t.Context(), w.Ann.AccountID)
		pass()
		if after, _ := w.Store.ListNumber(t.Context(), w.Ann.AccountID); after != before {
			t.Error("the list changed although nothing was saved")
		}
		w.Machine.StopSaving(session.ID, "The disk is full.")
		if row := pass(); row.SavingStopped != "The disk is full." {
			t.Errorf("saving stopped because %q", row.SavingStopped)
		}
		if after, _ := w.Store.ListNumber(t.Context(), w.Ann.AccountID); after == before {
			t.Error("the list didn't change although saving stopped")
		}
		_, err := w.Server.Work.SaveVersion(w.As(w.Ann), session.ID, "now")
		sessionstest.WantKind(t, err, fault.Unavailable)
	})
}

func TestAnIdleStopSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Idle = sessionstest.HourAndWorkday
	w.Server = w.NewService()
	w.Run(w.Server)
	session := w.Running("Session")
	w.Machine.Put(session.ID, "a.txt", "one")
	w.Machine.Report(session.ID, engine.Activity{LastAt: w.Clock.Now()}, "")
	sessionstest.Eventually(t, "it is known when it stops", func() bool { return w.Row(session.ID).StopsAt != nil })
	w.Clock.Advance(2 * time.Hour)
	w.Server.Changes.Announce()
	w.WaitFor(session.ID, sessions.Finished)
	page, err := w.Server.Work.Versions(w.As(w.Ann), session.ID, "", 0, 1)
	if err != nil || len(page.Content) != 1 || page.Content[0].Cause != engine.VersionIdle {
		t.Errorf("got %+v, %v", page, err)
	}
}
