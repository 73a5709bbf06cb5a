package relevance

import (
	"fmt"
	"strings"

	"cairn/bench/report"
)

// part is some of the searches.
type part struct {
	name   string
	member func(*query) bool
}

var parts = []part{
	{"Tuned", func(q *query) bool { return !q.held }},
	{"Held out", func(q *query) bool { return q.held }},
	{"All", func(*query) bool { return true }},
}

// results says how well each build answers, the tuned searches and the others apart.
func results(version string, set judgedSet, plain, contents []ranking) report.Part {
	with := count(set.contents.entries, func(one *entry) bool { return one.Content != "" })
	var text strings.Builder
	describe := func(heading string, queries []query, all []ranking) {
		for _, part := range parts {
			fmt.Fprintf(&text, "\n%s %s\n\n%s", heading, part.name, overall(queries, all, part.member))
			if worse := worseThan(queries, all, part.member); worse != nil {
				fmt.Fprintf(&text, "\nThe earlier build has more success at 3 in: %s.\n", strings.Join(worse, ", "))
			}
			fmt.Fprintf(&text, "\nSuccess at 3 and NDCG by class:\n\n%s", byClass(queries, all, part.member))
		}
	}
	describe("##", set.plain.queries, plain)
	fmt.Fprintf(&text, `
## Contents of files

%d more searches over the same entries, of which %d now have the text of a README, the headings of a notebook or the columns of a table.
%d searches were held out.
`, len(set.contents.queries), with, contentHeld)
	describe("###", set.contents.queries, contents)
	return report.Part{
		Name: "relevance", Title: "Whether searches find what people mean", Text: text.String(),
		About: []string{
			fmt.Sprintf("%d judged searches over %s entries with Cairn %s, of which %d were held out while the ranking was tuned: [how the set was made](relevance/README.md)",
				len(set.plain.queries), report.Whole(size), version, held),
			"success at 3 means that an entry that is wanted is among the first three; NDCG looks at the first ten",
		},
	}
}

// worseThan returns the classes in which another engine than the first has more success at 3.
func worseThan(queries []query, all []ranking, member func(*query) bool) []string {
	var worse []string
	for _, class := range classes(queries) {
		within := func(q *query) bool { return member(q) && q.class == class }
		first := score(queries, all[0], within, atMost(3))
		for _, other := range all[1:] {
			if score(queries, other, within, atMost(3)) > first {
				worse = append(worse, class+" ("+other.name+")")
			}
		}
	}
	return worse
}

func overall(queries []query, all []ranking, member func(*query) bool) string {
	table := report.Table{Columns: []string{"engine", "success at 1", "at 3", "at 10", "NDCG"}}
	for _, one := range all {
		table.Add(one.name, share(score(queries, one, member, atMost(1))), share(score(queries, one, member, atMost(3))),
			share(score(queries, one, member, atMost(depth))), share(score(queries, one, member, (*query).gained)))
	}
	return table.String()
}

func byClass(queries []query, all []ranking, member func(*query) bool) string {
	table := report.Table{Columns: []string{"class", "searches"}}
	for _, one := range all {
		table.Columns = append(table.Columns, one.name)
	}
	for _, class := range classes(queries) {
		within := func(q *query) bool { return member(q) && q.class == class }
		row := []string{class, fmt.Sprint(count(queries, within))}
		for _, one := range all {
			row = append(row, share(score(queries, one, within, atMost(3)))+" / "+share(score(queries, one, within, (*query).gained)))
		}
		table.Add(row...)
	}
	return table.String()
}

func share(value float64) string { return fmt.Sprintf("%.3f", value) }

// atMost scores 1 when a wanted entry is among the first.
func atMost(within int) func(*query, []int) float64 {
	return func(q *query, found []int) float64 {
		if q.succeeds(found, within) {
			return 1
		}
		return 0
	}
}

// score returns the mean of a measure.
func score(queries []query, of ranking, member func(*query) bool, measure func(*query, []int) float64) float64 {
	sum, members := 0.0, 0
	for i := range queries {
		if member(&queries[i]) {
			sum += measure(&queries[i], of.found[i])
			members++
		}
	}
	return sum / float64(max(1, members))
}

func count[T any](all []T, member func(*T) bool) (members int) {
	for i := range all {
		if member(&all[i]) {
			members++
		}
	}
	return members
}

// classes returns the classes in the order of the file.
func classes(queries []query) []string {
	var names []string
	for i := range queries {
		if i == 0 || queries[i].class != queries[i-1].class {
			names = append(names, queries[i].class)
		}
	}
	return names
}
