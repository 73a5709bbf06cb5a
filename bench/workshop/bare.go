package workshop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// source is the notebook that the demo's repository opens.
const source = "internal/site/demo/first-steps/first-steps.ipynb"

// bareTime is how long the bare Jupyters may take.
const bareTime = 6 * time.Minute

// startBare starts so many Jupyters at once as one would by hand, each with the notebook of the workshop, notes when each could be used,
// and ends them.
func startBare(ctx context.Context, folder string, count int, into *usable) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, bareTime)
	defer cancel()
	var starting sync.WaitGroup
	var mu sync.Mutex
	var failed error
	began := time.Now()
	stops := make([]func(), count)
	for which := range count {
		starting.Go(func() {
			own := filepath.Join(folder, fmt.Sprint("bare", which))
			way, stop, err := openBare(ctx, own, content)
			page := time.Since(began)
			if err == nil {
				err = way.UseKernel(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			into.add(page, time.Since(began))
			stops[which], failed = stop, errors.Join(failed, err)
		})
	}
	starting.Wait()
	for _, stop := range stops {
		if stop != nil {
			starting.Go(stop)
		}
	}
	starting.Wait()
	return failed
}

// openBare starts a Jupyter on a folder of its own, and returns when it has answered with the page of the notebook. Stop may be nil if
// that fails.
func openBare(ctx context.Context, folder string, content []byte) (way program.Way, stop func(), err error) {
	file := filepath.Join(folder, program.Notebook)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o600)); err != nil { //nolint:gosec // a folder of ours
		return way, nil, err
	}
	if way, stop, err = program.Bare(context.WithoutCancel(ctx), program.Jupyter, folder); err != nil {
		return way, nil, err
	}
	answers, err := load.Wait(ctx, bareTime, 25*time.Millisecond, func() (bool, error) {
		_, status, _, err := way.Send(ctx, http.MethodGet, way.Base+"/notebooks/"+program.Notebook, nil)
		if err == nil && status != http.StatusOK {
			return false, fmt.Errorf("the notebook of a bare Jupyter was answered %d", status)
		}
		return err == nil, nil
	})
	if err == nil && !answers {
		err = errors.New("a bare Jupyter doesn't answer")
	}
	return way, stop, err
}
