// Package versions measures what versions of work take on the disk and in time, beside restic, borg and daily zips of the same
// history.
package versions

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	files, megabytes int // of the large folder
	named            int // versions that are listed

	history history
	large   large
	lists   lists
	crowd   crowd
}

// Run measures everything. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "versions", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		b := &bench{}
		flags.IntVar(&b.files, "files", 10_000, "how many the large folder has")
		flags.IntVar(&b.megabytes, "megabytes", 1000, "how large it is")
		flags.IntVar(&b.named, "versions", 10_000, "how many are listed")
		only := flags.String("only", "", "one part, without results: history, large, lists or crowd")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) { return b.run(ctx, with, *only) }
	})
}

func (b *bench) run(ctx context.Context, with *report.Setup, only string) (report.Part, error) {
	b.folder = with.Folder
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"history", b.runHistory}, {"large", b.runLarge}, {"lists", b.runLists}, {"crowd", b.runCrowd}} {
		if only != "" && only != part.name {
			continue
		}
		with.Say("%s", part.name)
		if err := part.run(ctx); err != nil {
			return report.Part{}, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	if only != "" {
		with.Results = ""
		return report.Part{Name: "versions", Title: only, Text: fmt.Sprintf("%+v\n%+v\n%+v\n%+v\n", b.history, b.large, b.lists, b.crowd)}, nil
	}
	return b.results(), nil
}

func (b *bench) path(names ...string) string {
	return filepath.Join(append([]string{b.folder}, names...)...)
}

func (b *bench) results() report.Part {
	sizes := report.Table{Columns: []string{"history", "stored KiB", "a save, ms (median)"}}
	times := report.Table{Columns: []string{"large folder", "first, s", "1 % changed, s", "no change, ms", "restore, s", "stored"}}
	for i, name := range []string{"Cairn", "restic", "borg"} {
		sizes.Add(name, report.Whole(int(b.history.stored[i]>>10)), report.Milliseconds(b.history.save[i]))
		row := b.large.programs[i]
		times.Add(name, report.Number(row.first.Seconds()), report.Number(row.changed.Seconds()), report.Milliseconds(row.idle), report.Number(row.restore.Seconds()),
			report.Mebibytes(row.stored))
	}
	sizes.Add("daily zips", report.Whole(int(b.history.zips>>10)), "")
	times.Add("cp -a", "", "", "", report.Number(b.large.copied.Seconds()), "")
	own, stored := b.large.programs[0], float64(b.history.stored[0])
	return report.Part{
		Name: "versions", Title: "What versions of work cost",
		About: []string{
			fmt.Sprintf("the history is %d days of %d saves each: notebooks with pictures in which a cell changes per save, a table that grows, scripts, and a file that stays; the large folder has %s files of together %s MB",
				days, saves, report.Whole(b.files), report.Whole(b.megabytes)),
			fmt.Sprintf("each program saves the same states, one after the other; %s (version 2, its default compression) and %s (zstd) start once for each save", b.history.versions[0], b.history.versions[1]),
			"load of the machine before and after (1 min): " + b.crowd.load,
		},
		Aims: []report.Aim{
			{Text: "bytes stored, times restic's", Limit: aimRestic, Measured: stored / float64(b.history.stored[1])},
			{Text: "bytes stored, times daily zips", Limit: aimZips, Measured: stored / float64(b.history.zips)},
			{Text: "a version of the large folder with 1 % changed", Limit: aimChanged, Measured: own.changed.Seconds(), Unit: "s"},
			{Text: "the large folder without a change (median)", Limit: aimIdle, Measured: float64(own.idle) / 1e6, Unit: "ms"},
			{Text: "bytes written then", Limit: 0, Measured: float64(b.large.idleBytes)},
			{Text: "restoring the large folder, times cp -a", Limit: aimRestore, Measured: float64(own.restore) / float64(b.large.copied)},
			{Text: fmt.Sprintf("listing %s named versions (p95)", report.Whole(b.named)), Limit: aimList, Measured: float64(b.lists.all) / 1e6, Unit: "ms"},
			{Text: fmt.Sprintf("%d sessions of %d files, of a core", sessions, sessionFiles), Limit: aimCore, Measured: b.crowd.core, Unit: "%"},
		},
		Text: fmt.Sprintf("%s\n%s\nOne file's history among %s versions: %s ms (p95). Opening the store with them: %s ms.", sizes.String(), times.String(),
			report.Whole(b.named), report.Milliseconds(b.lists.one), report.Milliseconds(b.lists.open)),
	}
}

// loadNow returns the load of the machine in the last minute.
func loadNow() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load, _, _ := strings.Cut(string(text), " ")
	return load
}
