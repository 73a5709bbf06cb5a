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
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// earlierText holds what an earlier build found, by --record.
//
//go:embed earlier.json
var earlierText []byte

// earlier is what a build found for each search, in the order of queries.txt.
type earlier struct {
	Commit string  `json:"commit"` // or version
	Set    string  `json:"set"`    // digest
	Found  [][]int `json:"found"`
}

// Run measures whether searches find what people mean.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "relevance", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		record := flags.String("record", "", "file for what the binary finds, as the earlier build; there are no results then")
		misses := flags.Bool("misses", false, "list the searches of the tuned set that Cairn fails at, and write no results")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			return measure(ctx, with, *record, *misses)
		}
	})
}

// judged are entries with the searches that are asked of them.
type judged struct {
	entries []entry
	queries []query
}

// judgedSet is everything that is asked: first of the entries alone, then of the same entries with contents.
type judgedSet struct{ plain, contents judged }

func newSet() (set judgedSet, err error) {
	if set.plain.entries, err = newEntries(); err != nil {
		return set, err
	}
	if set.plain.queries, err = parseQueries(queriesText, held, set.plain.entries); err != nil {
		return set, err
	}
	if set.contents.entries, err = withContents(set.plain.entries); err != nil {
		return set, err
	}
	set.contents.queries, err = parseQueries(contentQueriesText, contentHeld, set.contents.entries)
	return set, err
}

func measure(ctx context.Context, with *report.Setup, record string, misses bool) (part report.Part, err error) {
	set, err := newSet()
	if err != nil {
		return part, err
	}
	var before earlier
	if err := json.Unmarshal(earlierText, &before); err != nil {
		return part, err
	}
	version, err := program.Program{Binary: with.Binary}.Version(ctx)
	if err != nil {
		return part, err
	}
	now, err := ask(ctx, program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "plain")}, set.plain)
	if err != nil {
		return part, err
	}
	if record != "" {
		text, err := json.Marshal(earlier{version, digest(), now.found})
		with.Results = ""
		return report.Part{Name: "relevance", Title: "Recorded"}, errors.Join(err, os.WriteFile(record, append(text, '\n'), 0o644))
	}
	if before.Set != digest() {
		return part, errors.New("earlier.json is about another set: record it again")
	}
	inContents, err := ask(ctx, program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "contents")}, set.contents)
	if err != nil {
		return part, err
	}
	if misses {
		with.Results = ""
		return report.Part{Name: "relevance", Title: "Misses", Text: listMisses(set.plain, now) + listMisses(set.contents, inContents)}, nil
	}
	return results(version, set, []ranking{now, {"Cairn at " + before.Commit, before.Found}}, []ranking{inContents}), nil
}

// ranking is what a build found for each search: the numbers of entries, the best first, at most depth.
type ranking struct {
	name  string
	found [][]int
}

// ask imports the entries into a new data folder, serves them, and asks all searches.
func ask(ctx context.Context, cairn program.Program, set judged) (result ranking, err error) {
	numbers := make(map[string]int, len(set.entries))
	if _, err := cairn.Import(ctx, func(file io.Writer) error {
		encoder := json.NewEncoder(file)
		for i := range set.entries {
			numbers[set.entries[i].Name] = i
			if err := encoder.Encode(set.entries[i].Entry); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return result, err
	}
	server, err := cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	result.name = "Cairn"
	for i := range set.queries {
		values := url.Values{"view": {"card"}, "pageSize": {strconv.Itoa(depth)}, "pageNumber": {"0"}, "sort": {"relevance"}, "nameSearch": {set.queries[i].text}}
		body, err := connection.Get(ctx, program.API+"/resources/public?"+values.Encode())
		var page struct{ Content []struct{ Name string } }
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if err != nil {
			return result, err
		}
		var found []int
		for _, card := range page.Content {
			number, known := numbers[card.Name]
			if !known {
				return result, fmt.Errorf("%q found %q, which isn't in the set", set.queries[i].text, card.Name)
			}
			found = append(found, number)
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
func listMisses(set judged, of ranking) string {
	var text strings.Builder
	for i := range set.queries {
		q := &set.queries[i]
		if q.held || q.succeeds(of.found[i], 3) && q.gained(of.found[i]) > 0.7 {
			continue
		}
		fmt.Fprintf(&text, "%s: %s  (NDCG %.2f)\n", q.class, q.text, q.gained(of.found[i]))
		for _, number := range of.found[i][:min(5, len(of.found[i]))] {
			fmt.Fprintf(&text, "    %d  %s | %s\n", q.grades[number], set.entries[number].Name, set.entries[number].Description)
		}
	}
	return text.String()
}
