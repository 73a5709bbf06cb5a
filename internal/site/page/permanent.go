package page

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// gone is what is left of an entry that its authors deleted.
type gone struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	DOI       string     `json:"doi,omitempty"`
	IssuedAt  *time.Time `json:"issuedAt"`
	DeletedAt time.Time  `json:"deletedAt"`
	Message   string     `json:"message"`
}

// goneContent is the template of what is left of an entry.
const goneContent = "gone"

const goneMessage = "Its authors deleted this entry. Its name and dates stay here, because others may have cited it."

// scripts are what a document that stays as it is does without: scripts, and the buttons that wait for them.
var scripts = regexp.MustCompile(`(?s)<script\b.*?</script>|<link rel="modulepreload"[^>]*>|<button disabled\b.*?</button>`)

// Permanent serves the permanent addresses of entries, /id/{id}, and of their versions, /id/{id}/v{n}: 303 to the entry's page; 410 with
// what is left of an entry that its authors deleted, or of a version that they withdrew; 404 for everything else.
func (s *Server) Permanent(entry func(ctx context.Context, id string) (catalog.Entry, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.SetSecurity(w.Header())
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Cache-Control", "no-cache")
		asJSON := wantsJSON(r.Header.Get("Accept"))
		ctx, number := r.Context(), ""
		if text := r.PathValue("version"); text != "" {
			ctx, number = inVersion(ctx, text)
		}
		found, err := entry(ctx, r.PathValue("id"))
		switch {
		case fault.CodeOf(err) == fault.VersionWithdrawn:
			s.serveWithdrawn(w, r, entry, err, asJSON)
		case err == nil && found.State == catalog.StateActive:
			w.Header().Set("Vary", "Accept")
			http.Redirect(w, r, s.options.PublicURL+entryPath(found)+number, http.StatusSeeOther)
		case err == nil:
			left := gone{found.ID, found.Name, found.DOI, found.IssuedAt, found.UpdatedAt, goneMessage}
			if asJSON {
				writeJSON(w, http.StatusGone, left)
				return
			}
			s.serveGone(w, r, left)
		case asJSON || fault.KindOf(err) != fault.NotFound:
			writeJSON(w, httpapi.StatusOf(r.Context(), err), map[string]string{"message": fault.MessageOf(err)})
		default:
			s.ServeHTTP(w, r)
		}
	})
}

// inVersion returns the context for the version in an address, as in v2, and what names it in the address of a page.
func inVersion(ctx context.Context, text string) (context.Context, string) {
	number, err := strconv.Atoi(strings.TrimPrefix(text, "v"))
	if err != nil || !strings.HasPrefix(text, "v") || number < 1 {
		number = math.MaxInt32 // which no entry has
	}
	return catalog.InVersion(ctx, number), "?version=" + strconv.Itoa(number)
}

// serveWithdrawn says what is left of a version that was withdrawn: the entry's name and dates, and why.
func (s *Server) serveWithdrawn(w http.ResponseWriter, r *http.Request, entry func(ctx context.Context, id string) (catalog.Entry, error), why error, asJSON bool) {
	found, err := entry(r.Context(), r.PathValue("id"))
	if err != nil || found.IssuedAt == nil {
		writeJSON(w, httpapi.StatusOf(r.Context(), why), map[string]string{"message": fault.MessageOf(why)})
		return
	}
	left := gone{found.ID, found.Name, found.DOI, found.IssuedAt, found.UpdatedAt, fault.MessageOf(why)}
	if asJSON {
		writeJSON(w, http.StatusGone, left)
		return
	}
	s.serveGone(w, r, left)
}

// wantsJSON reports whether a client that accepts JSON asks, and not a browser.
func wantsJSON(accept string) bool {
	return strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

func writeJSON(w http.ResponseWriter, status int, content any) {
	text, err := json.Marshal(content)
	if err != nil {
		panic(err) // plain texts
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Vary", "Accept")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func (s *Server) serveGone(w http.ResponseWriter, r *http.Request, left gone) {
	brand := s.options.Site().Brand
	var document, content bytes.Buffer
	err := s.templates.ExecuteTemplate(&content, goneContent, struct {
		gone

		Issued, Deleted moment
	}{left, momentOf(*left.IssuedAt), momentOf(left.DeletedAt)})
	if err != nil {
		s.options.Logger.ErrorContext(r.Context(), "the document of a deleted entry cannot be written", "error", err)
	}
	shell := s.shell(brand)
	place := max(bytes.LastIndex(shell, []byte("</main>")), 0)
	document.Write(scripts.ReplaceAll(s.before, nil))
	document.WriteString("<title>" + html.EscapeString(titleOf(left.Name, brand)) + "</title>" + icon(brand))
	document.Write(scripts.ReplaceAll(shell[:place], nil))
	document.Write(content.Bytes())
	document.Write(scripts.ReplaceAll(shell[place:], nil))
	document.Write(scripts.ReplaceAll(s.after, nil))
	httpapi.WriteText(w, r, http.StatusGone, "text/html; charset=utf-8", document.Bytes())
}
