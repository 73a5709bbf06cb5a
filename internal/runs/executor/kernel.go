package executor

import (
	"context"
	"errors"
	"time"

	"cairn/internal/sessions/machine/jupyterkernel"
)

const (
	messageLimit   = 1 << 20 // bytes of a message in addition to what its output may have
	malformedLimit = 100     // messages that nobody understands, after which nothing is expected of the kernel
)

// errSilent says that nothing came for a while.
var errSilent = errors.New("the kernel is silent")

// listen passes on what the connection gives until ctx ends or the connection breaks.
func (r *run) listen(ctx context.Context) {
	for {
		message, err := r.connection.Read(ctx)
		select {
		case r.heard <- received{message, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, jupyterkernel.ErrMalformed) {
			return
		}
	}
}

// next returns the next message. Its error is the cause of the end of ctx, errSilent when there was none for so long, or a
// stop.
func (r *run) next(ctx context.Context, silence time.Duration) (jupyterkernel.Message, error) {
	var late <-chan time.Time
	if silence > 0 {
		timer := time.NewTimer(silence)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return jupyterkernel.Message{}, context.Cause(ctx)
		case <-late:
			return jupyterkernel.Message{}, errSilent
		case received := <-r.heard:
			switch {
			case errors.Is(received.err, jupyterkernel.ErrMalformed):
				if err := r.malformed(); err != nil {
					return jupyterkernel.Message{}, err
				}
			case received.err != nil:
				return jupyterkernel.Message{}, r.lost()
			case received.message.Died():
				return jupyterkernel.Message{}, errDied
			default:
				return received.message, nil
			}
		}
	}
}

// malformed counts a message that is skipped.
func (r *run) malformed() error {
	if r.result.Malformed++; r.result.Malformed > malformedLimit {
		return stopped(Unintelligible, "The kernel sent more than %d messages that aren't of Jupyter's protocol.", malformedLimit)
	}
	return nil
}

var errDied = stopped(KernelDied, "The kernel's process ended: the code ended it, or it ran out of memory.")

// lost explains why the connection broke.
func (r *run) lost() error {
	ctx, cancel := context.WithTimeout(context.Background(), r.options.Grace)
	defer cancel()
	exists, err := r.server.Has(ctx, r.kernel)
	switch {
	case err == nil && exists:
		return stopped(ServerLost, "The Jupyter server closed the connection to the kernel.")
	case err == nil:
		return errDied
	default:
		return stopped(ServerLost, "The Jupyter server doesn't answer any more.")
	}
}
