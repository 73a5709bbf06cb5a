package fake

import (
	"context"
	"encoding/json"
	"io"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// sentFile is a file as ExportWork writes it: names are bytes.
type sentFile struct {
	Name, Content []byte
	Link          bool
}

// ExportWork implements engine.Versioner.
func (e *Engine) ExportWork(_ context.Context, id, version string, w io.Writer) error {
	var list []sentFile
	err := e.within(id, func(known *session) error {
		one, err := known.version(version)
		for name, found := range one.files {
			list = append(list, sentFile{[]byte(name), []byte(found.content), found.link})
		}
		return err
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(list)
}

// ImportWork implements engine.Versioner.
func (e *Engine) ImportWork(_ context.Context, id, _ string, r io.Reader) error {
	e.store.mu.Lock()
	_, there := e.store.imported[id]
	e.store.mu.Unlock()
	if there {
		return nil
	}
	var list []sentFile
	if err := json.NewDecoder(r).Decode(&list); err != nil {
		return fault.Wrap(err, fault.Unavailable, "It couldn't be restored. All versions are kept: try again in a while.")
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if e.store.sessions[id] != nil {
		return engine.ErrStarted
	}
	files := map[string]file{}
	for _, one := range list {
		files[string(one.Name)] = file{string(one.Content), one.Link}
	}
	e.store.imported[id] = files
	return nil
}

// LimitHistory implements engine.Versioner.
func (e *Engine) LimitHistory(_ context.Context, owner string, bytes int64) error {
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	e.store.limits[owner] = bytes
	return nil
}

// Limit returns what LimitHistory said last about an owner.
func (s *Store) Limit(owner string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.limits[owner]
}

var _ engine.Versioner = (*Engine)(nil)
