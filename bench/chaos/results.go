package chaos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/report"
)

// afterwards is how long people may still notice a disturbance after its end.
const afterwards = 5 * time.Second

func (r *run) tallies() []*tally {
	polled := &tally{name: "dashboards"}
	if found := r.dashboards; found != nil {
		polled.first, polled.retried, polled.unavailable, polled.wrong = found.Times, found.Retried, found.Unavailable, found.Wrong
	}
	return []*tally{polled, &r.searches, &r.writes.starred, &r.writes.changed, &r.launches.tally, &r.singleWrites.starred, &r.singleLaunches.tally}
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
			r.fault("%s: %d wrong answers, the first: %s", one.name, len(one.wrong), one.wrong[0])
		}
		if len(one.first) == 0 {
			r.fault("%s: nothing was answered", one.name)
		}
		quiet := slices.DeleteFunc(slices.Clone(one.unavailable), func(at time.Time) bool { return r.meanwhile(at) != "" })
		if len(quiet) > 0 {
			r.fault("%s: %d without an answer to a second request while nothing was disturbed, the first at %s", one.name, len(quiet),
				slices.MinFunc(quiet, time.Time.Compare).Sub(r.began).Round(time.Second))
		}
	}
	for _, one := range r.units() {
		if before, after := one.peak(r.length/3, 2*r.length/3), one.peak(2*r.length/3, r.length); after > before+before/4+64<<20 {
			r.fault("the memory of %s grew from %s to %s", one.name, report.Mebibytes(before), report.Mebibytes(after))
		}
	}
}

// peak returns the highest memory use in a part of the time.
func (u *unit) peak(from, to time.Duration) (most int64) {
	for _, one := range u.memory {
		if one.at >= from && one.at < to {
			most = max(most, one.bytes)
		}
	}
	return most
}

// String returns the results in Markdown.
func (r *run) String() string {
	var text strings.Builder
	write := func(format string, values ...any) { _, _ = fmt.Fprintf(&text, format, values...) }
	write("# Servers that are killed and disturbed\n\nWritten by `make soak BENCH=chaos` on %s with `--time %s --seed %d`: two servers on one PostgreSQL and a stand-in for a hub, behind a balancer that asks `/readyz`, beside a single server on SQLite with real sessions, at which all people sign in. %s dashboards poll, %d searches, %d stars, %d changes of projects and %d calls about sessions a second; at the single server %d stars a second and a call about real sessions every %.0f s.\n\n- %s; everything runs on the same cores\n- the clocks are those of the machine: steps of the clock are in `go test -run ClockSteps ./internal/sessions/...`\n",
		time.Now().UTC().Format(time.DateOnly), r.length, r.seed, report.Whole(r.rates.dashboards), r.rates.searches, starRate, projectRate, launchRate, singleRate, 1/realRate, report.Machine())
	if r.single.disk == "" {
		write("- no disk was filled: that takes a small disk, which only root may mount\n")
	}
	write("\nAnswers to the first request, with their times since they were due. After a broken connection or 503, people ask once more, %s later; that is counted apart.\n\n", "1 s")
	answers := report.Table{Columns: []string{"answers", "number", "p50 ms", "p99 ms", "longest ms", "second request", "p99 ms", "none", "wrong"}}
	causes := map[string]int{}
	for _, one := range r.tallies() {
		first, second := load.Of(one.first), load.Of(one.retried)
		answers.Add(one.name, report.Whole(len(one.first)), report.Milliseconds(first.Quantile(0.5)), report.Milliseconds(first.Quantile(0.99)),
			report.Milliseconds(first.Quantile(1)), report.Whole(len(one.retried)), report.Milliseconds(second.Quantile(0.99)),
			report.Whole(len(one.unavailable)), strconv.Itoa(len(one.wrong)))
		for _, at := range one.unavailable {
			causes[r.meanwhile(at)]++
		}
	}
	write("%s\nWhat happened, and how many had no answer to the second request either, then or within %s:\n\n", answers.String(), afterwards)
	happened := report.Table{Columns: []string{"disturbance", "times", "longest s", "no answer"}}
	for _, name := range r.kinds() {
		count, longest := 0, time.Duration(0)
		for _, one := range r.happened {
			if one.name == name {
				count, longest = count+1, max(longest, one.ended-one.began)
			}
		}
		happened.Add(name, strconv.Itoa(count), report.Number(longest.Seconds()), report.Whole(causes[name]))
	}
	write("%s\n", happened.String())
	memory := report.Table{Columns: []string{"most memory", "first third", "second third", "last third"}}
	for _, one := range r.units() {
		memory.Add(one.name, report.Mebibytes(one.peak(0, r.length/3)), report.Mebibytes(one.peak(r.length/3, 2*r.length/3)), report.Mebibytes(one.peak(2*r.length/3, r.length)))
	}
	all, sure := r.writes.count()
	singleAll, singleSure := r.singleWrites.count()
	write("%s\nAt the end, %s stars and projects were asked for at each of the two servers and in the database, after %s acknowledged writes, and %d at the single server after %d; of %d the last write had no answer, so that both states are right. ",
		memory.String(), report.Whole(all), report.Whole(r.writes.acknowledged), singleAll, r.singleWrites.acknowledged, all+singleAll-sure-singleSure)
	write("%d sessions were started, %d ended, %d started again and %d deleted; %d were running at both servers, in the database and at the hub, each with one server there. ",
		r.launches.counts["starts"], r.launches.counts["ends"], r.launches.counts["starts again"], r.launches.counts["deletions"], r.running)
	write("Of %d real sessions, %d were running. All of that agreed %s after the load ended. The backup made meanwhile was restored into SQLite and exported %s KiB.\n",
		r.singleLaunches.counts["starts"], r.realRunning, r.settled.Round(time.Second), r.restored)
	if len(r.faults) == 0 {
		write("\nNothing acknowledged was lost, no session was orphaned or doubled, and memory stayed flat.\n")
	} else {
		write("\nMissed:\n\n")
	}
	for _, one := range r.faults[:min(len(r.faults), 20)] {
		write("- %s\n", one)
	}
	return text.String()
}

// kinds returns the names of what happened, in order.
func (r *run) kinds() (names []string) {
	for _, one := range r.happened {
		names = append(names, one.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
