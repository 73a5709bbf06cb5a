package sessions

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// soakConfig keeps sessions small, so that the hostile ones reach their limits soon.
const soakConfig = `log: {level: info}
sessions: {jupyter: ` + program.Jupyter + `, capacity: 16, limit: 16, memory: 512MiB, cpu: "1", disk: 64MiB, files: 5000, idle: never, open_idle: never, network: none}
disk: {reserve: 256MiB}
`

const (
	renewEvery = 20 * time.Minute // the token
	workers    = 256              // connections for people
	changes    = 2                // at the end of what is asked
	turnLength = 20               // one request in so many changes something
)

// soak is one run.
type soak struct {
	cairn  program.Program
	server *program.Server
	token  atomic.Pointer[string]
	rate   int
	length time.Duration

	done              []*deeds
	asked             []request
	first, last, rest program.Figures // in the middle and at the end, both with hostile sessions, and without any
	thirds            [3]int64        // the most memory of the server in each, in bytes
	faults            []string
}

// request is what people ask for.
type request struct {
	method, path string
	times        []time.Duration
	failed       []error
}

// RunSoak keeps hostile sessions of a real Jupyter running beside people's requests. Its error names slow or wrong answers, growth
// of the server, and what it left behind.
func RunSoak(ctx context.Context, arguments []string, out io.Writer) (err error) {
	return report.Run(ctx, "soak", "bench/SOAK.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		s := &soak{}
		flags.DurationVar(&s.length, "time", 3*time.Minute, "how long is measured")
		flags.IntVar(&s.rate, "rate", 200, "requests a second")
		return s.run
	})
}

func (s *soak) run(ctx context.Context, with *report.Setup) (part report.Part, err error) {
	if err := adoptOrphans(); err != nil {
		return part, err
	}
	s.cairn = program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"}, Config: program.Config(nil, soakConfig)}
	if s.server, err = s.cairn.Start(ctx, program.AnySearch); err != nil {
		return part, err
	}
	stopped := sync.OnceFunc(func() { _ = s.server.Stop() })
	defer killOrphans() // after the stop
	defer stopped()
	level := "not logged"
	if _, found, ok := strings.Cut(s.cairn.Log(), `msg="sessions on this server" `); ok {
		level, _, _ = strings.Cut(found, "\n")
	}
	with.Say("sessions: %s", level)
	if err := s.measure(ctx, with); err != nil {
		return part, err
	}
	s.judge()
	stopped()
	for _, one := range append(slices.Collect(maps.Values(orphans())), s.remains()...) {
		s.fault("left behind: %s", one)
	}
	all := s.all()
	return report.Part{
		Title: "Hostile sessions beside people", Text: s.tables(), Faults: s.faults,
		About: []string{
			fmt.Sprintf("%d requests a second for %s beside %d hostile sessions; people are ahead of sessions, as the server is", s.rate, s.length, len(hostilities)),
			"sessions: " + level,
		},
		Aims: []report.Aim{{Text: fmt.Sprintf("p99 of %s answers", report.Whole(len(all))), Limit: float64(aim) / 1e6, Measured: float64(report.Quantile(all, 0.99)) / 1e6, Unit: "ms"}},
	}, nil
}

func (s *soak) fault(format string, values ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, values...))
}

// measure is hostile for as long as it asks.
func (s *soak) measure(ctx context.Context, with *report.Setup) error {
	if err := s.renew(ctx); err != nil {
		return err
	}
	who := program.Person{Address: s.server.Address, Token: s.current}
	repository, err := who.Repository(ctx, program.Demo)
	if err != nil {
		return err
	}
	hostile, end := context.WithCancel(ctx)
	var harassing sync.WaitGroup
	defer harassing.Wait()
	defer end()
	for _, one := range hostilities {
		done := &deeds{endings: map[string]int{}, troubles: map[string]int{}}
		s.done = append(s.done, done)
		harassing.Go(func() { one.harass(hostile, who, repository, done) })
	}
	if ran, _ := load.Wait(ctx, program.WaitTime, 200*time.Millisecond, s.allRan); !ran {
		s.fault("not every hostile session ran")
	}
	with.Say("%d hostile sessions run; asking %d times a second for %s", len(hostilities), s.rate, s.length)
	half, stop := context.WithTimeout(ctx, s.length/2)
	defer stop()
	harassing.Go(func() { <-half.Done(); s.first = s.server.Figures() })
	harassing.Go(func() { s.watch(hostile) })
	s.ask(ctx, repository)
	s.last = s.server.Figures()
	end()
	with.Say("deleting the hostile sessions")
	harassing.Wait()
	s.rest = s.server.Figures()
	_, err = load.Wait(ctx, program.WaitTime, time.Second, func() (bool, error) { return len(s.remains()) == 0, nil })
	return errors.Join(err, ctx.Err())
}

// renew makes a token, which is valid for an hour.
func (s *soak) renew(ctx context.Context) error {
	tokens, err := s.cairn.Tokens(ctx, program.Researcher)
	if err == nil {
		s.token.Store(&tokens[0])
	}
	return err
}

func (s *soak) current() string { return *s.token.Load() }

// watch renews the token, and notes the most memory that the server has in each third of the time.
func (s *soak) watch(ctx context.Context) {
	began, renewed := time.Now(), time.Now()
	for ; ctx.Err() == nil; load.Pause(ctx, time.Second) {
		part := &s.thirds[min(int(3*time.Since(began)/s.length), 2)]
		*part = max(*part, s.server.Figures().Now)
		if time.Since(renewed) > renewEvery && s.renew(ctx) == nil {
			renewed = time.Now()
		}
	}
}

func (s *soak) allRan() (all bool, err error) {
	all = true
	for _, one := range s.done {
		one.note(func() { all = all && one.runs > 0 })
	}
	return all, nil
}

// ask sends requests when they are due, however slowly others are answered, and counts from then.
func (s *soak) ask(ctx context.Context, entry string) {
	for _, path := range []string{
		"/", program.API + "/resources/public/search?type=REPOSITORY&name=a", "/resources/repositories/" + entry, program.API + "/resources/public/" + entry,
		program.API + "/sessions", program.API + "/resources/public?facets=types,tags&pageNumber=0&pageSize=24&view=card",
		program.API + "/resources/public/tags/all", program.API + "/resources/search?type=NOTEBOOK&name=model",
	} {
		s.asked = append(s.asked, request{method: http.MethodGet, path: path})
	}
	star := program.API + "/resources/" + entry + "/star"
	s.asked = append(s.asked, request{method: http.MethodPut, path: star}, request{method: http.MethodDelete, path: star}) // changes
	ending, end := context.WithTimeout(ctx, s.length)
	defer end()
	connections := make([]*load.Connection, workers)
	var count atomic.Int64
	var mu sync.Mutex
	load.Every(ending, float64(s.rate), workers, func(worker int, due time.Time) {
		if connections[worker] == nil {
			connections[worker] = load.NewConnection(s.server.Address)
		}
		one := &s.asked[s.turn(int(count.Add(1)-1))]
		err := ask(ctx, connections[worker], one.method, one.path, s.current())
		mu.Lock()
		defer mu.Unlock()
		one.times = append(one.times, time.Since(due))
		if err != nil {
			one.failed = append(one.failed, err)
		}
	})
	for _, one := range connections {
		if one != nil {
			one.Close()
		}
	}
}

// turn returns which request is next after so many.
func (s *soak) turn(count int) int {
	reads := len(s.asked) - changes
	if count%turnLength == turnLength-1 {
		return reads + count/turnLength%changes
	}
	return count % reads
}

func (s *soak) all() (times []time.Duration) {
	for _, one := range s.asked {
		times = append(times, one.times...)
	}
	slices.Sort(times)
	return times
}

// judge adds what went wrong.
func (s *soak) judge() {
	for _, one := range s.asked {
		if len(one.failed) > 0 {
			s.fault("%d requests failed, the first: %v", len(one.failed), one.failed[0])
		}
	}
	if s.thirds[2] > s.thirds[1]+s.thirds[1]/4 {
		s.fault("the server's memory grew")
	}
	if s.last.Threads > 2*s.first.Threads+16 || s.rest.Descriptors > s.first.Descriptors+32 {
		s.fault("the server's threads or descriptors grew")
	}
}

// tables returns everything in Markdown.
func (s *soak) tables() string {
	answers := report.Table{Columns: []string{"answers", "p50 ms", "p95 ms", "p99 ms", "longest ms"}}
	for _, one := range append([]request{{method: "all", times: s.all()}}, s.asked...) {
		answers.Add(append([]string{strings.TrimSpace(one.method + " " + one.path)}, report.Quantiles(one.times, 0.5, 0.95, 0.99, 1)...)...)
	}
	usage := report.Table{Columns: []string{"the server", "memory", "descriptors", "threads"}}
	for when, one := range []program.Figures{s.first, s.last, s.rest} {
		usage.Add([]string{"in the middle", "at the end", "without sessions"}[when], report.Mebibytes(one.Now), strconv.Itoa(one.Descriptors), strconv.Itoa(one.Threads))
	}
	table := report.Table{Columns: []string{"session", "ran", "messages", "asked beside"}}
	var text strings.Builder
	for i, one := range s.done {
		table.Add(hostilities[i].name, strconv.Itoa(one.runs), report.Whole(one.messages), strconv.Itoa(one.beside))
		for _, line := range slices.Concat(counted(one.endings), counted(one.troubles)) {
			_, _ = fmt.Fprintf(&text, "- %s: %s\n", hostilities[i].name, line)
		}
	}
	return fmt.Sprintf("%s\n%s\nThe most memory of the server in each third of the time: %s, %s and %s. The last may be a quarter above the second.\n\n%s\nWhy the server ended sessions, and what went wrong with them:\n\n%s",
		answers.String(), usage.String(), report.Mebibytes(s.thirds[0]), report.Mebibytes(s.thirds[1]), report.Mebibytes(s.thirds[2]), table.String(), text.String())
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
