package paint

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const document = `<!doctype html><title>Page</title>
<link rel="modulepreload" crossorigin href="/a.js"><script type="application/json">{"much":"data"}</script>
<script type="module" crossorigin src="/main.js"></script><link rel="stylesheet" crossorigin href="/a.css">
<div id="root"><img src="/first.webp" alt=""><img src="/later.webp" alt="" loading="lazy"></div><p>` // and as much text as necessary

func TestInertPageIsAsLongAndNamesTheSame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Encoding", "gzip")
			packed, _ := gzip.NewWriterLevel(w, gzip.NoCompression)
			_, _ = packed.Write([]byte(document + strings.Repeat("text ", 1000)))
			_ = packed.Close()
		case "/main.js":
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write([]byte(strings.Repeat("x", 2000)))
		default:
			_, _ = w.Write([]byte(strings.Repeat("y", 1000)))
		}
	}))
	defer server.Close()
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	get := func(inert bool, path string) (string, http.Header) {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		request.Header.Set("Accept-Encoding", "gzip, br")
		answer := httptest.NewRecorder()
		front(address, inert).ServeHTTP(answer, request)
		body, err := io.ReadAll(answer.Result().Body)
		if err != nil || answer.Code != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, answer.Code, err)
		}
		return string(body), answer.Header()
	}
	for path, holds := range map[string]string{
		"/": `<link rel="modulepreload" crossorigin href="/a.js"><script type="module" crossorigin src="/main.js"></script>` +
			`<link rel="stylesheet" crossorigin href="/a.css"><img hidden src="/first.webp" alt=""><h1>`,
		"/main.js": "All is here",
		"/a.css":   "/*....",
		"/api":     "yyyy",
	} {
		page, _ := get(false, path)
		inert, header := get(true, path)
		if len(page) != len(inert) {
			t.Errorf("%s: %d bytes, inert %d", path, len(page), len(inert))
		}
		if !strings.Contains(inert, holds) || header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %.300s, %v", path, inert, header)
		}
	}
}

func TestFillingRefusesATextThatIsTooLong(t *testing.T) {
	if text, err := filled("long", "/*", "*/", 7); err == nil {
		t.Errorf("got %q", text)
	}
	if text, err := filled("long", "/*", "*/", 9); err != nil || string(text) != "long/*.*/" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestSpread(t *testing.T) {
	got := spreadOf([]figures{{LongTask: 5}, {LongTask: 1}, {LongTask: 3}}, func(f figures) float64 { return f.LongTask })
	if want := (spread{1, 3, 5}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
