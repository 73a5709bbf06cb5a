// Package paint measures how soon a first visitor sees something, on a slow machine with a slow line.
//
// The time depends on the machine that measures, so each visit is paired with one to an inert page: the same server
// sends the same bytes, and they do nothing. The difference is what the page itself costs.
package paint

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

const (
	search    = "/api/v1/rf/resources/public"
	startTime = time.Minute
)

// pages are visited; each ends up showing its cards.
var pages = []struct{ name, path string }{
	{"landing page", "/"},
	{"catalog", "/resources?resourceTypes=REPOSITORY,NOTEBOOK,DATASET,MODEL"},
}

// measures are the figures of a visit, with the promised median as a multiple of the inert page's first paint.
var measures = []struct {
	name string
	of   func(figures) float64
	aim  float64
}{
	{"first paint", firstPaint, 1.1},
	{"largest paint", func(f figures) float64 { return f.LargestPaint }, 1.6},
	{"longest task", func(f figures) float64 { return f.LongTask }, 0.25},
}

func firstPaint(f figures) float64 { return f.FirstPaint }

type options struct {
	binary, browser, results string
	rounds                   int
}

// Run visits the demo's pages and inert ones alternately, prints the times and writes them to a file.
func Run(ctx context.Context, arguments []string, out io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("paint", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&o.browser, "browser", "/usr/bin/chromium-headless-shell", "the browser to visit with")
	flags.StringVar(&o.results, "results", "bench/PAINT.md", "file for the results")
	flags.IntVar(&o.rounds, "rounds", 9, "how often each page is visited")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if o.rounds < 1 {
		return errors.New("--rounds is at least 1")
	}
	folder, err := os.MkdirTemp("", "cairn-paint-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	cairn := program.Program{Binary: o.binary, Data: filepath.Join(folder, "data"), Flags: []string{"--demo"}}
	version, err := cairn.Version(ctx)
	if err != nil {
		return err
	}
	server, err := cairn.Start(ctx, search, startTime)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	chromium, err := open(ctx, o.browser, filepath.Join(folder, "profile"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chromium.close()) }()

	began := time.Now()
	found, err := visits(ctx, chromium, server.Address, o.rounds, out)
	if err != nil {
		return err
	}
	var browser struct {
		Product string `json:"product"`
	}
	if err := chromium.call(ctx, "", "Browser.getVersion", object{}, &browser); err != nil {
		return err
	}
	text := results(found, version, browser.Product, time.Since(began))
	if _, err := fmt.Fprint(out, "\n", text); err != nil {
		return err
	}
	return os.WriteFile(o.results, []byte(text), 0o644)
}

// pair holds the visits to a page, and those to its inert counterpart.
type pair struct{ page, inert []figures }

// visits opens every page and its inert counterpart alternately, because the machine has other work too.
func visits(ctx context.Context, chromium *browser, server string, rounds int, out io.Writer) ([]pair, error) {
	address := &url.URL{Scheme: "http", Host: server}
	page, inert := httptest.NewServer(front(address, false)), httptest.NewServer(front(address, true))
	defer page.Close()
	defer inert.Close()
	found := make([]pair, len(pages))
	// The first round doesn't count: it includes one-time work of the server and the browser.
	for round := range rounds + 1 {
		for i, one := range pages {
			own, err := chromium.visit(ctx, page.URL+one.path, "article")
			if err != nil {
				return nil, err
			}
			none, err := chromium.visit(ctx, inert.URL+one.path, "article")
			if err != nil {
				return nil, err
			}
			if round == 0 {
				continue
			}
			found[i].page = append(found[i].page, own)
			found[i].inert = append(found[i].inert, none)
			_, _ = fmt.Fprintf(out, "%s  %s %d of %d: %+.0f, inert %+.0f\n", time.Now().Format(time.TimeOnly), one.name, round, rounds, own, none)
		}
	}
	return found, nil
}

// spread is how much visits differ.
type spread struct{ least, median, most float64 }

func spreadOf(all []figures, of func(figures) float64) spread {
	var values []float64
	for _, one := range all {
		values = append(values, of(one))
	}
	slices.Sort(values)
	return spread{values[0], values[len(values)/2], values[len(values)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%s / %s / %s", milliseconds(s.least), milliseconds(s.median), milliseconds(s.most))
}

func milliseconds(value float64) string { return report.Whole(int(value + 0.5)) }

// results writes everything in Markdown.
func results(found []pair, version, browser string, took time.Duration) string {
	var out strings.Builder
	line := func(format string, values ...any) { _, _ = fmt.Fprintf(&out, format+"\n", values...) }
	line("# How soon a page is painted\n")
	line("Written by `make bench BENCH=paint` on %s in %s minutes; `bin/bench paint --help` lists the flags.\n",
		time.Now().UTC().Format(time.DateOnly), report.Number(took.Minutes()))
	line("- %s; browser and server run on the same cores", report.Machine())
	line("- Cairn %s with the demo's entries; %s", version, browser)
	line("- A first visit, with nothing in the browser's cache: its processor slowed down %d times, a line of %d ms and 1.6 Mb/s, both by the browser's own emulation", slowdown, latency)
	line("- %d visits of each page, by turns with an inert one: the same server sends the same documents, style sheets and scripts, replaced by as many bytes that do nothing, and the pictures that are loaded at once, which stay hidden;"+
		" its largest part is a paragraph that shows when all scripts are there", len(found[0].page))
	line("\nTimes are in milliseconds: minimum / median / maximum. Ratio is a median beside the first paint of the inert page in the same run, so that it says the same on other machines.")
	for i, one := range pages {
		table := report.Table{Columns: []string{one.name, "measured", "inert page", "ratio", "at most", "verdict"}}
		beside := spreadOf(found[i].inert, firstPaint).median
		for _, measure := range measures {
			own, inert := spreadOf(found[i].page, measure.of), spreadOf(found[i].inert, measure.of)
			ratio := own.median / beside
			table.Add(measure.name, own.String(), inert.String(), report.Number(ratio), report.Number(measure.aim),
				report.Aim{Limit: measure.aim, Measured: ratio}.Verdict())
		}
		line("\n%s", strings.TrimSuffix(table.String(), "\n"))
	}
	line("\nFirst paint: until anything is visible. Largest paint: until the largest part, such as the cards, is visible. Longest task: the longest time in which the page doesn't react.")
	return out.String()
}
