package localjupyter

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"cairn/internal/fault"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/engine"
)

// Reserve is the part of a disk that sessions must leave free. The zero value means the default: 5 %, at most 5 GiB.
type Reserve struct {
	Part  float64 // of the whole disk, from 0 to 1
	Bytes int64
}

// of returns the bytes to leave free on a disk of this size.
func (r Reserve) of(total uint64) uint64 {
	switch {
	case r.Bytes > 0:
		return uint64(r.Bytes)
	case r.Part > 0:
		return uint64(r.Part * float64(total))
	}
	return min(total/20, 5<<30)
}

const (
	reserveInterval = time.Second
	leastGrowth     = 1 << 20 // in the growthWindow; an open session writes less by itself
	leastInodes     = 50_000  // left on a disk, or 5 % of it if that is less
	nearlyFull      = "This server's disk is nearly full. The session starts automatically as soon as there's room."
)

// keepReserve checks the disks until the engine is closed.
func (e *Engine) keepReserve() {
	ticks := time.NewTicker(reserveInterval)
	defer ticks.Stop()
	for {
		select {
		case <-e.background.Done():
			return
		case <-ticks.C:
			e.checkReserve(e.background)
		}
	}
}

// checkReserve decides whether sessions may start. If not, it stops the one that grew most, and waits for its end.
func (e *Engine) checkReserve(ctx context.Context) {
	full := e.fullDisk()
	wasFull := e.full.Swap(full != "")
	switch {
	case full == "" && wasFull:
		e.options.Logger.Info("the disk has its reserve again: sessions start")
	case full != "" && !wasFull:
		e.options.Logger.Warn("the disk is nearly full: no session starts, and those that grow are stopped", "disk", full)
		e.weighAll(ctx)
	}
	if full == "" || ctx.Err() != nil {
		return
	}
	most, growth := e.grownMost()
	if most == nil {
		return
	}
	e.options.Logger.Warn("a session is stopped because the disk is nearly full", "session", most.id, "grown", engine.Size(growth))
	if stopping := most.makeRoom(growth); stopping != nil {
		select {
		case <-stopping.done:
		case <-ctx.Done():
		}
	}
}

// fullDisk describes a disk that has less than its reserve; "" if there is none.
func (e *Engine) fullDisk() string {
	for _, folder := range []string{e.options.Dir, e.options.Data} {
		var about unix.Statfs_t
		if folder == "" || e.options.Statfs(folder, &about) != nil {
			continue
		}
		if text := e.options.Reserve.Lack(about); text != "" {
			return folder + " has " + text
		}
	}
	return ""
}

// Lack returns what a disk has left, if that is less than the reserve; "" if there is enough.
func (r Reserve) Lack(about unix.Statfs_t) string {
	block := uint64(about.Bsize)
	if free, reserve := about.Bavail*block, r.of(about.Blocks*block); free < reserve {
		return fmt.Sprintf("%s left, less than %s", engine.Size(int64(free)), engine.Size(int64(reserve)))
	}
	if about.Ffree < min(about.Files/20, leastInodes) {
		return fmt.Sprintf("room for %d files only", about.Ffree)
	}
	return ""
}

// weighAll measures all live sessions at once, because the cause may be newer than their last check.
func (e *Engine) weighAll(ctx context.Context) {
	var all errgroup.Group
	all.SetLimit(4)
	for _, known := range e.all() {
		known.mu.Lock()
		phase, server := known.record.Phase, known.server
		known.mu.Unlock()
		switch phase {
		case engine.Running:
			all.Go(func() error { known.weigh(ctx, server, nil); return nil })
		case engine.Starting:
			all.Go(func() error { known.weighLaunch(ctx); return nil })
		case engine.Ended, engine.Failed, engine.Full:
		}
	}
	_ = all.Wait()
}

// grownMost returns the live session that grew most, and by how much; nil if none grew.
func (e *Engine) grownMost() (most *session, growth int64) {
	now := e.options.Now()
	for _, known := range e.all() {
		known.mu.Lock()
		live := known.wanted && (known.server != nil || known.giveUp != nil)
		grown := known.disk.grown(now)
		known.mu.Unlock()
		if live && grown >= max(leastGrowth, growth+1) {
			most, growth = known, grown
		}
	}
	return most, growth
}

// makeRoom stops a session, or its launch.
func (s *session) makeRoom(growth int64) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	const because = " because this server's disk is nearly full and its files grew by %s in the last ten minutes. "
	switch {
	case s.giveUp != nil:
		full := fault.New(fault.Unavailable, "The session could not be started"+because+"Start it again later.", engine.Size(growth))
		s.giveUp(diagnosis.With(full, diagnosis.DiskFull))
		return s.pending
	case s.server != nil:
		return s.endBecause(s.server, false, fmt.Sprintf("The session was stopped"+because+"They are kept.", engine.Size(growth)), diagnosis.DiskFull)
	}
	return nil
}
