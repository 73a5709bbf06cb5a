// Package executor measures what executing notebooks costs beside what Jupyter itself has for it.
package executor

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"cairn/bench/jupyter"
	"cairn/bench/load"
	"cairn/bench/report"
	"cairn/internal/executor"
	"cairn/internal/jupyterkernel"
)

// aim is how many times as long as nbconvert the executor may take.
const aim = 1.10

// quickest are those of the demo's notebooks that compute least: with more to compute, the costs of executing vanish.
var quickest = []string{
	"internal/demo/notebooks/cable-equation-neuron.ipynb", "internal/demo/notebooks/fourier-spike-train.ipynb", "internal/demo/notebooks/random-walk-diffusion.ipynb",
}

type bench struct {
	program, python string
	folder          string
	out             io.Writer
}

// times are those of one notebook, of each round one.
type times struct {
	name                      string
	nbconvert, whole, running []time.Duration
}

// Run executes notebooks, by default the quickest of the demo, by nbconvert, by the executor on a server that starts for it, and by the executor on one that
// runs, alternately. Its error says that the aim was missed or a notebook didn't finish.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("executor", flag.ContinueOnError)
	flags.SetOutput(out)
	b := bench{out: out}
	flags.StringVar(&b.program, "jupyter", "/usr/bin/jupyter-notebook", "Jupyter")
	flags.StringVar(&b.python, "python", "/usr/bin/python3", "the Python that has nbconvert")
	rounds := flags.Int("rounds", 7, "how often each is")
	results := flags.String("results", "bench/RESULTS.md", "the file that gets the results; empty for none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	names := flags.Args()
	if len(names) == 0 {
		names = quickest
	}
	var err error
	if b.folder, err = os.MkdirTemp("", "cairn-executor-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	var measured []times
	for _, name := range names {
		one, err := b.measure(ctx, name, *rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		measured = append(measured, one)
	}
	text, met := resultsOf(measured, *rounds)
	_, _ = io.WriteString(out, text)
	if *results != "" {
		if err := report.WritePart(*results, "executor", text); err != nil {
			return err
		}
	}
	if !met {
		return errors.New("an aim was missed")
	}
	return nil
}

func (b bench) measure(ctx context.Context, name string, rounds int) (measured times, err error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return measured, err
	}
	measured.name = filepath.Base(name)
	for round := range rounds + 1 { // the first one warms the caches of files
		taken, err := b.nbconvert(ctx, source)
		if err != nil {
			return measured, err
		}
		whole, running, err := b.executor(ctx, source)
		if err != nil {
			return measured, err
		}
		_, _ = fmt.Fprintf(b.out, "%s: nbconvert %s, executor %s, of which %s on its server\n", measured.name, report.Seconds(taken), report.Seconds(whole), report.Seconds(running))
		if round > 0 {
			measured.nbconvert, measured.whole, measured.running = append(measured.nbconvert, taken), append(measured.whole, whole), append(measured.running, running)
		}
	}
	return measured, nil
}

func (b bench) nbconvert(ctx context.Context, source []byte) (time.Duration, error) {
	file := filepath.Join(b.folder, "notebook.ipynb")
	if err := os.WriteFile(file, source, 0o600); err != nil { //nolint:gosec // a folder of ours
		return 0, err
	}
	began := time.Now()
	command := exec.CommandContext(ctx, b.python, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "executed", file)
	command.Env = append(executor.Environment(began), jupyter.Environment(b.folder)...)
	if output, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("nbconvert: %w: %s", err, output)
	}
	return time.Since(began), nil
}

// executor measures from the start of a server to its end, and the execution alone.
func (b bench) executor(ctx context.Context, source []byte) (whole, running time.Duration, err error) {
	began := time.Now()
	started, err := jupyter.Start(ctx, b.program, b.folder, executor.ServerOptions(), executor.Environment(began))
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		started.Stop()
		whole = time.Since(began)
	}()
	server := jupyterkernel.Server{URL: jupyter.Address + "/", Header: started.Header, Client: started.Client}
	if err := awaitServer(ctx, server); err != nil {
		return 0, 0, err
	}
	executed, err := executor.Execute(ctx, server, source, executor.Options{})
	if err == nil && (executed.Ending != executor.Finished || executed.KernelLeft) {
		err = fmt.Errorf("it is %s: %s; a kernel is left: %t", executed.Ending, executed.Reason, executed.KernelLeft)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(b.folder, "executed.ipynb"), executed.Notebook, 0o600)
	}
	return 0, executed.Took, err
}

// awaitServer asks as often as sessions do whether a server answers.
func awaitServer(ctx context.Context, server jupyterkernel.Server) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ticks := time.NewTicker(25 * time.Millisecond)
	defer ticks.Stop()
	for {
		err := server.Call(ctx, "GET", "api/status", nil, nil)
		if err == nil {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return fmt.Errorf("no answer of Jupyter: %w", err)
		}
	}
}

func resultsOf(measured []times, rounds int) (text string, met bool) {
	table := report.Table{Columns: []string{"notebook", "nbconvert ms", "executor ms", "ratio", "on a server that runs ms", "ratio"}}
	median := func(taken []time.Duration) time.Duration { return load.Of(taken).Quantile(0.5) }
	var ours, theirs time.Duration
	for _, one := range measured {
		nbconvert, whole, running := median(one.nbconvert), median(one.whole), median(one.running)
		ours, theirs = ours+whole, theirs+nbconvert
		table.Add(one.name, report.Milliseconds(nbconvert), report.Milliseconds(whole), report.Number(float64(whole)/float64(nbconvert)),
			report.Milliseconds(running), report.Number(float64(running)/float64(nbconvert)))
	}
	ratio := report.Aim{Text: "all medians of the executor, times those of nbconvert", Limit: aim, Measured: float64(ours) / float64(theirs)}
	return fmt.Sprintf(`# What executing a notebook costs

Written by `+"`make bench BENCH=executor`"+` on %s: notebooks of the demo, each %d times, alternately by `+"`jupyter nbconvert --execute`"+` and by the
executor, in the same environment. The executor's time begins with the start of a Jupyter server and ends with the end of
that server; next to it, the time on a server that runs, from the start of a kernel to its end. Medians.

- %s

%s
%s: %s, %s.
`, time.Now().UTC().Format(time.DateOnly), rounds, report.Machine(), table.String(), ratio.Text, report.Number(ratio.Measured), ratio.Verdict()), ratio.Met()
}
