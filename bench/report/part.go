package report

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Part is a benchmark's part of a file of results.
type Part struct {
	Name   string // "" for the beginning of the file
	Title  string
	About  []string // what was measured, a line each
	Aims   []Aim
	Text   string   // tables, and what they don't say by themselves
	Faults []string // what went wrong besides missed aims

	command string // the benchmark's name
}

// String returns the part in Markdown.
func (p Part) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "# %s\n\nWritten on %s by `bin/bench %s`, whose `--help` lists the flags.\n\n- %s; whoever asks runs on the same cores\n",
		p.Title, time.Now().UTC().Format(time.DateOnly), p.command, Machine())
	for _, line := range p.About {
		fmt.Fprintf(&text, "- %s\n", line)
	}
	if len(p.Aims) > 0 {
		fmt.Fprintf(&text, "\n%s", Aims(p.Aims))
	}
	fmt.Fprintf(&text, "\n%s\n", strings.TrimSpace(p.Text))
	if len(p.Faults) > 0 {
		text.WriteString("\nWrong:\n\n")
	}
	for _, fault := range p.Faults[:min(len(p.Faults), 20)] {
		fmt.Fprintf(&text, "- %s\n", fault)
	}
	return text.String()
}

// publish prints the part, and replaces it in a file unless that is "". Its error says which aims were missed and what went wrong.
func (p Part) publish(out io.Writer, file string) error {
	text := p.String()
	_, err := io.WriteString(out, "\n"+text)
	all := []error{err}
	if file != "" {
		all = append(all, WritePart(file, p.Name, text))
	}
	for _, aim := range p.Aims {
		if !aim.Met() {
			all = append(all, fmt.Errorf("missed: %s %s, measured %s", aim.Text, aim.bound(), aim.format(aim.Measured)))
		}
	}
	for _, fault := range p.Faults {
		all = append(all, errors.New(fault))
	}
	return errors.Join(all...)
}

// Setup is what every benchmark has.
type Setup struct {
	Binary  string // the program to measure
	Folder  string // empty at first, and removed afterwards
	Results string // the file that gets the results; "" for none
	Out     io.Writer
}

// Say prints a line about what happens.
func (s Setup) Say(format string, values ...any) {
	_, _ = fmt.Fprintf(s.Out, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, values...))
}

// Measure measures something; it may choose another file for the results.
type Measure func(ctx context.Context, with *Setup) (Part, error)

// Run runs a benchmark, which declares its flags first, and publishes its results.
func Run(ctx context.Context, name, results string, arguments []string, out io.Writer, benchmark func(*flag.FlagSet) Measure) (err error) {
	flags := flag.NewFlagSet("bench "+name, flag.ContinueOnError)
	flags.SetOutput(out)
	with := &Setup{Out: out}
	flags.StringVar(&with.Binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&with.Results, "results", results, "the file that gets the results; empty for none")
	measure := benchmark(flags)
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return errors.New("give flags only; see --help")
	}
	if with.Folder, err = os.MkdirTemp("", "cairn-"+name+"-*"); err != nil {
		return err
	}
	defer os.RemoveAll(with.Folder)
	if err := os.Chmod(with.Folder, 0o755); err != nil { //nolint:gosec // accounts of sessions and of PostgreSQL pass through it
		return err
	}
	part, err := measure(ctx, with)
	if err != nil {
		return err
	}
	part.command = name
	return part.publish(out, with.Results)
}

// Aims returns a table of aims with their verdicts.
func Aims(aims []Aim) string {
	table := Table{Columns: []string{"aim", "limit", "measured", "verdict"}}
	for _, aim := range aims {
		table.Add(aim.Text, aim.bound(), aim.format(aim.Measured), aim.Verdict())
	}
	return table.String()
}

// Quantile returns the smallest value that covers this part of the values; zero of none.
func Quantile[T cmp.Ordered](values []T, part float64) (found T) {
	if len(values) == 0 {
		return found
	}
	if !slices.IsSorted(values) {
		values = slices.Sorted(slices.Values(values))
	}
	at := int(part*float64(len(values))+0.999999) - 1
	return values[min(max(at, 0), len(values)-1)]
}

// Quantiles returns table cells with quantiles in milliseconds; "-" of no times.
func Quantiles(times []time.Duration, parts ...float64) (cells []string) {
	for _, part := range parts {
		if len(times) == 0 {
			cells = append(cells, "-")
		} else {
			cells = append(cells, Milliseconds(Quantile(times, part)))
		}
	}
	return cells
}
