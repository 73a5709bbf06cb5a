package origin

import (
	"io"
	"net/http"

	"cairn/internal/foundation/httpapi"
)

// work streams the files of a session to the holder of a link. It works in every state, and for accounts that may not
// start sessions: the files are theirs.
func (g *Gateway) work(w http.ResponseWriter, r *http.Request, id string) {
	if isPrefetch(r) || r.Method != http.MethodGet {
		g.refuse(w, r, http.StatusForbidden, id, "This link works only once, and only as a download.")
		return
	}
	holder, err := g.links.store.redeem(r.Context(), workKind, r.URL.Query().Get("ticket"), id)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	session, err := g.Work.OfAccount(r.Context(), id, holder.accountID)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	version, file := r.URL.Query().Get("version"), r.URL.Query().Get("path")
	if file != "" {
		if err := g.Work.SendFile(w, r, session, version, file); err != nil {
			g.fail(w, r, id, err)
		}
		return
	}
	patient := httpapi.NewPatientWriter(w, g.Patience)
	out := &attachment{ResponseWriter: w, body: patient, name: g.Work.Disposition(session)}
	switch err := g.Work.Archive(r.Context(), session, version, out); {
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
	name  string    // its Content-Disposition
	begun bool
}

// Write implements io.Writer.
func (a *attachment) Write(data []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.Header().Set("Content-Type", "application/zip")
		a.Header().Set("Content-Disposition", a.name)
		a.Header().Set("X-Accel-Buffering", "no")
	}
	return a.body.Write(data)
}
