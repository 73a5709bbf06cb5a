package preview_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// clock is a clock that tests move.
type clock struct {
	mu   sync.Mutex
	time time.Time
}

func newClock() *clock { return &clock{time: time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(d)
}

// source serves pictures and counts requests.
type source struct {
	*httptest.Server

	asked  atomic.Int32
	answer atomic.Pointer[http.HandlerFunc]
}

func newSource(t *testing.T, answer http.HandlerFunc) *source {
	t.Helper()
	s := &source{}
	s.set(answer)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		(*s.answer.Load())(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *source) set(answer http.HandlerFunc) { s.answer.Store(&answer) }

func sends(content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) }
}

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bomb returns a PNG of a few bytes that claims to have this many pixels.
func bomb(t *testing.T, width, height uint32) []byte {
	t.Helper()
	small := pngOf(t, 1, 1)
	binary.BigEndian.PutUint32(small[16:], width)
	binary.BigEndian.PutUint32(small[20:], height)
	binary.BigEndian.PutUint32(small[29:], crc32.ChecksumIEEE(small[12:29]))
	return small
}

func TestHeaderImageOfEachKind(t *testing.T) {
	t.Parallel()
	picture := image.NewPaletted(image.Rect(0, 0, 3, 2), palette.WebSafe)
	var jpegImage, gifImage bytes.Buffer
	if err := jpeg.Encode(&jpegImage, picture, nil); err != nil {
		t.Fatal(err)
	}
	if err := gif.Encode(&gifImage, picture, nil); err != nil {
		t.Fatal(err)
	}
	webpImage, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	for mime, content := range map[string][]byte{
		"image/png": pngOf(t, 3, 2), "image/jpeg": jpegImage.Bytes(), "image/gif": gifImage.Bytes(), "image/webp": webpImage,
	} {
		images := newSource(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html") // false: the content decides
			_, _ = w.Write(content)
		})
		w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Pictured(images.URL+"/x")))
		w.showImages(t.TempDir(), time.Now)
		var resource catalog.Resource
		w.Ask("", http.MethodGet, "/resources/public/"+w.ID("e"), http.StatusOK, &resource)
		if resource.HeaderImageURL != w.imagePath("e") {
			t.Errorf("headerImageUrl %q", resource.HeaderImageURL)
		}
		answer := w.get("", resource.HeaderImageURL)
		if answer.Code != http.StatusOK || !bytes.Equal(answer.Body.Bytes(), content) {
			t.Fatalf("%s: %d %q", mime, answer.Code, answer.Body)
		}
		tag := answer.Header().Get("ETag")
		for name, want := range map[string]string{
			"Content-Type": mime, "Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Length": fmt.Sprint(len(content)),
		} {
			if got := answer.Header().Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", mime, name, got, want)
			}
		}
		if again := w.get("", resource.HeaderImageURL, "If-None-Match", tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s with its tag %s: %d", mime, tag, again.Code)
		}
	}
}

// CVE-2025-54384, CVE-2024-6886 and others: a picture that is a document ran script on the app's origin.
func TestHostileHeaderImagesAreRefused(t *testing.T) {
	t.Parallel()
	inside := newSource(t, sends(pngOf(t, 1, 1)))
	hanging := make(chan struct{})
	defer close(hanging)
	late := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(pngOf(t, 1, 1)[:20])
		w.(http.Flusher).Flush()
		select {
		case <-hanging:
		case <-r.Context().Done():
		}
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		because string
	}{
		"SVG": {sends([]byte(svg)), "isn't a PNG, JPEG, GIF or WebP"},
		"SVG called a PNG": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, svg)
		}, "isn't a PNG"},
		"SVG after a mark": {sends([]byte("\xef\xbb\xbf" + svg)), "isn't a PNG"},
		"HTML":             {sends([]byte("<!doctype html><script>alert(1)</script>")), "isn't a PNG"},
		"PDF":              {sends([]byte("%PDF-1.7 ...")), "isn't a PNG"},
		"BMP":              {sends([]byte("BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00")), "isn't a PNG"},
		"nothing":          {sends(nil), "isn't a PNG"},
		"the begin alone":  {sends([]byte("\x89PNG\r\n\x1a\n<script>alert(1)</script>")), "damaged png"},
		"a damaged JPEG":   {sends([]byte("\xff\xd8\xff<script>alert(1)</script>")), "damaged jpeg"},
		"a damaged WebP":   {sends([]byte("RIFF\x04\x00\x00\x00WEBP<script>")), "damaged webp"},
		"6 MB":             {sends(append(pngOf(t, 1, 1), make([]byte, 6_000_000)...)), "the limit is 5 MiB"},
		"a pixel bomb":     {sends(bomb(t, 16_000, 16_000)), "40 million"},
		"too wide":         {sends(bomb(t, 20_000, 1)), "16,384 on a side"},
		"a long bomb":      {sends(bomb(t, 2_000_000_000, 1)), "40 million"},
		"no width":         {sends(bomb(t, 0, 5)), "damaged png"},
		"slow":             {late, "takes too long"},
		"gone":             {http.NotFound, "404 Not Found"},
		"broken":           {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "can't be reached"},
		"private":          {http.RedirectHandler(strings.Replace(inside.URL, "127.0.0.1", "127.0.0.2", 1), http.StatusFound).ServeHTTP, "private network"},
		"metadata":         {http.RedirectHandler("http://169.254.169.254/latest/meta-data/", http.StatusFound).ServeHTTP, "private network"},
		"file":             {http.RedirectHandler("file:///etc/passwd", http.StatusFound).ServeHTTP, "doesn't visit"},
	} {
		t.Run(name, func(t *testing.T) {
			images := newSource(t, c.answer)
			w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Pictured(images.URL)))
			var timeout time.Duration
			if name == "slow" {
				timeout = 100 * time.Millisecond
			}
			w.showImages(t.TempDir(), time.Now, timeout)
			for range 2 { // the second time it is known
				answer := w.get("", w.imagePath("e"))
				if answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), c.because) {
					t.Errorf("%d %s, want a 404 that mentions %q", answer.Code, answer.Body, c.because)
				}
			}
			if images.asked.Load() != 1 || inside.asked.Load() != 0 {
				t.Errorf("asked %d times, inside %d times", images.asked.Load(), inside.asked.Load())
			}
		})
	}
}

// A file may be a picture and a script at once. It is served as a picture that runs nothing.
func TestPolyglotHeaderImageIsServedAsAPicture(t *testing.T) {
	t.Parallel()
	polyglot := append([]byte("GIF89a/*\x01\x00\x00\x00\x00"), "*/=1;alert(1)//<script>alert(1)</script>"...)
	images := newSource(t, sends(polyglot))
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Pictured(images.URL)))
	w.showImages(t.TempDir(), time.Now)
	answer := w.get("", w.imagePath("e"))
	header := answer.Header()
	if answer.Code != http.StatusOK || header.Get("Content-Type") != "image/gif" || header.Get("X-Content-Type-Options") != "nosniff" ||
		header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("%d %v", answer.Code, header)
	}
}

func TestHeaderImageOnlyOfAWebAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now))
	w.showImages(t.TempDir(), time.Now)
	for _, address := range []string{"", "image.png", "/etc/passwd", "file:///etc/passwd", "ftp://h/x.png", "httpx://h/x", "data:image/png;base64,AA", "javascript:alert(1)", "h"} {
		w.Import(catalogtest.Entry("e", catalogtest.Pictured(address)))
		var fields map[string]any
		w.Ask("", http.MethodGet, "/resources/public/"+w.ID("e"), http.StatusOK, &fields)
		if _, told := fields["headerImageUrl"]; told || fields["headerImage"] != address {
			t.Errorf("%q: %v", address, fields)
		}
		if answer := w.get("", w.imagePath("e")); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "has no header image") {
			t.Errorf("%q: %d %s", address, answer.Code, answer.Body)
		}
	}
}

func TestHeaderImageIsFetchedOnceForAll(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	images := newSource(t, func(w http.ResponseWriter, _ *http.Request) {
		close(begun) // twice is a panic
		<-release
		_, _ = w.Write(pngOf(t, 1, 1))
	})
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("a", catalogtest.Pictured(images.URL)),
		catalogtest.Entry("b", catalogtest.Pictured(images.URL)),
	)
	w.showImages(t.TempDir(), time.Now)
	var answers sync.WaitGroup
	for _, path := range []string{w.imagePath("a"), w.imagePath("b"), w.imagePath("a")} {
		answers.Go(func() {
			if answer := w.get("", path); answer.Code != http.StatusOK {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		})
	}
	<-begun
	close(release)
	answers.Wait()
	if images.asked.Load() != 1 {
		t.Errorf("asked %d times", images.asked.Load())
	}
}

func TestHeaderImageCache(t *testing.T) {
	t.Parallel()
	first, second := pngOf(t, 1, 1), pngOf(t, 2, 2)
	images := newSource(t, sends(first))
	clock, folder := newClock(), t.TempDir()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Pictured(images.URL)))
	opened := w.showImages(folder, clock.now)
	shows := func(what string, want []byte, asked int32) {
		t.Helper()
		answer := w.get("", w.imagePath("e"))
		if answer.Code != http.StatusOK || !bytes.Equal(answer.Body.Bytes(), want) {
			t.Errorf("%s: %d with %d bytes, want %d", what, answer.Code, answer.Body.Len(), len(want))
		}
		eventually(t, what, func() bool {
			w.get("", w.imagePath("e")) // the one before may have joined a fetch that was about to end
			return images.asked.Load() == asked
		})
		opened.Settle() // a failure that is noted after the clock was moved would be a new one
	}
	shows("at first", first, 1)
	shows("again", first, 1)
	clock.pass(59 * time.Minute)
	images.set(sends(second))
	shows("within the hour", first, 1)
	clock.pass(2 * time.Minute)
	shows("while it is asked again", first, 2)
	eventually(t, "the new picture", func() bool { return bytes.Equal(w.get("", w.imagePath("e")).Body.Bytes(), second) })

	images.set(http.NotFound)
	clock.pass(2 * time.Hour)
	shows("while the source fails", second, 3)
	clock.pass(time.Minute)
	shows("a minute after a failure", second, 3)
	clock.pass(10 * time.Minute)
	shows("ten more minutes later", second, 4)

	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	opened = w.showImages(folder, clock.now)
	shows("after a restart", second, 5)
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	opened = w.showImages(folder, clock.now)
	clock.pass(8 * 24 * time.Hour)
	if answer := w.get("", w.imagePath("e")); answer.Code != http.StatusNotFound {
		t.Errorf("after a week of failures: %d", answer.Code)
	}
	images.set(sends(first))
	clock.pass(3 * time.Minute)
	shows("when it is back", first, 7)
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline, tick := time.After(time.Minute), time.NewTicker(2*time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("%s: it does not come", what)
		case <-tick.C:
		}
	}
}

func TestHeaderImageOfAPrivateEntryNeedsASignature(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		images := newSource(t, sends(pngOf(t, 1, 1)))
		w := newWorld(t, db,
			catalogtest.Entry("secret", catalogtest.Private, catalogtest.By(catalogtest.Ada, catalogtest.Bob), catalogtest.Pictured(images.URL)),
			catalogtest.Entry("other", catalogtest.Private, catalogtest.By(catalogtest.Ada), catalogtest.Pictured(images.URL+"/2")),
		)
		clock := newClock()
		w.showImages(t.TempDir(), clock.now)
		addressFor := func(email, name string) string {
			var resource catalog.Resource
			w.Ask(email, http.MethodGet, "/resources/public/"+w.ID(name), http.StatusOK, &resource)
			return resource.HeaderImageURL
		}
		wants := func(what, email, address string, status int) {
			t.Helper()
			if answer := w.get(email, address); answer.Code != status {
				t.Errorf("%s: %d, want %d: %s", what, answer.Code, status, answer.Body)
			}
		}
		plain := w.imagePath("secret")
		wants("a stranger", "", plain, 404)
		wants("another caller", "eve@example.org", plain, 404)
		wants("an author's token", catalogtest.Ada, plain, 200)

		signed := addressFor(catalogtest.Ada, "secret")
		wants("an <img> of the author", "", signed, 200)
		if cache := w.get("", signed).Header().Get("Cache-Control"); !strings.HasPrefix(cache, "private, ") {
			t.Errorf("Cache-Control %q", cache)
		}
		parsed, err := url.Parse(signed)
		if err != nil {
			t.Fatal(err)
		}
		query := parsed.Query()
		with := func(path, name, value string) string {
			changed, _ := url.ParseQuery(parsed.RawQuery)
			changed.Set(name, value)
			return path + "?" + changed.Encode()
		}
		signature := query.Get("signature")
		if namesSomebody(signed, w.ID("secret"), signature) {
			t.Errorf("%s names its author", signed)
		}
		wants("for another entry", "", with(w.imagePath("other"), "signature", signature), 404)
		wants("tampered", "", with(plain, "signature", string(signature[0]^1)+signature[1:]), 404)
		wants("cut", "", with(plain, "signature", signature[:10]), 404)
		wants("empty", "", with(plain, "signature", ""), 404)
		end, err := strconv.ParseInt(query.Get("expires"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		wants("made longer", "", with(plain, "expires", fmt.Sprint(end+3600)), 404)
		wants("no number", "", with(plain, "expires", "soon"), 422)

		w.Import(catalogtest.Entry("secret", catalogtest.Private, catalogtest.By(catalogtest.Bob), catalogtest.Pictured(images.URL)))
		w.Open() // follows the import
		w.showImages(t.TempDir(), clock.now)
		wants("whose author is none any more", "", signed, 404)
		bobs := addressFor(catalogtest.Bob, "secret")
		wants("of another author", "", bobs, 200)
		clock.pass(14 * time.Minute)
		wants("after 14 minutes", "", bobs, 200)
		clock.pass(17 * time.Minute)
		wants("after 31 minutes", "", bobs, 404)

		fresh := addressFor(catalogtest.Bob, "secret")
		w.Ask(catalogtest.Bob, http.MethodDelete, "/resources/"+w.ID("secret"), http.StatusOK, nil)
		wants("of a deleted entry", "", fresh, 404)
	})
}

func TestListsKeepTheirTagWhileSignaturesLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("secret", catalogtest.Private, catalogtest.Pictured("https://example.org/x.png")),
		catalogtest.Entry("open", catalogtest.Pictured("http://example.org/y.png")),
	)
	clock := newClock() // at 10:01
	w.showImages(t.TempDir(), clock.now)
	path := httpapi.Base + "/resources/public"
	tag := w.get(catalogtest.Ada, path).Header().Get("ETag")
	clock.pass(13 * time.Minute)
	if again := w.get(catalogtest.Ada, path, "If-None-Match", tag); again.Code != http.StatusNotModified {
		t.Errorf("after 13 minutes: %d", again.Code)
	}
	clock.pass(2 * time.Minute)
	if again := w.get(catalogtest.Ada, path, "If-None-Match", tag); again.Code != http.StatusOK {
		t.Errorf("after 15 minutes: %d, want new signatures", again.Code)
	}
	body := w.get("", path).Body.String()
	if strings.Contains(body, "signature") || !strings.Contains(body, w.imagePath("open")+`"`) {
		t.Errorf("public entries need no signature: %s", body)
	}
}

// Replicas share a database, so a signature of one of them is valid at the other, and nowhere else.
func TestSignaturesOfReplicas(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		images := newSource(t, sends(pngOf(t, 1, 1)))
		w := newWorld(t, db, catalogtest.Entry("secret", catalogtest.Private, catalogtest.Pictured(images.URL)))
		w.showImages(t.TempDir(), time.Now)
		var resource catalog.Resource
		w.Ask(catalogtest.Ada, http.MethodGet, "/resources/public/"+w.ID("secret"), http.StatusOK, &resource)
		w.Open()
		w.showImages(t.TempDir(), time.Now)
		if answer := w.get("", resource.HeaderImageURL); answer.Code != http.StatusOK {
			t.Errorf("the other replica answers %d", answer.Code)
		}
		if err := db.SetMeta(t.Context(), "header-image-key", base64.StdEncoding.EncodeToString([]byte("another database's"))); err != nil {
			t.Fatal(err)
		}
		w.showImages(t.TempDir(), time.Now)
		if answer := w.get("", resource.HeaderImageURL); answer.Code != http.StatusNotFound {
			t.Errorf("with another key: %d", answer.Code)
		}
	})
}
