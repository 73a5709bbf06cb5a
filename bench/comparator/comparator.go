// Package comparator measures how often a comparison of notebooks is wrong: the product's, and the rules of two tools that
// compare notebooks elsewhere, on the same cases.
package comparator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"cairn/bench/report"
	"cairn/internal/comparator"
	"cairn/internal/comparator/comparatortest"
)

// rule decides whether the notebooks of a case have the same results.
type rule struct {
	name string
	same func(comparatortest.Case) (bool, error)
}

// score counts the wrong answers of a rule.
type score struct {
	alarms, misses []string // names of cases
	took           time.Duration
}

// Run compares all cases with each rule.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("comparator", flag.ContinueOnError)
	flags.SetOutput(out)
	folder := flags.String("cases", "internal/comparator/testdata", "the folder of the cases: corpus and heldout in it")
	results := flags.String("results", "bench/RESULTS.md", "the file that gets the results; empty for none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	var text strings.Builder
	for _, part := range []struct{ name, folder string }{{"Corpus", "corpus"}, {"Held out", "heldout"}} {
		cases, err := comparatortest.Cases(filepath.Join(*folder, part.folder))
		if err != nil {
			return err
		}
		if len(cases) == 0 {
			continue
		}
		table, err := measure(ctx, cases)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s", part.name, table)
	}
	if text.Len() == 0 {
		return fmt.Errorf("there are no cases in %s", *folder)
	}
	whole := head() + text.String()
	_, _ = io.WriteString(out, whole)
	if *results != "" {
		if err := report.WritePart(*results, "comparator", whole); err != nil {
			return err
		}
	}
	return nil
}

func head() string {
	return fmt.Sprintf(`# Whether two notebooks are the same

Written by `+"`make bench BENCH=comparator`"+` on %s. In each case it is known whether a fresh run of a notebook gives the same
results, and there is one cause. A false alarm calls the same results different, a miss calls different ones the same. The held-out cases
were made by somebody who didn't know the rules.

- %s
- nbval: its rules, rewritten here, without a file of replacements, which is its default; it ignores pictures
- nbdime: its strict predicates for equal outputs, rewritten here
`, time.Now().UTC().Format(time.DateOnly), report.Machine())
}

// measure returns a table of all rules, with what each was wrong about.
func measure(ctx context.Context, cases []comparatortest.Case) (string, error) {
	same := 0
	for _, one := range cases {
		if one.Same() {
			same++
		}
	}
	table := report.Table{Columns: []string{"rules", fmt.Sprintf("false alarms of %d", same), fmt.Sprintf("misses of %d", len(cases)-same), "ms for a case"}}
	var notes strings.Builder
	for _, one := range []rule{{"Cairn", cairn}, {"nbval", nbval}, {"nbdime, strict", nbdime}} {
		found, err := one.score(ctx, cases)
		if err != nil {
			return "", err
		}
		table.Add(one.name, fmt.Sprint(len(found.alarms)), fmt.Sprint(len(found.misses)), report.Milliseconds(found.took/time.Duration(len(cases))))
		for _, list := range []struct {
			what  string
			names []string
		}{{"false alarms", found.alarms}, {"misses", found.misses}} {
			if len(list.names) > 0 {
				fmt.Fprintf(&notes, "- %s, %s: %s\n", one.name, list.what, strings.Join(list.names, ", "))
			}
		}
	}
	return table.String() + "\n" + notes.String(), nil
}

func (r rule) score(ctx context.Context, cases []comparatortest.Case) (found score, err error) {
	began := time.Now()
	for _, one := range cases {
		if ctx.Err() != nil {
			return found, ctx.Err()
		}
		same, err := r.same(one)
		switch {
		case err != nil:
			return found, fmt.Errorf("%s, case %s: %w", r.name, one.Name, err)
		case one.Same() && !same:
			found.alarms = append(found.alarms, one.Name)
		case !one.Same() && same:
			found.misses = append(found.misses, one.Name)
		}
	}
	found.took = time.Since(began)
	return found, nil
}

// cairn reads the second run only if the first differs, as the product does.
func cairn(one comparatortest.Case) (bool, error) {
	author, err := comparator.Read(one.Author)
	run, failed := comparator.Read(one.Run)
	if err = errors.Join(err, failed); err != nil {
		return false, err
	}
	result := comparator.Compare(author, run, nil)
	if result.Counts.Differs > 0 && one.Again != nil {
		again, err := comparator.Read(one.Again)
		if err != nil {
			return false, err
		}
		result = comparator.Compare(author, run, again)
	}
	worst := result.Worst()
	return worst != comparator.Different && worst != comparator.NotRun, nil
}
