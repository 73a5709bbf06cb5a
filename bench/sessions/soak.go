package sessions

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cairn/bench/load"
	"cairn/bench/report"
)

// soakConfig keeps sessions small, so that the hostile ones reach their limits soon.
const soakConfig = `accounts: {enable: auto}
sessions: {capacity: 16, limit: 16, memory: 512MiB, cpu: "1", disk: 64MiB, files: 5000, idle: never, open_idle: never, network: none}
disk: {reserve: 256MiB}
`

const renewEvery = 20 * time.Minute // the token

// soak is one run.
type soak struct {
	server      *server
	binary      string
	token       atomic.Pointer[string]
	rate        int
	length      time.Duration
	level       string
	done        []*deeds
	asked       []*http.Request
	latencies   [][]time.Duration // of each of them
	failed      []error           // the requests with wrong answers
	first, last figures           // of the server, both with hostile sessions
	rest        figures           // without any
	thirds      [3]int64          // the most memory of the server in each, in bytes
	faults      []error
}

// RunSoak keeps hostile sessions of a real Jupyter running beside people's requests, prints what happened and writes it
// to a file. Its error names slow or wrong answers, growth of the server, and what it left behind.
func RunSoak(ctx context.Context, arguments []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(out)
	binary := flags.String("binary", "bin/cairn", "the program to measure")
	length := flags.Duration("time", 3*time.Minute, "how long is measured")
	rate := flags.Int("rate", 200, "requests a second")
	results := flags.String("results", "bench/SOAK.md", "where the results are written; empty: nowhere")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *rate < 1 {
		return errors.New("the rate must be positive")
	}
	if err := adoptOrphans(); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-soak-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "cairn.yaml")
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	if err := errors.Join(os.WriteFile(file, []byte(soakConfig), 0o600), os.Chmod(folder, 0o755)); err != nil { //nolint:gosec // session accounts pass through it
		return err
	}
	server, err := startLogging(ctx, *binary, folder, "info", log, "--demo", "--config", file)
	if err != nil {
		return err
	}
	stopped := sync.OnceFunc(server.stop)
	defer killOrphans() // after the stop
	defer stopped()
	run := &soak{server: server, binary: *binary, rate: *rate, length: *length, level: isolation(log.Name())}
	if err := run.renew(ctx); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "sessions: %s\n", run.level)
	if err := run.measure(ctx, out); err != nil {
		return err
	}
	run.judge()
	stopped()
	run.lookForLeftovers()
	text := run.String()
	_, _ = fmt.Fprint(out, text)
	if *results != "" {
		run.faults = append(run.faults, report.WritePart(*results, "", text))
	}
	return errors.Join(run.faults...)
}

// measure is hostile for as long as it asks.
func (s *soak) measure(ctx context.Context, out io.Writer) error {
	hostile, end := context.WithCancel(ctx)
	var harassing sync.WaitGroup
	defer harassing.Wait()
	defer end()
	for _, one := range hostilities {
		done := &deeds{endings: map[string]int{}, troubles: map[string]int{}}
		s.done = append(s.done, done)
		harassing.Go(func() { one.harass(hostile, s.server, s.current, done) })
	}
	for deadline := time.Now().Add(waitTime); !s.allRan(); {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Now().After(deadline) {
			s.faults = append(s.faults, errors.New("not every hostile session ran"))
			break
		}
		pause(ctx, 200*time.Millisecond)
	}
	_, _ = fmt.Fprintf(out, "%d hostile sessions run; asking %d times a second for %s\n", len(hostilities), s.rate, s.length)
	if err := s.prepare(ctx); err != nil {
		return err
	}
	half, stop := context.WithTimeout(ctx, s.length/2)
	defer stop()
	harassing.Go(func() { <-half.Done(); s.first = s.server.figures() })
	harassing.Go(func() { s.watch(hostile) })
	s.ask(ctx)
	s.last = s.server.figures()
	end()
	_, _ = fmt.Fprintln(out, "deleting the hostile sessions")
	harassing.Wait()
	s.rest = s.server.figures()
	for _, one := range s.remains() {
		_, _ = fmt.Fprintln(out, "still there after the deletions:", one)
	}
	_, _ = fmt.Fprintln(out, "waiting until their work is removed")
	for deadline := time.Now().Add(waitTime); len(s.remains()) > 0 && time.Now().Before(deadline) && ctx.Err() == nil; {
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// renew makes a token, which is valid for an hour.
func (s *soak) renew(ctx context.Context) error {
	token, err := s.server.output(ctx, s.binary, "token", "researcher@example.org")
	if err == nil {
		s.token.Store(new(strings.TrimSpace(token)))
	}
	return err
}

func (s *soak) current() string { return *s.token.Load() }

// watch renews the token, and notes the most memory that the server has in each third of the time.
func (s *soak) watch(ctx context.Context) {
	began, renewed := time.Now(), time.Now()
	for ; ctx.Err() == nil; pause(ctx, time.Second) {
		part := &s.thirds[min(int(3*time.Since(began)/s.length), 2)]
		*part = max(*part, int64(s.server.memory()))
		if time.Since(renewed) > renewEvery && s.renew(ctx) == nil {
			renewed = time.Now()
		}
	}
}

func (s *soak) allRan() bool {
	for _, one := range s.done {
		one.mutex.Lock()
		ran := one.runs > 0
		one.mutex.Unlock()
		if !ran {
			return false
		}
	}
	return true
}

func (s *soak) all() load.Result { return load.Of(slices.Concat(s.latencies...)) }

// judge compares with the aims.
func (s *soak) judge() {
	fail := func(format string, values ...any) { s.faults = append(s.faults, fmt.Errorf(format, values...)) }
	if all := s.all(); all.Quantile(0.99) >= aim {
		fail("p99 is %s, not below %s", all.Quantile(0.99), aim)
	}
	if len(s.failed) > 0 {
		fail("%d requests failed, the first: %w", len(s.failed), s.failed[0])
	}
	if s.thirds[2] > s.thirds[1]+s.thirds[1]/4 {
		fail("the server's memory grew")
	}
	if s.last.threads > 2*s.first.threads+16 || s.rest.descriptors > s.first.descriptors+32 {
		fail("the server's threads or descriptors grew")
	}
}

// String returns the results in Markdown.
func (s *soak) String() string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "# Hostile sessions beside people\n\nWritten by `make soak` on %s: %d requests a second for %s beside %d hostile sessions.\n\n- %s; the load generator runs on the same cores, ahead of sessions as the server does\n- sessions: %s\n\n",
		time.Now().UTC().Format(time.DateOnly), s.rate, s.length, len(hostilities), report.Machine(), s.level)
	_, _ = fmt.Fprintf(&text, "%s answers, %d of them wrong. The aim is a p99 below %s ms.\n\n",
		report.Whole(len(s.all().Latencies)), len(s.failed), report.Milliseconds(aim))
	answers := report.Table{Columns: []string{"answers", "p50 ms", "p95 ms", "p99 ms", "longest ms"}}
	add := func(name string, result load.Result) {
		cells := []string{name}
		for _, part := range []float64{0.5, 0.95, 0.99, 1} {
			cells = append(cells, report.Milliseconds(result.Quantile(part)))
		}
		answers.Add(cells...)
	}
	add("all", s.all())
	for i, request := range s.asked {
		add(request.Method+" "+request.URL.Path, load.Of(s.latencies[i]))
	}
	text.WriteString(answers.String() + "\n")
	usage := report.Table{Columns: []string{"the server", "memory", "descriptors", "threads"}}
	for _, one := range []struct {
		when string
		figures
	}{{"in the middle", s.first}, {"at the end", s.last}, {"without sessions", s.rest}} {
		usage.Add(one.when, report.Mebibytes(one.memory), strconv.Itoa(one.descriptors), strconv.Itoa(one.threads))
	}
	text.WriteString(usage.String() + "\n")
	_, _ = fmt.Fprintf(&text, "The most memory of the server in each third of the time: %s, %s and %s. The last may be a quarter above the second.\n\n",
		report.Mebibytes(s.thirds[0]), report.Mebibytes(s.thirds[1]), report.Mebibytes(s.thirds[2]))
	table := report.Table{Columns: []string{"session", "ran", "messages", "asked beside"}}
	for i, one := range s.done {
		table.Add(hostilities[i].name, strconv.Itoa(one.runs), report.Whole(one.messages), strconv.Itoa(one.beside))
	}
	text.WriteString(table.String())
	text.WriteString("\nWhy the server ended sessions, and what went wrong with them:\n\n")
	for i, one := range s.done {
		for _, line := range slices.Concat(counted(one.endings), counted(one.troubles)) {
			_, _ = fmt.Fprintf(&text, "- %s: %s\n", hostilities[i].name, line)
		}
	}
	if len(s.faults) == 0 {
		text.WriteString("\nAll aims were met, and nothing was left behind.\n")
	} else {
		text.WriteString("\nMissed:\n\n")
	}
	for _, fault := range s.faults {
		_, _ = fmt.Fprintf(&text, "- %s\n", fault)
	}
	return text.String()
}

// sizes are what the reasons of endings differ in.
var sizes = regexp.MustCompile(`[0-9.]+ [kMGT]?B`)

// counted returns a line for each text, with how often it was noted.
func counted(texts map[string]int) []string {
	alike := map[string]int{}
	for text, count := range texts {
		alike[sizes.ReplaceAllString(text, "(size)")] += count
	}
	lines := make([]string, 0, len(alike))
	for text, count := range alike {
		lines = append(lines, fmt.Sprintf("%d x %s", count, text))
	}
	slices.Sort(lines)
	return lines
}

// isolation returns what the server logged about its sessions.
func isolation(log string) string {
	content, _ := os.ReadFile(log)
	for line := range bytes.Lines(content) {
		if _, found, ok := strings.Cut(string(line), `msg="sessions on this server" `); ok {
			return strings.TrimSpace(found)
		}
	}
	return "not logged"
}
