// Package notebooks measures how long the server takes to render a notebook as HTML.
//
// It calls the renderer directly: over HTTP a notebook is rendered once for all its readers, so nothing could be
// measured twice.
package notebooks

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"cairn/bench/report"
	"cairn/internal/notebook"
)

// The promises, to the first reader of a notebook and to all who follow.
const (
	typicalAim = 5 * time.Millisecond
	largeAim   = 100 * time.Millisecond
)

// source is a notebook to render.
type source struct {
	name    string
	content []byte
	aim     time.Duration
}

// duration is how long one rendering took: wall-clock and processor time.
type duration struct{ clock, processor time.Duration }

// Run renders notebooks with a renderer that has never seen them ("first") and with one that has ("again": it still has
// their formulas and highlighted code). Its error says that an aim was missed. Processor time counts: rendering waits
// for nothing, so on an idle machine wall-clock time is the same.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("notebook", flag.ContinueOnError)
	flags.SetOutput(out)
	script := flags.String("katex", "web/dist/server/katex.min.js", "the script that draws formulas, from the built page")
	folder := flags.String("notebooks", "internal/demo/notebooks", "the notebooks to call typical")
	rounds := flags.Int("rounds", 15, "how often each is rendered; the median counts")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *rounds < 1 {
		return errors.New("--rounds is at least 1")
	}
	katex, err := os.ReadFile(*script)
	if err != nil {
		return fmt.Errorf("build the page with make build: %w", err)
	}
	sources, err := typical(*folder)
	if err != nil {
		return err
	}
	sources = append(sources, source{"1 MB, varied", varied(), largeAim})

	_, _ = fmt.Fprintf(out, "%s; KaTeX in goja %s; medians of %d rounds, in milliseconds\n\n",
		report.Machine(), report.Module("github.com/dop251/goja"), *rounds)
	table := report.Table{Columns: []string{"notebook", "kB", "aim", "first: clock", "processor", "verdict", "again: clock", "processor", "verdict"}}
	missed := false
	for _, one := range sources {
		first, again, err := one.measure(ctx, katex, *rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		table.Add(one.name, report.Whole(len(one.content)/1000), report.Milliseconds(one.aim),
			report.Milliseconds(first.clock), report.Milliseconds(first.processor), one.verdict(first.processor),
			report.Milliseconds(again.clock), report.Milliseconds(again.processor), one.verdict(again.processor))
		missed = missed || first.processor > one.aim || again.processor > one.aim
	}
	_, _ = fmt.Fprint(out, table.String())
	if missed {
		return errors.New("an aim was missed")
	}
	return nil
}

// typical reads the notebooks in a folder.
func typical(folder string) ([]source, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(fmt.Errorf("there are no notebooks in %s", folder), err)
	}
	sources := make([]source, len(paths))
	for i, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sources[i] = source{filepath.Base(path), content, typicalAim}
	}
	return sources, nil
}

func (s source) verdict(measured time.Duration) string {
	return report.Aim{Limit: s.aim.Seconds(), Measured: measured.Seconds()}.Verdict()
}

// measure returns the medians of renderings by new renderers and by one that knows the notebook.
func (s source) measure(ctx context.Context, katex []byte, rounds int) (first, again duration, err error) {
	var firstTimes, nextTimes []duration
	for range rounds {
		renderer, err := notebook.New(notebook.Options{Script: katex})
		if err != nil {
			return first, again, err
		}
		for _, taken := range []*[]duration{&firstTimes, &nextTimes} {
			one, err := s.render(ctx, renderer)
			if err != nil {
				return first, again, err
			}
			*taken = append(*taken, one)
		}
	}
	return median(firstTimes), median(nextTimes), nil
}

// render renders the notebook once; it returns an error when the output is incomplete.
func (s source) render(ctx context.Context, renderer *notebook.Renderer) (duration, error) {
	used, began := processorTime(), time.Now()
	document, err := renderer.Render(ctx, s.content, 1)
	taken := duration{time.Since(began), processorTime() - used}
	if err == nil && (document.Parts > 1 || len(document.Notes) > 0) {
		err = fmt.Errorf("it was not rendered whole: %d parts, %q", document.Parts, document.Notes)
	}
	return taken, err
}

func median(taken []duration) duration {
	middle := func(part func(duration) time.Duration) time.Duration {
		var parts []time.Duration
		for _, one := range taken {
			parts = append(parts, part(one))
		}
		slices.Sort(parts)
		return parts[len(parts)/2]
	}
	return duration{
		middle(func(d duration) time.Duration { return d.clock }),
		middle(func(d duration) time.Duration { return d.processor }),
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // for this process, it can't fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
