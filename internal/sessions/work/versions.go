package work

import (
	"context"
	"strings"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/versions"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
)

// Version is a state of a session's work that can be looked into and brought back.
type Version struct {
	ID          string              `json:"id" format:"uuid"`
	At          time.Time           `json:"at"`
	Cause       engine.VersionCause `json:"cause" enum:"timer,stop,idle,limit,restore,named,lost" doc:"Why it was made: the work had changed, the session was stopped, was idle or over a limit, a version was restored in place, its user asked for it, or a crash was found"`
	Name        string              `json:"name" doc:"Of a named one; else empty"`
	Files       int                 `json:"files"`
	Bytes       int64               `json:"bytes" doc:"Of its files"`
	StoredBytes int64               `json:"storedBytes" doc:"That it added to what the account's versions take"`
	Changed     VersionChanges      `json:"changed" doc:"Since the version before"`
	LeftOut     []engine.LeftOut    `json:"leftOut" nullable:"false" doc:"Paths that aren't in it, and why"`
}

// VersionChanges counts the files that a version changed.
type VersionChanges struct {
	Added    int `json:"added"`
	Modified int `json:"modified"`
	Deleted  int `json:"deleted"`
}

// VersionPage is a page of versions.
type VersionPage struct {
	Content       []Version     `json:"content" nullable:"false"`
	TotalElements int           `json:"totalElements"`
	Number        int           `json:"number"`
	Size          int           `json:"size"`
	Account       StoredHistory `json:"account" doc:"What all versions of the account's sessions take on this engine, the recently deleted ones included"`
}

// StoredHistory is what an account's versions take.
type StoredHistory struct {
	StoredBytes int64 `json:"storedBytes"`
	QuotaBytes  int64 `json:"quotaBytes,omitempty" doc:"Absent: no limit"`
}

// VersionFile is a file or folder of a version.
type VersionFile struct {
	Name     string     `json:"name" doc:"With bytes that can't be shown escaped"`
	Path     string     `json:"path" doc:"What the calls about it take"`
	Kind     string     `json:"kind" enum:"file,folder,link"`
	Bytes    int64      `json:"bytes" doc:"Of a file"`
	Modified *time.Time `json:"modified,omitempty"`
}

// VersionFilePage is a page of a folder.
type VersionFilePage struct {
	Content       []VersionFile `json:"content" nullable:"false"`
	TotalElements int           `json:"totalElements"`
	Number        int           `json:"number"`
	Size          int           `json:"size"`
}

// present is the id that stands for the work as it is now, in the calls that compare and download.
const present = "present"

// versioner returns one of the caller's sessions, which may be a recently deleted one, with the engine that keeps its versions.
func (s *Service) versioner(ctx context.Context, id string) (sessions.Session, engine.Versioner, error) {
	session, err := s.sessions.OwnOrDeleted(ctx, id)
	if err != nil {
		return sessions.Session{}, nil, err
	}
	versioner, err := s.engines.VersionerOf(session.Engine)
	return session, versioner, err
}

// Versions returns a page of the versions of one of the caller's sessions, newest first; with a path, only those in which
// that file changed.
func (s *Service) Versions(ctx context.Context, id, path string, number, size int) (VersionPage, error) {
	page := VersionPage{Content: []Version{}, Number: number, Size: size}
	session, versioner, err := s.versioner(ctx, id)
	if err != nil {
		return page, err
	}
	file, err := pathOf(path)
	if err != nil {
		return page, err
	}
	found, total, err := versioner.Versions(ctx, id, engine.VersionFilter{Path: file, Offset: number * size, Most: size})
	if fault.KindOf(err) == fault.NotFound {
		found, total, err = nil, 0, nil // the session wasn't launched yet
	}
	if err != nil {
		return page, err
	}
	for _, one := range found {
		page.Content = append(page.Content, shownVersion(one))
	}
	page.TotalElements = total
	page.Account.QuotaBytes = s.engines.VersionQuota
	page.Account.StoredBytes, _ = s.engines.StoredVersions(ctx, session.UserID, "") // what an engine has that is away isn't known
	return page, nil
}

func shownVersion(one engine.Version) Version {
	shown := Version{
		ID: one.ID, At: one.At.UTC(), Cause: one.Cause, Name: one.Name, Files: one.Files, Bytes: one.Bytes, StoredBytes: one.StoredBytes,
		Changed: VersionChanges{Added: one.Added, Modified: one.Modified, Deleted: one.Deleted}, LeftOut: []engine.LeftOut{},
	}
	for _, left := range one.LeftOut {
		left.What = versions.EscapePath(left.What)
		shown.LeftOut = append(shown.LeftOut, left)
	}
	return shown
}

// SaveVersion makes a version of the work of one of the caller's sessions as it is now, with a name.
func (s *Service) SaveVersion(ctx context.Context, id, name string) (Version, error) {
	name = strings.TrimSpace(name)
	if message := catalog.CheckName(name); message != "" {
		return Version{}, fault.InvalidField("body.name", "The name of the version %s.", message)
	}
	_, versioner, err := s.writable(ctx, id)
	if err != nil {
		return Version{}, err
	}
	if err := checkNamed(ctx, versioner, id); err != nil {
		return Version{}, err
	}
	made, err := versioner.SaveVersion(ctx, id, name)
	if err != nil {
		return Version{}, err
	}
	s.changes.Announce()
	return shownVersion(made), s.store.RecordAction(ctx, id, audit.NameVersion)
}

// namedMost is how many versions with names a session has: they aren't discarded as others are.
const namedMost = 100

// checkNamed returns Conflict if a session has as many versions with names as it may.
func checkNamed(ctx context.Context, versioner engine.Versioner, id string) error {
	const page = 1000
	named := 0
	for offset := 0; ; offset += page {
		found, total, err := versioner.Versions(ctx, id, engine.VersionFilter{Offset: offset, Most: page})
		if err != nil {
			return err
		}
		for _, one := range found {
			if one.Cause == engine.VersionNamed {
				named++
			}
		}
		switch {
		case named >= namedMost:
			return fault.New(fault.Conflict, "This session has %d versions with names, the maximum. Start a new session with its latest version to go on from there.", namedMost)
		case offset+page >= total:
			return nil
		}
	}
}

// writable is versioner for calls that change the work: that of a deleted session has to be brought back first.
func (s *Service) writable(ctx context.Context, id string) (sessions.Session, engine.Versioner, error) {
	session, versioner, err := s.versioner(ctx, id)
	if err == nil && session.Status == sessions.Deleted {
		err = fault.New(fault.Conflict, "This session was deleted; its versions are kept. Undelete it first, or open the version in a new session.")
	}
	return session, versioner, err
}

// VersionFiles returns a page of a folder of a version; folders come first, then names in order.
func (s *Service) VersionFiles(ctx context.Context, id, version, path string, number, size int) (VersionFilePage, error) {
	page := VersionFilePage{Content: []VersionFile{}, Number: number, Size: size}
	_, versioner, err := s.versioner(ctx, id)
	if err != nil {
		return page, err
	}
	folder, err := pathOf(path)
	if err != nil {
		return page, err
	}
	all, err := versioner.VersionFiles(ctx, id, version, folder)
	if err != nil {
		return page, err
	}
	page.TotalElements = len(all)
	begin := min(number*size, len(all))
	for _, one := range all[begin:min(begin+size, len(all))] {
		shown := VersionFile{Name: versions.EscapePath(one.Name), Path: versions.EscapePath(joined(folder, one.Name)), Kind: "file", Bytes: one.Bytes, Modified: sessions.OptionalTime(one.Modified)}
		switch {
		case one.Folder:
			shown.Kind, shown.Bytes = "folder", 0
		case one.Link:
			shown.Kind, shown.Bytes = "link", 0
		}
		page.Content = append(page.Content, shown)
	}
	return page, nil
}

func joined(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// OpenVersion opens a file of a version, or of the present state, and returns its path in bytes.
func (s *Service) OpenVersion(ctx context.Context, id, version, path string) (engine.VersionContent, string, error) {
	session, versioner, err := s.versioner(ctx, id)
	if err != nil {
		return engine.VersionContent{}, "", err
	}
	return s.openVersion(ctx, versioner, session, version, path)
}

func (s *Service) openVersion(ctx context.Context, versioner engine.Versioner, session sessions.Session, version, path string) (engine.VersionContent, string, error) {
	file, err := pathOf(path)
	if err == nil && file == "" {
		err = fault.InvalidField("query.path", "Name the file (path), such as notebooks/start.ipynb.")
	}
	if err != nil {
		return engine.VersionContent{}, "", err
	}
	if version == present {
		version = ""
	}
	opened, err := versioner.OpenVersion(ctx, session.ID, version, file)
	return opened, file, err
}

// The places of what is restored.
const (
	beside  = "beside"
	inPlace = "place"
)

// RestoreVersion brings a file, a folder or everything of a version back, beside what is there or in its place, and returns
// the path that was written.
func (s *Service) RestoreVersion(ctx context.Context, id, version, path, into string) (written string, err error) {
	session, versioner, err := s.writable(ctx, id)
	if err != nil {
		return "", err
	}
	file, err := pathOf(path)
	if err != nil {
		return "", err
	}
	written, err = versioner.RestoreVersion(ctx, session.ID, engine.Restore{Version: version, Path: file, InPlace: into == inPlace})
	if err != nil {
		return "", err
	}
	s.changes.Announce()
	return versions.EscapePath(written), s.store.RecordAction(ctx, id, audit.RestoreVersion)
}
