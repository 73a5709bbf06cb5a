package disk

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/humanize"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
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

// Lack returns what a disk has left, if that is less than the reserve; "" if there is enough.
func (r Reserve) Lack(about unix.Statfs_t) string {
	block := uint64(about.Bsize)
	if free, reserve := about.Bavail*block, r.of(about.Blocks*block); free < reserve {
		return fmt.Sprintf("%s left, less than %s", humanize.Bytes(int64(free)), humanize.Bytes(int64(reserve)))
	}
	if lacksFiles(about) {
		return fmt.Sprintf("room for %d files only", about.Ffree)
	}
	return ""
}

// lacksFiles reports whether a disk has less room for files than is to be left, whatever room it has for bytes.
func lacksFiles(about unix.Statfs_t) bool { return about.Ffree < min(about.Files/20, leastInodes) }

const (
	interval    = time.Second
	leastInodes = 50_000 // left on a disk, or 5 % of it if that is less
)

// leastGrowth is in the growthWindow; an open session writes less on its own.
var leastGrowth = Growth{Bytes: 1 << 20, Files: 256}

// Session is a session that takes room on the disk.
type Session interface {
	// ID returns its id.
	ID() string
	// MeasureFiles measures the files of a live session now.
	MeasureFiles(ctx context.Context)
	// Growth returns by how much the files of a live session grew in the last minutes; zero for others.
	Growth() Growth
	// MakeRoom stops the session because of its growth, in words, and returns when that is done.
	MakeRoom(ctx context.Context, grown string)
}

// Options say which disks a Guard watches, and what it may stop. All are required.
type Options struct {
	Folders  []string // one on each disk; empty ones are left out
	Reserve  Reserve  // of each disk
	Statfs   func(path string, about *unix.Statfs_t) error
	Sessions func() []Session
	Logger   *slog.Logger
}

// Guard keeps the reserve of the disks.
type Guard struct {
	options Options
	full    atomic.Bool
}

// NewGuard returns one, whose disks count as having their reserve until Check.
func NewGuard(options Options) *Guard { return &Guard{options: options} }

// IsFull reports whether a disk had less than its reserve when it was last checked, so that nothing may start.
func (g *Guard) IsFull() bool { return g.full.Load() }

// Run checks the disks until the context ends.
func (g *Guard) Run(ctx context.Context) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			g.Check(ctx)
		}
	}
}

// Check decides whether sessions may start. If not, it stops the one that grew most, and waits for its end.
func (g *Guard) Check(ctx context.Context) {
	full, ofFiles := g.shortage()
	wasFull := g.full.Swap(full != "")
	switch {
	case full == "" && wasFull:
		g.options.Logger.Info("the disk has its reserve again: sessions start")
	case full != "" && !wasFull:
		g.options.Logger.Warn("the disk is nearly full: no session starts, and those that grow are stopped", "disk", full)
		g.measureAll(ctx)
	}
	if full == "" || ctx.Err() != nil {
		return
	}
	if most, grown := g.grownMost(ofFiles); most != nil {
		g.options.Logger.Warn("a session is stopped because the disk is nearly full", "session", most.ID(), "cause", grown)
		most.MakeRoom(ctx, grown)
	}
}

// Shortage describes a disk that has less than its reserve now; "" if there is none.
func (g *Guard) Shortage() string {
	text, _ := g.shortage()
	return text
}

// shortage is Shortage, and reports whether it's room for files that is short.
func (g *Guard) shortage() (text string, ofFiles bool) {
	for _, folder := range g.options.Folders {
		var about unix.Statfs_t
		if folder == "" || g.options.Statfs(folder, &about) != nil {
			continue
		}
		if text := g.options.Reserve.Lack(about); text != "" {
			return folder + " has " + text, lacksFiles(about)
		}
	}
	return "", false
}

// measureAll measures all live sessions at once, because the cause may be newer than their last check.
func (g *Guard) measureAll(ctx context.Context) {
	var all errgroup.Group
	all.SetLimit(4)
	for _, one := range g.options.Sessions() {
		all.Go(func() error { one.MeasureFiles(ctx); return nil })
	}
	_ = all.Wait()
}

// grownMost returns the live session that grew most in what is short, and by how much; nil if none grew.
func (g *Guard) grownMost(byFiles bool) (most Session, grown string) {
	best := leastGrowth
	for _, one := range g.options.Sessions() {
		if growth := one.Growth(); growth.compare(best, byFiles) > 0 {
			most, best, grown = one, growth, growth.text(byFiles)
		}
	}
	return most, grown
}
