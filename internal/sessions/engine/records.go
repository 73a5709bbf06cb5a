package engine

import (
	"bytes"
	"context"
	"sync"
)

// Records stores the durable records of an engine whose sessions run on other machines. Several servers may share it,
// so only a caller that has read a record's latest version can replace it. Versions ascend, even across a removal.
type Records interface {
	// Load returns the versions of all records, and the contents of those whose version differs from the known one.
	Load(ctx context.Context, known map[string]int64) (versions map[string]int64, contents map[string][]byte, err error)

	// Read returns the version of one record, 0 when there is none, and its content when the version differs from the known one.
	Read(ctx context.Context, id string, known int64) (version int64, content []byte, err error)

	// Save replaces the record that has this version (0: there is none) and returns the new version; 0 if the record
	// has another version by now. A nil content removes the record.
	Save(ctx context.Context, id string, version int64, content []byte) (next int64, err error)
}

// Memory stores records in memory.
type Memory struct {
	// mu guards the fields below.
	mu       sync.Mutex
	last     int64
	versions map[string]int64
	contents map[string][]byte
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory { return &Memory{versions: map[string]int64{}, contents: map[string][]byte{}} }

// Load implements Records.
func (m *Memory) Load(_ context.Context, known map[string]int64) (map[string]int64, map[string][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	versions, contents := make(map[string]int64, len(m.versions)), map[string][]byte{}
	for id, version := range m.versions {
		versions[id] = version
		if known[id] != version {
			contents[id] = m.contents[id]
		}
	}
	return versions, contents, nil
}

// Read implements Records.
func (m *Memory) Read(_ context.Context, id string, known int64) (int64, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions[id] == known {
		return known, nil, nil
	}
	return m.versions[id], bytes.Clone(m.contents[id]), nil
}

// Save implements Records.
func (m *Memory) Save(_ context.Context, id string, version int64, content []byte) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.versions[id] != version {
		return 0, nil
	}
	m.last++
	if content == nil {
		delete(m.versions, id)
		delete(m.contents, id)
		return m.last, nil
	}
	m.versions[id], m.contents[id] = m.last, bytes.Clone(content)
	return m.last, nil
}
