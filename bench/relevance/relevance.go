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
	"os/exec"
	"strings"
	"time"

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
	binary, results, record, commit, postgres string
	misses                                    bool
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
	o.postgres = os.Getenv("CAIRN_TEST_POSTGRES")
	if o.postgres == "" && o.record == "" && !o.misses {
		return withPostgres(ctx, arguments, out)
	}
	entries, err := newEntries()
	if err != nil {
		return err
	}
	queries, err := newQueries(entries)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-relevance-")
	if err != nil {
		return err
	}
	return errors.Join(o.measure(ctx, entries, queries, folder, out), os.RemoveAll(folder))
}

// withPostgres runs this program again with a PostgreSQL server.
func withPostgres(ctx context.Context, arguments []string, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "scripts/with-postgres.sh", append([]string{self, "relevance"}, arguments...)...)
	command.Stdout, command.Stderr = out, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 20 * time.Second
	return command.Run()
}

func (o options) measure(ctx context.Context, entries []entry, queries []query, folder string, out io.Writer) error {
	cairn, stop, err := openCairn(ctx, "Cairn", o.binary, folder, entries)
	if err != nil {
		return err
	}
	now, err := ask(ctx, cairn, queries)
	if err = errors.Join(err, stop()); err != nil {
		return err
	}
	if o.record != "" {
		text, err := json.Marshal(earlier{o.commit, digest(), now.found})
		return errors.Join(err, os.WriteFile(o.record, append(text, '\n'), 0o644))
	}
	if o.misses {
		listMisses(out, entries, queries, now)
		return nil
	}
	all := []ranking{now}
	var before earlier
	if err := json.Unmarshal(earlierText, &before); err != nil {
		return err
	}
	if before.Set != digest() {
		return errors.New("earlier.json is about another set: record it again")
	}
	all = append(all, ranking{"Cairn at " + before.Commit, before.Found})
	for _, open := range []func() (engine, func() error, error){
		func() (engine, func() error, error) { return openSQLite(ctx, entries) },
		func() (engine, func() error, error) { return openPostgres(ctx, o.postgres, entries) },
	} {
		other, stop, err := open()
		if err != nil {
			return err
		}
		found, err := ask(ctx, other, queries)
		if err = errors.Join(err, stop()); err != nil {
			return err
		}
		all = append(all, found)
	}
	version, err := (program.Program{Binary: o.binary}).Version(ctx)
	if err != nil {
		return err
	}
	text := results(version, queries, all)
	_, _ = fmt.Fprint(out, text)
	return report.WritePart(o.results, "relevance", text)
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
func listMisses(out io.Writer, entries []entry, queries []query, of ranking) {
	for i := range queries {
		q := &queries[i]
		if q.held || q.succeeds(of.found[i], 3) && q.gained(of.found[i]) > 0.7 {
			continue
		}
		_, _ = fmt.Fprintf(out, "%s: %s  (NDCG %.2f)\n", q.class, q.text, q.gained(of.found[i]))
		for _, number := range of.found[i][:min(5, len(of.found[i]))] {
			_, _ = fmt.Fprintf(out, "    %d  %s | %s\n", q.grades[number], entries[number].Name, entries[number].Description)
		}
	}
}
