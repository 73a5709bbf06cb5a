package versions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/versions"
)

// lists is how long looking at many versions takes.
type lists struct{ open, all, one time.Duration }

// runLists makes many named versions of a small folder, and lists them.
func (b *bench) runLists(ctx context.Context) error {
	folder := b.path("named")
	from := rand.New(rand.NewPCG(5, 6))
	write := func(i int) error { return writeNumbers(filepath.Join(folder, fmt.Sprintf("%d.csv", i)), 1000, from) }
	for i := range 10 {
		if err := write(i); err != nil {
			return err
		}
	}
	one := &cairn{place: b.path("cairn-named"), folder: folder}
	if err := one.prepare(ctx); err != nil {
		return err
	}
	for i := range b.named {
		if i%100 == 0 { // the file whose history is asked for is one of ten
			if err := write(i / 100 % 10); err != nil {
				return err
			}
		}
		_, err := one.store.Save(ctx, versions.Request{
			Line: "session", Cause: "named", Name: fmt.Sprintf("Version %d", i), Always: true, Roots: []versions.Root{{Name: "work", Folder: one.root}},
		})
		if err != nil {
			return err
		}
	}
	err := one.close()
	if err == nil {
		b.lists.open, err = timed(func() error { return one.prepare(ctx) })
	}
	if err != nil {
		return err
	}
	for _, ask := range []struct {
		filter versions.Filter
		least  int
		found  *time.Duration
	}{{versions.Filter{Most: pageOfList}, min(b.named, pageOfList), &b.lists.all}, {versions.Filter{Path: "work/3.csv", Most: 100}, 1, &b.lists.one}} {
		if *ask.found, err = repeated(200, 0.95, func() error {
			found, _, err := one.store.List(ctx, "session", ask.filter)
			if err == nil && len(found) < ask.least {
				err = errors.New("too few versions are listed")
			}
			return err
		}); err != nil {
			return err
		}
	}
	return one.close()
}

const sessionFiles = 200

// crowd is what many sessions cost.
type crowd struct {
	core float64 // percent of one
	load string
}

// runCrowd saves a notebook in each session, and makes a version of each, as happens in a minute.
func (b *bench) runCrowd(ctx context.Context) error {
	var all []*cairn
	authors := make([]*author, sessions)
	for i := range sessions {
		folder := b.path("crowd", fmt.Sprint(i))
		authors[i] = newAuthor(folder)
		if err := authors[i].begin(); err != nil {
			return err
		}
		for number := range sessionFiles - scripts - notebooks - 2 {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("note_%d.md", number)), authors[i].lines(10), 0o644); err != nil {
				return err
			}
		}
		one := &cairn{place: b.path("crowd-versions", fmt.Sprint(i)), folder: folder}
		if err := one.prepare(ctx); err != nil {
			return err
		}
		defer one.close()
		if err := one.save(ctx); err != nil {
			return err
		}
		all = append(all, one)
	}
	minutes := 5
	used := time.Duration(0)
	for number := range minutes {
		for _, author := range authors {
			if err := author.step(number); err != nil {
				return err
			}
		}
		before := processorTime()
		for _, one := range all {
			if err := one.save(ctx); err != nil {
				return err
			}
		}
		used += processorTime() - before
	}
	b.crowd.core = 100 * used.Seconds() / (time.Duration(minutes) * time.Minute).Seconds()
	b.crowd.load += ", " + loadNow()
	return nil
}

// processorTime is what this process has used of the processors.
func processorTime() time.Duration {
	var usage unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
