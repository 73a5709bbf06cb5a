package catalog

import (
	_ "embed" // why.md
	"fmt"
	"strconv"
	"strings"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/report"
)

// why explains missed aims. It is written by hand: review it when the figures change.
//
//go:embed why.md
var why string

// aims are the promises for one million entries on two cores, shared with the load generator.
func (f findings) aims(entries int) []report.Aim {
	milliseconds := func(times []time.Duration) float64 { return float64(report.Quantile(times, 0.95)) / 1e6 }
	// 100,000 lines in 20 s, a million in 240 s, and linear in between.
	importTime := float64(entries) * 20 / 100_000
	if entries > 100_000 {
		importTime = 20 + float64(entries-100_000)*220/900_000
	}
	one, many, u := f.mixes[0], f.mixes[1], f.updates
	return []report.Aim{
		{Text: fmt.Sprintf("import of %s lines", report.Whole(entries)), Limit: importTime, Measured: f.imported.Seconds(), Unit: "s"},
		{Text: "ready after a start with a snapshot", Limit: 3, Measured: f.warm.ready.Seconds(), Unit: "s"},
		{Text: "the mix, 1 client, p95", Limit: 2, Measured: milliseconds(one.Latencies), Unit: "ms"},
		{Text: "the mix, 16 clients, p95", Limit: 10, Measured: milliseconds(many.Latencies), Unit: "ms"},
		{Text: "the mix, 16 clients, searches", Limit: 3000, Measured: many.PerSecond(), AtLeast: true, Unit: "/s"},
		{Text: "resident after the load", Limit: 1.2, Measured: float64(f.loaded.Now) / (1 << 30), Unit: "GiB"},
		{Text: "changes of a star seen in the very next search", Limit: 100, Measured: 100 * float64(u.atOnce) / float64(max(1, len(u.seen))), AtLeast: true, Unit: "%"},
		{Text: "a star is seen after its call, p95", Limit: 10, Measured: milliseconds(u.seen), Unit: "ms"},
		{Text: "an import by another process is seen, p95", Limit: 1, Measured: milliseconds(u.imported) / 1e3, Unit: "s"},
	}
}

// ratios are the promises that don't depend on the machine: both figures of each are of the same run.
func (f findings) ratios() []report.Aim {
	beside := func(text string, limit float64, measured, base time.Duration) report.Aim {
		return report.Aim{Text: text, Limit: limit, Measured: float64(measured) / float64(max(base, 1)), Unit: "times"}
	}
	p95 := func(text string, limit float64, measured, base []time.Duration) report.Aim {
		return beside(text, limit, report.Quantile(measured, 0.95), report.Quantile(base, 0.95))
	}
	one, many, u := f.mixes[0], f.mixes[1], f.updates
	return []report.Aim{
		{Text: "searches of 16 clients, beside the ceiling", Limit: 0.4, Measured: many.PerSecond() / max(f.manyCeiling.PerSecond(), 1), AtLeast: true, Unit: "times"},
		p95("their p95, beside the ceiling's", 4, many.Latencies, f.manyCeiling.Latencies),
		p95("p95 of 1 client, beside the ceiling's", 4, one.Latencies, f.oneCeiling.Latencies),
		p95("their p95 while one long text per second is searched, beside without", 1.2, f.besideLong.Latencies, f.alone.Latencies),
		p95("a star is seen, p95, beside a search at the same time", 2, u.seen, u.searches.Latencies),
		beside("ready with a snapshot, beside reading its file and opening the database", 2, f.warm.ready, f.bareStart),
	}
}

// results returns everything. Missed aims are explained rather than returned as errors.
func (b *bench) results() report.Part {
	f := b.found
	var text strings.Builder
	section := func(title, table, more string) { _, _ = fmt.Fprintf(&text, "\n## %s\n\n%s%s", title, table, more) }
	section("Aims", report.Aims(f.aims(b.count)), fmt.Sprintf(`
The aims are about %s entries. On any machine, as ratios within this run:

%s
The ceiling: the same server answers with a file of its site (%s) that has as many bytes as a page of %d cards.

%s
`, report.Whole(fullEntries), report.Aims(f.ratios()), storedPath, corpus.PageSize, strings.TrimSpace(why)))
	section("Import, start, memory", b.startTable(), "")
	section("Kinds of searches, one client", b.classesTable(), "")
	section("The mix of them", b.mixesTable(), fmt.Sprintf("\nThe same %s searches come in the same order in every run, and again when they have all been asked.\n", report.Whole(mixQueries)))
	section(fmt.Sprintf("Updates while %d clients search", updateClients), b.updatesTable(), fmt.Sprintf(`
%d of %d changes of a star were in the very next search. Seen: until that search was answered. Imports are whole runs of
`+"`cairn import` with %d lines beside the server.", f.updates.atOnce, len(f.updates.seen), batchLines))
	part := report.Part{
		Title: "How fast the catalog is", Text: text.String(),
		About: []string{
			fmt.Sprintf("%s entries, seed %d, %s different words, %s tags, %s authors; 3 %% are private, 10 %% have content", report.Whole(b.count), b.seed,
				report.Whole(b.corpus.Words), report.Whole(b.corpus.Tags), report.Whole(b.corpus.Authors)),
			fmt.Sprintf("Cairn %s with SQLite below it, answers of %d cards each, over HTTP, in %s minutes", f.version, corpus.PageSize, report.Number(f.took.Minutes())),
			fmt.Sprintf("Each answer was checked: its status and total, and for one in fifty and the first %d of each class everything", compared),
		},
	}
	if f.wrong > 0 {
		part.Faults = []string{fmt.Sprintf("%d answers were wrong; the first: %v", f.wrong, f.firstWrong)}
	}
	return part
}

func (b *bench) startTable() string {
	table := report.Table{Columns: []string{"", "serves after", "search answers after", "processor time", "resident", "at most"}}
	for i, one := range []start{b.found.cold, b.found.warm} {
		table.Add([]string{"first start, no snapshot", "start after a clean stop"}[i], report.Seconds(one.listened), report.Seconds(one.ready), report.Seconds(one.processor),
			report.Mebibytes(one.figures.Now), report.Mebibytes(one.figures.Peak))
	}
	table.Add("after the searches", "", "", "", report.Mebibytes(b.found.loaded.Now), report.Mebibytes(b.found.loaded.Peak))
	return table.String()
}

func (b *bench) classesTable() string {
	table := report.Table{Columns: []string{"kind", "of the mix, %", "found", "p50 ms", "p95 ms", "p99 ms", "per second"}}
	for i, one := range b.found.classes {
		table.Add(append([]string{string(one.class), strconv.Itoa(corpus.Classes[i].Share), report.Whole(one.average)}, spread(one.Result)...)...)
	}
	return table.String()
}

func (b *bench) mixesTable() string {
	table := report.Table{Columns: []string{"clients", "p50 ms", "p95 ms", "p99 ms", "per second"}}
	for _, one := range b.found.mixes {
		table.Add(append([]string{strconv.Itoa(one.clients)}, spread(one.Result)...)...)
	}
	for i, one := range []load.Result{b.found.alone, b.found.besideLong, b.found.oneCeiling, b.found.manyCeiling} {
		table.Add(append([]string{[]string{"16, in turns with the next", "16, long texts beside", "1, the ceiling", "16, the ceiling"}[i]}, spread(one)...)...)
	}
	return table.String()
}

func (b *bench) updatesTable() string {
	u := b.found.updates
	table := report.Table{Columns: []string{"", "count", "p50 ms", "p95 ms", "p99 ms"}}
	for i, times := range [][]time.Duration{u.calls, u.seen, u.imports, u.imported, u.searches.Latencies} {
		name := []string{"call that sets or removes a star", "seen in a search after it", "import of a small file", "seen in a search after it", "searches meanwhile"}[i]
		table.Add(append([]string{name, report.Whole(len(times))}, report.Quantiles(times, 0.5, 0.95, 0.99)...)...)
	}
	return table.String()
}
