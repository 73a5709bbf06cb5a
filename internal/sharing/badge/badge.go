package badge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// Path is the folder of all badges: Path + ID + ".svg" and ".json".
const Path = "/badge/"

// cacheFor is how long browsers and proxies may show a badge without asking again.
const cacheFor = "public, max-age=300"

// Server serves badges.
type Server struct {
	// Entry returns an entry as somebody who isn't signed in sees it; NotFound otherwise.
	Entry func(ctx context.Context, id string) (catalog.Resource, error)
	// Product returns the name of this installation.
	Product func() string
	Now     func() time.Time
}

// content is what a badge says. Its JSON is the endpoint form of shields.io.
type content struct {
	Version int    `json:"schemaVersion"`
	Label   string `json:"label"`
	Message string `json:"message"`
	Color   string `json:"color"`
}

// Background colors of the message, dark enough for white text.
const (
	colorOfRun     = "#2257c9"
	colorOfSee     = "#4b5563"
	colorOfClean   = "#1a7f37"
	colorOfDiffers = "#8a5a00"
	colorOfFailed  = "#b42318"
)

// colors are those of runs that say how it is today.
var colors = map[catalog.RunVerdict]string{
	catalog.RunClean: colorOfClean, catalog.RunDiffers: colorOfDiffers, catalog.RunFailed: colorOfFailed,
}

// of returns what the badge of an entry says: how it ran when the catalog ran it, or until then what readers can do.
func of(entry catalog.Resource, product string, now time.Time) content {
	if last := entry.LastRun; last != nil {
		said := content{Version: 1, Label: product, Message: last.DatedWords(now), Color: colorOfSee}
		if color := colors[last.Verdict]; color != "" && !last.Stale(now) {
			said.Color = color
		}
		return said
	}
	said := content{Version: 1, Label: "see", Message: "on " + product, Color: colorOfSee}
	if entry.Runnable != nil && *entry.Runnable {
		said.Label, said.Color = "run", colorOfRun
	}
	return said
}

// ServeHTTP serves /badge/ID.svg and /badge/ID.json.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	// Other sites embed badges, also those that isolate themselves from everybody else.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	name := strings.TrimPrefix(r.URL.Path, Path)
	ending := path.Ext(name)
	write, ok := forms[ending]
	if !ok {
		http.Error(w, absent, http.StatusNotFound)
		return
	}
	entry, err := s.Entry(r.Context(), strings.TrimSuffix(name, ending))
	switch {
	case fault.KindOf(err) == fault.NotFound || err == nil && !entry.Entry().Public():
		http.Error(w, absent, http.StatusNotFound)
		return
	case err != nil:
		httpapi.SetRetryAfter(header, err)
		http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
		return
	}
	text := write.text(of(entry, s.Product(), s.Now()))
	digest := sha256.Sum256(text)
	tag := `"` + base64.RawURLEncoding.EncodeToString(digest[:16]) + `"`
	header.Set("ETag", tag)
	header.Set("Cache-Control", cacheFor)
	if httpapi.MatchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", write.kind)
	_, _ = w.Write(text)
}

const absent = "This badge doesn't exist. Only public entries have one."

// forms are the forms of a badge, by the ending of its address.
var forms = map[string]struct {
	kind string
	text func(content) []byte
}{
	".svg":  {"image/svg+xml; charset=utf-8", draw},
	".json": {"application/json; charset=utf-8", encode},
}

func encode(said content) []byte {
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // strings and a number
	}
	return text
}
