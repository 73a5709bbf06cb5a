package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
	"cairn/internal/site"
	"cairn/internal/site/page/pagetest"
	"cairn/web"
)

// logLines is a log that a test reads line by line.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// find waits for a line that contains all these texts.
func (l logLines) find(t *testing.T, texts ...string) {
	t.Helper()
	var line string
	select {
	case line = <-l:
	case <-time.After(time.Minute):
		t.Fatal("no line of the log comes")
	}
	for _, text := range texts {
		if !strings.Contains(line, text) {
			t.Errorf("no %q in %s", text, line)
		}
	}
}

const siteText = `brand: {name: Library, tagline: Papers}
landing: {headline: A, text: A, actions: [{text: Go, href: /}], features: [], extensions: [], institutions: []}
events: [{title: A day, date: May 7, starts_on: 2025-05-07, ends_on: 2025-05-07, links: []}]
footer: {text: The end, columns: []}
`

func TestSiteFileIsReadAgainAtASignal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "site.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(siteText)
	log := make(logLines, 10)
	p := testProgram(t, func(p *program) {
		var err error
		if p.site, err = site.Open(file); err != nil {
			t.Fatal(err)
		}
	})
	p.logger = slog.New(slog.NewTextHandler(log, nil))
	page := testPage(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	signals, ended := make(chan os.Signal), make(chan struct{})
	go func() { p.reloadSite(ctx, signals); close(ended) }()
	defer func() { cancel(); <-ended }()

	tagOf := func(name string) string {
		t.Helper()
		answer := pagetest.Get(t, page, "/events")
		var config PublicConfig
		if err := json.Unmarshal([]byte(configScript.FindStringSubmatch(answer.Body.String())[1]), &config); err != nil {
			t.Fatal(err)
		}
		if config.Product != name || config.Site.Brand.Name != name || !strings.Contains(answer.Body.String(), "<title>Events · "+name) {
			t.Fatalf("the document has not %q: %s", name, answer.Body)
		}
		return answer.Header().Get("ETag")
	}
	before := tagOf("Library")
	if answer := pagetest.Get(t, page, "/events", "If-None-Match", before); answer.Code != http.StatusNotModified {
		t.Errorf("unchanged: %d", answer.Code)
	}

	write(strings.Replace(siteText, "Library", "Archive", 1))
	signals <- syscall.SIGHUP
	log.find(t, "level=INFO", "the site file was reloaded")
	tagOf("Archive")
	if answer := pagetest.Get(t, page, "/events", "If-None-Match", before); answer.Code != http.StatusOK {
		t.Errorf("changed: %d", answer.Code)
	}

	write("brand: {name: Museum}\ncolour: red\n")
	signals <- syscall.SIGHUP
	log.find(t, "level=ERROR", "the previous content stays", "site.yaml line 1: brand.tagline is missing", `line 2: \"colour\" is unknown`,
		"site.yaml line 1: footer is missing")
	tagOf("Archive")
}

// A document shows one state of the site file, even if the file is read again meanwhile.
func TestDocumentIsOfOneSiteFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(file, []byte(siteText), 0o600); err != nil {
		t.Fatal(err)
	}
	p := testProgram(t, func(p *program) {
		var err error
		if p.site, err = site.Open(file); err != nil {
			t.Fatal(err)
		}
		p.engines = []sizes.Engine{{Name: "local", Engine: checkedEngine{check: func(context.Context) error {
			return errors.Join(os.WriteFile(file, []byte(strings.Replace(siteText, "Library", "Archive", 1)), 0o600), p.site.Reload())
		}}}}
	})
	page := testPage(t, p)
	for _, want := range []string{"Library", "Archive"} {
		document := pagetest.Get(t, page, "/events").Body.String()
		if strings.Contains(document, "Library") == strings.Contains(document, "Archive") || !strings.Contains(document, "<nav>"+want+"</nav>") {
			t.Errorf("not of %q alone: %s", want, document)
		}
	}
}

// checkedEngine is an engine of which only the check is called.
type checkedEngine struct {
	engine.Engine

	check func(context.Context) error
}

func (e checkedEngine) Check(ctx context.Context) error { return e.check(ctx) }

func TestPagesOfTheServerShowTheMark(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "site.yaml")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const own = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"/>`
	write("own.svg", own)
	write("site.yaml", siteText)
	p := testProgram(t, func(p *program) {
		var err error
		if p.site, err = site.Open(file); err != nil {
			t.Fatal(err)
		}
		p.config.Data = t.TempDir()
	})
	p.config.Sessions.Engines = nil
	p.metrics = newMetrics(p.config, "test")
	page, gateway, _, err := p.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, end := range slices.Backward(p.close) {
			if err := end(); err != nil {
				t.Error(err)
			}
		}
	})
	wantMark := func(want string) {
		t.Helper()
		for address, handler := range map[string]http.Handler{
			"/api/mark": page, config.EmbeddedProviderPath + "/mark": page, "/.cairn/assets/mark": gateway,
		} {
			answer := pagetest.Get(t, handler, address)
			if answer.Code != http.StatusOK || answer.Body.String() != want || answer.Header().Get("Content-Type") != "image/svg+xml" {
				t.Errorf("%s: %d %v %s", address, answer.Code, answer.Header(), answer.Body)
			}
		}
	}
	wantMark(web.Mark())
	write("site.yaml", strings.Replace(siteText, "tagline: Papers", "tagline: Papers, mark: own.svg", 1))
	if err := p.site.Reload(); err != nil {
		t.Fatal(err)
	}
	wantMark(own)
}

func TestCalendarFilesAreServed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(file, []byte(siteText), 0o600); err != nil {
		t.Fatal(err)
	}
	p := testProgram(t, func(p *program) {
		var err error
		if p.site, err = site.Open(file); err != nil {
			t.Fatal(err)
		}
	})
	calendars := p.serveCalendars(testPage(t, p))
	answer := pagetest.Get(t, calendars, "/events/a-day.ics")
	header := answer.Header()
	if answer.Code != http.StatusOK || header.Get("Content-Type") != "text/calendar; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" ||
		header.Get("Content-Disposition") != `attachment; filename="a-day.ics"` || !strings.Contains(answer.Body.String(), "\r\nUID:a-day@127.0.0.1:8080\r\n") {
		t.Errorf("%d %v %s", answer.Code, header, answer.Body)
	}
	if again := pagetest.Get(t, calendars, "/events/a-day.ics", "If-None-Match", header.Get("ETag")); again.Code != http.StatusNotModified {
		t.Errorf("again: %d", again.Code)
	}
	for path, status := range map[string]int{"/events/": http.StatusOK, "/events/a-night.ics": http.StatusNotFound, "/events/a-day": http.StatusNotFound, "/events/.ics": http.StatusNotFound} {
		if answer := pagetest.Get(t, calendars, path); answer.Code != status {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}
