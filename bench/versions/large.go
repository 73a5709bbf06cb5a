package versions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"cairn/bench/report"
)

// large is what a large folder costs.
type large struct {
	programs  [3]timings // Cairn, restic, borg
	copied    time.Duration
	idleBytes int64 // that Cairn wrote when nothing had changed
}

type timings struct {
	first, changed, idle, restore time.Duration
	stored                        int64
}

const rounds = 3

// runLarge saves and restores a large folder with each program, which has the machine to itself then.
func (b *bench) runLarge(ctx context.Context) error {
	folder := b.path("large")
	from := rand.New(rand.NewPCG(3, 4))
	write := func(step int) error { // one file in so many
		for i := 0; i < b.files; i += step {
			if err := writeNumbers(filepath.Join(folder, fmt.Sprintf("run_%03d/trial_%05d.csv", i/100, i)), b.megabytes*1_000_000/b.files, from); err != nil {
				return err
			}
		}
		return nil
	}
	err := write(1)
	if err != nil {
		return err
	}
	savers, found := b.savers("large", folder), &b.large.programs
	for i, one := range savers {
		if err := one.prepare(ctx); err != nil {
			return err
		}
		if found[i].first, err = timed(func() error { return one.save(ctx) }); err != nil {
			return err
		}
	}
	if err := write(100); err != nil {
		return err
	}
	for i, one := range savers {
		if found[i].changed, err = timed(func() error { return one.save(ctx) }); err != nil {
			return err
		}
	}
	for i, one := range savers {
		before, _ := one.stored()
		if found[i].idle, err = repeated([]int{20, rounds, rounds}[i], 0.5, func() error { return one.save(ctx) }); err != nil {
			return err
		}
		if found[i].stored, err = one.stored(); err != nil {
			return err
		}
		if i == 0 {
			b.large.idleBytes = found[i].stored - before
		}
	}
	var copies, restores []time.Duration
	again := b.path("again")
	for range rounds {
		took, err := timed(func() error { return exec.CommandContext(ctx, "cp", "-a", folder, again).Run() })
		if err := errors.Join(err, os.RemoveAll(again)); err != nil {
			return err
		}
		copies = append(copies, took)
		if took, err = timed(func() error { return savers[0].restore(ctx, again) }); err != nil {
			return err
		}
		restores = append(restores, took)
		if err := exec.CommandContext(ctx, "diff", "-rq", folder, filepath.Join(again, "work")).Run(); err != nil {
			return fmt.Errorf("what was restored differs: %w", err)
		}
		if err := os.RemoveAll(again); err != nil {
			return err
		}
	}
	b.large.copied, found[0].restore = report.Quantile(copies, 0.5), report.Quantile(restores, 0.5)
	for i, one := range savers {
		if i > 0 {
			found[i].restore, err = timed(func() error { return one.restore(ctx, again) })
		}
		if err := errors.Join(err, os.RemoveAll(again), one.close()); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}

// writeNumbers writes a table of about so many bytes.
func writeNumbers(name string, length int, from *rand.Rand) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	text := make([]byte, 0, length+64)
	for row := 0; len(text) < length; row++ {
		text = fmt.Appendf(text, "%d,%d,%.4f,%.4f\n", row, from.IntN(384), from.Float64(), from.NormFloat64())
	}
	return os.WriteFile(name, text[:length], 0o644)
}
