package sessions

import (
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"strings"

	"cairn/internal/fault"
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
	session, err := g.workOf(r.Context(), id, holder.accountID)
	if err != nil {
		g.fail(w, r, id, err)
		return
	}
	version, file := r.URL.Query().Get("version"), r.URL.Query().Get("path")
	if file != "" {
		g.versionFile(w, r, session, version, file)
		return
	}
	patient := httpapi.NewPatientWriter(w, g.patience)
	out := &attachment{ResponseWriter: w, body: patient, of: session}
	archive := g.Archive
	if version != "" {
		archive = func(ctx context.Context, session Session, w io.Writer) error {
			return g.ArchiveVersion(ctx, session, version, w)
		}
	}
	switch err := archive(r.Context(), session, out); {
	case err != nil && out.begun:
		g.Logger.WarnContext(r.Context(), "work was not sent to its end", "session", id, "error", err)
		panic(http.ErrAbortHandler) // the browser shows a broken download, not a short file
	case err != nil:
		g.fail(w, r, id, err)
	default:
		patient.Done()
	}
}

// workOf returns a session of an account, which may be a recently deleted one.
func (g *gateway) workOf(ctx context.Context, id, accountID string) (Session, error) {
	session, err := g.ofAccount(ctx, id, accountID)
	if fault.KindOf(err) != fault.NotFound {
		return session, err
	}
	found, err := g.store.ByID(ctx, id)
	if err == nil && (len(found) == 0 || !g.mayUndelete(found[0], accountID)) {
		err = errNoSession
	}
	if err != nil {
		return Session{}, err
	}
	return g.shown(found[0]), nil
}

// versionFile sends a file of a version.
func (g *gateway) versionFile(w http.ResponseWriter, r *http.Request, session Session, version, file string) {
	keeper, err := g.historian(session)
	if err != nil {
		g.fail(w, r, session.ID, err)
		return
	}
	opened, name, err := g.openVersion(r.Context(), keeper, session, version, file)
	if err != nil {
		g.fail(w, r, session.ID, err)
		return
	}
	g.sendVersionFile(w, r, opened, name)
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

func workDisposition(session Session) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": workName(session)})
}

// workName names the file after the session, within the limits of file systems.
func workName(session Session) string {
	name := strings.NewReplacer("/", "-", "\\", "-").Replace(session.SessionName)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:80])
	}
	return cmp.Or(strings.Trim(name, " ."), "work") + ".zip"
}

// archivePatience is how long a client that downloads work may read nothing.
const archivePatience = httpapi.Patience
