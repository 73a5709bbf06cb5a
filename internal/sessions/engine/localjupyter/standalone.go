package localjupyter

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/sandbox"
)

// runWithoutSession runs a command that belongs to no session in a box of its own, within the limits of a session, and passes its
// output to read, which may still be called when the context has ended. Nothing of the command is left when it returns.
func (e *Engine) runWithoutSession(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error {
	if !e.workers.Begin() {
		return engine.ErrClosing
	}
	defer e.workers.Done()
	box.Name, box.Limits = "aside-"+rand.Text(), e.options.Limits.box()
	groups, err := e.sandbox.MakeGroups(box.Name, box.Limits)
	defer func() { e.sandbox.RemoveGroups(groups) }()
	if err != nil {
		return err
	}
	box.Groups = groups
	err = e.sandbox.Run(ctx, box, read)
	left := sandbox.Record{Name: box.Name}
	if box.Account != e.sharedAccount { // which may be at work for others
		left.Account = box.Account
	}
	ending, cancel := context.WithTimeout(context.Background(), sweepTime)
	defer cancel()
	return errors.Join(err, e.sandbox.Sweep(ending, left))
}
