package site

import "sync/atomic"

// Live is the content of a site file that can be read again while the server runs.
type Live struct {
	path    string
	current atomic.Pointer[Site]
}

// Open loads the site file at path, or the embedded default when path is empty; the errors are those of Load.
func Open(path string) (*Live, error) {
	l := &Live{path: path}
	return l, l.Reload()
}

// Keep holds content that is there already.
func Keep(content *Site) *Live {
	l := &Live{}
	l.current.Store(content)
	return l
}

// Current is the content of now. It does not change; who needs several parts of it that fit together asks once.
func (l *Live) Current() *Site { return l.current.Load() }

// Reload reads the file again. With an error of Load the former content stays.
func (l *Live) Reload() error {
	content, err := Load(l.path)
	if err == nil {
		l.current.Store(content)
	}
	return err
}
