// Package ways measures how soon a session can be used in R beside Python, and in VS Code beside one that is started by hand.
package ways

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// The entries of the demo that are started, and the names of their kernels.
var languages = []struct{ name, entry, kernel string }{
	{"Python", "A voltage pulse along a dendrite", "python3"}, {"R", "A tuning curve from spike counts", "ir"},
}

// What drives the browser; it uses the packages of the browser tests.
const (
	script     = "bench/ways/vscode.mjs"
	browser    = "/usr/bin/chromium-headless-shell"
	codeServer = "bin/code-server/node_modules/.bin/code-server"
)

// figures are everything that is measured.
type figures struct {
	version string
	kernels [2][]time.Duration // of each language: from the start until the kernel has answered
	bare    []time.Duration    // from the start of a code-server until a notebook's cells are there
	own     []time.Duration    // from the click on Open in VS Code until then
}

// Run measures everything. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "ways", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		rounds := flags.Int("rounds", 20, "how often each is started, in turns")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if *rounds < 1 {
				return report.Part{}, errors.New("--rounds is at least 1")
			}
			found, err := measure(ctx, with, *rounds)
			return results(found, *rounds), err
		}
	})
}

func measure(ctx context.Context, with *report.Setup, rounds int) (found figures, err error) {
	editor, err := filepath.Abs(codeServer)
	if err != nil {
		return found, err
	}
	cairn := program.Program{
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"},
		Config: program.Config(nil, fmt.Sprintf("sessions:\n  jupyter: %s\n  vscode: %s\n", program.Jupyter, editor)),
	}
	if found.version, err = cairn.Version(ctx); err != nil {
		return found, err
	}
	return found, cairn.Serve(ctx, func(who, _ program.Person) error {
		with.Say("%d starts in each language", rounds)
		if err := found.startLanguages(ctx, who, rounds); err != nil {
			return err
		}
		with.Say("%d starts in VS Code, and as many by hand", rounds)
		return found.startEditors(ctx, who, with, editor, rounds)
	})
}

// startLanguages starts sessions in each language, in turns. The first of each, which reads its programs from the disk, doesn't count.
func (f *figures) startLanguages(ctx context.Context, who program.Person, rounds int) error {
	for round := range rounds + 1 {
		for which, one := range languages {
			entry, err := who.Entry(ctx, "NOTEBOOK", one.entry)
			if err != nil {
				return err
			}
			began := time.Now()
			id, way, err := who.Open(ctx, entry)
			if err == nil {
				err = way.UseKernelNamed(ctx, one.kernel)
			}
			took := time.Since(began)
			if id != "" {
				err = errors.Join(err, who.Delete(ctx, id))
			}
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			if round > 0 {
				f.kernels[which] = append(f.kernels[which], took)
			}
		}
	}
	return nil
}

// startEditors has a browser start both, in turns and each with an empty cache.
func (f *figures) startEditors(ctx context.Context, who program.Person, with *report.Setup, editor string, rounds int) error {
	work := filepath.Join(with.Folder, "bare")
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	notebook, err := os.ReadFile("internal/site/demo/notebooks/cable-equation-neuron.ipynb")
	if err == nil {
		err = os.WriteFile(filepath.Join(work, "notebook.ipynb"), notebook, 0o644) //nolint:gosec // the folder is the benchmark's own
	}
	if err != nil {
		return err
	}
	entry, err := who.Entry(ctx, "NOTEBOOK", languages[0].entry)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "node", script, "http://"+who.Address, browser, program.Researcher, "/resources/notebooks/"+entry, editor, work, fmt.Sprint(rounds))
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	var took struct{ Bare, Own []float64 }
	if err := errors.Join(err, json.Unmarshal(output, &took)); err != nil {
		return fmt.Errorf("%s: %w\n%s", script, err, complaint.String())
	}
	for i := range took.Bare {
		f.bare = append(f.bare, time.Duration(took.Bare[i]*float64(time.Millisecond)))
		f.own = append(f.own, time.Duration(took.Own[i]*float64(time.Millisecond)))
	}
	return nil
}

func results(found figures, rounds int) report.Part {
	table := report.Table{Columns: []string{"start", "p50 ms", "p95 ms"}}
	for _, one := range []struct {
		name  string
		times []time.Duration
	}{
		{"Python", found.kernels[0]}, {"R", found.kernels[1]}, {"VS Code by hand", found.bare}, {"VS Code in a session", found.own},
	} {
		table.Add(append([]string{one.name}, report.Quantiles(one.times, 0.5, 0.95)...)...)
	}
	return report.Part{
		Name: "ways", Title: "Starts in R, and in VS Code",
		About: []string{
			fmt.Sprintf("Cairn %s with its demo; %d starts of each, in turns, after one that doesn't count", found.version, rounds),
			"Python and R: from the start of a notebook's session until its kernel has answered",
			"VS Code: from the click on Open in VS Code until the notebook's cells are there, beside a code-server on the same notebook from the start of its process until a click has opened it, as cells or as text; a browser with an empty cache for each",
		},
		Aims: []report.Aim{
			{Text: "start in R as part of one in Python, p50", Limit: 1.3, Measured: ratio(found.kernels[1], found.kernels[0])},
			{Text: "start in VS Code as part of one by hand, p50", Limit: 1.5, Measured: ratio(found.own, found.bare)},
		},
		Text: table.String(),
	}
}

func ratio(one, other []time.Duration) float64 {
	if len(one) == 0 || len(other) == 0 {
		return 0
	}
	return report.Quantile(one, 0.5).Seconds() / report.Quantile(other, 0.5).Seconds()
}
