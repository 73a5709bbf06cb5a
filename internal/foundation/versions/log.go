package versions

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

const logName = "versions.log"

// changedMost is how many changed paths of a version are known by a sum each. With more, its trees are compared.
const changedMost = 1024

// version is a version in memory.
type version struct {
	about   Version // without LeftOut
	content reference
	size    int64
	leftOut reference
	leftLen int64
	devices map[string]uint64
	changed []uint32 // sums of the paths that changed since the version before it, in order
	many    bool     // there are more
}

// lineVersions are the versions of a line, oldest first.
type lineVersions struct{ versions []*version }

// versionNote is what a version's record holds.
type versionNote struct {
	ID      string            `json:"id"`
	Line    string            `json:"line"`
	At      time.Time         `json:"at"`
	Cause   string            `json:"cause,omitempty"`
	Name    string            `json:"name,omitempty"`
	Roots   []RootCounts      `json:"roots"`
	Stored  int64             `json:"stored"`
	Depth   uint8             `json:"depth"`
	Digest  string            `json:"digest"`
	Size    int64             `json:"size"`
	LeftOut *leftOutNote      `json:"leftOut,omitempty"`
	Devices map[string]uint64 `json:"devices"`
	Changed string            `json:"changed,omitempty"` // 4 bytes each, in base64
	Many    bool              `json:"many,omitempty"`
}

type leftOutNote struct {
	Depth  uint8  `json:"depth"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
	More   int    `json:"more,omitempty"`
}

// deleteNote is what the record of a deletion holds.
type deleteNote struct {
	IDs   []string `json:"ids"`
	Purge bool     `json:"purge,omitempty"` // somebody wants the content gone, not only the room
}

func pathSum(path string) uint32 {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(path))
	return sum.Sum32()
}

func (v *version) note() versionNote {
	note := versionNote{
		ID: v.about.ID, Line: EscapePath(v.about.Line), At: v.about.At, Cause: v.about.Cause, Name: v.about.Name, Roots: v.about.Roots, Stored: v.about.StoredBytes,
		Depth: v.content.depth, Digest: hex.EncodeToString(v.content.digest[:]), Size: v.size, Devices: v.devices, Many: v.many,
	}
	if v.leftLen > 0 {
		note.LeftOut = &leftOutNote{v.leftOut.depth, hex.EncodeToString(v.leftOut.digest[:]), v.leftLen, v.about.MoreLeftOut}
	}
	var sums []byte
	for _, one := range v.changed {
		sums = binary.LittleEndian.AppendUint32(sums, one)
	}
	note.Changed = base64.StdEncoding.EncodeToString(sums)
	return note
}

func parseVersion(text []byte) (*version, error) {
	var note versionNote
	if err := json.Unmarshal(text, &note); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	line, err := UnescapePath(note.Line)
	v := &version{
		about: Version{ID: note.ID, Line: line, At: note.At, Cause: note.Cause, Name: note.Name, Roots: note.Roots, StoredBytes: note.Stored},
		size:  note.Size, devices: note.Devices, many: note.Many,
	}
	var failed error
	if v.content, failed = parseReference(note.Depth, note.Digest); failed != nil {
		err = failed
	}
	if note.LeftOut != nil {
		v.leftLen, v.about.MoreLeftOut = note.LeftOut.Size, note.LeftOut.More
		if v.leftOut, failed = parseReference(note.LeftOut.Depth, note.LeftOut.Digest); failed != nil {
			err = failed
		}
	}
	sums, failed := base64.StdEncoding.DecodeString(note.Changed)
	if failed != nil || len(sums)%4 != 0 || v.size < 0 || v.leftLen < 0 || v.about.ID == "" || v.about.Line == "" {
		err = errors.Join(failed, errRecord)
	}
	for at := 0; err == nil && at < len(sums); at += 4 {
		v.changed = append(v.changed, binary.LittleEndian.Uint32(sums[at:]))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	slices.Sort(v.changed)
	return v, nil
}

func parseReference(depth uint8, sum string) (reference, error) {
	text, err := hex.DecodeString(sum)
	if err != nil || len(text) != sha256.Size || depth > depthMost {
		return reference{}, errRecord
	}
	return reference{depth, digest(text)}, nil
}

func logRecord(kind byte, note any) ([]byte, error) {
	text, err := json.Marshal(note)
	if err != nil {
		return nil, err
	}
	if len(text) > recordMost {
		return nil, errors.New("a record of versions would be too long")
	}
	return appendRecord(nil, kind, sha256.Sum256(text), text), nil
}

// readLog requires that nobody else uses the store. It reads the log, and drops a torn end.
func (s *storeState) readLog(length int64) error {
	end, err := scan(s.log, length, func(_ int64, found record, body []byte) {
		text, err := found.content(body)
		if err != nil {
			return
		}
		switch found.kind {
		case versionRecord:
			if v, err := parseVersion(text); err == nil && s.byID[v.about.ID] == nil {
				s.remember(v)
			}
		case deleteRecord:
			var note deleteNote
			if json.Unmarshal(text, &note) == nil {
				s.drop(note)
			}
		}
	})
	s.logLength = end
	return err
}

// appendLog requires committing. It returns when the record is on the disk.
func (s *storeState) appendLog(text []byte) error {
	_, err := s.log.WriteAt(text, s.logLength)
	if err == nil {
		err = s.log.Sync()
	}
	if err != nil {
		_ = s.log.Truncate(s.logLength) // if it fails, the next record is written over it
		return explain(err)
	}
	s.mu.Lock()
	s.logLength += int64(len(text))
	s.mu.Unlock()
	return nil
}

// remember adds a version to the index in memory. s.mu must be held, unless nobody else uses the store yet.
func (s *storeState) remember(v *version) {
	one := s.series[v.about.Line]
	if one == nil {
		one = &lineVersions{}
		s.series[v.about.Line] = one
	}
	one.versions = append(one.versions, v)
	s.byID[v.about.ID] = v
	s.lastID = max(s.lastID, v.about.ID)
}

// drop requires what remember does. What changed in a version that goes counts for the one after it.
func (s *storeState) drop(note deleteNote) {
	lines := map[string]map[string]bool{}
	for _, id := range note.IDs {
		if v := s.byID[id]; v != nil {
			if lines[v.about.Line] == nil {
				lines[v.about.Line] = map[string]bool{}
			}
			lines[v.about.Line][id] = true
		}
	}
	for name, ids := range lines {
		line := s.series[name]
		kept := make([]*version, 0, len(line.versions)-len(ids))
		var changed []uint32
		many := false
		for _, v := range line.versions {
			if ids[v.about.ID] {
				changed, many = append(changed, v.changed...), many || v.many
				delete(s.byID, v.about.ID)
				s.deleted++
				if note.Purge {
					s.purged = append(s.purged, v)
				}
				continue
			}
			if len(changed) > 0 || many {
				v.changed = slices.Concat(v.changed, changed)
				slices.Sort(v.changed)
				v.changed, v.many = slices.Compact(v.changed), v.many || many
				if len(v.changed) > changedMost {
					v.changed, v.many = nil, true
				}
				changed, many = nil, false
			}
			kept = append(kept, v)
		}
		line.versions = kept
		if len(kept) == 0 {
			delete(s.series, name)
			delete(s.states, name)
		}
	}
}

// rewriteLog requires committing. It writes a log of the versions that there are, in place of one with deletions.
func (s *storeState) rewriteLog() error {
	s.mu.RLock()
	var all []*version
	for _, line := range s.series {
		all = append(all, line.versions...)
	}
	var text []byte
	var err error
	slices.SortFunc(all, func(a, b *version) int { return strings.Compare(a.about.ID, b.about.ID) })
	for _, v := range all {
		one, failed := logRecord(versionRecord, v.note())
		err = errors.Join(err, failed)
		text = append(text, one...)
	}
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	created, err := s.disk.Create(logName + ".new")
	if err != nil {
		return explain(err)
	}
	_, err = created.WriteAt(text, 0)
	if err = errors.Join(err, created.Sync()); err == nil {
		err = s.disk.Rename(logName+".new", logName)
	}
	if err != nil {
		_ = created.Close()
		_ = s.disk.Remove(logName + ".new")
		return explain(err)
	}
	s.mu.Lock()
	_ = s.log.Close()
	s.log, s.logLength = created, int64(len(text))
	s.mu.Unlock()
	return explain(s.disk.Sync())
}
