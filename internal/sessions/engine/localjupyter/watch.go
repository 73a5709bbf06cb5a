package localjupyter

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"cairn/internal/sandbox"
	"cairn/internal/sessions/engine"
)

// watched looks at a running session again and again until its context ends; less often where looking takes long.
func (s *session) watched(ctx context.Context, server *sandbox.Process, client *client) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		began := time.Now()
		s.look(ctx, server, client)
		pause.Reset(max(s.engine.options.WatchEvery, 20*time.Since(began)))
	}
}

// look asks Jupyter what happens, measures the files, and reports both.
func (s *session) look(ctx context.Context, server *sandbox.Process, client *client) {
	activity, err := client.activity(ctx)
	if err != nil {
		s.engine.options.Logger.Debug("a session does not tell what happens in it", "session", s.id, "error", err)
	}
	used, changed, measured := measure(ctx, s.folder)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != server || s.record.Phase != engine.Running {
		return
	}
	before, warned := s.activity, s.disk.warning
	if err == nil {
		s.activity.Busy, s.activity.Connections = activity.Busy, activity.Connections
		s.activity.LastAt = latest(s.activity.LastAt, activity.LastAt)
	}
	s.activity.LastAt = latest(s.activity.LastAt, changed)
	if measured == nil {
		if reason := s.disk.note(used, s.engine.options.Limits, s.engine.options.Now()); reason != "" {
			s.endBecause(server, reason)
		}
	}
	if s.activity != before || s.disk.warning != warned {
		s.engine.signal()
	}
}

// endBecause needs the lock. It stops a session that uses too much.
func (s *session) endBecause(server *sandbox.Process, reason string) {
	s.takeBack()
	s.enqueue(func(context.Context) error {
		s.mu.Lock()
		current := s.server == server
		s.mu.Unlock()
		if !current || s.engine.dead.Load() {
			return nil
		}
		return s.end(true, engine.Failed, reason)
	})
}

// diskState is how full a session's disk is.
type diskState struct {
	since   time.Time // when it was found above its limit; zero below
	warning string
}

// note returns the reason why the session has to end, or "". Twice the limit is no oversight: there is no grace then.
func (c *diskState) note(used int64, limits Limits, now time.Time) string {
	if used <= limits.Disk {
		*c = diskState{}
		return ""
	}
	if c.since.IsZero() {
		c.since = now
	}
	end := c.since.Add(limits.DiskGrace)
	if now.Before(end) && used <= 2*limits.Disk {
		c.warning = fmt.Sprintf("The files of this session take %s, more than the %s that they may. Delete some, or it is stopped at %s UTC; the files are kept.",
			size(used), size(limits.Disk), end.UTC().Format("15:04"))
		return ""
	}
	return fmt.Sprintf("The session was stopped because its files take %s, more than the %s that they may. They are kept: download them, "+
		"or start the session again and delete some at once.", size(used), size(limits.Disk))
}

// measure adds up what the folders of a session take on the disk, without its datasets, and finds when something in its
// work folder last changed. Times that programs can set count for nothing.
func measure(ctx context.Context, folder string) (used int64, changed time.Time, err error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, time.Time{}, err
	}
	defer root.Close()
	for _, top := range []string{workName, homeName} {
		walked := fs.WalkDir(root.FS(), top, func(name string, entry fs.DirEntry, err error) error {
			if cause := ctx.Err(); cause != nil {
				return cause
			}
			if err != nil { // it vanished, or is closed to a server without root's rights
				return nil //nolint:nilerr // what cannot be seen is not counted
			}
			if entry.IsDir() && name == path.Join(workName, engine.DataFolder) {
				return fs.SkipDir
			}
			about, err := entry.Info()
			if err != nil {
				return nil //nolint:nilerr // likewise
			}
			if stat, known := about.Sys().(*syscall.Stat_t); known {
				used += stat.Blocks * 512
				if top == workName {
					changed = latest(changed, time.Unix(stat.Ctim.Unix()))
				}
			}
			return nil
		})
		if walked != nil {
			return 0, time.Time{}, walked
		}
	}
	return used, changed, nil
}

func latest(one, other time.Time) time.Time {
	if other.After(one) {
		return other
	}
	return one
}

func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%.1f %s", float64(bytes)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}
