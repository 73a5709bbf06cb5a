package versions

import (
	"context"
	"errors"
	"os"
)

type storeState struct{}

func open(string, Options) (*Store, error)                    { return nil, errors.ErrUnsupported }
func (s *Store) close() error                                 { return errors.ErrUnsupported }
func (s *Store) save(context.Context, Request) (Saved, error) { return Saved{}, errors.ErrUnsupported }
func (s *Store) forget(string)                                {}
func (s *Store) list(context.Context, string, Filter) ([]Version, int, error) {
	return nil, 0, errors.ErrUnsupported
}
func (s *Store) get(string) (Version, error)               { return Version{}, errors.ErrUnsupported }
func (s *Store) lines() []Line                             { return nil }
func (s *Store) storedBytes() int64                        { return 0 }
func (s *Store) files(string, string) ([]Entry, error)     { return nil, errors.ErrUnsupported }
func (s *Store) stat(string, string) (Entry, error)        { return Entry{}, errors.ErrUnsupported }
func (s *Store) openFile(string, string) (*Content, error) { return nil, errors.ErrUnsupported }
func (s *Store) walk(context.Context, string, string, func(string, Entry, func() *Content) error) error {
	return errors.ErrUnsupported
}
func (s *Store) restore(context.Context, string, string, *os.Root, string, RestoreOptions) (Restored, error) {
	return Restored{}, errors.ErrUnsupported
}
func (s *Store) deleteVersions([]string, bool) error  { return errors.ErrUnsupported }
func (s *Store) deleteLine(string) error              { return errors.ErrUnsupported }
func (s *Store) retain(Policy) (int, error)           { return 0, errors.ErrUnsupported }
func (s *Store) sweep(context.Context) (int64, error) { return 0, errors.ErrUnsupported }
func (s *Store) verify(context.Context) error         { return errors.ErrUnsupported }
func (s *Store) copyTo(context.Context, string) error { return errors.ErrUnsupported }
