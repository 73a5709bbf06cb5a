package workshop

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"

	"golang.org/x/sys/unix"
)

const (
	warmTime  = 20 * time.Minute // until all sessions are ready
	shownTime = time.Minute      // until the board or the pages show something
	handTime  = 3 * time.Minute  // until all have what was handed out
	endTime   = 5 * time.Minute  // until no session runs any more
	ahead     = 14 * time.Minute // of its start, a workshop is prepared; its sessions get warm a quarter of an hour before
)

// create prepares the workshop.
func (w *workshop) create(ctx context.Context) error {
	starts := time.Now().Add(ahead)
	var made struct{ ID, State, Code, JoinAddress string }
	err := w.host.Call(ctx, http.MethodPost, "/workshops", map[string]any{
		"name": "A benchmark of workshops", "entry": w.entry, "seats": w.guests, "startsAt": starts, "endsAt": starts.Add(2 * time.Hour), "timezone": "Europe/Berlin",
	}, &made)
	if err == nil && made.State != "WARMING" {
		err = errors.New("the workshop is " + made.State)
	}
	_, key, found := strings.Cut(made.JoinAddress, "/join/")
	if err == nil && !found {
		err = errors.New("there is no key in " + made.JoinAddress)
	}
	w.id, w.key, w.code = made.ID, key, made.Code
	return err
}

// awaitWarm waits until there is a session for each seat.
func (w *workshop) awaitWarm(ctx context.Context) error {
	var now struct{ Warm, WarmWanted int }
	said := time.Now()
	all, err := load.Wait(ctx, warmTime, 250*time.Millisecond, func() (bool, error) {
		err := w.host.Call(ctx, http.MethodGet, "/workshops/"+w.id, nil, &now)
		if time.Since(said) > 30*time.Second {
			w.with.Say("%d of %d sessions are warm", now.Warm, now.WarmWanted)
			said = time.Now()
		}
		return err == nil && now.Warm >= w.guests, err
	})
	if err == nil && !all {
		err = fmt.Errorf("%d of %d sessions are warm", now.Warm, now.WarmWanted)
	}
	return err
}

// startBeside starts a session for somebody else so many times, at least so long after each other, and deletes it. No more begin once
// ended is closed, and one that isn't ready then doesn't count.
func (w *workshop) startBeside(ctx context.Context, count int, every time.Duration, ended <-chan struct{}, into *usable) error {
	for next := time.Now(); count > 0; count-- {
		select {
		case <-time.After(time.Until(next)):
		case <-ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
		began := time.Now()
		next = began.Add(every)
		id, way, err := w.other.Open(ctx, w.entry)
		page := time.Since(began)
		if err == nil {
			err = way.UseKernel(ctx)
		}
		kernel := time.Since(began)
		select {
		case <-ended:
		default:
			if err == nil {
				into.add(page, kernel)
			}
		}
		if id != "" {
			err = errors.Join(err, w.other.Delete(ctx, id))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// board is what hosts see.
type board struct {
	Seats    []boardSeat
	Handouts []struct{ Delivered, Of int }
}

type boardSeat struct {
	Seat          int
	State         string
	QueuePosition int
	Error         *seatError
}

type seatError struct {
	Cell int // counts code cells from 0
	Name string
}

// follower is a host's page with the board.
type follower struct {
	// mu guards the fields below.
	mu     sync.Mutex
	last   board
	at     time.Time         // when it came
	failed map[int]time.Time // when a seat was first seen with an error
	ended  error             // why the page follows no more
}

// follow follows the board until ctx ends.
func follow(ctx context.Context, host program.Person, id string) *follower {
	f := &follower{failed: map[int]time.Time{}}
	go func() {
		err := f.read(ctx, host, id)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended = fmt.Errorf("the board isn't followed any more: %w", err)
	}()
	return f
}

func (f *follower) read(ctx context.Context, host program.Person, id string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host.Address+program.API+"/workshops/"+id+"/board", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+host.Token())
	request.Header.Set("Accept", "text/event-stream")
	answer, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(request) // it has no limit: it follows
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it is answered %d", answer.StatusCode)
	}
	for lines := bufio.NewReader(answer.Body); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		if !isData {
			continue
		}
		var now board
		if err := json.Unmarshal(data, &now); err != nil {
			return err
		}
		f.note(now, time.Now())
	}
}

func (f *follower) note(now board, at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last, f.at = now, at
	for _, seat := range now.Seats {
		if _, known := f.failed[seat.Seat]; seat.Error != nil && !known {
			f.failed[seat.Seat] = at
		}
	}
}

// await waits until the board is as wanted, and returns when the board came that is. The board is locked when wanted is called.
func (f *follower) await(ctx context.Context, limit time.Duration, wanted func(now board) bool) (at time.Time, err error) {
	reached, err := load.Wait(ctx, limit, 5*time.Millisecond, func() (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		at = f.at
		return !f.at.IsZero() && wanted(f.last), f.ended
	})
	if err == nil && !reached {
		err = errors.New("the board doesn't show what it should")
	}
	return at, err
}

// checkSeats expects everybody to be in a session, or to have been told the place in the queue.
func (w *workshop) checkSeats(ctx context.Context) error {
	_, err := w.board.await(ctx, shownTime, func(now board) bool {
		w.found.waiting = 0
		for _, seat := range now.Seats {
			switch {
			case seat.QueuePosition > 0:
				w.found.waiting++
			case seat.State != "running":
				return false
			}
		}
		return len(now.Seats) == w.guests
	})
	if err != nil {
		return fmt.Errorf("not every guest runs or is told a place: %w", err)
	}
	for number, one := range w.seats {
		if one == nil {
			return fmt.Errorf("nobody was given seat %d", number+1)
		}
	}
	return nil
}

// errorClass is the class of the errors that guests make.
const errorClass = "ZeroDivisionError"

// fail has guests make errors, all at the same time.
func (w *workshop) fail(ctx context.Context) error {
	w.with.Say("%d guests execute a cell with an error", w.guests/failing)
	var asking sync.WaitGroup
	made := make([]time.Time, w.guests)
	failed := make([]error, w.guests)
	for number := range w.guests / failing {
		asking.Go(func() {
			one := w.seats[number]
			made[number] = time.Now()
			failed[number] = one.execute(ctx, one.cells[1], "1/0")
		})
	}
	asking.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	_, err := w.board.await(ctx, shownTime, func(now board) bool {
		for _, seat := range now.Seats[:w.guests/failing] {
			if seat.Error == nil || seat.Error.Cell != 1 || seat.Error.Name != errorClass {
				return false
			}
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("of %d errors, %d are shown: %w", w.guests/failing, len(w.board.failed), err)
	}
	w.board.mu.Lock()
	defer w.board.mu.Unlock()
	for number := range w.guests / failing {
		w.found.errors = append(w.found.errors, w.board.failed[number+1].Sub(made[number]))
		if at := w.seats[number].lastError(); !at.IsZero() {
			w.found.told = append(w.found.told, at.Sub(made[number]))
		}
	}
	if more := len(w.board.failed) - w.guests/failing; more > 0 {
		w.found.fault("%d seats are shown with an error that nobody made", more)
	}
	return nil
}

// tell says something to everybody, whose pages ask meanwhile.
func (w *workshop) tell(ctx context.Context) error {
	w.with.Say("%d sessions run, and no page asks, for %s", w.guests, stillTime)
	var err error
	if w.found.quiet, err = w.cores(ctx, stillTime); err != nil {
		return err
	}
	w.with.Say("the pages of %d guests ask what is said to all, for %s", w.guests, stillTime)
	asking, stop := context.WithCancel(ctx)
	var pages sync.WaitGroup
	defer pages.Wait()
	defer stop()
	for number, one := range w.seats {
		pages.Go(func() {
			load.Pause(asking, time.Duration(number)*often/time.Duration(w.guests))
			one.look(asking)
		})
	}
	load.Pause(ctx, often) // until all have begun
	if w.found.asked, err = w.cores(ctx, stillTime); err != nil {
		return err
	}
	w.with.Say("the host says something")
	var said struct{ ID string }
	began := time.Now()
	if err := w.host.Call(ctx, http.MethodPost, "/workshops/"+w.id+"/messages", map[string]string{"text": "We go on at eleven."}, &said); err != nil {
		return err
	}
	all, err := load.Wait(ctx, shownTime, 20*time.Millisecond, func() (bool, error) {
		w.found.messages = w.found.messages[:0]
		for _, one := range w.seats {
			at, err := one.hasSeen(said.ID)
			if err != nil {
				return false, fmt.Errorf("the page of seat %d: %w", one.seat, err)
			}
			if !at.IsZero() {
				w.found.messages = append(w.found.messages, at.Sub(began))
			}
		}
		return len(w.found.messages) == w.guests, nil
	})
	if err == nil && !all {
		err = fmt.Errorf("%d of %d pages have the message", len(w.found.messages), w.guests)
	}
	stop()
	pages.Wait()
	for _, one := range w.seats {
		w.found.answers = append(w.found.answers, one.answers...)
		w.found.memory = append(w.found.memory, one.memory)
	}
	return err
}

// What is handed out, beside the files of the same name that guests have saved.
const (
	exercise  = "exercise.txt"
	fromHost  = "exercise (from the host).txt"
	hostsText = "What the host handed out.\nWith a second line.\n"
)

// handOut hands a file out that everybody has changed, and compares everybody's folder.
func (w *workshop) handOut(ctx context.Context) error {
	w.with.Say("everybody saves a file, and the host hands out another one of its name")
	if err := w.each(func(one *guest) error {
		err := one.save(ctx, exercise, fmt.Sprintf("The work of seat %d, which nobody may change.\n", one.seat))
		if one.seat <= w.guests/failing {
			err = errors.Join(err, one.saveNotebook(ctx, one.cells[1]))
		}
		return err
	}); err != nil {
		return err
	}
	if err := w.each(func(one *guest) error { return w.keep(one) }); err != nil {
		return err
	}
	began := time.Now()
	if err := w.host.Call(ctx, http.MethodPost, "/workshops/"+w.id+"/handouts", map[string]string{
		"name": exercise, "content": base64.StdEncoding.EncodeToString([]byte(hostsText)),
	}, nil); err != nil {
		return err
	}
	var last board
	at, err := w.board.await(ctx, handTime, func(now board) bool {
		last = now
		return len(now.Handouts) == 1 && now.Handouts[0].Of == w.guests && now.Handouts[0].Delivered == w.guests
	})
	if err != nil {
		return fmt.Errorf("handed out: %+v: %w", last.Handouts, err)
	}
	w.found.handedOut = at.Sub(began)
	for _, one := range w.seats {
		before := one.work
		if err := w.keep(one); err != nil {
			return err
		}
		before[fromHost] = digest([]byte(hostsText))
		for _, difference := range differences(before, one.work) {
			w.found.fault("handed out to seat %d: %s", one.seat, difference)
		}
	}
	return nil
}

// end ends the workshop, waits until nothing runs any more, and has everybody fetch the work.
func (w *workshop) end(ctx context.Context) error {
	if err := w.each(func(one *guest) error { return w.keep(one) }); err != nil {
		return err
	}
	w.found.processes = len(w.running())
	w.with.Say("the host ends it: %d processes", w.found.processes)
	began := time.Now()
	if err := w.host.Call(ctx, http.MethodPost, "/workshops/"+w.id+"/end", map[string]string{"notice": "0s"}, nil); err != nil {
		return err
	}
	w.found.ended = time.Since(began)
	gone, err := load.Wait(ctx, endTime, 50*time.Millisecond, func() (bool, error) { return len(w.running()) == 0, nil })
	w.found.stopped = time.Since(began)
	if err == nil && !gone {
		w.found.fault("%d processes are left of the sessions", len(w.running()))
	}
	w.with.Say("nothing runs any more; all guests fetch their work at once")
	return errors.Join(err, w.fetchAll(ctx))
}

// each does something for all guests, some at a time.
func (w *workshop) each(do func(one *guest) error) error {
	return program.Each(len(w.seats), func(number int) error { return do(w.seats[number]) })
}

// leave ends what runs if the run was stopped, and waits for it: sessions outlive their server.
func (w *workshop) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	if len(w.running()) == 0 {
		return nil
	}
	if w.server.Ended() { // somebody has killed it, and nobody else ends its sessions
		_, err := load.Wait(ctx, endTime, 100*time.Millisecond, func() (bool, error) {
			left := w.running()
			for _, pid := range left {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
			return len(left) == 0, nil
		})
		return errors.Join(errors.New("the server has ended, or was killed"), err)
	}
	var others []struct{ ID string }
	listed := w.other.Call(ctx, http.MethodGet, "/sessions", nil, &others)
	for _, one := range others {
		listed = errors.Join(listed, w.other.Delete(ctx, one.ID))
	}
	// A workshop that isn't open can only be deleted, and one that is open can only be ended.
	ended := w.host.Call(ctx, http.MethodPost, "/workshops/"+w.id+"/end", map[string]string{"notice": "0s"}, nil)
	deleted := w.host.Call(ctx, http.MethodDelete, "/workshops/"+w.id, nil, nil)
	gone, err := load.Wait(ctx, endTime, 100*time.Millisecond, func() (bool, error) { return len(w.running()) == 0, nil })
	if err == nil && !gone {
		err = errors.Join(fmt.Errorf("%d processes are left of the sessions", len(w.running())), listed, ended, deleted)
	}
	return err
}
