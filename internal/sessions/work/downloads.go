package work

import (
	"archive/zip"
	"context"
	"io"
	"mime"
	"net/http"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions"
)

// SendFile answers with a file of a version. Its errors are those before the first byte.
func (s *Service) SendFile(w http.ResponseWriter, r *http.Request, session sessions.Session, version, path string) error {
	versioner, err := s.engines.VersionerOf(session.Engine)
	if err != nil {
		return err
	}
	opened, name, err := s.openVersion(r.Context(), versioner, session, version, path)
	if err != nil {
		return err
	}
	s.sendVersionFile(w, r, opened, name)
	return nil
}

// Disposition is the Content-Disposition of a session's archive.
func (s *Service) Disposition(session sessions.Session) string { return disposition(session) }

func disposition(session sessions.Session) string {
	return mime.FormatMediaType("attachment", map[string]string{"filename": humanize.FileName(session.SessionName, "work") + ".zip"})
}

// OfAccount returns a session of an account, which may be a recently deleted one.
func (s *Service) OfAccount(ctx context.Context, id, accountID string) (sessions.Session, error) {
	return s.sessions.OfAccountOrDeleted(ctx, id, accountID)
}

// Archive writes a session's work folder, or a version of it, as a zip file; an empty one if its engine has no work yet.
// TooMany while the same work is being written elsewhere, Unavailable if this server writes as many as it may and none ends soon.
func (s *Service) Archive(ctx context.Context, session sessions.Session, version string, w io.Writer) error {
	write, err := s.archiver(session, version)
	if err != nil {
		return err
	}
	end, err := s.archives.begin(ctx, session.ID)
	if err != nil {
		return err
	}
	defer end()
	return write(ctx, w)
}

// archiver returns what writes a session's work folder, or a version of it; Conflict or NotFound if its engine can't.
func (s *Service) archiver(session sessions.Session, version string) (write func(ctx context.Context, w io.Writer) error, err error) {
	if version != "" {
		versioner, err := s.engines.VersionerOf(session.Engine)
		return func(ctx context.Context, w io.Writer) error {
			return versioner.ArchiveVersion(ctx, session.ID, version, w)
		}, err
	}
	chosen, err := s.engines.Of(session.Engine)
	return func(ctx context.Context, w io.Writer) error {
		err := chosen.Archive(ctx, session.ID, w)
		if fault.KindOf(err) == fault.NotFound {
			err = zip.NewWriter(w).Close()
		}
		return err
	}, err
}
