package jobs

import (
	"fmt"
	"strings"

	"cairn/bench/report"
)

// The aims.
const (
	aimCore   = 2   // percent
	aimTaken  = 1   // times what a real Jupyter sends, so that nothing piles up in its memory
	aimGrowth = 1.5 // times; if outputs were kept, it would be several
	aimKept   = 16  // MiB, the broker's own limit
	aimTrip   = 1   // ms; a real kernel takes several
)

func (o options) results(found figures) report.Part {
	part := report.Part{
		Name: "jobs", Title: "What listening to kernels costs",
		About: []string{
			fmt.Sprintf("Cairn %s: the server of a session, in which the broker is, before a scripted Jupyter that costs little and pings each connection every %s; each is a process of its own", found.version, pingEvery),
			"limits in force: Jupyter's own are off (`" + strings.Join(found.limits, " ") + "`, as a session of the demo was started); the broker keeps 16 MiB of outputs for each kernel, and gives a page 1 MB of text a second after the first 3 MB",
			fmt.Sprintf("what is read is read for %s, %d times in each way, in turns; the medians", o.stream, o.rounds),
		},
		Aims: []report.Aim{{Text: fmt.Sprintf("%d silent kernels, of a core", o.kernels), Limit: aimCore, Measured: found.silence.core, Unit: "%"}},
	}
	part.Text = strings.Join([]string{o.silenceText(found), o.speedText(found, &part), o.memoryText(found, &part), tripsText(found, &part)}, "\n")
	return part
}

func (o options) silenceText(found figures) string {
	table := report.Table{Columns: []string{fmt.Sprintf("%d kernels that execute something and print nothing, for %s", o.kernels, o.silence), "of a core, %"}}
	table.Add("their pages have left", report.Number(found.silence.core))
	table.Add("each has a page", report.Number(found.silence.pages))
	return fmt.Sprintf("%s\nEach takes %s KiB of the broker's memory.\n", table.String(), report.Whole(int(found.silence.each>>10)))
}

func (o options) speedText(found figures, part *report.Part) string {
	table := report.Table{Columns: []string{
		"a kernel prints without end, MB/s", "a real Jupyter sends", "scripted, to a page directly", "to the broker, with a page", "times directly", "the page gets", "to the broker, nobody there",
		"MiB of memory at most",
	}}
	for number, printer := range printers {
		direct, page, nobody := found.speeds[printer.name][0], found.speeds[printer.name][1], found.speeds[printer.name][2]
		table.Add(printer.name, report.Number(found.jupyter[number]), report.Number(direct.taken), report.Number(page.taken), report.Number(page.taken/direct.taken),
			report.Number(page.shown), report.Number(nobody.taken), report.Whole(int(max(page.peak, nobody.peak)>>20)))
		part.Aims = append(part.Aims, report.Aim{
			Text: "the broker takes " + printer.name + ", times what a real Jupyter sends", Limit: aimTaken, Measured: min(page.taken, nobody.taken) / found.jupyter[number], AtLeast: true,
		})
		if page.ended > 0 {
			part.Faults = append(part.Faults, printer.name+": a page that reads was disconnected")
		}
	}
	return table.String()
}

func (o options) memoryText(found figures, part *report.Part) string {
	const first, last = 1, eighths - 1 // at first, the program starts
	from := func(part int64) string { return report.Mebibytes(part * o.output / eighths) }
	table := report.Table{Columns: []string{"memory of the broker, MiB", "after " + from(first), "after " + from(last), "at most", "outputs kept"}}
	note := " The cell says afterwards that outputs were left out, to a page that comes back and in the notebook's file."
	for _, printer := range printers {
		one, measured := found.memory[printer.name]
		if !measured {
			continue
		}
		early, late, kept := one.least[first], one.least[last], float64(one.kept)/(1<<20)
		table.Add(printer.name, report.Whole(int(early>>20)), report.Whole(int(late>>20)), report.Whole(int(one.most>>20)), report.Number(kept))
		part.Aims = append(part.Aims,
			report.Aim{Text: fmt.Sprintf("memory after %s of %s, times that after %s", from(last), printer.name, from(first)), Limit: aimGrowth, Measured: float64(late) / float64(early)},
			report.Aim{Text: "kept of " + printer.name, Limit: aimKept, Measured: kept, Unit: "MiB"})
		if !one.says {
			note = ""
			part.Faults = append(part.Faults, printer.name+": a page that comes back isn't told that outputs were left out")
		}
	}
	return fmt.Sprintf("%s\nNobody was there meanwhile. After: the least during the %s that follow.%s\n", table.String(), from(1), note)
}

func tripsText(found figures, part *report.Part) string {
	table := report.Table{Columns: []string{"small execution, ms", "p50", "p99"}}
	table.Add(append([]string{"directly"}, report.Quantiles(found.direct, 0.5, 0.99)...)...)
	table.Add(append([]string{"through the broker"}, report.Quantiles(found.broker, 0.5, 0.99)...)...)
	added := report.Quantile(found.broker, 0.5) - report.Quantile(found.direct, 0.5)
	part.Aims = append(part.Aims, report.Aim{Text: "added to a small execution, p50", Limit: aimTrip, Measured: float64(added) / 1e6, Unit: "ms"})
	return table.String()
}
