package relevance

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cairn/bench/program"
	"cairn/bench/report"
)

// earlierText holds what an earlier build found, by --record.
//
//go:embed earlier.json
var earlierText []byte

// earlier is what a build found for each search, in the order of queries.txt.
type earlier struct {
	Commit string  `json:"commit"`
	Set    string  `json:"set"` // digest
	Found  [][]int `json:"found"`
}

type options struct {
	binary, results, record, commit string
	misses                          bool
}

// Run is the sub-command.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	var o options
	set := flag.NewFlagSet("bench relevance", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&o.binary, "binary", "bin/cairn", "what is measured")
	set.StringVar(&o.results, "results", "bench/RESULTS.md", "file for the results")
	set.StringVar(&o.record, "record", "", "file for what the binary finds, as the earlier build; nothing else is measured")
	set.StringVar(&o.commit, "commit", "", "of the binary, with --record")
	set.BoolVar(&o.misses, "misses", false, "list the searches of the tuned set that Cairn fails at, and write no results")
	if err := set.Parse(arguments); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return errors.New("give flags only; see --help")
	}
	asked, err := newSet()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-relevance-")
	if err != nil {
		return err
	}
	return errors.Join(o.measure(ctx, asked, folder, out), os.RemoveAll(folder))
}

// judged are entries with the searches that are asked of them.
type judged struct {
	entries []entry
	queries []query
}

// judgedSet is everything that is asked: first of the entries alone, then of the same entries with contents.
type judgedSet struct{ plain, contents judged }

func newSet() (judgedSet, error) {
	entries, err := newEntries()
	if err != nil {
		return judgedSet{}, err
	}
	queries, err := newQueries(entries)
	if err != nil {
		return judgedSet{}, err
	}
	full, err := withContents(entries)
	if err != nil {
		return judgedSet{}, err
	}
	contentQueries, err := newContentQueries(full)
	return judgedSet{judged{entries, queries}, judged{full, contentQueries}}, err
}

func (o options) measure(ctx context.Context, set judgedSet, folder string, out io.Writer) error {
	now, err := o.askCairn(ctx, set.plain, filepath.Join(folder, "plain"))
	if err != nil {
		return err
	}
	if o.record != "" {
		text, err := json.Marshal(earlier{o.commit, digest(), now.found})
		return errors.Join(err, os.WriteFile(o.record, append(text, '\n'), 0o644))
	}
	inContents, err := o.askCairn(ctx, set.contents, filepath.Join(folder, "contents"))
	if err != nil {
		return err
	}
	if o.misses {
		listMisses(out, set.plain, now)
		listMisses(out, set.contents, inContents)
		return nil
	}
	var before earlier
	if err := json.Unmarshal(earlierText, &before); err != nil {
		return err
	}
	if before.Set != digest() {
		return errors.New("earlier.json is about another set: record it again")
	}
	version, err := (program.Program{Binary: o.binary}).Version(ctx)
	if err != nil {
		return err
	}
	text := results(version, set.plain.queries, []ranking{now, {"Cairn at " + before.Commit, before.Found}}) + contentResults(set.contents, []ranking{inContents})
	_, _ = fmt.Fprint(out, text)
	return report.WritePart(o.results, "relevance", text)
}

func (o options) askCairn(ctx context.Context, set judged, folder string) (ranking, error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return ranking{}, err
	}
	cairn, stop, err := openCairn(ctx, "Cairn", o.binary, folder, set.entries)
	if err != nil {
		return ranking{}, err
	}
	found, err := ask(ctx, cairn, set.queries)
	return found, errors.Join(err, stop())
}

// engine answers searches with the numbers of entries, the best first, at most depth.
type engine struct {
	name   string
	search func(ctx context.Context, text string) ([]int, error)
}

// ranking is what an engine found for each search.
type ranking struct {
	name  string
	found [][]int
}

func ask(ctx context.Context, asked engine, queries []query) (ranking, error) {
	result := ranking{name: asked.name}
	for i := range queries {
		found, err := asked.search(ctx, queries[i].text)
		if err != nil {
			return result, fmt.Errorf("%s, %q: %w", asked.name, queries[i].text, err)
		}
		result.found = append(result.found, found)
	}
	return result, nil
}

// digest identifies the set.
func digest() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{fieldsText, authorsText, landmarksText, queriesText}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// listMisses shows what to tune for. Held-out searches aren't shown.
func listMisses(out io.Writer, set judged, of ranking) {
	for i := range set.queries {
		q := &set.queries[i]
		if q.held || q.succeeds(of.found[i], 3) && q.gained(of.found[i]) > 0.7 {
			continue
		}
		_, _ = fmt.Fprintf(out, "%s: %s  (NDCG %.2f)\n", q.class, q.text, q.gained(of.found[i]))
		for _, number := range of.found[i][:min(5, len(of.found[i]))] {
			_, _ = fmt.Fprintf(out, "    %d  %s | %s\n", q.grades[number], set.entries[number].Name, set.entries[number].Description)
		}
	}
}
