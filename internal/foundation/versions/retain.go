package versions

import (
	"slices"
	"time"
)

func (s *storeState) deleteVersions(ids []string, purge bool) error {
	s.committing.Lock()
	defer s.committing.Unlock()
	s.mu.RLock()
	closed := s.closed
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return s.byID[id] == nil })
	s.mu.RUnlock()
	if closed {
		return ErrClosed
	}
	for some := range slices.Chunk(ids, 10_000) { // of which a record has room for more
		note := deleteNote{some, purge}
		text, err := logRecord(deleteRecord, note)
		if err == nil {
			err = s.appendLog(text)
		}
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.drop(note)
		s.mu.Unlock()
	}
	return nil
}

func (s *storeState) deleteLine(line string) error {
	var ids []string
	s.mu.RLock()
	if one := s.series[line]; one != nil {
		for _, v := range one.versions {
			ids = append(ids, v.about.ID)
		}
	}
	s.mu.RUnlock()
	return s.deleteVersions(ids, true)
}

func (s *storeState) retain(policy Policy) (deleted int, err error) {
	now := s.now()
	var ids []string
	s.mu.RLock()
	for _, line := range s.series {
		ids = append(ids, unneeded(line.versions, policy, now)...)
	}
	s.mu.RUnlock()
	return len(ids), s.deleteVersions(ids, false)
}

// unneeded returns the ids of the versions of a line that a policy doesn't keep.
func unneeded(versions []*version, policy Policy, now time.Time) (ids []string) {
	taken := map[time.Time]bool{} // hours and days that have a version
	for i, v := range slices.Backward(versions) {
		age := now.Sub(v.about.At)
		hour, day := v.about.At.UTC().Truncate(time.Hour), v.about.At.UTC().Truncate(24*time.Hour).Add(time.Nanosecond) // never equal
		keep := i == len(versions)-1 || v.about.Name != "" || age <= policy.All ||
			age <= policy.Hourly && !taken[hour] || age <= policy.Daily && !taken[day]
		if keep {
			taken[hour], taken[day] = true, true
		} else {
			ids = append(ids, v.about.ID)
		}
	}
	return ids
}
