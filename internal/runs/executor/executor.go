package executor

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/machine/jupyterkernel"

	"github.com/google/uuid"
)

// run is one run.
type run struct {
	server  jupyterkernel.Server
	options Options
	book    *notebook
	outputs outputs
	result  Executed

	kernel     jupyterkernel.Kernel
	connection *jupyterkernel.Connection
	heard      chan received
}

// received is what the connection gave.
type received struct {
	message jupyterkernel.Message
	err     error
}

// Execute executes a notebook, of format 3 or 4, in a fresh kernel of a server that runs, and returns when that kernel has
// ended. Two runs at once don't disturb each other. An error is a fault, and says that nothing was executed: Invalid or
// TooLarge for a notebook that can't be executed, Unavailable for a server that doesn't start a kernel. Everything else is
// an ending, also the end of ctx.
func Execute(ctx context.Context, server jupyterkernel.Server, source []byte, options Options) (Executed, error) {
	book, err := read(source)
	if err != nil {
		return Executed{}, err
	}
	options = options.filled()
	r := &run{
		server: server, options: options, book: book,
		outputs: outputs{cellLimit: options.CellOutput, limit: options.Output, displays: map[string][]*output{}},
		result:  Executed{Ending: Finished, EndedAt: -1},
		heard:   make(chan received),
		kernel:  jupyterkernel.Kernel{Path: path.Join(options.Folder, uuid.NewString()+".ipynb")}, // a path with a kernel would give that one
	}
	for _, one := range book.code {
		r.result.Cells = append(r.result.Cells, Cell{Index: one.at, State: NotRun})
	}
	ctx, cancel := within(ctx, options.Timeout, stopped(TimedOut, "The notebook took longer than %s.", humanize.Duration(options.Timeout)))
	defer cancel()
	began := time.Now()
	err = r.run(ctx)
	r.result.Took = time.Since(began)
	if err != nil {
		if r.result.Ending, r.result.Reason = endingOf(ctx, err); r.result.Ending == "" {
			return Executed{}, err
		}
	}
	for i, one := range book.code { // also later cells change what a cell shows
		r.result.Cells[i].Cut = one.cut
	}
	r.result.Notebook, err = book.write(cutNote(options))
	return r.result, err
}

// endingOf returns how the error of a run ends it; "" if nothing was executed.
func endingOf(ctx context.Context, err error) (ending Ending, reason string) {
	for _, cause := range []error{err, context.Cause(ctx)} {
		if why, ok := errors.AsType[stop](cause); ok {
			return why.ending, why.reason
		}
	}
	if ctx.Err() != nil {
		return Canceled, "The run was canceled."
	}
	return "", ""
}

// cutNote is the last output of a cell that printed too much.
func cutNote(options Options) string {
	return "[The rest of the output was left out: of a cell " + humanize.Bytes(options.CellOutput) + " are kept, of a notebook " +
		humanize.Bytes(options.Output) + ".]\n"
}

// within is a context that ends after a time for a reason; without a time it doesn't.
func within(ctx context.Context, limit time.Duration, reason error) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, reason)
}

func (r *run) run(ctx context.Context) error {
	name, err := r.chooseKernel(ctx)
	if err != nil {
		return err
	}
	defer r.endKernel()
	if err := r.startKernel(ctx, name); err != nil {
		return err
	}
	listening, cancel := context.WithCancel(context.WithoutCancel(ctx)) // what an interrupted cell says is heard
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.listen(listening)
	}()
	defer func() {
		cancel()
		<-ended
		r.connection.Close()
	}()
	if r.result.Kernel.Language == "python" {
		if err := r.raiseIOPubLimit(ctx); err != nil {
			return err
		}
	}
	for at := range r.book.code {
		if err := r.execute(ctx, at); err != nil {
			r.result.EndedAt = at
			return err
		}
	}
	return nil
}

// chooseKernel returns the name of the kernel that executes the notebook, which then says so.
func (r *run) chooseKernel(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.StartTimeout)
	defer cancel()
	chosen, err := r.server.ChooseKernel(ctx, r.book.kernel, r.book.language)
	if missing, ok := errors.AsType[jupyterkernel.NoKernelError](err); ok {
		return "", stop{NoKernel, missing.Error()}
	}
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "The Jupyter server doesn't say which kernels it has.")
	}
	r.book.metadata["kernelspec"], err = json.Marshal(chosen)
	return chosen.Name, err
}

// startKernel returns when the kernel answers. A start that has begun isn't canceled: then nobody would know of the kernel.
func (r *run) startKernel(ctx context.Context, name string) (err error) {
	limit := stopped(KernelSilent, "The kernel %s didn't answer within %s.", name, humanize.Duration(r.options.StartTimeout))
	asking, cancel := within(context.WithoutCancel(ctx), r.options.StartTimeout, limit)
	defer cancel()
	if r.kernel, err = r.server.Start(asking, name, r.kernel.Path); err != nil {
		return fault.Wrap(err, fault.Unavailable, "The Jupyter server doesn't start the kernel %s.", name)
	}
	ctx, cancel = within(ctx, r.options.StartTimeout, limit)
	defer cancel()
	if r.connection, err = r.server.Dial(ctx, r.kernel.ID); err == nil {
		r.connection.Limit = 2*r.options.CellOutput + messageLimit
		var info jupyterkernel.Info
		info, err = r.connection.Info(ctx)
		r.result.Kernel = Kernel{Name: name, Language: info.Name, Version: info.Version}
		r.book.metadata["language_info"] = info.Whole
	}
	switch {
	case err == nil:
		return nil
	case r.connection != nil:
		r.connection.Close()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, jupyterkernel.ErrDied):
		return stopped(KernelDied, "The kernel %s ended right after its start.", name)
	case errors.Is(err, jupyterkernel.ErrMalformed):
		return stopped(Unintelligible, "The kernel %s doesn't answer as Jupyter's protocol says.", name)
	}
	return r.lost()
}

// endKernel ends the kernel, and waits until it has ended, whatever became of the run.
func (r *run) endKernel() {
	r.result.MemoryPeak = max(r.result.MemoryPeak, r.options.MemoryPeak())
	ctx, cancel := context.WithTimeout(context.Background(), 2*r.options.Grace)
	defer cancel()
	r.result.KernelLeft = r.server.End(ctx, r.kernel.Path) != nil
}
