// Package workshop measures a workshop from its preparation to its end: how long its sessions take to get warm and who waits for that, how
// soon its guests are in, how soon hosts see errors and guests see messages, and that nobody's work is lost or changed.
package workshop

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

const (
	beside     = 5                // starts of somebody else, in each part
	betweenHot = 2 * time.Second  // from one of them to the next while sessions get warm
	stillTime  = 20 * time.Second // for which the server's share of a core is measured
	failing    = 3                // one guest in so many executes a cell with an error
	memory     = 256              // MiB that a session may take, so that 60 of them fit into 24 GiB
)

// options are what a run does.
type options struct {
	guests, bare int
	joining      time.Duration
}

// figures are everything that is measured.
type figures struct {
	version  string
	capacity int
	faults   []string

	warming               time.Duration // from the preparation until all sessions are ready
	before, during, while usable        // starts of somebody else: before anything was prepared, while sessions get warm, and while guests join
	idle, quiet, asked    float64       // cores of the server with nobody there, with all sessions whose pages don't ask, and while they do
	answers               []time.Duration
	memory                []int64 // bytes of each seat, as its page says

	warm, cold           usable          // guests, with a session that was ready and without
	waiting              int             // guests who were told their place instead
	errors, told         []time.Duration // until the board shows them, and until the kernel has told the page
	messages             []time.Duration // until a page has it
	handedOut            time.Duration   // until the board says that all have it
	ended, stopped       time.Duration   // until the call was answered, and until no process is left
	zips                 []time.Duration // until a guest has the work
	refused              int             // answers that said to come again for it
	files                int             // that were compared in all zips
	bare                 usable          // the last of the bare Jupyters
	bareCount, processes int
}

func (f *figures) fault(format string, values ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, values...))
}

// usable says when notebooks could be used, of several starts.
type usable struct {
	page   []time.Duration // until its page is there
	kernel []time.Duration // until its kernel has answered and is idle
}

func (u *usable) add(page, kernel time.Duration) {
	u.page, u.kernel = append(u.page, page), append(u.kernel, kernel)
}

// Run measures a workshop. Its error says that an aim was missed, or what went wrong.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "workshop", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		var o options
		flags.IntVar(&o.guests, "guests", 60, "how many people join, each in a seat")
		seconds := flags.Int("seconds", 60, "within how many seconds they do, evenly")
		flags.IntVar(&o.bare, "bare", 20, "how many Jupyters are started by hand at once, at most as many as there are guests; 0: none")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if o.guests < failing || *seconds < 1 || o.bare < 0 {
				return report.Part{}, fmt.Errorf("--guests is at least %d, --seconds at least 1, and --bare at least 0", failing)
			}
			o.joining, o.bare = time.Duration(*seconds)*time.Second, min(o.bare, o.guests)
			found, err := o.measure(ctx, with)
			return o.results(found), err
		}
	})
}

// workshop is a run beside a server.
type workshop struct {
	options

	found  figures
	with   *report.Setup
	cairn  program.Program
	server *program.Server
	host   program.Person
	other  program.Person // who has nothing to do with the workshop
	entry  string         // the id of the repository

	id, key, code string
	board         *follower
	seats         []*guest // by their numbers, from 0
}

func (o options) measure(ctx context.Context, with *report.Setup) (found figures, err error) {
	w := &workshop{options: o, with: with}
	w.found.capacity = o.guests + max(8, o.guests/3)
	w.cairn = program.Program{
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"},
		Config: program.Config(nil, fmt.Sprintf("sessions: {jupyter: %s, capacity: %d, limit: 100, memory: %dMiB}\nworkshops: {hosts: [%s]}\n",
			program.Jupyter, w.found.capacity, memory, program.Researcher)),
	}
	if w.found.version, err = w.cairn.Version(ctx); err != nil {
		return w.found, err
	}
	if err := w.serve(ctx); err != nil {
		return w.found, err
	}
	if o.bare > 0 {
		with.Say("%d bare Jupyters at once", o.bare)
		w.found.bareCount, err = o.bare, startBare(ctx, with.Folder, o.bare, &w.found.bare)
	}
	return w.found, err
}

// serve runs the server for the whole workshop.
func (w *workshop) serve(ctx context.Context) (err error) {
	if w.server, err = w.cairn.Start(ctx, program.AnySearch); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.server.Stop()) }()
	if w.host, err = w.cairn.Person(ctx, w.server, program.Researcher); err != nil {
		return err
	}
	if w.other, err = w.cairn.Person(ctx, w.server, program.Account); err != nil {
		return err
	}
	if w.entry, err = w.host.Repository(ctx, program.Demo); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.leave(ctx)) }()
	ctx, stop := context.WithCancel(ctx)
	defer stop() // what goes on beside, before the sessions are ended
	for _, part := range []func(ctx context.Context) error{w.prepare, w.join, w.fail, w.tell, w.handOut, w.end} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// prepare measures what others wait for before there is a workshop, and while its sessions get warm.
func (w *workshop) prepare(ctx context.Context) (err error) {
	w.with.Say("nobody is there, for %s", stillTime)
	if w.found.idle, err = w.cores(ctx, stillTime); err != nil {
		return err
	}
	w.with.Say("somebody starts %d sessions, one after the other", beside)
	if err := w.startBeside(ctx, 1, 0, nil, &usable{}); err != nil { // after this the repository is cached
		return err
	}
	if err := w.startBeside(ctx, beside, 0, nil, &w.found.before); err != nil {
		return err
	}
	w.with.Say("a workshop of %d seats is prepared", w.guests)
	began := time.Now()
	if err := w.create(ctx); err != nil {
		return err
	}
	isWarm, others := make(chan struct{}), make(chan error, 1)
	go func() { others <- w.startBeside(ctx, beside, betweenHot, isWarm, &w.found.during) }()
	err = w.awaitWarm(ctx)
	w.found.warming = time.Since(began)
	close(isWarm)
	return errors.Join(err, <-others)
}

// join opens the workshop and has the guests come.
func (w *workshop) join(ctx context.Context) error {
	if err := w.host.Call(ctx, "POST", "/workshops/"+w.id+"/open", nil, nil); err != nil {
		return err
	}
	w.board = follow(ctx, w.host, w.id)
	w.with.Say("%d guests join within %s, evenly, and somebody else starts sessions", w.guests, w.joining)
	var coming sync.WaitGroup
	var mu sync.Mutex
	var failed error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
	}
	coming.Go(func() { note(w.startBeside(ctx, beside, w.joining/beside, nil, &w.found.while)) })
	w.seats = make([]*guest, w.guests)
	began := time.Now()
	for number := range w.guests {
		coming.Go(func() {
			load.Pause(ctx, time.Until(began.Add(time.Duration(number)*w.joining/time.Duration(w.guests))))
			one, err := w.come(ctx, fmt.Sprintf("Guest %d", number+1))
			if err != nil {
				note(fmt.Errorf("guest %d: %w", number+1, err))
				return
			}
			mu.Lock()
			defer mu.Unlock()
			w.seats[one.seat-1] = one
			if one.wasWarm {
				w.found.warm.add(one.page, one.kernel)
			} else {
				w.found.cold.add(one.page, one.kernel)
			}
		})
	}
	coming.Wait()
	if failed != nil {
		return failed
	}
	return w.checkSeats(ctx)
}

// cores returns how many cores the server keeps busy.
func (w *workshop) cores(ctx context.Context, span time.Duration) (float64, error) {
	before, began := w.server.Processor(), time.Now()
	load.Pause(ctx, span)
	return (w.server.Processor() - before).Seconds() / time.Since(began).Seconds(), ctx.Err()
}
