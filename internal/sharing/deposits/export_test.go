package deposits

import "context"

// WorkOnce works on a deposit that waits for a server; false if none does.
func (s *Service) WorkOnce(ctx context.Context) (worked bool, err error) {
	r, ok, err := s.claim(ctx)
	if ok && err == nil {
		s.work(ctx, r)
	}
	return ok, err
}

// The limits of files that go up as they are, and of answers that can't be used.
const (
	MostFiles  = mostFiles
	TriesOfBad = triesOfBad
)
