package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"cairn/bench/launch"
)

const (
	branch   = "busy" // of the demo's repository
	waitTime = 5 * time.Minute
	askEvery = 100 * time.Millisecond
)

// busyNotebook keeps a processor busy until somebody ends it.
const busyNotebook = `{"cells": [{"cell_type": "code", "id": "busy", "metadata": {}, "execution_count": null, "outputs": [], "source": "while True:\n    pass"}],
 "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`

// atOnce is how many runs there are at most beside each other; it fills the share of runs on this machine.
func atOnce() int { return max(1, runtime.NumCPU()/2) }

// busy is a server with a repository whose runs compute.
type busy struct {
	*launch.Server

	data string
	runs []string // that compute now
}

// beside launches sessions beside runs that fill their share, and without any. Which comes first alternates.
func (b *bench) beside(ctx context.Context) (quiet, besideRuns []launch.Usable, err error) {
	program := b.program("beside", "sessions: {limit: 100, capacity: 100, jupyter: "+b.jupyter+"}\n")
	err = launch.Serve(ctx, program, func(s *launch.Server) (err error) {
		server := &busy{Server: s, data: program.Data}
		defer func() { err = errors.Join(err, server.end(ctx)) }()
		if err := addBranch(ctx, program.Data); err != nil {
			return err
		}
		if _, err := s.Start(ctx); err != nil { // after this the repository is cached
			return err
		}
		for i := range b.launches {
			for _, computing := range []bool{i%2 == 1, i%2 == 0} {
				one, err := server.launch(ctx, computing)
				if err != nil {
					return err
				}
				b.say("launch %d of %d, %d runs compute: the kernel is idle after %.2f s", i+1, b.launches, len(server.runs), one.Kernel.Seconds())
				if computing {
					besideRuns = append(besideRuns, one)
				} else {
					quiet = append(quiet, one)
				}
			}
		}
		return nil
	})
	return quiet, besideRuns, err
}

// addBranch adds a branch with the busy notebooks to the demo's repository.
func addBranch(ctx context.Context, data string) error {
	var stream bytes.Buffer
	fmt.Fprintf(&stream, "blob\nmark :1\ndata %d\n%s\n", len(busyNotebook), busyNotebook)
	fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Bench <bench@example.org> 1767225600 +0000\ndata 4\nBusy\nfrom refs/heads/main^0\n", branch)
	for i := range atOnce() {
		fmt.Fprintf(&stream, "M 100644 :1 %s\n", file(i))
	}
	stream.WriteString("done\n")
	command := exec.CommandContext(ctx, "git", "-C", filepath.Join(data, "demo", "git", "first-steps.git"), "fast-import", "--quiet", "--done")
	command.Stdin = &stream
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("git fast-import: %w: %s", err, output)
	}
	return nil
}

func file(i int) string { return fmt.Sprintf("busy-%d.ipynb", i+1) }

// launch starts a session and returns when it could be used.
func (s *busy) launch(ctx context.Context, computing bool) (launch.Usable, error) {
	err := s.end(ctx)
	if computing {
		err = s.compute(ctx)
	}
	if err != nil {
		return launch.Usable{}, err
	}
	one, err := s.Start(ctx)
	if err != nil || !computing {
		return one, err
	}
	for _, id := range s.runs {
		if now, err := s.look(ctx, id); err != nil || now.State != "RUNNING" {
			return one, errors.Join(fmt.Errorf("a run is %s after a launch beside it: %s", now.State, now.Reason), err)
		}
	}
	return one, nil
}

// run is as much of a run as matters here.
type run struct {
	ID, State, Reason string
	Cells             struct{ Total int }
}

func (s *busy) look(ctx context.Context, id string) (now run, err error) {
	return now, s.Call(ctx, s.Operator, http.MethodGet, "/resources/public/"+s.Entry+"/runs/"+id, nil, &now)
}

// compute returns when as many runs compute as there may be.
func (s *busy) compute(ctx context.Context) error {
	for i := range atOnce() {
		var started run
		if err := s.Call(ctx, s.Operator, http.MethodPost, "/resources/"+s.Entry+"/runs", map[string]string{"file": file(i), "ref": branch}, &started); err != nil {
			return err
		}
		s.runs = append(s.runs, started.ID)
	}
	return wait(ctx, "the runs compute", func() (bool, error) {
		for _, id := range s.runs {
			now, err := s.look(ctx, id)
			if err != nil {
				return false, err
			}
			if now.State != "QUEUED" && now.State != "RUNNING" {
				return false, fmt.Errorf("a run that should compute is %s: %s", now.State, now.Reason)
			}
			if now.State != "RUNNING" || now.Cells.Total == 0 {
				return false, nil
			}
		}
		return processes(s.runs), nil
	})
}

// end stops the runs that compute, and returns when their processes are gone, even when the benchmark was stopped.
func (s *busy) end(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for _, id := range s.runs {
		if err := s.Call(ctx, s.Operator, http.MethodDelete, "/resources/"+s.Entry+"/runs/"+id, nil, nil); err != nil {
			return err
		}
	}
	ended := s.runs
	s.runs = nil
	return wait(ctx, "the processes of the runs are gone", func() (bool, error) { return !processes(ended), nil })
}

// processes reports whether processes of runs are there: those that have a run's id in their command line or, in their
// namespace, in their mounts.
func processes(runs []string) bool {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if len(line) == 0 {
			continue // a thread of the kernel, or a zombie
		}
		mounts, _ := os.ReadFile(filepath.Join(folder, "mountinfo"))
		for _, id := range runs {
			if strings.Contains(string(line), id) || strings.Contains(string(mounts), id) {
				return true
			}
		}
	}
	return false
}

// wait asks until a condition holds.
func wait(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	ticks := time.NewTicker(askEvery)
	defer ticks.Stop()
	for {
		if done, err := holds(); done || err != nil {
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		}
	}
}
