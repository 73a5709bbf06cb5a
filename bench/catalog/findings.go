package catalog

import (
	"fmt"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// findings are the results of a run.
type findings struct {
	version    string
	imported   imported
	cold, warm startFigures
	classes    []classFigures
	mixes      []mixFigures
	ceiling    ceilingFigures
	alone      load.Result    // the mix with ratioClients clients, in turns with besideLong
	besideLong load.Result    // the same while somebody sends long texts
	bareStart  time.Duration  // reading the snapshot's file, and opening the database
	loaded     program.Memory // after the mixes
	updates    updateFigures
	wrong      int
	firstWrong error
	took       time.Duration
}

type startFigures struct {
	listened, ready, processor time.Duration

	memory program.Memory
}

type classFigures struct {
	class  corpus.Class
	totals []int
	http   load.Result
}

type mixFigures struct {
	clients int
	result  load.Result
}

func (f findings) mix(clients int) load.Result {
	for _, one := range f.mixes {
		if one.clients == clients {
			return one.result
		}
	}
	return load.Result{}
}

// aims are the promises for one million entries on two cores, shared with the load generator.
func (f findings) aims(entries int) []report.Aim {
	inSeconds := func(value float64) string { return report.Number(value) + " s" }
	inMilliseconds := func(value float64) string { return report.Number(value) + " ms" }
	inGibibytes := func(value float64) string { return report.Number(value) + " GiB" }
	perSecond := func(value float64) string { return report.Number(value) + "/s" }
	percent := func(value float64) string { return report.Number(value) + " %" }
	milliseconds := func(d time.Duration) float64 { return float64(d) / 1e6 }

	// 100,000 lines in 20 s, a million in 240 s, and linear in between.
	importTime := float64(entries) * 20 / 100_000
	if entries > 100_000 {
		importTime = 20 + float64(entries-100_000)*220/900_000
	}
	return []report.Aim{
		{Text: fmt.Sprintf("import of %s lines", report.Whole(entries)), Limit: importTime, Measured: f.imported.Took.Seconds(), Format: inSeconds},
		{Text: "ready after a start with a snapshot", Limit: 3, Measured: f.warm.ready.Seconds(), Format: inSeconds},
		{Text: "the mix, 1 client, p95", Limit: 2, Measured: milliseconds(f.mix(1).Quantile(0.95)), Format: inMilliseconds},
		{Text: "the mix, 16 clients, p95", Limit: 10, Measured: milliseconds(f.mix(16).Quantile(0.95)), Format: inMilliseconds},
		{Text: "the mix, 16 clients, searches", Limit: 3000, Measured: f.mix(16).PerSecond(), AtLeast: true, Format: perSecond},
		{Text: "resident after the load", Limit: 1.2, Measured: float64(f.loaded.Now) / (1 << 30), Format: inGibibytes},
		{Text: "changes of a star seen in the very next search", Limit: 100, Measured: f.updates.shareAtOnce(), AtLeast: true, Format: percent},
		{Text: "a star is seen after its call, p95", Limit: 10, Measured: milliseconds(f.updates.seen.Quantile(0.95)), Format: inMilliseconds},
		{Text: "an import by another process is seen, p95", Limit: 1, Measured: f.updates.imported.Quantile(0.95).Seconds(), Format: inSeconds},
	}
}

// ratios are the promises that don't depend on the machine: both figures of each are of the same run.
func (f findings) ratios() []report.Aim {
	times := func(value float64) string { return report.Number(value) + " times" }
	beside := func(text string, limit float64, measured, base time.Duration) report.Aim {
		return report.Aim{Text: text, Limit: limit, Measured: float64(measured) / float64(max(base, 1)), Format: times}
	}
	one, many, p95 := f.mix(1), f.mix(ratioClients), 0.95
	return []report.Aim{
		{
			Text: "searches of 16 clients, beside the ceiling", Limit: 0.4, Measured: many.PerSecond() / max(f.ceiling.many.PerSecond(), 1),
			AtLeast: true, Format: times,
		},
		beside("their p95, beside the ceiling's", 4, many.Quantile(p95), f.ceiling.many.Quantile(p95)),
		beside("p95 of 1 client, beside the ceiling's", 4, one.Quantile(p95), f.ceiling.one.Quantile(p95)),
		beside("their p95 while one long text per second is searched, beside without", 1.2, f.besideLong.Quantile(p95), f.alone.Quantile(p95)),
		beside("a star is seen, p95, beside a search at the same time", 2, f.updates.seen.Quantile(p95), f.updates.searches.Quantile(p95)),
		beside("ready with a snapshot, beside reading its file and opening the database", 2, f.warm.ready, f.bareStart),
	}
}
