// Package versions measures what versions of work take on the disk and in time, beside restic, borg and daily zips of the same
// history.
package versions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/bench/report"
)

// The aims.
const (
	aimRestic  = 1.3 // times what restic takes
	aimZips    = 0.2 // times daily zips
	aimChanged = 2   // seconds
	aimIdle    = 50  // ms
	aimRestore = 1.5 // times cp -a
	aimList    = 20  // ms
	aimCore    = 5   // percent
	sessions   = 50  // with sessionFiles each
	days       = 30  // of the history: as long as daily versions are kept
	saves      = 4   // a day
	pageOfList = 10_000
)

type bench struct {
	folder           string
	out              io.Writer
	files, megabytes int // of the large folder
	named            int // versions that are listed

	history history
	large   large
	lists   lists
	crowd   crowd
}

// Run measures everything. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("versions", flag.ContinueOnError)
	flags.SetOutput(out)
	b := &bench{out: out}
	flags.IntVar(&b.files, "files", 10_000, "how many the large folder has")
	flags.IntVar(&b.megabytes, "megabytes", 1000, "how large it is")
	flags.IntVar(&b.named, "versions", 10_000, "how many are listed")
	only := flags.String("only", "", "one part, without results: history, large, lists or crowd")
	results := flags.String("results", "bench/RESULTS.md", "the file that gets the results; empty for none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-versions-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b.folder = folder
	for _, part := range []struct {
		name, what string
		run        func(context.Context) error
	}{
		{"history", "A history of notebooks and tables", b.runHistory},
		{"large", "A large folder", b.runLarge},
		{"lists", "Lists", b.runLists},
		{"crowd", "Many sessions", b.runCrowd},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		_, _ = fmt.Fprintln(out, part.what)
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.what, err)
		}
	}
	if *only != "" {
		_, _ = fmt.Fprintf(out, "%+v\n%+v\n%+v\n%+v\n", b.history, b.large, b.lists, b.crowd)
		return nil
	}
	text, met := b.results()
	_, _ = io.WriteString(out, text)
	if *results != "" {
		if err := report.WritePart(*results, "versions", text); err != nil {
			return err
		}
	}
	if !met {
		return errors.New("an aim was missed")
	}
	return nil
}

func (b *bench) path(names ...string) string {
	return filepath.Join(append([]string{b.folder}, names...)...)
}

func (b *bench) aims() []report.Aim {
	return []report.Aim{
		{Text: "bytes stored, times restic's", Limit: aimRestic, Measured: float64(b.history.cairn) / float64(b.history.restic)},
		{Text: "bytes stored, times daily zips", Limit: aimZips, Measured: float64(b.history.cairn) / float64(b.history.zips)},
		{Text: "a version of the large folder with 1 % changed, s", Limit: aimChanged, Measured: b.large.cairn.changed.Seconds()},
		{Text: "the large folder without a change, ms (median)", Limit: aimIdle, Measured: float64(b.large.cairn.idle) / 1e6},
		{Text: "bytes written then", Limit: 0, Measured: float64(b.large.idleBytes)},
		{Text: "restoring the large folder, times cp -a", Limit: aimRestore, Measured: float64(b.large.cairn.restore) / float64(b.large.copied)},
		{Text: fmt.Sprintf("listing %s named versions, ms (p95)", report.Whole(b.named)), Limit: aimList, Measured: float64(b.lists.all) / 1e6},
		{Text: fmt.Sprintf("%d sessions of %d files, %% of a core", sessions, sessionFiles), Limit: aimCore, Measured: b.crowd.core},
	}
}

func (b *bench) results() (text string, met bool) {
	met = true
	aims := report.Table{Columns: []string{"aim", "at most", "measured", "verdict"}}
	for _, aim := range b.aims() {
		aims.Add(aim.Text, report.Number(aim.Limit), report.Number(aim.Measured), aim.Verdict())
		met = met && aim.Met()
	}
	sizes := report.Table{Columns: []string{"history", "stored", "a save, ms (median)"}}
	sizes.Add("Cairn", kibibytes(b.history.cairn), report.Milliseconds(b.history.cairnSave))
	sizes.Add("restic", kibibytes(b.history.restic), report.Milliseconds(b.history.resticSave))
	sizes.Add("borg", kibibytes(b.history.borg), report.Milliseconds(b.history.borgSave))
	sizes.Add("daily zips", kibibytes(b.history.zips), "")
	times := report.Table{Columns: []string{"large folder", "first, s", "1 % changed, s", "no change, ms", "restore, s", "stored"}}
	for _, row := range []struct {
		name string
		timings
	}{{"Cairn", b.large.cairn}, {"restic", b.large.restic}, {"borg", b.large.borg}} {
		times.Add(row.name, report.Number(row.first.Seconds()), report.Number(row.changed.Seconds()), report.Milliseconds(row.idle), report.Number(row.restore.Seconds()),
			report.Mebibytes(row.stored))
	}
	times.Add("cp -a", "", "", "", report.Number(b.large.copied.Seconds()), "")
	return fmt.Sprintf(`# What versions of work cost

Written by `+"`make bench BENCH=versions`"+` on %s. The history is %d days of %d saves each: notebooks with pictures in which a cell
changes per save, a table that grows, scripts, and a file that stays. The large folder has %s files of together %s MB. Each program
saves the same states, one after the other; restic (repository version 2, its default compression) and borg (zstd) start once for each save.

- %s
- %s; %s
- load of the machine before and after (1 min): %s

%s
%s
%s
One file's history among %s versions: %s ms (p95). Opening the store with them: %s ms.
`, time.Now().UTC().Format(time.DateOnly), days, saves, report.Whole(b.files), report.Whole(b.megabytes), report.Machine(), b.history.resticVersion,
		b.history.borgVersion, b.crowd.load, aims.String(), sizes.String(), times.String(), report.Whole(b.named),
		report.Milliseconds(b.lists.one), report.Milliseconds(b.lists.open)), met
}

func kibibytes(bytes int64) string { return report.Whole(int(bytes>>10)) + " KiB" }

// loadNow returns the load of the machine in the last minute.
func loadNow() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
