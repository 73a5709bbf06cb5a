package versions

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// storeState is what a Store has in memory.
type storeState struct {
	disk disk
	now  func() time.Time

	saving     sync.RWMutex // held by each Save, so that Sweep is alone; taken before the others
	committing sync.Mutex   // held while something waits for the disk, and for the log; taken before mu

	mu        sync.RWMutex // for all below
	closed    bool
	index     map[key]place
	packs     map[uint32]*pack
	current   *pack  // the one that is appended to; nil: the next chunk begins another
	lastPack  uint32 // number of the last pack
	buffer    []byte // the end of the current pack, which isn't written yet
	unsynced  map[*pack]bool
	newNames  bool // packs were made since the names were synced
	failures  int  // of writing
	failure   error
	bytes     int64 // of packs and their indexes
	opened    int64 // packs opened for reading
	log       file
	logLength int64
	series    map[string]*lineVersions
	byID      map[string]*version
	lastID    string
	states    map[string]seenTree
	busy      map[string]*sync.Mutex
	deleted   int        // versions deleted since the last sweep
	purged    []*version // of these, those whose content has to go
	holds     int        // of copies and checks under way, which keep Sweep away
}

// seenTree is the tree of a line's last version, with the times and numbers of its files as they were last seen.
type seenTree struct {
	version string
	tree    *tree
}

func open(folder string, options Options) (*Store, error) {
	opened, err := openDisk(folder)
	if err != nil {
		return nil, err
	}
	store, err := openOn(opened, options)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return store, nil
}

func openOn(on disk, options Options) (*Store, error) {
	s := &Store{storeState{
		disk: on, now: options.Now, index: map[key]place{}, packs: map[uint32]*pack{}, unsynced: map[*pack]bool{},
		series: map[string]*lineVersions{}, byID: map[string]*version{}, states: map[string]seenTree{}, busy: map[string]*sync.Mutex{},
	}}
	if s.now == nil {
		s.now = time.Now
	}
	names, err := on.Names()
	if err != nil {
		return nil, explain(err)
	}
	if err := s.openLog(names); err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		if number, is := numberOf(name, ".pack"); is {
			s.lastPack = max(s.lastPack, number)
		}
	}
	for _, name := range names {
		number, is := numberOf(name, ".pack")
		if is {
			err = s.findPack(number, slices.Contains(names, indexName(number)))
		} else if strings.HasSuffix(name, ".new") {
			err = on.Remove(name)
		} else if number, is := numberOf(name, ".index"); is && !slices.Contains(names, packName(number)) {
			err = on.Remove(name)
		}
		if err != nil && !errors.Is(explain(err), ErrReadOnly) {
			return nil, errors.Join(explain(err), s.closeFiles())
		}
	}
	return s, nil
}

func (s *storeState) openLog(names []string) (err error) {
	length := int64(0)
	if slices.Contains(names, logName) {
		s.log, length, err = s.disk.Open(logName)
	} else if s.log, err = s.disk.Create(logName); err == nil {
		err = s.disk.Sync()
	}
	if err == nil {
		err = s.readLog(length)
	}
	if err == nil && s.logLength < length {
		_ = s.log.Truncate(s.logLength) // if it fails, the next record is written over it
	}
	return explain(err)
}

// findPack reads the index of a pack, or else the pack.
func (s *storeState) findPack(number uint32, indexed bool) error {
	opened, length, err := s.disk.Open(packName(number))
	if err != nil {
		return err
	}
	one := &pack{number: number, length: length, written: length, synced: length}
	s.packs[number] = one
	if indexed {
		if text, chunks, ok := s.readIndex(number, length); ok {
			one.indexBytes = int64(text)
			s.bytes += int64(text)
			s.found(one, chunks)
			return opened.Close()
		}
	}
	var chunks []packed
	end, err := scan(opened, length, func(at int64, found record, _ []byte) {
		if found.kind == chunkRecord {
			chunks = append(chunks, packed{keyOf(found.digest), uint32(at), recordHeader + found.stored})
		}
	})
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	if end < length {
		_ = opened.Truncate(end) // if it fails, the next chunk is written over it
	}
	one.length, one.written, one.synced, one.packed = end, end, end, chunks
	s.found(one, chunks)
	if number == s.lastPack && end < packMost {
		one.file, s.current = opened, one
		return nil
	}
	s.writeIndex(one)
	return opened.Close()
}

func (s *storeState) found(one *pack, chunks []packed) {
	s.bytes += one.length
	for _, chunk := range chunks {
		s.index[chunk.key] = place{one.number, chunk.at, chunk.length}
	}
}

func (s *storeState) readIndex(number uint32, length int64) (size int, chunks []packed, ok bool) {
	opened, size64, err := s.disk.Open(indexName(number))
	if err != nil || size64 > 1<<30 {
		return 0, nil, false
	}
	defer opened.Close()
	text := make([]byte, size64)
	if _, err := opened.ReadAt(text, 0); err != nil {
		return 0, nil, false
	}
	chunks, ok = decodeIndex(text, length)
	return len(text), chunks, ok
}

func (s *storeState) close() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.committing.Lock()
	defer s.committing.Unlock()
	if s.closed {
		return nil
	}
	err := s.sync()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return errors.Join(err, s.closeFiles(), s.disk.Close())
}

func (s *storeState) closeFiles() error {
	err := s.log.Close()
	for _, one := range s.packs {
		if one.file != nil {
			err = errors.Join(err, one.file.Close())
			one.file = nil
		}
	}
	return err
}

func (s *storeState) storedBytes() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.bytes + s.logLength
}

// newID returns an id of version 7 of this moment, or just after the last one if the clock stepped back. s.mu must be held.
func (s *storeState) newID() string {
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], uint64(s.now().UnixMilli())<<16|0x7000)
	_, _ = rand.Read(id[8:])
	id[8] = id[8]&0x3f | 0x80
	if last, err := uuid.Parse(s.lastID); err == nil && strings.Compare(id.String(), s.lastID) <= 0 {
		count := binary.BigEndian.Uint64(last[:8])
		if count++; count&0xfff == 0 {
			count += 0x1_0000 - 0x1000 // the next millisecond, version 7 again
		}
		binary.BigEndian.PutUint64(id[:8], count)
	}
	return id.String()
}

func (s *storeState) get(id string) (Version, error) {
	found, err := s.find(id)
	if err != nil {
		return Version{}, err
	}
	about := found.about
	if found.leftLen == 0 {
		return about, nil
	}
	text, err := s.load(found.leftOut, found.leftLen)
	if err == nil {
		about.LeftOut, err = decodeLeftOut(text)
	}
	return about, err
}

func (s *storeState) find(id string) (*version, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, ErrClosed
	}
	found := s.byID[id]
	if found == nil {
		return nil, fmt.Errorf("%w: %q", ErrNotFound, id)
	}
	return found, nil
}

func (s *storeState) lines() []Line {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []Line
	for name, one := range s.series {
		line := Line{Name: name, Versions: len(one.versions), Last: one.versions[len(one.versions)-1].about}
		for _, v := range one.versions {
			line.StoredBytes += v.about.StoredBytes
		}
		all = append(all, line)
	}
	slices.SortFunc(all, func(a, b Line) int { return strings.Compare(a.Name, b.Name) })
	return all
}
