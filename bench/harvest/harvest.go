// Package harvest measures how soon pages of a harvest of the whole catalog are answered while entries change, and how soon
// the page of an entry and each of its forms are.
package harvest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// fullEntries is the number of entries for which the aims are defined.
const fullEntries = 1_000_000

type options struct {
	binary, results      string
	entries, rate, asked int
}

type bench struct {
	options

	folder string
	out    io.Writer
	found  figures
}

// Run is the sub-command. Its error says that an aim was missed or an answer was wrong.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	b := bench{out: out}
	flags := flag.NewFlagSet("harvest", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&b.binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&b.results, "results", "", "file in which the part about harvests is replaced, such as bench/RESULTS.md")
	flags.IntVar(&b.entries, "entries", fullEntries, "how many the catalog has")
	flags.IntVar(&b.rate, "rate", 200, "changes of entries each second during harvests")
	flags.IntVar(&b.asked, "asked", 500, "how often each page and each form of an entry is asked for")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.entries < 1000 || b.rate < 1 || b.asked < 1 {
		return errors.New("give flags only, at least 1,000 entries, and counts above 0; see --help")
	}
	began := time.Now()
	version, err := program.Program{Binary: b.binary}.Version(ctx)
	if err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "cairn-harvest-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	if err := b.run(ctx); err != nil {
		return err
	}
	text, missed := b.report(version, time.Since(began))
	if _, err := fmt.Fprint(out, "\n", text); err != nil {
		return err
	}
	if b.results != "" {
		if err := report.WritePart(b.results, "harvest", text); err != nil {
			return err
		}
	}
	if missed {
		return errors.New("an aim was missed")
	}
	return nil
}

// say reports progress.
func (b *bench) say(format string, values ...any) {
	_, _ = fmt.Fprintf(b.out, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, values...))
}

const (
	anySearch = "/api/v1/rf/resources/public?pageSize=1"
	startTime = 10 * time.Minute
)

func (b *bench) run(ctx context.Context) (err error) {
	cairn := program.Program{
		Binary: b.binary, Data: filepath.Join(b.folder, "data"), Flags: []string{"--demo"}, Config: "runs: {every: never}\noai: {admin_email: bench@example.org}\n",
	}
	lines := filepath.Join(b.folder, "entries.jsonl")
	if err := b.writeEntries(ctx, lines); err != nil {
		return err
	}
	b.say("Importing %s entries", report.Whole(b.entries))
	took, err := cairn.Import(ctx, lines)
	if err != nil {
		return err
	}
	b.say("Imported in %s", report.Seconds(took))
	if err := os.Remove(lines); err != nil {
		return err
	}
	server, err := cairn.Start(ctx, anySearch, startTime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	token, err := cairn.Output(ctx, "token", program.Account)
	if err != nil {
		return err
	}
	if err := b.single(ctx, server); err != nil {
		return err
	}
	return b.harvests(ctx, server.Address, token)
}
