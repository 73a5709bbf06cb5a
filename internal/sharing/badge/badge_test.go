package badge

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const brand = `R&D <"Hill">`

// newWorld serves the badges of two public entries, of which "code" can run, and a private one.
func newWorld(t *testing.T) (*catalogtest.World, *Server) {
	t.Helper()
	entry := func(name string, privacy catalog.Privacy) catalog.Entry {
		return catalog.Entry{
			ExternalID: name, Type: catalog.Dataset, Name: name, Authors: []string{catalogtest.Ada}, Privacy: privacy, DatasetURL: name,
		}
	}
	w := catalogtest.New(t, sqldbtest.SQLite(t, time.Now),
		entry("code", catalog.PrivacyPublic), entry("paper", catalog.PrivacyPublic), entry("secret", catalog.PrivacyPrivate))
	w.Open(catalog.Link{Add: func(entry *catalog.Resource, _ catalog.Reader) {
		runnable := entry.Name != "paper"
		entry.Runnable = &runnable
	}})
	return w, &Server{Entry: w.Get, Product: func() string { return brand }, Now: time.Now}
}

func ask(t *testing.T, server *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, request)
	return answer
}

// picture is what matters of a drawn badge.
type picture struct {
	XMLName xml.Name
	Width   int    `xml:"width,attr"`
	Label   string `xml:"aria-label,attr"`
	Title   string `xml:"title"`
	Texts   []struct {
		X      int    `xml:"x,attr"`
		Length int    `xml:"textLength,attr"`
		Text   string `xml:",chardata"`
	} `xml:"g>text"`
}

func TestTitleAndTextSayTheSame(t *testing.T) {
	w, server := newWorld(t)
	for name, label := range map[string]string{"code": "run", "paper": "see"} {
		answer := ask(t, server, http.MethodGet, Path+w.ID(name)+".svg")
		var drawn picture
		if err := xml.Unmarshal(answer.Body.Bytes(), &drawn); err != nil || answer.Code != http.StatusOK || len(drawn.Texts) != 2 {
			t.Fatalf("%s: %d %v in %s", name, answer.Code, err, answer.Body)
		}
		first, second := drawn.Texts[0], drawn.Texts[1]
		if first.Text != label || second.Text != "on "+brand || drawn.Title != first.Text+" "+second.Text || drawn.Label != drawn.Title {
			t.Errorf("%s: %+v", name, drawn)
		}
		if first.X+first.Length+2*margin != second.X || second.X+second.Length+margin != drawn.Width {
			t.Errorf("%s: the texts don't fit their boxes: %+v", name, drawn)
		}
		var said content
		answer = ask(t, server, http.MethodGet, Path+w.ID(name)+".json")
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || said.Version != 1 || said.Label+" "+said.Message != drawn.Title || said.Color == "" {
			t.Errorf("%s: %+v %v", name, said, err)
		}
	}
}

// ran records a run of an entry, as it ends.
func ran(t *testing.T, w *catalogtest.World, id string, last *catalog.LastRun) {
	t.Helper()
	if err := w.DB.Write(t.Context(), func(tx *sqldb.Tx) error { return catalog.RecordRun(t.Context(), tx, id, last) }); err != nil {
		t.Fatal(err)
	}
}

func TestBadgesSayHowEntriesRan(t *testing.T) {
	w, server := newWorld(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	clean := catalog.LastRun{Verdict: catalog.RunClean, At: at, Seconds: 41}
	moved := clean
	moved.Moved = true
	failed := catalog.LastRun{Verdict: catalog.RunFailed, At: at, Reason: "The module <nest> is missing.", Cells: catalog.LastRunCells{Total: 17, Ran: 14}}
	differs := catalog.LastRun{Verdict: catalog.RunDiffers, At: at, Cells: catalog.LastRunCells{Compared: 9, Differs: 2}}
	tags := map[string]string{}
	for _, c := range []struct {
		last    *catalog.LastRun
		ago     time.Duration
		message string
		color   string
	}{
		{nil, 0, "on " + brand, colorOfRun},
		{&clean, 3 * day, "ran clean Jan 1", colorOfClean},
		{&clean, 400 * day, "ran clean Jan 1, 2026", colorOfSee},
		{&moved, 3 * day, "ran clean Jan 1; the repository has changed since", colorOfSee},
		{&failed, 0, "14 of 17 cells ran: the module <nest> is missing (Jan 1)", colorOfFailed},
		{&differs, 0, "2 of 9 outputs differ (Jan 1)", colorOfDiffers},
		{&catalog.LastRun{Verdict: catalog.RunNeeds, Needs: catalog.NeedsInternet, At: at}, 0, "needs the internet (Jan 1)", colorOfSee},
		{&catalog.LastRun{Verdict: catalog.RunNothingToCompare, At: at}, 0, "nothing to run (Jan 1)", colorOfSee},
	} {
		ran(t, w, w.ID("code"), c.last)
		server.Now = func() time.Time { return at.Add(c.ago) }
		var said content
		answer := ask(t, server, http.MethodGet, Path+w.ID("code")+".json")
		if err := json.Unmarshal(answer.Body.Bytes(), &said); err != nil || said.Message != c.message || said.Color != c.color {
			t.Errorf("%s: %+v %v", c.message, said, err)
		}
		if c.last != nil && said.Label != brand {
			t.Errorf("%s: its label is %q", c.message, said.Label)
		}
		answer = ask(t, server, http.MethodGet, Path+w.ID("code")+".svg")
		var drawn picture
		if err := xml.Unmarshal(answer.Body.Bytes(), &drawn); err != nil || drawn.Texts[1].Text != c.message || !strings.Contains(answer.Body.String(), c.color) {
			t.Errorf("%s: %v %s", c.message, err, answer.Body)
		}
		tag := answer.Header().Get("ETag")
		if other := tags[tag]; other != "" {
			t.Errorf("%q and %q have the same ETag", c.message, other)
		}
		tags[tag] = c.message
		if again := ask(t, server, http.MethodGet, Path+w.ID("code")+".svg", "If-None-Match", tag); again.Code != http.StatusNotModified {
			t.Errorf("%s: %d", c.message, again.Code)
		}
	}
}

// Others keep a badge, so what it says stays right while nothing new happens.
func TestBadgesDontAge(t *testing.T) {
	w, server := newWorld(t)
	at := time.Date(2026, 11, 27, 23, 30, 0, 0, time.FixedZone("", -3600)) // in UTC it is the next day
	ran(t, w, w.ID("code"), &catalog.LastRun{Verdict: catalog.RunClean, At: at, Seconds: 81})
	for _, later := range []time.Duration{0, 7 * time.Minute, 30 * 24 * time.Hour} {
		server.Now = func() time.Time { return at.Add(later) }
		var said content
		if err := json.Unmarshal(ask(t, server, http.MethodGet, Path+w.ID("code")+".json").Body.Bytes(), &said); err != nil || said.Message != "ran clean Nov 28" {
			t.Errorf("%s later: %+v %v", later, said, err)
		}
	}
}

func TestBadgesAreForStrangers(t *testing.T) {
	w, server := newWorld(t)
	for _, ending := range []string{".svg", ".json"} {
		answer := ask(t, server, http.MethodGet, Path+w.ID("code")+ending)
		header := answer.Header()
		if header.Get("Content-Security-Policy") != "default-src 'none'" || header.Get("X-Content-Type-Options") != "nosniff" ||
			header.Get("Cache-Control") != "public, max-age=300" || header.Get("Set-Cookie") != "" || header.Get("ETag") == "" {
			t.Errorf("%s: %v", ending, header)
		}
		if strings.Contains(answer.Body.String(), "style") || strings.Contains(answer.Body.String(), "href") {
			t.Errorf("%s needs more than its policy allows: %s", ending, answer.Body)
		}
		again := ask(t, server, http.MethodGet, Path+w.ID("code")+ending, "If-None-Match", header.Get("ETag"))
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != header.Get("ETag") {
			t.Errorf("%s: %d %s", ending, again.Code, again.Body)
		}
	}
}

func TestOnlyPublicEntriesHaveOne(t *testing.T) {
	w, server := newWorld(t)
	// Its author, too, gets none: a badge looks the same to everybody.
	request := httptest.NewRequestWithContext(w.As(catalogtest.Ada), http.MethodGet, Path+w.ID("secret")+".svg", http.NoBody)
	own := httptest.NewRecorder()
	server.ServeHTTP(own, request)
	if own.Code != http.StatusNotFound {
		t.Errorf("its author: %d", own.Code)
	}
	id := w.ID("code")
	for _, name := range []string{
		w.ID("secret") + ".svg", w.ID("secret") + ".json", "00000000-0000-4000-8000-000000000000.svg", id, id + ".png", id + ".svg.svg", id + ".SVG",
		".svg", ".json", "%00.svg", "",
	} {
		answer := ask(t, server, http.MethodGet, Path+name)
		if answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "public entries") || answer.Header().Get("ETag") != "" {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
}

func TestWithoutItsDatabase(t *testing.T) {
	server := &Server{
		Entry: func(context.Context, string) (catalog.Resource, error) {
			return catalog.Resource{}, fault.Wrap(errors.New("secret"), fault.Unavailable, "The database cannot be reached.")
		},
		Product: func() string { return brand }, Now: time.Now,
	}
	answer := ask(t, server, http.MethodGet, Path+"x.svg")
	if answer.Code != http.StatusServiceUnavailable || strings.Contains(answer.Body.String(), "secret") || answer.Header().Get("Cache-Control") != "" {
		t.Errorf("%d %s %v", answer.Code, answer.Body, answer.Header())
	}
}

func TestTextIsReadable(t *testing.T) {
	for _, color := range []string{colorOfLabel, colorOfRun, colorOfSee, colorOfClean, colorOfDiffers, colorOfFailed} {
		if ratio := (luminance(t, colorOfText) + 0.05) / (luminance(t, color) + 0.05); ratio < 4.5 {
			t.Errorf("%s: %.2f", color, ratio)
		}
	}
}

// luminance is the relative luminance of WCAG 2.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	var total float64
	for i, share := range []float64{0.2126, 0.7152, 0.0722} {
		part, err := strconv.ParseUint(color[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		value := float64(part) / 255
		if value <= 0.04045 {
			value /= 12.92
		} else {
			value = math.Pow((value+0.055)/1.055, 2.4)
		}
		total += share * value
	}
	return total
}

func TestWidths(t *testing.T) {
	for text, least := range map[string]int{"": 0, "run": 18, "on Cairn": 44, "北京": 22, "مختبر": 30} {
		if got := width(text); got < least || got > least+8 {
			t.Errorf("%q is %d wide", text, got)
		}
	}
}
