package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// user is the demo's researcher at a running Cairn, with an operator who helps.
type user struct {
	program.Person

	operator program.Person
	entry    string // the id of the repository
}

// serve runs the program while work is done.
func serve(ctx context.Context, cairn program.Program, work func(*user) error) error {
	return cairn.Serve(ctx, func(researcher, operator program.Person) error {
		entry, err := researcher.Repository(ctx, program.Demo)
		if err != nil {
			return err
		}
		return work(&user{Person: researcher, operator: operator, entry: entry})
	})
}

// together starts so many at once, and notes when the last one was usable.
func together(ctx context.Context, count int, into *usable, open func(ctx context.Context, which int) (program.Way, error)) (err error) {
	ctx, cancel := context.WithTimeout(ctx, program.WaitTime)
	defer cancel()
	var starting sync.WaitGroup
	var mu sync.Mutex
	var page, kernel time.Duration
	began := time.Now()
	for which := range count {
		starting.Go(func() {
			way, failed := open(ctx, which)
			opened := time.Since(began)
			if failed == nil {
				failed = way.UseKernel(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			page, kernel = max(page, opened), max(kernel, time.Since(began))
			err = errors.Join(err, failed)
		})
	}
	starting.Wait()
	into.add(page, kernel)
	return err
}

// start starts so many sessions at once, uses and removes them.
func (u *user) start(ctx context.Context, count int, into *usable) error {
	return errors.Join(together(ctx, count, into, func(ctx context.Context, _ int) (program.Way, error) {
		_, way, err := u.Open(ctx, u.entry)
		return way, err
	}), u.removeAll(ctx))
}

// source is the notebook that the demo's repository opens.
const source = "internal/site/demo/first-steps/first-steps.ipynb"

// startBare starts so many Jupyters at once as one would by hand, with the same notebook, and ends them.
func startBare(ctx context.Context, folder string, count int, into *usable) error {
	content, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	stops := make([]func(), count)
	defer func() {
		for which, stop := range stops {
			if stop != nil {
				stop()
			}
			_ = os.RemoveAll(filepath.Join(folder, fmt.Sprint("bare", which)))
		}
	}()
	return together(ctx, count, into, func(ctx context.Context, which int) (way program.Way, err error) {
		own := filepath.Join(folder, fmt.Sprint("bare", which))
		file := filepath.Join(own, program.Notebook)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, content, 0o600)); err != nil { //nolint:gosec // a folder of ours
			return way, err
		}
		if way, stops[which], err = program.Bare(context.WithoutCancel(ctx), program.Jupyter, own); err != nil {
			return way, err
		}
		answers, err := load.Wait(ctx, program.WaitTime, 25*time.Millisecond, func() (bool, error) { // as often as sessions are asked
			_, status, _, err := way.Send(ctx, http.MethodGet, way.Base+"/notebooks/"+program.Notebook, nil)
			if err == nil && status != http.StatusOK {
				return false, fmt.Errorf("the notebook of a bare Jupyter was answered %d", status)
			}
			return err == nil, nil
		})
		if err == nil && !answers {
			err = errors.New("a bare Jupyter doesn't answer")
		}
		return way, err
	})
}

// removeAll deletes the sessions, even when the benchmark was stopped, and returns when they are gone.
func (u *user) removeAll(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var all []struct{ ID string }
	err := u.Call(ctx, http.MethodGet, "/sessions", nil, &all)
	for _, one := range all {
		err = errors.Join(err, u.Delete(ctx, one.ID))
	}
	return err
}

// kernelsUsed is the number of claimed sessions whose kernel is used as well. They are used after the claims, which come
// faster than a kernel starts.
const kernelsUsed = 5

// claims claims warm sessions one after the other.
func (u *user) claims(ctx context.Context, count, kept int, into *usable) (err error) {
	if err := u.operator.AwaitWarm(ctx, kept); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, u.removeAll(ctx)) }()
	var opened []program.Way
	for range count {
		began := time.Now()
		_, way, err := u.Open(ctx, u.entry)
		if err != nil {
			return err
		}
		into.page = append(into.page, time.Since(began))
		opened = append(opened, way)
	}
	for i, way := range opened[:min(kernelsUsed, len(opened))] {
		began := time.Now()
		if err := way.UseKernel(ctx); err != nil {
			return err
		}
		into.kernel = append(into.kernel, into.page[i]+time.Since(began))
	}
	return nil
}

// script drives the browser; it uses the packages of the browser tests.
const (
	script  = "bench/launch/plot.mjs"
	browser = "/usr/bin/chromium-headless-shell"
)

// journeys measures so often how long it takes from the landing page to a plot that was computed just now.
func (u *user) journeys(ctx context.Context, count int) (found []time.Duration, lacking string, err error) {
	if count == 0 {
		return nil, "none was asked for", nil
	}
	for _, needed := range []string{browser, "e2e/node_modules/playwright-core"} {
		if found, _ := filepath.Glob(needed); len(found) == 0 {
			return nil, needed + " isn't installed", nil
		}
	}
	for range count {
		ctx, cancel := context.WithTimeout(ctx, program.WaitTime)
		command := exec.CommandContext(ctx, "node", script, "http://"+u.Address, browser, program.Researcher, program.Demo)
		var complaint bytes.Buffer
		command.Stderr = &complaint
		output, err := command.Output()
		cancel()
		var took struct{ Milliseconds float64 }
		if err := errors.Join(err, json.Unmarshal(output, &took)); err != nil {
			return found, "", fmt.Errorf("%s: %w\n%s", script, err, complaint.String())
		}
		found = append(found, time.Duration(took.Milliseconds*float64(time.Millisecond)))
		if err := u.removeAll(ctx); err != nil {
			return found, "", err
		}
	}
	return found, "", nil
}
