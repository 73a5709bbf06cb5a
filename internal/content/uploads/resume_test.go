package uploads_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
)

// cutReader breaks the line after some bytes.
type cutReader struct {
	from io.Reader
	left int
}

var errCut = errors.New("the line is cut")

func (r *cutReader) Read(into []byte) (int, error) {
	if r.left == 0 {
		return 0, errCut
	}
	count, err := r.from.Read(into[:min(len(into), r.left)])
	r.left -= count
	return count, err
}

// cut sends the rest of an upload on a line that breaks after some of its bytes.
func (w *world) cut(at *httptest.Server, email, path string, whole []byte, offset, after int) {
	w.t.Helper()
	rest := whole[offset:]
	found, err := w.call(at, email, http.MethodPatch, path, &cutReader{bytes.NewReader(rest), after},
		"Upload-Offset", strconv.Itoa(offset), "Content-Type", octet, "Content-Length", strconv.Itoa(len(rest)))
	if err == nil && found.status != http.StatusConflict { // what is left of the line before may interrupt this one
		w.t.Fatalf("the line held: %d %s", found.status, found.body)
	}
}

// The line breaks twenty times in the middle of a part, and the server is killed twice: what arrives is the file.
func TestUploadSurvivesBrokenLinesAndKilledServers(t *testing.T) {
	for seed := range uint64(2) {
		w := newWorld(t)
		whole := content(seed, 4<<20)
		random := rand.New(rand.NewPCG(seed, 20))
		path := w.create(ada, int64(len(whole)), "filename", "a.bin", "sha256", sumOf(whole))
		for i := range 20 {
			offset := int(w.offset(w.server, ada, path))
			w.cut(w.server, ada, path, whole, offset, random.IntN((len(whole)-offset)/(20-i)))
			if i == 7 || i == 14 {
				w.server.Close()
				w.open()
			}
		}
		offset := w.offset(w.server, ada, path)
		if offset == 0 || offset == int64(len(whole)) {
			t.Fatalf("seed %d: nothing or everything arrived before the last part: %d", seed, offset)
		}
		for offset < int64(len(whole)) { // the rest of a broken line may come between once more
			if found := w.patch(ada, path, offset, whole[offset:]); found.status != http.StatusNoContent && found.status != http.StatusConflict {
				t.Fatalf("seed %d: the last part: %d %s", seed, found.status, found.body)
			}
			offset = w.offset(w.server, ada, path)
		}
		w.arrived(ada, idOf(path), whole)
	}
}

// The digest is that of the whole file, wherever its parts arrived.
func TestDigestAfterRestart(t *testing.T) {
	w := newWorld(t)
	whole := content(9, 300_000)
	path := w.create(ada, int64(len(whole)))
	w.patch(ada, path, 0, whole[:100_000])
	old := w.server
	w.open()
	w.patch(ada, path, 100_000, whole[100_000:200_000])
	found, err := w.call(old, ada, http.MethodPatch, path, bytes.NewReader(whole[200_000:]), "Upload-Offset", "200000", "Content-Type", octet) // which knows the first part alone
	if err != nil || found.status != http.StatusNoContent {
		t.Fatalf("%d %s %v", found.status, found.body, err)
	}
	listed, err := w.service.List(w.as(ada))
	if err != nil || listed[0].Digest != sumOf(whole) {
		t.Fatalf("%+v %v, want the digest %s", listed, err, sumOf(whole))
	}
	w.arrived(ada, idOf(path), whole)
}

// A server that ends between the last byte and its note leaves an upload that is complete all the same.
func TestDigestThatWasNotNoted(t *testing.T) {
	w := newWorld(t)
	whole := content(10, 5000)
	path := w.create(ada, 5000)
	w.patch(ada, path, 0, whole[:10])
	file, err := os.OpenFile(w.service.Path(idOf(path)), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.Write(whole[10:])
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	w.open()
	if found := w.offset(w.server, ada, path); found != 5000 {
		t.Errorf("the offset is %d", found)
	}
	w.arrived(ada, idOf(path), whole)
	if listed, err := w.service.List(w.as(ada)); err != nil || listed[0].Digest != sumOf(whole) {
		t.Errorf("the digest isn't noted: %+v %v", listed, err)
	}
}

// Two clients that send the same upload at once, to the same server or to two, don't mix their bytes.
func TestTwoClientsAtOnce(t *testing.T) {
	for _, servers := range []int{1, 2} {
		w := newWorld(t)
		places := []*httptest.Server{w.server, w.server}
		if servers == 2 {
			_, places[1] = w.another()
		}
		whole := content(11, 1<<20)
		path := w.create(ada, int64(len(whole)))
		var all sync.WaitGroup
		for i, at := range places {
			all.Go(func() {
				random := rand.New(rand.NewPCG(11, uint64(i)))
				for offset := 0; offset < len(whole); {
					part := whole[offset:min(len(whole), offset+random.IntN(200_000)+1)]
					found, err := w.call(at, ada, http.MethodPatch, path, bytes.NewReader(part), "Upload-Offset", strconv.Itoa(offset), "Content-Type", octet)
					if err == nil && found.status != http.StatusNoContent && found.status != http.StatusConflict && found.status != http.StatusLocked {
						t.Errorf("%d %s", found.status, found.body)
						return
					}
					head, err := w.call(at, ada, http.MethodHead, path, nil)
					if err != nil || head.status != http.StatusOK {
						continue
					}
					if offset, err = strconv.Atoi(head.header.Get("Upload-Offset")); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		w.arrived(ada, idOf(path), whole)
	}
}

// A client whose line hangs doesn't keep out the one that goes on, on the same server or on another one; and what it sends afterwards doesn't
// count.
func TestHangingClientLetsGo(t *testing.T) {
	for _, servers := range []int{1, 2} {
		w := newWorld(t)
		other := w.server
		if servers == 2 {
			_, other = w.another()
		}
		whole := content(12, 100_000)
		path := w.create(ada, int64(len(whole)))
		body, line := io.Pipe()
		ended := make(chan answer, 1)
		go func() {
			found, _ := w.call(w.server, ada, http.MethodPatch, path, body, "Upload-Offset", "0", "Content-Type", octet, "Content-Length", strconv.Itoa(len(whole)))
			ended <- found
		}()
		if _, err := line.Write(whole[:50_000]); err != nil {
			t.Fatal(err)
		}
		until(t, "the first bytes arrive", func() bool {
			about, err := os.Stat(w.service.Path(idOf(path)))
			return err == nil && about.Size() == 50_000
		})
		found, err := w.call(other, ada, http.MethodPatch, path, bytes.NewReader(whole), "Upload-Offset", "0", "Content-Type", octet)
		if err != nil {
			t.Fatal(err)
		}
		w.refuses("the same bytes once more", found, http.StatusConflict, "conflict")
		offset := w.offset(other, ada, path)
		go func() { _, _ = line.Write(whole[50_000:]); _ = line.Close() }() // the line is back
		if found := <-ended; found.status != 0 && found.status != http.StatusConflict {
			t.Errorf("%d servers: the one that hung got %d %s", servers, found.status, found.body)
		}
		_ = body.Close()
		if offset != 50_000 {
			t.Errorf("%d servers: %d bytes arrived", servers, offset)
		}
		if found, err = w.call(other, ada, http.MethodPatch, path, bytes.NewReader(whole[offset:]), "Upload-Offset", strconv.FormatInt(offset, 10), "Content-Type", octet); err != nil ||
			found.status != http.StatusNoContent {
			t.Errorf("%d servers: the rest: %d %s %v", servers, found.status, found.body, err)
		}
		w.arrived(ada, idOf(path), whole)
	}
}
