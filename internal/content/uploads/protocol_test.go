package uploads_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

func TestUploadFollowsTheProtocol(t *testing.T) {
	each(t, func(w *world) {
		whole := content(1, 100_000)
		made := w.ask(ada, http.MethodPost, place, nil, "Upload-Length", "100000", "Upload-Metadata", metadata("filename", "mouse 1.dat", "path", "data/mouse 1.dat"))
		path := made.header.Get("Location")
		if made.status != http.StatusCreated || !strings.HasPrefix(path, place+"/") || made.header.Get("Tus-Resumable") != "1.0.0" {
			w.t.Fatalf("POST: %d %v", made.status, made.header)
		}
		week := w.clock.Now().Add(7 * 24 * time.Hour).UTC().Format(http.TimeFormat)
		if made.header.Get("Upload-Expires") != week {
			w.t.Errorf("it expires %s, want %s", made.header.Get("Upload-Expires"), week)
		}
		for _, part := range []struct{ from, to int }{{0, 10}, {10, 65_000}, {65_000, 100_000}} {
			w.clock.add(time.Hour)
			found := w.patch(ada, path, int64(part.from), whole[part.from:part.to])
			if found.status != http.StatusNoContent || found.header.Get("Upload-Offset") != strconv.Itoa(part.to) {
				w.t.Fatalf("PATCH: %d %v %s", found.status, found.header, found.body)
			}
			after := w.clock.Now().Add(7 * 24 * time.Hour).UTC().Format(http.TimeFormat)
			head := w.ask(ada, http.MethodHead, path, nil)
			if head.status != http.StatusOK || head.header.Get("Upload-Offset") != strconv.Itoa(part.to) || head.header.Get("Upload-Length") != "100000" ||
				head.header.Get("Cache-Control") != "no-store" || head.header.Get("Upload-Expires") != after || found.header.Get("Upload-Expires") != after {
				w.t.Fatalf("HEAD: %d %v, want it to expire %s", head.status, head.header, after)
			}
		}
		w.arrived(ada, idOf(path), whole)
		listed, err := w.service.List(w.as(ada))
		if err != nil || len(listed) != 1 || listed[0].Filename != "mouse 1.dat" || listed[0].Path != "data/mouse 1.dat" || listed[0].Received != 100_000 || listed[0].Digest != sumOf(whole) {
			w.t.Fatalf("listed: %+v %v", listed, err)
		}
		if quota, err := w.service.Limits(w.as(ada)); err != nil || quota.Used != 100_000 || quota.Bytes != w.quota || quota.File != w.file {
			w.t.Errorf("limits: %+v %v", quota, err)
		}
		if found := w.ask(ada, http.MethodDelete, path, nil); found.status != http.StatusNoContent {
			w.t.Fatalf("DELETE: %d %s", found.status, found.body)
		}
		if found := w.ask(ada, http.MethodHead, path, nil); found.status != http.StatusNotFound {
			w.t.Errorf("HEAD after DELETE: %d", found.status)
		}
		left, err := os.ReadDir(w.folder)
		if err != nil || len(left) > 0 {
			w.t.Errorf("left after DELETE: %v %v", left, err)
		}
	})
}

func TestEmptyFileIsCompleteAtOnce(t *testing.T) {
	w := newWorld(t)
	w.arrived(ada, idOf(w.create(ada, 0)), nil)
}

// Nobody learns of an upload of somebody else, and nobody may upload who may not add anything.
func TestUploadsAreSeenByTheirAccountAlone(t *testing.T) {
	w := newWorld(t)
	path := w.create(ada, 10)
	for _, one := range []string{path, place + "/" + sqldb.NewID(), place + "/x", place + "/..%2fcairn.db"} {
		for _, method := range []string{http.MethodHead, http.MethodPatch, http.MethodDelete} {
			found, err := w.call(w.server, bob, method, one, strings.NewReader("0123456789"), "Upload-Offset", "0", "Content-Type", octet)
			if method == http.MethodHead {
				found, err = w.call(w.server, bob, method, one, nil)
			}
			if err != nil || found.status != http.StatusNotFound {
				t.Errorf("%s %s of another account: %d %v", method, one, found.status, err)
			}
		}
	}
	if found := w.offset(w.server, ada, path); found != 0 {
		t.Errorf("somebody else wrote %d bytes", found)
	}
	if listed, err := w.service.List(w.as(bob)); err != nil || len(listed) != 0 {
		t.Errorf("somebody else lists %+v %v", listed, err)
	}
	for email, code := range map[string]fault.Code{waiting: fault.NotEnabled, disabled: fault.AccountDisabled} {
		w.refuses("POST as "+email, w.ask(email, http.MethodPost, place, nil, "Upload-Length", "1", "Upload-Metadata", metadata("filename", "a")), http.StatusForbidden, code)
		w.refuses("PATCH as "+email, w.patch(email, path, 0, []byte("0")), http.StatusForbidden, code)
		w.refuses("DELETE as "+email, w.ask(email, http.MethodDelete, path, nil), http.StatusForbidden, code)
	}
	if found := w.ask("", http.MethodPost, place, nil, "Upload-Length", "1"); found.status != http.StatusUnauthorized {
		t.Errorf("POST of a stranger: %d", found.status)
	}
	w.off = "Nothing is uploaded here."
	w.open()
	w.refuses("POST where it is off", w.ask(ada, http.MethodPost, place, nil, "Upload-Length", "1", "Upload-Metadata", metadata("filename", "a")), http.StatusServiceUnavailable, "unavailable")
}

func TestErrorsOfTheProtocolAreProblems(t *testing.T) {
	w := newWorld(t)
	path := w.create(ada, 10)
	w.patch(ada, path, 0, []byte("01234"))
	w.refuses("a wrong offset", w.patch(ada, path, 3, []byte("3")), http.StatusConflict, "conflict")
	w.refuses("no offset", w.patch(ada, path, 5, []byte("5"), "Upload-Offset", "x"), http.StatusBadRequest, "malformed")
	w.refuses("a negative offset", w.patch(ada, path, 5, []byte("5"), "Upload-Offset", "-1"), http.StatusBadRequest, "malformed")
	w.refuses("another content type", w.patch(ada, path, 5, []byte("5"), "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "unsupported_media_type")
	w.refuses("no version", w.patch(ada, path, 5, []byte("5"), "Tus-Resumable", ""), http.StatusBadRequest, "malformed")
	w.refuses("an unknown version", w.ask(ada, http.MethodDelete, path, nil, "Tus-Resumable", "0.2.1"), http.StatusBadRequest, "malformed")
	w.refuses("more than it has", w.patch(ada, path, 5, []byte("5678901")), http.StatusRequestEntityTooLarge, "too_large")
	w.refuses("more than it has, of unknown length", w.ask(ada, http.MethodPatch, path, io.MultiReader(strings.NewReader("5678901")), "Upload-Offset", "5", "Content-Type", octet),
		http.StatusRequestEntityTooLarge, "too_large")
	if stored, err := os.ReadFile(w.service.Path(idOf(path))); err != nil || !strings.HasPrefix("0123456789", string(stored)) {
		t.Errorf("refused bytes were stored: %q %v", stored, err)
	}
	name := metadata("filename", "a.bin")
	for what, one := range map[string]struct {
		headers []string
		status  int
		code    fault.Code
	}{
		"no version":     {[]string{"Upload-Length", "1", "Upload-Metadata", name, "Tus-Resumable", ""}, http.StatusBadRequest, "malformed"},
		"too large":      {[]string{"Upload-Length", strconv.FormatInt(w.file+1, 10), "Upload-Metadata", name}, http.StatusRequestEntityTooLarge, "too_large"},
		"no length":      {[]string{"Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
		"unknown length": {[]string{"Upload-Defer-Length", "1", "Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
		"both lengths":   {[]string{"Upload-Length", "1", "Upload-Defer-Length", "1", "Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
		"less than none": {[]string{"Upload-Length", "-1", "Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
		"no number":      {[]string{"Upload-Length", "1e3", "Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
		"overflow":       {[]string{"Upload-Length", "9223372036854775808", "Upload-Metadata", name}, http.StatusBadRequest, "malformed"},
	} {
		w.refuses(what, w.ask(ada, http.MethodPost, place, nil, one.headers...), one.status, one.code)
	}
	listed, err := w.service.List(w.as(ada))
	if err != nil || len(listed) != 1 {
		t.Errorf("refused uploads are there: %+v %v", listed, err)
	}
}

func TestCreationIsNotConcatenation(t *testing.T) {
	w := newWorld(t)
	found := w.ask(ada, http.MethodPost, place, nil, "Upload-Length", "3", "Upload-Concat", "partial", "Upload-Metadata", metadata("filename", "a"))
	if found.status == http.StatusCreated { // an extension that isn't offered may be ignored
		if at := w.ask(ada, http.MethodHead, found.header.Get("Location"), nil); at.header.Get("Upload-Concat") != "" {
			t.Error("an upload is a part of another one")
		}
	}
}

func TestQuotaHoldsForRequestsAtOnce(t *testing.T) {
	each(t, func(w *world) {
		w.quota = 1000
		w.open()
		statuses := make([]answer, 8)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				statuses[i], _ = w.call(w.server, ada, http.MethodPost, place, nil, "Upload-Length", "600", "Upload-Metadata", metadata("filename", "a"))
			})
		}
		all.Wait()
		made := 0
		for _, one := range statuses {
			if one.status == http.StatusCreated {
				made++
				continue
			}
			w.refuses("the other ones", one, http.StatusConflict, fault.QuotaReached)
		}
		if made != 1 {
			w.t.Errorf("%d uploads of 600 bytes fit into 1,000", made)
		}
		if found := w.ask(bob, http.MethodPost, place, nil, "Upload-Length", "600", "Upload-Metadata", metadata("filename", "a")); found.status != http.StatusCreated {
			w.t.Errorf("another account: %d %s", found.status, found.body)
		}
	})
}

func TestAccountHasSoManyUploads(t *testing.T) {
	w := newWorld(t)
	account := w.caller(ada).AccountID
	rows := make([][]any, 10_000)
	for i := range rows {
		rows[i] = []any{sqldb.NewID(), account, "a", "", false, 0, "", sqldb.Micros(w.clock.Now()), sqldb.Micros(w.clock.Now())}
	}
	if err := w.db.Write(t.Context(), func(tx *sqldb.Tx) error {
		return tx.InsertRows(t.Context(), "upload", []string{"id", "account_id", "filename", "path", "packed", "bytes", "wanted", "created_at", "touched_at"}, rows, "")
	}); err != nil {
		t.Fatal(err)
	}
	w.refuses("one more", w.ask(ada, http.MethodPost, place, nil, "Upload-Length", "0", "Upload-Metadata", metadata("filename", "a")), http.StatusConflict, fault.QuotaReached)
}

func TestOptionsTellWhatTheServerCan(t *testing.T) {
	w := newWorld(t)
	found := w.ask("", http.MethodOptions, place, nil, "Tus-Resumable", "")
	if found.status != http.StatusOK || found.header.Get("Tus-Version") != "1.0.0" || found.header.Get("Tus-Max-Size") != strconv.FormatInt(w.file, 10) {
		t.Fatalf("%d %v", found.status, found.header)
	}
	for extension := range strings.SplitSeq(found.header.Get("Tus-Extension"), ",") {
		if strings.Contains(extension, "concatenation") || strings.Contains(extension, "defer") {
			t.Errorf("the extension %s is offered", extension)
		}
	}
	for _, extension := range []string{"creation", "termination"} {
		if !strings.Contains(found.header.Get("Tus-Extension"), extension) {
			t.Errorf("the extension %s isn't offered: %s", extension, found.header.Get("Tus-Extension"))
		}
	}
}

// What somebody uploads isn't served from this server's origin, nor to pages of others.
func TestUploadsAreNotServed(t *testing.T) {
	w := newWorld(t)
	id := w.send(ada, []byte("<script>alert(1)</script>"), "filename", "a.html")
	found := w.ask(ada, http.MethodGet, place+"/"+id, nil)
	if found.status != http.StatusMethodNotAllowed || strings.Contains(found.body, "script") {
		t.Errorf("GET: %d %s", found.status, found.body)
	}
	for _, one := range []struct{ method, path string }{{http.MethodHead, place + "/" + id}, {http.MethodOptions, place}, {http.MethodPost, place}, {http.MethodDelete, place + "/" + id}} {
		found := w.ask(ada, one.method, one.path, nil, "Origin", "https://evil.example", "Access-Control-Request-Method", "PATCH", "Upload-Length", "1", "Upload-Metadata", metadata("filename", "a"))
		for name := range found.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s has %s: %s", one.method, name, found.header.Get(name))
			}
		}
	}
}

// A server behind a proxy doesn't know the address by which it is called.
func TestLocationIsAPath(t *testing.T) {
	w := newWorld(t)
	path := w.create(ada, 1)
	if !strings.HasPrefix(path, place+"/") {
		t.Errorf("Location is %s", path)
	}
}

func TestHostileMetadata(t *testing.T) {
	each(t, func(w *world) {
		for what, one := range map[string]string{
			"no base64":                    "filename !!!",
			"nothing":                      "",
			"an empty name":                metadata("filename", ""),
			"a folder above":               metadata("filename", "a", "path", "../a"),
			"a folder above inside":        metadata("filename", "a", "path", "b/../../a"),
			"an absolute path":             metadata("filename", "a", "path", "/etc/passwd"),
			"NUL in a name":                metadata("filename", "a\x00b"),
			"NUL in a path":                metadata("filename", "a", "path", "a\x00b"),
			"NUL in the path of a pack":    metadata("filename", "a", "path", "a\x00b", "packed", "tar"),
			"no UTF-8 in a name":           metadata("filename", "\xff\xfe"),
			"no UTF-8 in a path":           metadata("filename", "a", "path", "b/\xff"),
			"no UTF-8 in the path of pack": metadata("filename", "a", "path", "b/\xff", "packed", "tar"),
			"a name of 10 kB":              metadata("filename", strings.Repeat("a", 10_000)),
			"a path of 10 kB":              metadata("filename", "a", "path", strings.Repeat("a/", 5_000)+"a"),
			"a name in a path of 300 B":    metadata("filename", "a", "path", "b/"+strings.Repeat("a", 300)),
			"a name with slashes":          metadata("filename", "a/b"),
			"a name of two dots":           metadata("filename", ".."),
			"backslashes":                  metadata("filename", "a", "path", `a\b`),
			"a line break":                 metadata("filename", "a", "path", "a\nb"),
			"an unclean path":              metadata("filename", "a", "path", "a//b"),
			"no hexadecimal digits":        metadata("filename", "a", "sha256", strings.Repeat("g", 64)),
			"a short digest":               metadata("filename", "a", "sha256", "ab"),
			"another pack":                 metadata("filename", "a", "packed", "zip"),
		} {
			found := w.ask(ada, http.MethodPost, place, nil, "Upload-Length", "1", "Upload-Metadata", one)
			w.refuses(what, found, http.StatusBadRequest, "malformed")
		}
		for _, name := range []string{"a", "Größe & 大きさ.csv", "...", "-rf", "a b"} {
			id := w.send(ada, []byte("x"), "filename", name, "path", "d/"+name)
			listed, err := w.service.List(w.as(ada))
			if err != nil || listed[len(listed)-1].ID != id || listed[len(listed)-1].Filename != name {
				w.t.Errorf("%q: %+v %v", name, listed, err)
			}
		}
		if known, err := os.ReadDir(w.folder); err != nil || len(known) != 5*3 && len(known) != 5*2 {
			w.t.Errorf("files of 5 uploads: %v %v", known, err)
		}
	})
}

// The disk is full while bytes arrive: the sentence says so, and the upload goes on once there is room.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	whole := content(3, 200_000)
	path := w.create(ada, int64(len(whole)))
	at := w.service.Path(idOf(path))
	for _, err := range []error{os.Rename(at, at+".kept"), os.Symlink("/dev/full", at)} { // writing there fails as on a full disk
		if err != nil {
			t.Fatal(err)
		}
	}
	found := w.patch(ada, path, 0, whole)
	w.refuses("on a full disk", found, http.StatusServiceUnavailable, "unavailable")
	if !strings.Contains(found.body, "The disk of this server is full. What has arrived stays: go on once its operators have made room.") {
		t.Errorf("it says %s", found.body)
	}
	if err := os.Rename(at+".kept", at); err != nil {
		t.Fatal(err)
	}
	if found := w.patch(ada, path, 0, whole); found.status != http.StatusNoContent {
		t.Fatalf("it doesn't go on: %d %s", found.status, found.body)
	}
	w.arrived(ada, idOf(path), whole)
}

// An upload that is complete stays as it is.
func TestCompleteUploadDoesNotChange(t *testing.T) {
	w := newWorld(t)
	whole := []byte("0123456789")
	id := w.send(ada, whole)
	for offset, part := range map[int64]string{0: "x", 9: "x", 10: "x"} {
		found := w.patch(ada, place+"/"+id, offset, []byte(part))
		if found.status == http.StatusNoContent && found.header.Get("Upload-Offset") != "10" {
			t.Errorf("at %d: %d %v", offset, found.status, found.header)
		}
	}
	stored, err := os.ReadFile(w.service.Path(id))
	if err != nil || !bytes.Equal(stored, whole) {
		t.Errorf("%q %v", stored, err)
	}
	w.arrived(ada, id, whole)
}
