package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"cairn/bench/report"
	"cairn/bench/sessions"
)

// afterwards is how long people may still notice a disturbance after its end.
const afterwards = 5 * time.Second

func (r *run) tallies() []*tally {
	polled := &tally{name: "dashboards"}
	if found := r.dashboards; found != nil {
		polled.first, polled.retried, polled.unavailable, polled.wrong = found.Times, found.Retried, found.Unavailable, found.Wrong
	}
	return []*tally{polled, &r.searches, &r.pair.writes.starred, &r.pair.writes.changed, &r.pair.launches.tally, &r.single.writes.starred, &r.single.launches.tally}
}

// meanwhile returns the disturbance that was under way at a moment or had just ended, or "" if there was none.
func (r *run) meanwhile(at time.Time) string {
	since := at.Sub(r.began)
	for _, one := range slices.Backward(r.happened) {
		if since >= one.began && since <= one.ended+afterwards {
			return one.name
		}
	}
	return ""
}

// judge adds the faults of the whole run.
func (r *run) judge() {
	for _, one := range r.tallies() {
		if len(one.wrong) > 0 {
			r.faults.add("%s: %d wrong answers, the first: %s", one.name, len(one.wrong), one.wrong[0])
		}
		if len(one.first) == 0 {
			r.faults.add("%s: nothing was answered", one.name)
		}
		quiet := slices.DeleteFunc(slices.Clone(one.unavailable), func(at time.Time) bool { return r.meanwhile(at) != "" })
		if len(quiet) > 0 {
			r.faults.add("%s: %d without an answer to a second request while nothing was disturbed, the first at %s", one.name, len(quiet),
				slices.MinFunc(quiet, time.Time.Compare).Sub(r.began).Round(time.Second))
		}
	}
	for _, one := range r.units() {
		if before, after := one.peaks[1], one.peaks[2]; after > before+before/4+64<<20 {
			r.faults.add("the memory of %s grew from %s to %s", one.name, report.Mebibytes(before), report.Mebibytes(after))
		}
	}
}

// results returns the results.
func (r *run) results() report.Part {
	answers := report.Table{Columns: []string{"answers", "number", "p50 ms", "p99 ms", "longest ms", "second request", "p99 ms", "none", "wrong"}}
	causes := map[string]int{}
	for _, one := range r.tallies() {
		slices.Sort(one.first)
		cells := append([]string{one.name, report.Whole(len(one.first))}, report.Quantiles(one.first, 0.5, 0.99, 1)...)
		cells = append(append(cells, report.Whole(len(one.retried))), report.Quantiles(one.retried, 0.99)...)
		answers.Add(append(cells, report.Whole(len(one.unavailable)), strconv.Itoa(len(one.wrong)))...)
		for _, at := range one.unavailable {
			causes[r.meanwhile(at)]++
		}
	}
	happened := report.Table{Columns: []string{"disturbance", "times", "longest s", "no answer"}}
	lengths := map[string][]time.Duration{}
	for _, one := range r.happened {
		lengths[one.name] = append(lengths[one.name], one.ended-one.began)
	}
	for _, name := range slices.Sorted(maps.Keys(lengths)) {
		happened.Add(name, strconv.Itoa(len(lengths[name])), report.Number(slices.Max(lengths[name]).Seconds()), report.Whole(causes[name]))
	}
	memory := report.Table{Columns: []string{"most memory", "first third", "second third", "last third"}}
	for _, one := range r.units() {
		memory.Add(one.name, report.Mebibytes(one.peaks[0]), report.Mebibytes(one.peaks[1]), report.Mebibytes(one.peaks[2]))
	}
	kept := report.Table{Columns: []string{"at the end", "stars and projects", "of them unsure", "writes", "starts", "ends", "starts again", "deletions", "running"}}
	for _, one := range r.sides() {
		all, sure := one.writes.count()
		counts := one.launches.counts
		cells := []string{one.name}
		for _, number := range []int{all, all - sure, one.writes.acknowledged, counts["starts"], counts["ends"], counts["starts again"], counts["deletions"], r.verified.running[one.name]} {
			cells = append(cells, report.Whole(number))
		}
		kept.Add(cells...)
	}
	about := []string{
		fmt.Sprintf("`--time %s --seed %d`: two servers on one PostgreSQL and a stand-in for a hub, behind a balancer that asks `/readyz`, beside a single server on SQLite with real sessions, at which all people sign in", r.length, r.seed),
		fmt.Sprintf("%s dashboards poll, %d searches, %d stars, %d changes of projects and %d calls about sessions a second; at the single server %d stars a second and a call about real sessions every %.0f s",
			report.Whole(r.rates.dashboards), r.rates.searches, starRate, projectRate, launchRate, singleRate, 1/realRate),
	}
	if r.single.units[0].disk == "" {
		about = append(about, "no disk was filled: that takes a small disk, which only root may mount")
	}
	return report.Part{
		Name: "chaos", Title: "Servers that are killed and disturbed", About: about, Faults: r.faults.texts,
		Text: fmt.Sprintf(`Times of answers to the first request since it was due. After a broken connection or 503, people ask once more after %s.

%s
What happened, and how many had no answer to the second request either, then or within %s:

%s
%s
%s
All of that agreed %s after the load ended. Both states are right where the last write had no answer. The backup made meanwhile
was restored into SQLite and exported %s KiB.`, sessions.RetryAfter, answers.String(), afterwards, happened.String(), memory.String(), kept.String(),
			r.verified.settled.Round(time.Second), report.Whole(r.verified.exported>>10)),
	}
}
