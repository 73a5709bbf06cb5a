package checkout

import (
	"context"
	"errors"
	"sync"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/filetree"
	"cairn/internal/sessions/diagnosis"
	"cairn/internal/sessions/files/folders"
)

// watchEvery is how often a folder is measured while git fills it.
const watchEvery = 2 * time.Second

// watched does what fills a folder, and ends it when the folder takes more than so many bytes or is too deep to be measured: git
// bounds no number of files.
func watched(ctx context.Context, folder string, most int64, interval time.Duration, do func(context.Context) error) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticks := time.NewTicker(interval)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if used, err := folders.DiskUse(folder); used > most || errors.Is(err, filetree.ErrTooDeep) {
				giveUp(diagnosis.With(fault.New(fault.Unavailable, "The repository takes more than the %s that a session's files may.", humanize.Bytes(most)), diagnosis.TooLarge))
			}
		}
	})
	err := do(ctx)
	close(done)
	watching.Wait()
	if cause := context.Cause(ctx); err != nil && diagnosis.CodeOf(cause) == diagnosis.TooLarge {
		return cause
	}
	return err
}
