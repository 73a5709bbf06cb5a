package fake

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

var _ engine.Versioner = (*Engine)(nil)

// history is what is kept of the work of a session. Its files are those of the fake: text by path, without folders of
// their own.
type history struct {
	versions []version // oldest first
	retired  bool      // its work is in the last of them alone
	restored []engine.RestoredPath
	stopped  string // why nothing is saved
}

type version struct {
	engine.Version

	files map[string]file
}

// caches are the folders that aren't in versions.
var caches = []string{".ipynb_checkpoints", "__pycache__", ".cache"}

// Save makes the version of a session that engines make by themselves a while after its work changed.
func (s *Store) Save(id string) { s.saveBecause(id, engine.VersionTimer) }

// SaveLimit makes the version that is made when a session used too much, which ends it with this reason.
func (s *Store) SaveLimit(id, reason string) {
	s.change(id, engine.Running, func(known *session) {
		s.save(known, engine.VersionLimit, "")
		s.halt(known, engine.Failed, reason)
	})
}

// StopSaving keeps versions of a session from being made, for this reason; "" lets them be made again.
func (s *Store) StopSaving(id, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		known.history.stopped = reason
		s.signal()
	}
}

// SetQuota sets what the versions of each owner may take; nothing is done when they take more.
func (s *Store) SetQuota(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quota = bytes
}

// Delete deletes a file of the work folder.
func (s *Store) Delete(id, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		delete(known.files, name)
	}
}

// Work returns the text of a file in the work folder; "" if there is none.
func (s *Store) Work(id, name string) string {
	files, _ := s.files(id)
	return files[name].content
}

func (s *Store) saveBecause(id string, cause engine.VersionCause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[id]; known != nil {
		s.save(known, cause, "")
		s.signal()
	}
}

// findLost saves work that changed without a version, like an engine that is opened after a crash. s.mu must be held.
func (s *Store) findLost() {
	for _, known := range s.sessions {
		if len(known.history.versions) > 0 {
			s.save(known, engine.VersionLost, "")
		}
	}
}

// save makes a version unless nothing changed; a named one is made in any case. s.mu must be held.
func (s *Store) save(known *session, cause engine.VersionCause, name string) {
	if known.spec.Owner == "" || known.history.retired || known.history.stopped != "" {
		return
	}
	now := version{files: map[string]file{}}
	now.ID, now.At, now.Cause, now.Name = uuid.Must(uuid.NewV7()).String(), s.now(), cause, name
	for _, path := range slices.Sorted(maps.Keys(known.files)) {
		if why := leftOut(path); why == "" {
			now.files[path] = known.files[path]
		} else if path != engine.DataFolder && !strings.HasPrefix(path, engine.DataFolder+"/") {
			now.LeftOut = append(now.LeftOut, engine.LeftOut{What: path, Why: why})
		}
	}
	before := map[string]file{}
	if count := len(known.history.versions); count > 0 {
		before = known.history.versions[count-1].files
		if name == "" && maps.Equal(before, now.files) {
			return
		}
	}
	for path, found := range now.files {
		now.Files++
		now.Bytes += int64(len(found.content))
		old, there := before[path]
		switch {
		case !there:
			now.Added++
		case old != found:
			now.Modified++
		default:
			continue
		}
		now.StoredBytes += int64(len(found.content))
	}
	for path := range before {
		if _, there := now.files[path]; !there {
			now.Deleted++
		}
	}
	now.LeftOut = engine.ShortLeftOut(now.LeftOut)
	known.history.versions = append(known.history.versions, now)
}

func leftOut(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if slices.Contains(caches, part) {
			return "Caches and checkpoints are made again when they're needed."
		}
	}
	if path == engine.DataFolder || strings.HasPrefix(path, engine.DataFolder+"/") {
		return "Datasets aren't part of the work."
	}
	return ""
}

// saving returns what Status shows.
func (h history) saving() engine.Saving {
	saving := engine.Saving{Versions: len(h.versions), Stopped: h.stopped, Retired: h.retired, Restored: slices.Clone(h.restored)}
	if len(h.versions) > 0 {
		saving.At = h.versions[len(h.versions)-1].At
	}
	return saving
}

func noSession() error { return fault.New(fault.NotFound, "This session doesn't exist.") }

func noVersion() error {
	return fault.New(fault.NotFound, "The session has no such version. It may have been deleted since.")
}

func noFile(path string) error {
	return fault.New(fault.NotFound, "The version has no file or folder %s.", fault.Quote(path))
}

// within calls do with a session and the lock.
func (e *Engine) within(id string, do func(*session) error) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil {
		return noSession()
	}
	return do(known)
}

// version returns a version; an empty id means the present state.
func (s *session) version(id string) (version, error) {
	if count := len(s.history.versions); id == "" && s.history.retired {
		return s.history.versions[count-1], nil
	}
	if id == "" {
		return version{files: s.files}, nil
	}
	for _, one := range s.history.versions {
		if one.ID == id {
			return one, nil
		}
	}
	return version{}, noVersion()
}

// Versions implements engine.Versioner.
func (e *Engine) Versions(_ context.Context, id string, filter engine.VersionFilter) (list []engine.Version, total int, err error) {
	err = e.within(id, func(known *session) error {
		all := known.history.versions
		for i, one := range slices.Backward(all) {
			if filter.Path != "" {
				now, there := one.files[filter.Path]
				before, was := file{}, false
				if i > 0 {
					before, was = all[i-1].files[filter.Path]
				}
				if there == was && now == before {
					continue
				}
			}
			list = append(list, one.Version)
		}
		total = len(list)
		list = list[min(filter.Offset, total):]
		list = list[:min(filter.Most, len(list))]
		return nil
	})
	return list, total, err
}

// Version implements engine.Versioner.
func (e *Engine) Version(_ context.Context, id, version string) (found engine.Version, err error) {
	err = e.within(id, func(known *session) error {
		if version == "" {
			return noVersion()
		}
		one, err := known.version(version)
		found = one.Version
		return err
	})
	return found, err
}

// SaveVersion implements engine.Versioner.
func (e *Engine) SaveVersion(_ context.Context, id, name string) (made engine.Version, err error) {
	if err := engine.CheckVersionName(name); err != nil {
		return made, err
	}
	err = e.within(id, func(known *session) error {
		if stopped := known.history.stopped; stopped != "" {
			return fault.New(fault.Unavailable, "%s", stopped)
		}
		before := len(known.history.versions)
		e.store.save(known, engine.VersionNamed, name)
		if len(known.history.versions) == before {
			return fault.New(fault.Unavailable, "There are no versions of this session.")
		}
		made = known.history.versions[before].Version
		e.store.signal()
		return nil
	})
	return made, err
}

// VersionFiles implements engine.Versioner.
func (e *Engine) VersionFiles(_ context.Context, id, version, folder string) (list []engine.VersionFile, err error) {
	err = e.within(id, func(known *session) error {
		one, err := known.version(version)
		if err != nil {
			return err
		}
		found := map[string]engine.VersionFile{}
		for name, content := range one.files {
			rest, inside := strings.CutPrefix(name, folder+"/")
			if folder == "" {
				rest, inside = name, true
			}
			if !inside {
				continue
			}
			name, _, deeper := strings.Cut(rest, "/")
			entry := engine.VersionFile{Name: name, Folder: deeper, Link: !deeper && content.link, Modified: one.At}
			if !deeper && !content.link {
				entry.Bytes = int64(len(content.content))
			}
			found[name] = entry
		}
		if len(found) == 0 && folder != "" {
			return noFile(folder)
		}
		list = slices.SortedFunc(maps.Values(found), engine.CompareVersionFiles)
		return nil
	})
	return list, err
}

type content struct{ *bytes.Reader }

// Close implements io.Closer.
func (content) Close() error { return nil }

// OpenVersion implements engine.Versioner.
func (e *Engine) OpenVersion(_ context.Context, id, version, path string) (opened engine.VersionContent, err error) {
	err = e.within(id, func(known *session) error {
		one, err := known.version(version)
		if err != nil {
			return err
		}
		found, there := one.files[path]
		if !there || found.link {
			return noFile(path)
		}
		sum := sha256.Sum256([]byte(found.content))
		opened = engine.VersionContent{
			ReadSeekCloser: content{bytes.NewReader([]byte(found.content))}, Bytes: int64(len(found.content)), Modified: one.At,
			Digest: hex.EncodeToString(sum[:]),
		}
		if version == "" { // which may change while it is read
			opened.Digest = ""
		}
		return nil
	})
	return opened, err
}

// ArchiveVersion implements engine.Versioner.
func (e *Engine) ArchiveVersion(_ context.Context, id, version string, w io.Writer) error {
	var files map[string]file
	err := e.within(id, func(known *session) error {
		one, err := known.version(version)
		files = maps.Clone(one.files)
		return err
	})
	if err != nil {
		return err
	}
	return writeArchive(files, w)
}

func writeArchive(files map[string]file, w io.Writer) error {
	archive := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if files[name].link || leftOut(name) != "" {
			continue
		}
		if !utf8.ValidString(name) {
			continue
		}
		entry, err := archive.Create(name)
		if err == nil {
			_, err = io.WriteString(entry, files[name].content)
		}
		if err != nil {
			return fault.Wrap(err, fault.Unavailable, "The archive could not be written.")
		}
	}
	if err := archive.Close(); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The archive could not be written.")
	}
	return nil
}

// RestoreVersion implements engine.Versioner.
func (e *Engine) RestoreVersion(_ context.Context, id string, restore engine.Restore) (written string, err error) {
	err = e.within(id, func(known *session) error {
		one, err := known.version(restore.Version)
		if err != nil || restore.Version == "" {
			return noVersion()
		}
		wanted := below(one.files, restore.Path)
		if len(wanted) == 0 && restore.Path != "" {
			return noFile(restore.Path)
		}
		if known.history.retired {
			return fault.New(fault.Unavailable, "The session is deleted. Bring it back first.")
		}
		written = restore.Path
		if restore.InPlace {
			if known.history.stopped != "" {
				return fault.New(fault.Unavailable, "%s", known.history.stopped)
			}
			e.store.save(known, engine.VersionRestore, "")
			for name := range below(known.files, restore.Path) {
				if leftOut(name) == "" {
					delete(known.files, name)
				}
			}
			known.history.restored = engine.AddRestored(known.history.restored, engine.RestoredPath{Path: restore.Path, At: e.store.now()})
		} else {
			folder, name := path.Split(restore.Path)
			written = folder + engine.BesideName(name, one.At, func(name string) bool { return len(below(known.files, folder+name)) > 0 })
		}
		for name, content := range wanted {
			known.files[path.Join(written, strings.TrimPrefix(strings.TrimPrefix(name, restore.Path), "/"))] = content
		}
		e.store.signal()
		return nil
	})
	return written, err
}

// below returns a file, or the files in a folder; "" is everything.
func below(files map[string]file, path string) map[string]file {
	found := map[string]file{}
	for name, content := range files {
		if path == "" || name == path || strings.HasPrefix(name, path+"/") {
			found[name] = content
		}
	}
	return found
}

// StopBecause implements engine.Versioner.
func (e *Engine) StopBecause(ctx context.Context, id string, cause engine.VersionCause) error {
	return e.stop(ctx, id, cause)
}

// Retire implements engine.Versioner.
func (e *Engine) Retire(ctx context.Context, id string) error {
	if err := e.Stop(ctx, id); err != nil {
		return err
	}
	err := e.within(id, func(known *session) error {
		e.store.save(known, engine.VersionStop, "")
		if len(known.history.versions) > 0 && known.history.stopped == "" {
			known.files, known.history.retired = map[string]file{}, true
		}
		e.store.signal()
		return nil
	})
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	return err
}

// Unretire implements engine.Versioner.
func (e *Engine) Unretire(_ context.Context, id string) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	known := e.store.sessions[id]
	if known == nil || !known.history.retired {
		return nil
	}
	e.store.signal()
	return e.store.bringBack(known)
}

// AssignOwner implements engine.Versioner.
func (e *Engine) AssignOwner(_ context.Context, id, owner string) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if known := e.store.sessions[id]; known != nil && known.spec.Owner == "" && known.spec.Batch == nil {
		known.spec.Owner = owner
		e.store.save(known, engine.VersionTimer, "")
		e.store.signal()
	}
	return nil
}

// bringBack makes the work of a session anew from a version before its launch. s.mu must be held.
func (s *Store) bringBack(known *session) error {
	from := known
	var wanted string
	switch given := known.spec.From; {
	case known.history.retired:
		wanted = known.history.versions[len(known.history.versions)-1].ID
	case given != nil && known.launches == 0:
		if from = s.sessions[given.Session]; from == nil || from.spec.Owner != known.spec.Owner {
			return noVersion()
		}
		wanted = given.Version
	default:
		return nil
	}
	one, err := from.version(wanted)
	if err != nil {
		return err
	}
	known.files, known.history.retired = maps.Clone(one.files), false
	return nil
}

// History implements engine.Versioner.
func (e *Engine) History(_ context.Context, owner string) (engine.History, error) {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	found := engine.History{QuotaBytes: e.store.quota}
	for _, known := range e.store.sessions {
		if known.spec.Owner != owner {
			continue
		}
		for _, one := range known.history.versions {
			found.StoredBytes += one.StoredBytes
		}
	}
	return found, nil
}
