// Package rivals holds what could be used instead of the catalog's own index: SQLite's FTS5 and PostgreSQL, each with
// the same public entries, with a schema and indexes that suit the searches, in the caller's process or one connection
// away, so that no HTTP slows them down. They get the allowance that the catalog gives itself: at most rankLimit
// candidates of a search are ranked. Their cards lack tags, authors and stars, which the catalog's answers have.
package rivals

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
)

// Rival answers searches: it fetches a page of cards, and tells the exact total.
type Rival interface {
	Search(ctx context.Context, query corpus.Query) (total int, err error)
}

const (
	rankLimit  = 1000
	cardLength = 280 // characters of a description
	facetLimit = 50  // tags of a facet
)

// Limits bound how long a class may take.
type Limits struct {
	Count int           // searches
	Time  time.Duration // for all of them; one that is under way when it ends is waited for
	One   time.Duration // for one
}

// Figures are what a class took.
type Figures struct {
	load.Result

	Totals   []int // of the first searches, in their order
	TimedOut bool  // a search took longer than Limits.One: the class was given up
}

// warmUps is how many searches come before those that count.
const warmUps = 3

// Measure asks the searches one after another.
func Measure(ctx context.Context, rival Rival, queries []corpus.Query, limits Limits) (Figures, error) {
	var figures Figures
	var latencies []time.Duration
	began := time.Now()
	for i, query := range queries[:min(len(queries), limits.Count+warmUps)] {
		// A slow class has its first search for warm-up alone.
		if spent := time.Since(began); len(latencies) > 2 && spent > limits.Time {
			break
		}
		single, cancel := context.WithTimeout(ctx, limits.One)
		started := time.Now()
		total, err := rival.Search(single, query)
		took := time.Since(started)
		overdue := single.Err() != nil
		cancel()
		if overdue && ctx.Err() == nil {
			figures.TimedOut = true
			latencies = append(latencies, took)
			break
		}
		if err != nil {
			return figures, err
		}
		if total == 0 {
			return figures, errors.New("nothing was found by a search that has a match: " + query.Path())
		}
		figures.Totals = append(figures.Totals, total)
		if i >= warmUps || (i > 0 && time.Since(began) > limits.Time/5) {
			latencies = append(latencies, took)
		}
	}
	figures.Result = load.Of(latencies)
	return figures, nil
}

// row is an entry as both rivals store it.
type row struct {
	number      int
	kind        int // index in kinds
	name        string
	folded      string
	description string
	authors     string
	tags        []int
	tagWords    string
}

var kinds = []string{"DATASET", "NOTEBOOK", "REPOSITORY", "MODEL"}

// tagNumbers gives each tag a number as it comes along.
type tagNumbers map[string]int

func (t tagNumbers) of(tag string) int {
	number, ok := t[tag]
	if !ok {
		number = len(t) + 1
		t[tag] = number
	}
	return number
}

// rows calls each with every public entry.
func rows(ctx context.Context, entries *corpus.Corpus, tags tagNumbers, each func(row) error) error {
	for number := range entries.Entries {
		if number%10_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		entry := entries.Entry(number)
		if !entry.Public() {
			continue
		}
		one := row{
			number: number + 1, kind: slices.Index(kinds, entry.Type), name: entry.Name, folded: corpus.Fold(entry.Name),
			description: entry.Description, authors: strings.Join(entry.Authors, " "), tags: []int{}, tagWords: strings.Join(entry.Tags, " "),
		}
		for _, tag := range entry.Tags {
			one.tags = append(one.tags, tags.of(tag))
		}
		if err := each(one); err != nil {
			return err
		}
	}
	return nil
}
