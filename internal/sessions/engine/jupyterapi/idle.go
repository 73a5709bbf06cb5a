package jupyterapi

import (
	"context"
	"errors"
	"net/http"

	"golang.org/x/sync/errgroup"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// Idle reports whether every kernel of a session answers a kernel_info_request on its shell channel before ctx ends. The
// request waits there behind the cells, so only an idle kernel answers. What the server says isn't enough: it keeps the
// last state that it heard, and it may have missed that a cell began, or heard "idle" from the control channel since.
// base is the path of the session's server, and ask reads the JSON answer of a path below it. To the server the question
// is activity and, while it lasts, an open tab.
func Idle(ctx context.Context, target engine.Target, base string, ask Ask) (bool, error) {
	var kernels []kernel
	err := ask(ctx, kernelsPath, &kernels)
	if err == nil {
		err = awaitAnswers(ctx, target, base, kernels)
	}
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, errBusy) || ctx.Err() != nil:
		return false, nil //nolint:nilerr // a kernel that doesn't answer in time works
	default:
		return false, fault.Wrap(err, fault.Unavailable, "The session's server can't be asked whether a kernel works.")
	}
}

var errBusy = errors.New("the kernel is busy")

// awaitAnswers returns nil once all kernels have answered.
func awaitAnswers(ctx context.Context, target engine.Target, base string, kernels []kernel) error {
	asking, ctx := errgroup.WithContext(ctx)
	for _, one := range kernels {
		asking.Go(func() error {
			if one.State == "busy" {
				return errBusy
			}
			return awaitAnswer(ctx, target, base, one.ID)
		})
	}
	return asking.Wait()
}

// awaitAnswer returns nil once a kernel has answered.
func awaitAnswer(ctx context.Context, target engine.Target, base, kernel string) error {
	connection, err := Server(target, base).Dial(ctx, kernel)
	if err != nil {
		return err
	}
	defer connection.Close()
	asked, err := connection.Ask(ctx, "shell", "kernel_info_request", map[string]any{})
	for err == nil {
		var message jupyterkernel.Message
		message, err = connection.Read(ctx)
		if errors.Is(err, jupyterkernel.ErrMalformed) {
			err = nil
		} else if message.Channel == "shell" && message.Type == "kernel_info_reply" && message.Parent == asked {
			return nil
		}
	}
	return err
}

// Server is the way to the kernels of a session, whose server's paths begin with base.
func Server(target engine.Target, base string) jupyterkernel.Server {
	return jupyterkernel.Server{
		URL: target.URL.String() + base, Header: http.Header{"Authorization": {target.Authorization}},
		Client: &http.Client{Transport: target.Transport},
	}
}
