package sessions

import (
	"cmp"
	"io"
	"mime"
	"net/http"
	"strings"

	"cairn/internal/httpapi"
)

// work streams the files of a session to the holder of a link. It works in every state, and for accounts that may not
// start sessions: the files are theirs.
func (g *gateway) work(w http.ResponseWriter, r *http.Request, id string) {
	if isPrefetch(r) || r.Method != http.MethodGet {
		g.refuse(w, r, http.StatusForbidden, id, "This link works only once, and only as a download.")
		return
	}
	holder, err := g.store.Redeem(r.Context(), workKind, r.URL.Query().Get("ticket"), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	session, err := g.ofAccount(r.Context(), id, holder.accountID)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	patient := httpapi.NewPatientWriter(w, g.patience)
	out := &attachment{ResponseWriter: w, body: patient, of: session}
	switch err := g.Archive(r.Context(), session, out); {
	case err != nil && out.begun:
		g.Logger.WarnContext(r.Context(), "work was not sent to its end", "session", id, "error", err)
		panic(http.ErrAbortHandler) // the browser shows a broken download, not a short file
	case err != nil:
		g.fail(w, r, id, err)
	default:
		patient.Done()
	}
}

// attachment sets the headers of a file at its first byte; until then an error can be shown instead.
type attachment struct {
	http.ResponseWriter

	body  io.Writer // of the same answer
	of    Session
	begun bool
}

// Write implements io.Writer.
func (a *attachment) Write(data []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.Header().Set("Content-Type", "application/zip")
		a.Header().Set("Content-Disposition", workDisposition(a.of))
		a.Header().Set("X-Accel-Buffering", "no")
	}
	return a.body.Write(data)
}

// workDisposition names the file after the session, within the limits of file systems.
func workDisposition(session Session) string {
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(session.SessionName)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	name = cmp.Or(strings.Trim(name, " ."), "work")
	return mime.FormatMediaType("attachment", map[string]string{"filename": name + ".zip"})
}

// archivePatience is how long a client that downloads work may read nothing.
const archivePatience = httpapi.Patience
