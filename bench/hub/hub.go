// Package hub measures sessions on a JupyterHub beside those on the server's own machine: warm ones, and versions of their work.
package hub

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// engines are the engines that are compared; both are on this machine.
var engines = []string{"local", "hub"}

// Of the folder whose versions are made.
const (
	files    = 200
	fileSize = 10_000 // bytes
)

// figures are what was measured on one engine.
type figures struct {
	claims   []time.Duration // of warm sessions, until the notebook's page was answered
	saves    []time.Duration // of versions in which one file changed
	restores []time.Duration // of the whole folder, in which one file changed
}

type bench struct {
	rounds, warm int
	program      program.Program
	found        []figures // of each engine
	version      string
}

// Run measures everything. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "hub", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		b := &bench{found: make([]figures, len(engines))}
		flags.IntVar(&b.rounds, "rounds", 20, "how many versions are saved and restored on each engine")
		flags.IntVar(&b.warm, "warm", 10, "how many warm sessions are claimed on each engine")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if b.rounds < 1 || b.warm < 1 {
				return report.Part{}, errors.New("--rounds and --warm are at least 1")
			}
			err := b.run(ctx, with)
			return b.results(), err
		}
	})
}

func (b *bench) run(ctx context.Context, with *report.Setup) (err error) {
	b.program = program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"}}
	if b.version, err = b.program.Version(ctx); err != nil {
		return err
	}
	hub, err := start(ctx, with.Binary, filepath.Join(with.Folder, "hub"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hub.stop()) }()
	config := program.Config(nil, fmt.Sprintf("sessions:\n  limit: 100\n  capacity: 100\n  jupyter: %s\n  engines:\n    - {name: local, kind: local}\n    - {name: hub, kind: jupyterhub, url: %q, token_file: %q}\n",
		program.Jupyter, hub.url, hub.tokenFile))
	b.program.Config = config
	var repository string
	err = b.program.Serve(ctx, func(who, _ program.Person) error {
		if repository, err = who.Repository(ctx, program.Demo); err != nil {
			return err
		}
		for i, engine := range engines {
			with.Say("%d versions on %s", b.rounds, engine)
			if err := b.measureVersions(ctx, who, repository, i); err != nil {
				return fmt.Errorf("%s: %w", engine, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer func() {
		b.program.Config = config
		err = errors.Join(err, b.program.EndWarm(ctx))
	}()
	b.program.Config = config + "  warm:\n"
	for _, engine := range engines {
		b.program.Config += fmt.Sprintf("    - {entry: %s, engine: %s, count: %d}\n", repository, engine, b.warm)
	}
	return b.program.Serve(ctx, func(who, operator program.Person) error {
		for i, engine := range engines {
			with.Say("%d claims on %s", b.warm, engine)
			if err := operator.AwaitWarm(ctx, b.warm*len(engines)); err != nil {
				return err
			}
			if err := b.measureClaims(ctx, who, repository, i); err != nil {
				return fmt.Errorf("%s: %w", engine, err)
			}
		}
		return nil
	})
}

// fill writes the files, change writes one of them again.
const (
	fill   = "import os\nfor number in range(%d): open(f'table_{number}.csv', 'wb').write(os.urandom(%d // 2).hex().encode())"
	change = "import os; open('table_0.csv', 'wb').write(os.urandom(%d // 2).hex().encode())"
)

func (b *bench) measureVersions(ctx context.Context, who program.Person, repository string, which int) (err error) {
	id, way, err := who.OpenOn(ctx, repository, engines[which])
	if id != "" {
		defer func() { err = errors.Join(err, who.Delete(ctx, id)) }()
	}
	if err != nil {
		return err
	}
	defer way.Client.CloseIdleConnections()
	if err := way.Execute(ctx, fmt.Sprintf(fill, files, fileSize)); err != nil {
		return err
	}
	call := func(path string, body, answer any) (time.Duration, error) {
		began := time.Now()
		err := who.Call(ctx, http.MethodPost, "/sessions/"+id+path, body, answer)
		return time.Since(began), err
	}
	var first struct{ ID string }
	if _, err := call("/versions", map[string]string{"name": "The first"}, &first); err != nil {
		return err
	}
	into := &b.found[which]
	for round := range b.rounds {
		if err := way.Execute(ctx, fmt.Sprintf(change, fileSize)); err != nil {
			return err
		}
		took, err := call("/versions", map[string]string{"name": fmt.Sprintf("Round %d", round)}, nil)
		if err != nil {
			return err
		}
		into.saves = append(into.saves, took)
		if took, err = call("/versions/"+first.ID+"/restore", map[string]string{"into": "place"}, nil); err != nil {
			return err
		}
		into.restores = append(into.restores, took)
	}
	return nil
}

func (b *bench) measureClaims(ctx context.Context, who program.Person, repository string, which int) (err error) {
	for range b.warm {
		began := time.Now()
		id, way, failed := who.OpenOn(ctx, repository, engines[which])
		b.found[which].claims = append(b.found[which].claims, time.Since(began))
		if id != "" {
			defer func() { err = errors.Join(err, who.Delete(ctx, id)) }()
		}
		if failed != nil {
			return failed
		}
		way.Client.CloseIdleConnections()
	}
	return nil
}

func (b *bench) results() report.Part {
	table := report.Table{Columns: []string{"engine", "a save p50 ms", "p95", "a restore p50 ms", "p95", "a warm claim p50 ms", "p95"}}
	for i, one := range b.found {
		cells := []string{engines[i]}
		for _, times := range [][]time.Duration{one.saves, one.restores, one.claims} {
			cells = append(cells, report.Quantiles(times, 0.5, 0.95)...)
		}
		table.Add(cells...)
	}
	return report.Part{
		Name: "hub", Title: "Sessions on a hub, beside those on the server's machine",
		About: []string{
			fmt.Sprintf("Cairn %s, and a JupyterHub with deploy/jupyterhub/jupyterhub_config.py on the same machine, both engines of one server", b.version),
			fmt.Sprintf("%d saves of a work folder of %d files of %s bytes, of which one changed since the last one, and as many restores of all of it; %d claims of warm sessions, one after the other, until the notebook's page was answered",
				b.rounds, files, report.Whole(fileSize), b.warm),
		},
		Aims: []report.Aim{{Text: "claim of a warm session on the hub, p95", Limit: 0.5, Measured: report.Quantile(b.found[1].claims, 0.95).Seconds(), Unit: "s"}},
		Text: table.String(),
	}
}

// awaitHub waits until the hub answers.
func awaitHub(ctx context.Context, url string, ended func() bool) error {
	way := program.Way{Client: &http.Client{Timeout: 5 * time.Second}}
	answers, err := load.Wait(ctx, program.WaitTime, 100*time.Millisecond, func() (bool, error) {
		if ended() {
			return false, errors.New("the hub ended")
		}
		_, status, _, err := way.Send(ctx, http.MethodGet, url+"/hub/api/", nil)
		return err == nil && status == http.StatusOK, nil
	})
	if err == nil && !answers {
		err = errors.New("the hub doesn't answer")
	}
	return err
}
