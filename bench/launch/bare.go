package launch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	jupyterserver "cairn/bench/jupyter"
)

// bare is a Jupyter as one would start it by hand, with the same notebook.
type bare struct{ program, folder string }

// askEvery is the interval at which a Jupyter is asked whether it answers; the same as that of sessions.
const askEvery = 25 * time.Millisecond

// source is the notebook that the demo's repository opens.
const source = "internal/site/demo/first-steps/first-steps.ipynb"

// start starts so many at once, and returns when the last of them can be used.
func (b bare) start(ctx context.Context, count int) (last Usable, err error) {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	began := time.Now()
	return together(count, func(which int) (Usable, error) { return b.one(ctx, began, which) })
}

// together runs something so many times at once, and returns when the last one was usable.
func together(count int, run func(which int) (Usable, error)) (last Usable, err error) {
	var starting sync.WaitGroup
	var mutex sync.Mutex
	for which := range count {
		starting.Go(func() {
			one, failed := run(which)
			mutex.Lock()
			defer mutex.Unlock()
			last = Usable{Page: max(last.Page, one.Page), Kernel: max(last.Kernel, one.Kernel)}
			err = errors.Join(err, failed)
		})
	}
	starting.Wait()
	return last, err
}

func (b bare) one(ctx context.Context, began time.Time, which int) (found Usable, err error) {
	folder := filepath.Join(b.folder, fmt.Sprint("bare", which))
	content, err := os.ReadFile(source)
	if err != nil {
		return found, err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, notebook)), 0o755); err != nil {
		return found, err
	}
	if err := os.WriteFile(filepath.Join(folder, notebook), content, 0o600); err != nil { //nolint:gosec // a folder of ours
		return found, err
	}
	defer os.RemoveAll(folder)
	server, err := jupyterserver.Start(ctx, b.program, folder, nil, nil)
	if err != nil {
		return found, err
	}
	defer server.Stop()
	j := jupyter{client: server.Client, base: jupyterserver.Address, header: server.Header}
	ticks := time.NewTicker(askEvery)
	defer ticks.Stop()
	for {
		_, status, _, err := j.get(ctx, j.base+"/notebooks/"+notebook)
		if err == nil && status != http.StatusOK {
			return found, fmt.Errorf("the notebook of a bare Jupyter was answered %d", status)
		}
		if err == nil {
			break
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return found, fmt.Errorf("a bare Jupyter doesn't answer: %w", err)
		}
	}
	found.Page = time.Since(began)
	err = j.useKernel(ctx)
	found.Kernel = time.Since(began)
	return found, err
}
