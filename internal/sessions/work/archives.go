package work

import (
	"archive/zip"
	"context"
	"io"
	"sync"
	"time"

	"cairn/internal/fault"
	"cairn/internal/sessions"
)

// archivesAtOnce is how many downloads of work a server sends at once.
const archivesAtOnce = 4

// archives counts the downloads of work that are under way.
type archives struct {
	mu      sync.Mutex
	packing map[string]bool // protected by mu; ids of sessions
}

// begin reserves a place for a download of a session's work until end is called.
func (a *archives) begin(id string) (end func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	busy := fault.New(fault.Unavailable, "This server is already sending %d downloads of work, the maximum at once. Try again in a moment.", archivesAtOnce)
	if a.packing[id] {
		busy = fault.New(fault.TooMany, "This session's work is already being downloaded. Wait until that's done, or cancel it and try again in a moment.")
		busy.Limit = "work_downloads"
	}
	busy.RetryAfter = 10 * time.Second
	if a.packing[id] || len(a.packing) >= archivesAtOnce {
		return nil, busy
	}
	if a.packing == nil {
		a.packing = map[string]bool{}
	}
	a.packing[id] = true
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.packing, id)
	}, nil
}

// Archive writes a session's work folder, or a version of it, as a zip file; an empty one if its engine has no work yet.
// TooMany while the same work is being written elsewhere, Unavailable while this server writes as many as it may.
func (s *Service) Archive(ctx context.Context, session sessions.Session, version string, w io.Writer) error {
	write, err := s.archiver(session, version)
	if err != nil {
		return err
	}
	end, err := s.archives.begin(session.ID)
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
