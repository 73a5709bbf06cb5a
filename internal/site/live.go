package site

import "sync/atomic"

// Live is the content of a site file that can be reloaded while the server runs.
type Live struct {
	path    string
	current atomic.Pointer[Site]
}

// Open loads the site file at path, or the embedded default when path is empty; the errors are those of Load.
func Open(path string) (*Live, error) {
	l := &Live{path: path}
	return l, l.Reload()
}

// Keep returns a Live with existing content.
func Keep(content *Site) *Live {
	l := &Live{}
	l.current.Store(content)
	return l
}

// Current returns the current content. It never changes; callers that need several consistent parts call it once.
func (l *Live) Current() *Site { return l.current.Load() }

// Reload reads the file again. On an error of Load the old content stays.
func (l *Live) Reload() error {
	content, err := Load(l.path)
	if err == nil {
		l.current.Store(content)
	}
	return err
}
