package work

import (
	"context"
	"io"
	"strings"
	"time"

	"cairn/internal/content/difference"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// CompareVersions says how a file of a version differs from that of another one, or of the present state.
func (s *Service) CompareVersions(ctx context.Context, id, version, with, path string) (difference.FileDifference, error) {
	session, versioner, err := s.versioner(ctx, id)
	if err != nil {
		return difference.FileDifference{}, err
	}
	end, err := s.beginComparison(ctx, session.AccountID)
	if err != nil {
		return difference.FileDifference{}, err
	}
	defer end()
	before, missing, err := s.contentOf(ctx, versioner, session, version, path)
	if err != nil {
		return difference.FileDifference{}, err
	}
	if with == "" {
		with = present
	}
	after, gone, err := s.contentOf(ctx, versioner, session, with, path)
	switch {
	case err != nil:
		return difference.FileDifference{}, err
	case missing != nil && gone != nil:
		return difference.FileDifference{}, missing
	case strings.HasSuffix(path, ".ipynb"):
		return difference.Notebook(ctx, before, after)
	}
	return difference.Text(before, after)
}

// beginComparison waits for a place for a comparison, which end frees. An account has one of them.
func (s *Service) beginComparison(ctx context.Context, account string) (end func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, sizes.CallTime)
	defer cancel()
	done, ok := s.comparing.Take(bounded, account)
	if !ok {
		busy := fault.New(fault.TooMany, "You're already comparing another file. Wait until that's done, and try again.")
		busy.RetryAfter, busy.Limit = 10*time.Second, "comparisons"
		return nil, busy
	}
	select {
	case s.comparisons <- struct{}{}:
		return func() { <-s.comparisons; done() }, nil
	case <-bounded.Done():
		done()
		busy := fault.New(fault.Unavailable, "This server is already comparing %d files, the maximum at once. Try again in a moment.", comparisonsAtOnce)
		busy.RetryAfter = 10 * time.Second
		return nil, busy
	}
}

// contentOf returns the content of a file to compare; missing says that this state of the work has no such file.
func (s *Service) contentOf(ctx context.Context, versioner engine.Versioner, session sessions.Session, version, path string) (content []byte, missing, err error) {
	opened, _, err := s.openVersion(ctx, versioner, session, version, path)
	if fault.KindOf(err) == fault.NotFound {
		if version != present { // the version may be what is missing
			if _, unknown := versioner.Version(ctx, session.ID, version); unknown != nil {
				return nil, nil, unknown
			}
		}
		return nil, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	most := int64(difference.TextBytes)
	if strings.HasSuffix(path, ".ipynb") {
		most = difference.NotebookBytes
	}
	content, err = io.ReadAll(io.LimitReader(opened, most+1)) // one more is refused
	return content, nil, err
}
