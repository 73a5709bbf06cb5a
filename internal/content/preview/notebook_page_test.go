package preview_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog/catalogtest"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// page is a page as a host sends it.
const page = "<!DOCTYPE html>\n<html><head><title>Spikes</title></head><body>exported</body></html>"

// sendsPage answers with a page and these headers.
func sendsPage(headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		_, _ = w.Write([]byte(page))
	}
}

// secureFrames are frames at https addresses.
type secureFrames struct{ frames }

func (f secureFrames) FrameOrigin(id string) string { return "https://" + f.hostOf(id) }

// pageWorld has a notebook entry e, whose address is on a host that answers by https.
func pageWorld(t *testing.T, addresses preview.FrameAddresses, answer http.HandlerFunc, changes ...func(*preview.NotebookOptions)) (w *world, at string) {
	t.Helper()
	host := httptest.NewTLSServer(answer)
	t.Cleanup(host.Close)
	at = host.URL + "/spikes.html"
	w = newWorld(t, sqldbtest.SQLite(t, time.Now), catalogtest.Entry("e", catalogtest.Notebook(at)))
	if addresses != nil {
		w.addresses = addresses
	}
	w.showNotebooks("", append(changes, func(options *preview.NotebookOptions) { options.Client = trusting(host) })...)
	return w, at
}

func (w *world) pageOf(name string) *preview.NotebookPage {
	w.T.Helper()
	var view preview.NotebookView
	w.Ask("", http.MethodGet, "/resources/public/"+w.ID(name)+"/notebook", http.StatusOK, &view)
	return view.Page
}

// Nothing of a page is shown or requested by a browser before its reader asks; then it has no origin and no way out.
func TestNotebookThatIsAPage(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	w, at := pageWorld(t, nil, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		sendsPage()(w, r)
	})
	found := w.pageOf("e")
	host := strings.TrimPrefix(strings.TrimSuffix(at, "/spikes.html"), "https://")
	if found == nil || found.URL != at || found.Host != host {
		t.Fatalf("%+v", found)
	}
	// Existing clients load this one.
	offer := w.visit(w.frameOf("", "e"))
	body := offer.Body.String()
	if offer.Code != http.StatusOK || !strings.Contains(body, "This notebook is a page at "+host) || !strings.Contains(body, ">Show it here<") ||
		!strings.Contains(body, `href="`+at+`" rel="noopener noreferrer"`) || strings.Contains(body, "<iframe") || strings.Contains(body, "exported") {
		t.Errorf("%d %s", offer.Code, body)
	}
	if policy := offer.Header().Get("Content-Security-Policy"); strings.Contains(policy, "frame-src") || strings.Contains(policy, "allow-same-origin") {
		t.Errorf("the policy of the offer is %q", policy)
	}
	shown := w.visit(found.FrameURL)
	if shown.Code != http.StatusOK || !strings.Contains(shown.Body.String(), `<iframe src="`+at+`" title="e" sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" loading="lazy">`) {
		t.Errorf("%d %s", shown.Code, shown.Body)
	}
	if policy := shown.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src https:") || !strings.Contains(policy, "frame-ancestors "+publicOrigin) ||
		!strings.Contains(policy, "default-src 'none'") || shown.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the policy of the page's frame is %q", policy)
	}
	if asked.Load() != 1 {
		t.Errorf("the host was asked %d times", asked.Load())
	}
	w.shows("without a signature", strings.Split(found.FrameURL, "?")[0]+"?page=shown", http.StatusNotFound)
	if answer := w.get("", httpapi.Base+"/resources/public/"+w.ID("e")+"/notebook/file"); answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("as a file: %d", answer.Code)
	}
	if _, err := w.notebooks.Source(t.Context(), at); err == nil {
		t.Error("the page is read as a notebook")
	}
	if _, err := w.notebooks.Latest(t.Context(), at); err == nil {
		t.Error("the page is run as a notebook")
	}
}

// Whoever frames a page that its host keeps out of frames shows an empty rectangle.
func TestPagesThatMayBeFramed(t *testing.T) {
	t.Parallel()
	const options, policy = "X-Frame-Options", "Content-Security-Policy"
	for what, test := range map[string]struct {
		headers []string
		framed  bool
	}{
		"silent":                  {nil, true},
		"denied":                  {[]string{options, "DENY"}, false},
		"own pages only":          {[]string{options, "SameOrigin"}, false},
		"a proxy's and its own":   {[]string{options, "ALLOWALL", options, "DENY"}, false},
		"what browsers ignore":    {[]string{options, "ALLOW-FROM https://a.example"}, true},
		"nobody":                  {[]string{policy, "default-src 'self'; frame-ancestors 'none'"}, false},
		"itself":                  {[]string{policy, "frame-ancestors 'self'"}, false},
		"everybody":               {[]string{policy, "Frame-Ancestors *"}, true},
		"everybody after all":     {[]string{policy, "frame-ancestors *", options, "DENY"}, true},
		"two policies":            {[]string{policy, "frame-ancestors *", policy, "frame-ancestors 'none'"}, false},
		"two policies in one":     {[]string{policy, "img-src *, frame-ancestors 'none'"}, false},
		"no list":                 {[]string{policy, "frame-ancestors"}, false},
		"every secure page":       {[]string{policy, "frame-ancestors https:"}, true},
		"every page":              {[]string{policy, "frame-ancestors http:"}, true},
		"the catalog's hosts":     {[]string{policy, "frame-ancestors 'self' *.example.org"}, true},
		"the catalog alone":       {[]string{policy, "frame-ancestors https://catalog.example.org"}, false}, // not the frame around
		"another suffix":          {[]string{policy, "frame-ancestors https://*.ample.org"}, false},
		"another port":            {[]string{policy, "frame-ancestors https://*.example.org:8443"}, false},
		"any port":                {[]string{policy, "frame-ancestors https://*.example.org:*"}, true},
		"a report":                {[]string{policy + "-Report-Only", "frame-ancestors 'none'"}, true},
		"other directives":        {[]string{policy, "default-src 'none'; sandbox allow-scripts"}, true},
		"the second list":         {[]string{policy, "frame-ancestors *; frame-ancestors 'none'"}, true},
		"a host without a scheme": {[]string{policy, "frame-ancestors catalog.example.org run.example.org"}, true},
	} {
		w, _ := pageWorld(t, secureFrames{frames{"run.example.org"}}, sendsPage(test.headers...))
		found := w.pageOf("e")
		if found == nil || (found.FrameURL != "") != test.framed {
			t.Errorf("%s: %+v", what, found)
			continue
		}
		body := w.visit(w.frameOf("", "e")).Body.String()
		if strings.Contains(body, "Show it here") != test.framed || !strings.Contains(body, "Open it at "+found.Host) {
			t.Errorf("%s: %s", what, body)
		}
		if !test.framed && strings.Contains(w.visit(w.frameOf("", "e")+"&page=shown").Body.String(), "<iframe") {
			t.Errorf("%s: it is framed", what)
		}
	}
}

// What browsers don't show as a page isn't offered as one.
func TestOtherThanPages(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]http.HandlerFunc{
		"markup as text": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte(page))
		},
		"a download": sendsPage("Content-Disposition", `attachment; filename="spikes.html"`),
		"a feed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/atom+xml")
			_, _ = w.Write([]byte("<feed/>"))
		},
		"insecure": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.org/", http.StatusFound)
		},
		"of no kind": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = w.Write([]byte(page))
		},
		"a directory": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html;;")
			_, _ = w.Write([]byte(page))
		},
	} {
		w, _ := pageWorld(t, nil, answer)
		if got := w.visit(w.frameOf("", "e")); got.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", what, got.Code, got.Body)
		}
	}
}

// Pages redirect, their names are hostile, and notebooks come back.
func TestPagesChange(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[http.HandlerFunc]
	set := func(handler http.HandlerFunc) { now.Store(&handler) }
	set(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/spikes.html" {
			http.Redirect(w, r, `/en/latest/?a="><script>x</script>`, http.StatusFound)
			return
		}
		sendsPage()(w, r)
	})
	clock := newClock()
	w, at := pageWorld(t, nil, func(w http.ResponseWriter, r *http.Request) { (*now.Load())(w, r) }, func(options *preview.NotebookOptions) { options.Now = clock.now })
	found := w.pageOf("e")
	if found == nil || !strings.HasPrefix(found.URL, strings.TrimSuffix(at, "spikes.html")+"en/latest/?a=") {
		t.Fatalf("%+v", found)
	}
	if body := w.visit(found.FrameURL).Body.String(); strings.Contains(body, "<script>x") || !strings.Contains(body, "/en/latest/?a=") {
		t.Error(body)
	}
	clock.pass(11 * time.Minute)
	set(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(notebookOf("a notebook now")))
	})
	w.shows("a notebook", w.frameOf("", "e"), http.StatusOK, "a notebook now")
	clock.pass(11 * time.Minute)
	set(sendsPage())
	w.shows("a page replaces no notebook", w.frameOf("", "e"), http.StatusOK, "a notebook now", "isn't responding properly")
}
