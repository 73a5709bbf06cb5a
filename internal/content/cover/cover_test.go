package cover_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/content/cover"
	"cairn/internal/content/dataset"
	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// world serves the covers of a catalog. 127.0.0.1 plays the public internet.
type world struct {
	*catalogtest.World

	data      string
	notebooks map[string][]byte
	files     fstest.MapFS // of https://code.example/owner/name
	clock     clock
}

type clock struct {
	mu   sync.Mutex
	time time.Time
}

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

// scripts is a repository without a picture.
var scripts = fstest.MapFS{
	"README.md": {Data: []byte("# Scripts")}, "fit.py": {Data: make([]byte, 700)}, "old/plot.R": {Data: make([]byte, 299)}, "run.sh": {Data: []byte("x")},
}

const repository = "https://code.example/owner/name"

func newWorld(t *testing.T, db *sqldb.DB, entries ...catalog.Entry) *world {
	t.Helper()
	w := &world{World: catalogtest.New(t, db, entries...), data: t.TempDir(), notebooks: map[string][]byte{}, files: fstest.MapFS{}}
	w.clock.time = time.Now()
	return w
}

// Source implements cover.Notebooks.
func (w *world) Source(_ context.Context, notebookPath string) ([]byte, error) {
	if content, ok := w.notebooks[notebookPath]; ok {
		return content, nil
	}
	return nil, fault.New(fault.Unavailable, "The source isn't responding.")
}

// OpenDataset implements preview.DatasetSource.
func (w *world) OpenDataset(address string) (*dataset.Tree, error) {
	return dataset.Open(w.data, address)
}

// open serves covers; a reader waits this long for them.
func (w *world) open(wait time.Duration) {
	w.T.Helper()
	secret, err := w.DB.Secret(w.T.Context(), preview.ImageSecret)
	if err != nil {
		w.T.Fatal(err)
	}
	links := preview.NewImageLinks(secret, w.clock.now)
	images, err := preview.NewHeaderImages(w.T.Context(), w, links, preview.HeaderImageOptions{
		Client: safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}),
		Folder: w.T.TempDir(), Now: w.clock.now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { _ = images.Close() })
	cache, err := cover.OpenCache(w.T.TempDir())
	if err != nil {
		w.T.Fatal(err)
	}
	hosts := codehost.NewHosts(map[string]codehost.Host{"code.example": codehost.Bundled{"owner/name": w.files, "owner/scripts": scripts, "owner/blank": fstest.MapFS{"LICENSE": {Data: []byte("text")}}}}, nil)
	covers := cover.New(w.T.Context(), cover.Options{
		Images: images, Notebooks: w, Datasets: w, Hosts: hosts, Cache: cache, Wait: wait, Now: w.clock.now, Logger: slog.New(slog.DiscardHandler),
	})
	w.T.Cleanup(func() { _ = covers.Close() })
	w.Open(links.Link(), cover.Link(links, cache, hosts))
	w.Mount(images, covers)
}

func (w *world) coverURL(email, name string) string {
	w.T.Helper()
	return w.Entry(email, w.ID(name)).CoverURL
}

// get requests an address without a token, as an <img> does.
func (w *world) get(address string, headers ...string) *httptest.ResponseRecorder {
	w.T.Helper()
	return w.Call("", http.MethodGet, address, "", headers...)
}

const (
	longest   = 60_000
	immutable = "public, max-age=31536000, immutable"
	brief     = "public, max-age=60"
)

// wellServed fails unless an answer is a cover of at most 60 kB that can do nothing when it is opened alone.
func wellServed(t *testing.T, what string, answer *httptest.ResponseRecorder, kind, caching string) {
	t.Helper()
	header := answer.Header()
	if answer.Code != http.StatusOK || header.Get("Content-Type") != kind || header.Get("Cache-Control") != caching || answer.Body.Len() > longest {
		t.Errorf("%s: %d, %d bytes, %v", what, answer.Code, answer.Body.Len(), header)
	}
	if header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: %v", what, header)
	}
}

// noise is a picture that nothing can compress, or with one color a flat one.
func noise(width, height int, flat bool) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	value := uint32(1)
	for y := range height {
		for x := range width {
			if !flat {
				value = value*1664525 + 1013904223
			}
			picture.SetRGBA(x, y, color.RGBA{uint8(value >> 24), uint8(value >> 16), uint8(value >> 8), 255})
		}
	}
	return picture
}

func pngOf(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func notebookWith(picture []byte) []byte {
	content, _ := json.Marshal(map[string]any{"nbformat": 4, "metadata": map[string]any{}, "cells": []any{
		map[string]any{"cell_type": "markdown", "source": "text"},
		map[string]any{"cell_type": "code", "source": "", "outputs": []any{
			map[string]any{"output_type": "display_data", "data": map[string]any{"image/png": "damaged"}},
			map[string]any{"output_type": "display_data", "data": map[string]any{"image/png": base64.StdEncoding.EncodeToString(picture), "text/plain": "plot"}},
		}},
	}})
	return content
}

func (w *world) writeData(name, text string) {
	w.T.Helper()
	file := filepath.Join(w.data, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		w.T.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.T.Fatal(err)
	}
}

func model(r *catalog.Entry) {
	r.Type, r.DatasetURL, r.ApplicationInterfaceID = catalog.Model, "", "x"
}

func data(address string) func(*catalog.Entry) {
	return func(r *catalog.Entry) { r.DatasetURL = address }
}

func TestCoverOfEachType(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		small, large := pngOf(t, noise(300, 200, true)), pngOf(t, noise(1000, 700, false))
		var asked atomic.Int32
		pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			_, _ = w.Write(large)
		}))
		t.Cleanup(pictures.Close)
		w := newWorld(t, db,
			catalogtest.Entry("model", model), catalogtest.Entry("pictured", model, catalogtest.Pictured(pictures.URL)),
			catalogtest.Entry("elsewhere", data("https://data.example/x.zip")), catalogtest.Entry("data", data("spikes")), catalogtest.Entry("words", data("words")),
			catalogtest.Entry("gone", data("gone")), catalogtest.Entry("code", catalogtest.Repository(repository)),
			catalogtest.Entry("scripts", catalogtest.Repository("https://code.example/owner/scripts")), catalogtest.Entry("blank", catalogtest.Repository("https://code.example/owner/blank")),
			catalogtest.Entry("away", catalogtest.Repository("https://other.example/owner/name")),
			catalogtest.Entry("plot", catalogtest.Notebook("https://x.example/plot.ipynb")), catalogtest.Entry("prose", catalogtest.Notebook("https://x.example/prose.ipynb")),
		)
		w.writeData("spikes/deep/spikes.csv", "time,kind,v\n1,a,2\n2,b,3\n3,c,1\n")
		w.writeData("words/words.csv", "kind\na\nb\n")
		w.notebooks["https://x.example/plot.ipynb"] = notebookWith(small)
		w.notebooks["https://x.example/prose.ipynb"] = []byte(`{"nbformat": 4, "cells": []}`)
		w.files["README.md"] = &fstest.MapFile{Data: []byte("![badge](badge.png) ![logo](logo.svg) [![none](none.png)](x) <img alt='a' src='./docs/figure.png'>")}
		w.files["badge.png"] = &fstest.MapFile{Data: pngOf(t, noise(90, 20, true))}
		w.files["docs/figure.png"] = &fstest.MapFile{Data: large}
		w.open(time.Minute)
		var cards struct{ Content []catalog.Resource }
		w.Ask("", http.MethodGet, "/resources/public?view=card&pageSize=50", http.StatusOK, &cards)
		if len(cards.Content) != 12 || asked.Load() != 0 {
			t.Errorf("a list of %d cards waits for %d covers", len(cards.Content), asked.Load())
		}

		const header, plot, column, drawing = catalog.CoverHeader, catalog.CoverPlot, catalog.CoverColumn, catalog.CoverDrawing
		const picture, languages = catalog.CoverPicture, catalog.CoverLanguages
		for name, want := range map[string]struct {
			kind, caching string
			before, shows catalog.CoverKind // what it is expected to show, and what it does
		}{
			"model":     {"image/svg+xml", immutable, drawing, drawing},
			"pictured":  {"image/jpeg", immutable, header, header},
			"elsewhere": {"image/svg+xml", immutable, drawing, drawing},
			"data":      {"image/svg+xml", immutable, column, column},
			"words":     {"image/svg+xml", immutable, column, drawing},
			"gone":      {"image/svg+xml", brief, column, column}, // its data may come
			"code":      {"image/jpeg", immutable, picture, picture},
			"scripts":   {"image/svg+xml", immutable, picture, languages},
			"blank":     {"image/svg+xml", immutable, picture, drawing},
			"away":      {"image/svg+xml", immutable, drawing, drawing},
			"plot":      {"image/png", immutable, plot, plot},
			"prose":     {"image/svg+xml", immutable, plot, drawing},
		} {
			shows := func() catalog.CoverKind { return w.Entry("", w.ID(name)).CoverKind }
			if got := shows(); got != want.before {
				t.Errorf("%s: shows %q before it is made, want %q", name, got, want.before)
			}
			address := w.coverURL("", name)
			answer := w.get(address)
			if got := shows(); got != want.shows {
				t.Errorf("%s: shows %q, want %q", name, got, want.shows)
			}
			wellServed(t, name, answer, want.kind, want.caching)
			again := w.get(address)
			wellServed(t, name+" again", again, want.kind, want.caching)
			if again.Body.String() != answer.Body.String() {
				t.Errorf("%s: another picture the second time", name)
			}
			if unchanged := w.get(address, "If-None-Match", answer.Header().Get("ETag")); unchanged.Code != http.StatusNotModified {
				t.Errorf("%s: %d for a browser that has it", name, unchanged.Code)
			}
			wellServed(t, name+" of another version", w.get(strings.Split(address, "?")[0]+"?v=x"), want.kind, brief)
			if want.kind == "image/svg+xml" && (strings.Contains(answer.Body.String(), "stroke=") != (name == "data") || strings.Contains(answer.Body.String(), "<text") != (name == "scripts")) {
				t.Errorf("%s: %s", name, answer.Body)
			}
		}
		if asked.Load() != 1 {
			t.Errorf("the source of a header image was asked %d times", asked.Load())
		}
		if bars := w.get(w.coverURL("", "scripts")).Body.String(); !strings.Contains(bars, ">Python<") || !strings.Contains(bars, ">70%<") || !strings.Contains(bars, ">R<") || !strings.Contains(bars, ">&lt; 1%<") {
			t.Errorf("bars of languages: %s", bars)
		}
		if w.get(w.coverURL("", "model")).Body.String() == w.get(w.coverURL("", "elsewhere")).Body.String() {
			t.Error("two entries have the same drawing")
		}
		if !bytes.Equal(w.get(w.coverURL("", "plot")).Body.Bytes(), small) {
			t.Error("a small plot isn't served as it is")
		}
		for _, card := range cards.Content {
			if card.CoverURL != w.coverURL("", card.Name) {
				t.Errorf("%s has the cover %q on its card", card.Name, card.CoverURL)
			}
		}
	})
}

// A foreign picture that is broken or slow is a drawing for a while, and shown when it is back.
func TestCoversOfBrokenSources(t *testing.T) {
	t.Parallel()
	picture := pngOf(t, noise(300, 200, true))
	for what, broken := range map[string]http.HandlerFunc{
		"gone":       http.NotFound,
		"a web page": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"script":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<svg><script/></svg>")) },
		"half":       func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture[:40]) },
		"slow":       func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var back atomic.Bool
			source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if back.Load() {
					_, _ = w.Write(picture)
					return
				}
				broken(w, r)
			}))
			t.Cleanup(source.Close)
			w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Pictured(source.URL)))
			wait := time.Minute
			if what == "slow" {
				wait = time.Nanosecond
			}
			w.open(wait)
			address := w.coverURL("", "e")
			wellServed(t, what, w.get(address), "image/svg+xml", brief)
			if what == "slow" || what == "half" {
				return // it is still being fetched, or what was fetched is kept for an hour
			}
			wellServed(t, what+" for links", w.get(address+"&og=1"), "image/png", brief)
			back.Store(true)
			w.clock.pass(9 * time.Minute)
			wellServed(t, what+" soon after", w.get(address), "image/svg+xml", brief)
			w.clock.pass(2 * time.Minute)
			wellServed(t, what+" later", w.get(address), "image/png", immutable)
		})
	}
}

// Only a cover for links is 1200 by 630, whatever it is made from, in at most 60 kB. It has the entry's name if the font
// has all its letters, beside a spine in the color of the type.
func TestPicturesForLinks(t *testing.T) {
	t.Parallel()
	large := pngOf(t, noise(1000, 700, false))
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) }))
	t.Cleanup(source.Close)
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("model", model), catalogtest.Entry("photo", catalogtest.Pictured(source.URL)), catalogtest.Entry("data", data("spikes.csv")),
		catalogtest.Entry("scripts", catalogtest.Repository("https://code.example/owner/scripts")),
		catalogtest.Entry("plot", catalogtest.Notebook("https://x.example/plot.ipynb")),
		catalogtest.Entry("Ünï with a very long name "+strings.Repeat("of many words ", 10), model), catalogtest.Entry("日本語 🏔️", model),
	)
	var rows strings.Builder
	rows.WriteString("t,v\n")
	for i := range 3_000 {
		fmt.Fprintf(&rows, "%d,%d\n", i, i*7919%1000)
	}
	w.writeData("spikes.csv", rows.String())
	w.notebooks["https://x.example/plot.ipynb"] = notebookWith(large)
	w.open(time.Minute)
	for _, entry := range w.Find("", catalog.Query{}).Resources {
		answer := w.get(entry.CoverURL + "&og=1")
		wellServed(t, entry.Name, answer, "image/png", immutable)
		picture, err := png.Decode(answer.Body)
		if err != nil || picture.Bounds() != image.Rect(0, 0, 1200, 630) {
			t.Fatalf("%s: %+v %v", entry.Name, picture, err)
		}
		red, green, blue, _ := picture.At(4, 620).RGBA()
		spine := [3]uint32{red >> 12, green >> 12, blue >> 12} == [3]uint32{0x8, 0x5, 0xc}
		if entry.Type == catalog.Model && spine == strings.HasPrefix(entry.Name, "日本語") {
			t.Errorf("%s: has a name beside its spine: %v", entry.Name, spine)
		}
	}
}

// Covers of private and hidden entries are for those who see the entry.
func TestWhoSeesCovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now),
		catalogtest.Entry("private", model, catalogtest.Private, catalogtest.By(catalogtest.Bob)), catalogtest.Entry("hidden", model, catalogtest.By(catalogtest.Bob)))
	w.open(time.Minute)
	open := w.coverURL("", "hidden")
	if strings.Contains(open, "signature") {
		t.Errorf("a public cover is signed: %s", open)
	}
	w.hide("hidden")
	for _, name := range []string{"private", "hidden"} {
		signed := w.coverURL(catalogtest.Bob, name)
		bare, _, _ := strings.Cut(signed, "?")
		for what, address := range map[string]string{
			"nobody": bare, "nobody, for links": bare + "?og=1", "another signature": strings.Replace(signed, "signature=", "signature=x", 1),
			"for links with a signature": signed + "&og=1",
		} {
			if answer := w.get(address); answer.Code != http.StatusNotFound {
				t.Errorf("%s of %s: %d", what, name, answer.Code)
			}
		}
		for email, status := range map[string]int{catalogtest.Ada: http.StatusNotFound, catalogtest.Bob: http.StatusOK} {
			if answer := w.Call(email, http.MethodGet, bare, ""); answer.Code != status {
				t.Errorf("%s of %s: %d", email, name, answer.Code)
			}
		}
		if answer := w.Call(catalogtest.Bob, http.MethodGet, bare+"?og=1", ""); answer.Code != http.StatusNotFound {
			t.Errorf("%s for links, for its author: %d", name, answer.Code)
		}
		wellServed(t, name, w.get(signed), "image/svg+xml", "private, max-age=900")
	}
	if answer := w.get(open); answer.Code != http.StatusNotFound {
		t.Errorf("the former address of a hidden entry: %d", answer.Code)
	}
	w.clock.pass(time.Hour)
	if answer := w.get(w.coverURL(catalogtest.Bob, "private")); answer.Code != http.StatusOK {
		t.Errorf("a new signature: %d", answer.Code)
	}
}

// When an entry changes, so does the address of its cover.
func TestVersionsOfCovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", data("x")))
	w.open(time.Minute)
	before := w.coverURL("", "e")
	w.Import(catalogtest.Entry("e", model))
	w.open(time.Minute)
	if after := w.coverURL("", "e"); after == before || strings.Split(after, "?")[0] != strings.Split(before, "?")[0] {
		t.Errorf("%s, then %s", before, after)
	}
}

func (w *world) hide(name string) {
	w.T.Helper()
	if _, err := w.Store.Curate(w.T.Context(), w.ID(name), catalog.Curation{Hidden: new(true), Reason: "Spam."}); err != nil {
		w.T.Fatal(err)
	}
}
