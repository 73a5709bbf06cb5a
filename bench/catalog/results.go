package catalog

import (
	_ "embed" // why.md
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/report"
)

// report prints the results and writes them to their file.
func (b *bench) report() error {
	text := b.results()
	if _, err := fmt.Fprint(b.out, "\n", text); err != nil {
		return err
	}
	if err := report.WritePart(b.options.results, "", text); err != nil {
		return err
	}
	b.say("Written to %s", b.options.results)
	if b.found.wrong > 0 {
		return errors.Join(fmt.Errorf("%d answers were wrong", b.found.wrong), b.found.firstWrong)
	}
	return nil
}

// why explains missed aims. It is written by hand: review it when the figures change.
//
//go:embed why.md
var why string

// results writes everything in Markdown.
func (b *bench) results() string {
	f := b.found
	var out strings.Builder
	line := func(format string, values ...any) { _, _ = fmt.Fprintf(&out, format+"\n", values...) }
	section := func(title string, table report.Table) {
		line("\n## %s\n\n%s", title, strings.TrimSuffix(table.String(), "\n"))
	}

	line("# How fast the catalog is\n")
	line("Written by `make bench` on %s in %s minutes; `make bench ARGS=\"--entries 100000\"` is a shorter run, `bin/bench catalog --help` lists the flags.",
		time.Now().UTC().Format(time.DateOnly), report.Number(f.took.Minutes()))
	line("\n- %s entries, seed %d, %s different words, %s tags, %s authors; 3 %% are private, 10 %% have content", report.Whole(b.options.entries), b.seed,
		report.Whole(b.entries.Words), report.Whole(b.entries.Tags), report.Whole(b.entries.Authors))
	line("- %s; the load generator runs on the same cores as the server", report.Machine())
	line("- Cairn %s with SQLite below it, answers of %d cards each, over HTTP", f.version, corpus.PageSize)
	if f.wrong > 0 {
		line("\n**%d answers were wrong; the first: %v**", f.wrong, f.firstWrong)
	} else {
		line("\nEach answer was checked: its status and total, and for one in fifty and the first %d of each class everything.", compared)
	}

	section("Aims", aimsTable(f.aims(b.options.entries)))
	if b.options.entries != fullEntries {
		line("\nThe aims are about %s entries.", report.Whole(fullEntries))
	}
	ratios := aimsTable(f.ratios())
	line("\nOn any machine, as ratios within this run:\n\n%s", strings.TrimSuffix(ratios.String(), "\n"))
	line("\nThe ceiling: the same server answers the same load generator with a file of its site (%s) that has as many bytes as a page of %d cards.",
		storedPath, corpus.PageSize)
	line("\n%s", strings.TrimSpace(why))
	section("Import, start, memory", b.startTable())
	line("\nThe import was measured on %s with Cairn %s. The database was in the system's file cache at both starts.",
		f.imported.Date.Format(time.DateOnly), f.imported.Version)
	section("Kinds of searches, one client", b.classesTable())
	section("The mix of them", b.mixesTable())
	line("\nThe mix: %s. The same %s searches come in the same order in every run, and again when they have all been asked.",
		shares(), report.Whole(mixQueries))
	section(fmt.Sprintf("Updates while %d clients search", updateClients), b.updatesTable())
	line("\n%d of %d changes of a star were in the very next search. Seen: until that search was answered, so the time of a search is in it.",
		f.updates.atOnce, len(f.updates.seen.Latencies))
	line("Imports are whole runs of `cairn import` with %d lines beside the server.", batchLines)
	return out.String()
}

func shares() string {
	var parts []string
	for _, one := range corpus.Classes {
		parts = append(parts, fmt.Sprintf("%d %% %s", one.Share, one.Class))
	}
	return strings.Join(parts, ", ")
}

func aimsTable(aims []report.Aim) report.Table {
	table := report.Table{Columns: []string{"aim", "limit", "measured", "verdict"}}
	for _, aim := range aims {
		bound := "at most "
		if aim.AtLeast {
			bound = "at least "
		}
		table.Add(aim.Text, bound+aim.Format(aim.Limit), aim.Format(aim.Measured), aim.Verdict())
	}
	return table
}

func (b *bench) startTable() report.Table {
	f := b.found
	table := report.Table{Columns: []string{"", "serves after", "search answers after", "processor time", "resident", "at most"}}
	table.Add("import", "", seconds(f.imported.Took), "", "", "")
	for _, one := range []struct {
		name  string
		start startFigures
	}{{"first start, no snapshot", f.cold}, {"start after a clean stop", f.warm}} {
		table.Add(one.name, seconds(one.start.listened), seconds(one.start.ready), seconds(one.start.processor),
			report.Mebibytes(one.start.memory.Now), report.Mebibytes(one.start.memory.Peak))
	}
	table.Add("after the searches", "", "", "", report.Mebibytes(f.loaded.Now), report.Mebibytes(f.loaded.Peak))
	return table
}

// spread returns the cells of a result: p50, p95, p99 and, if wanted, answers per second.
func spread(result load.Result, rate bool) []string {
	cells := []string{milliseconds(result, 0.5), milliseconds(result, 0.95), milliseconds(result, 0.99)}
	if rate {
		cells = append(cells, report.Number(result.PerSecond()))
	}
	return cells
}

func (b *bench) classesTable() report.Table {
	table := report.Table{Columns: []string{"kind", "found", "p50 ms", "p95 ms", "p99 ms", "per second"}}
	for _, one := range b.found.classes {
		table.Add(append([]string{string(one.class), average(one.totals, len(one.totals))}, spread(one.http, true)...)...)
	}
	return table
}

func (b *bench) mixesTable() report.Table {
	table := report.Table{Columns: []string{"clients", "p50 ms", "p95 ms", "p99 ms", "per second"}}
	for _, one := range b.found.mixes {
		table.Add(append([]string{strconv.Itoa(one.clients)}, spread(one.result, true)...)...)
	}
	table.Add(append([]string{"16, in turns with the next"}, spread(b.found.alone, true)...)...)
	table.Add(append([]string{"16, long texts beside"}, spread(b.found.besideLong, true)...)...)
	table.Add(append([]string{"1, the ceiling"}, spread(b.found.ceiling.one, true)...)...)
	table.Add(append([]string{"16, the ceiling"}, spread(b.found.ceiling.many, true)...)...)
	return table
}

func (b *bench) updatesTable() report.Table {
	u := b.found.updates
	table := report.Table{Columns: []string{"", "count", "p50 ms", "p95 ms", "p99 ms"}}
	for _, one := range []struct {
		name   string
		result load.Result
	}{
		{"call that sets or removes a star", u.calls},
		{"seen in a search after it", u.seen},
		{"import of a small file", u.imports},
		{"seen in a search after it", u.imported},
		{"searches meanwhile", u.searches},
	} {
		table.Add(append([]string{one.name, report.Whole(len(one.result.Latencies))}, spread(one.result, false)...)...)
	}
	return table
}

func average(totals []int, count int) string {
	if len(totals) == 0 {
		return "-"
	}
	sum := 0
	for _, total := range totals[:count] {
		sum += total
	}
	return report.Whole(sum / count)
}
