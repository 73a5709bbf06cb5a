package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// disturbance is one thing that goes wrong.
type disturbance struct {
	name string
	do   func(ctx context.Context) error

	began, ended time.Duration // since the load began
}

// disturbances returns one of each kind.
func (r *run) disturbances() []disturbance {
	var all []disturbance
	for _, one := range r.units() {
		all = append(all, disturbance{name: "kill -9 of " + one.name, do: func(ctx context.Context) error {
			return errors.Join(one.end((*program.Server).Kill), one.start(ctx))
		}})
		if one.disk != "" {
			all = append(all, disturbance{name: "full disk of " + one.name, do: func(ctx context.Context) error { return fillDisk(ctx, one.disk) }})
		}
	}
	restart := func(how syscall.Signal) func(context.Context) error {
		return func(ctx context.Context) error { return errors.Join(r.cluster.stop(how), r.cluster.start(ctx)) }
	}
	return append(all, disturbance{name: "restart of PostgreSQL, fast", do: restart(fast)},
		disturbance{name: "restart of PostgreSQL, immediate", do: restart(immediate)})
}

// plan returns what happens: every kind equally often, in random order, and a backup in the middle.
func (r *run) plan(random *rand.Rand) []disturbance {
	var planned []disturbance
	kinds := r.disturbances()
	for range max(1, int(r.length/(time.Duration(len(kinds)+1)*disturbEvery))) {
		random.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
		planned = append(planned, kinds...)
	}
	half := len(planned) / 2
	planned = append(planned[:half:half], append([]disturbance{{name: "backup", do: r.backup}}, planned[half:]...)...)
	return planned
}

// disturb carries out a plan, each part at a random moment in its share of the time. The first and last shares stay quiet.
func (r *run) disturb(ctx context.Context, random *rand.Rand, planned []disturbance) error {
	share := r.length / time.Duration(len(planned)+2)
	for number, one := range planned {
		at := share*time.Duration(number+1) + time.Duration(random.Int64N(int64(share)))
		load.Pause(ctx, time.Until(r.began.Add(at)))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		one.began = time.Since(r.began)
		err := one.do(ctx)
		one.ended = time.Since(r.began)
		r.Say("%6s  %s, %s", one.began.Round(time.Second), one.name, one.ended-one.began)
		r.happened = append(r.happened, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return nil
}

// fillDisk fills a folder's disk to the last byte, for some seconds.
func fillDisk(ctx context.Context, folder string) error {
	name := filepath.Join(folder, "other-people's-data")
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer os.Remove(name)
	defer file.Close()
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		return err
	}
	defer zeros.Close()
	for end := time.Now().Add(fullTime); time.Now().Before(end) && ctx.Err() == nil; load.Pause(ctx, 100*time.Millisecond) {
		// Space that the server frees in the meantime is taken too.
		if _, err := io.Copy(file, zeros); !errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("the small disk doesn't fill: %w", err)
		}
	}
	return nil
}

// backup makes a backup of the two servers' installation. Part of what was acknowledged before must be in it.
func (r *run) backup(ctx context.Context) error {
	r.verified.backupBegan = time.Now()
	_, err := r.pair.units[1].Output(ctx, "backup", r.backupFolder())
	return err
}

func (r *run) backupFolder() string { return filepath.Join(r.folder, "backup") }
