// Package sharing measures what it costs to show one session to many people, and how evenly a change reaches them: beside the same people
// asking its Jupyter for the notebook.
package sharing

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// notebook is what is shown: thirty cells, of which the last changes every second.
const notebook = "shared.ipynb"

const (
	cells       = 30
	asking      = 100              // people who ask Jupyter instead
	askingTime  = 20 * time.Second // for so long
	coreAim     = 0.1              // of a core, with all viewers
	evenAim     = 100.0            // milliseconds after the first viewer, for 99 of 100
	settleTime  = 5 * time.Second  // before something is measured
	arrivalTime = 2 * time.Minute  // until all viewers have the notebook
)

// figures are everything that is measured.
type figures struct {
	version      string
	changes      int             // that all viewers have seen
	late         []time.Duration // after the first viewer, for each viewer and change
	server, idle float64         // cores of the server with all viewers, and with none
	asked        float64         // cores of the server while people ask Jupyter
	memory       int64           // bytes that the server has more with all viewers
}

// Run measures everything. Its error says that an aim was missed.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "sharing", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		viewers := flags.Int("viewers", 1000, "how many people look")
		seconds := flags.Int("seconds", 60, "how long they are measured")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			if *viewers < 2 || *seconds < 5 {
				return report.Part{}, errors.New("--viewers is at least 2, and --seconds at least 5")
			}
			found, err := measure(ctx, with, *viewers, time.Duration(*seconds)*time.Second)
			return results(found, *viewers), err
		}
	})
}

func measure(ctx context.Context, with *report.Setup, viewers int, span time.Duration) (found figures, err error) {
	cairn := program.Program{
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"},
		Config: program.Config(nil, "sessions:\n  jupyter: "+program.Jupyter+"\nsharing: {links: anyone}\n"),
	}
	if found.version, err = cairn.Version(ctx); err != nil {
		return found, err
	}
	server, err := cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	owner, err := cairn.Person(ctx, server, program.Researcher)
	if err != nil {
		return found, err
	}
	entry, err := owner.Repository(ctx, program.Demo)
	if err != nil {
		return found, err
	}
	id, way, err := owner.Open(ctx, entry)
	if id != "" {
		defer func() { err = errors.Join(err, owner.Delete(context.WithoutCancel(ctx), id)) }()
	}
	if err != nil {
		return found, err
	}
	way.Opened = notebook
	counting, stop := context.WithCancel(ctx)
	defer stop()
	counted := make(chan error, 1)
	if err := save(ctx, way); err != nil {
		return found, err
	}
	go func() { counted <- execute(counting, way, counter) }()
	var made struct{ URL string }
	if err := owner.Call(ctx, http.MethodPost, "/sessions/"+id+"/shares", map[string]any{"with": map[string]any{"link": true}, "can": "see"}, &made); err != nil {
		return found, err
	}
	_, link, _ := strings.Cut(made.URL, "#")
	with.Say("nobody looks, for %s", askingTime)
	if found.idle, err = cores(ctx, server, askingTime); err != nil {
		return found, err
	}
	select {
	case err := <-counted:
		return found, fmt.Errorf("the cell has ended: %w", err)
	default:
	}
	if err := found.look(ctx, with, server, "http://"+owner.Address+program.API+"/sessions/"+id+"/see/events", link, viewers, span); err != nil {
		return found, err
	}
	select {
	case err := <-counted:
		return found, fmt.Errorf("the cell has ended: %w", err)
	default:
	}
	with.Say("%d people ask Jupyter, for %s", asking, askingTime)
	return found, found.ask(ctx, server, way)
}

// counter is the code of the cell that changes: it prints another number each second, in place of the last.
const counter = "import time\nfrom IPython.display import clear_output\nfor n in range(3600):\n    clear_output(wait=True)\n    print('tick', n, 'of the count')\n    time.sleep(1)"

// save saves the notebook.
func save(ctx context.Context, way program.Way) error {
	var all []map[string]any
	for i := range cells {
		code := fmt.Sprintf("# Step %d of the analysis\nvalues = [step * %d for step in range(100)]\nsum(values)", i+1, i)
		if i == cells-1 {
			code = counter
		}
		all = append(all, map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": code, "outputs": []any{}, "execution_count": nil})
	}
	content := map[string]any{"nbformat": 4, "nbformat_minor": 4, "metadata": map[string]any{}, "cells": all}
	_, status, body, err := way.Send(ctx, http.MethodPut, way.Base+"/api/contents/"+notebook, map[string]any{"type": "notebook", "format": "json", "content": content})
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("the notebook couldn't be saved: %d %.300s", status, body)
	}
	return err
}

// execute executes a cell as a page does, until ctx ends.
func execute(ctx context.Context, way program.Way, code string) error {
	_, connection, err := way.Kernel(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = connection.Ask(ctx, "shell", "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": false,
	})
	for err == nil {
		_, err = connection.Read(ctx)
	}
	return err
}

// cores returns how many cores the server keeps busy.
func cores(ctx context.Context, server *program.Server, span time.Duration) (float64, error) {
	before, began := server.Processor(), time.Now()
	select {
	case <-time.After(span):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	return (server.Processor() - before).Seconds() / time.Since(began).Seconds(), nil
}

// seen collects when viewers have seen each number.
type seen struct {
	// mu guards the fields below.
	mu      sync.Mutex
	first   map[int]time.Time
	late    map[int][]time.Duration
	arrived int
}

func (s *seen) note(number int, at time.Time, isFirst bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isFirst {
		s.arrived++
	}
	first, ok := s.first[number]
	if !ok {
		first = at
		s.first[number] = at
	}
	s.late[number] = append(s.late[number], max(0, at.Sub(first)))
}

func (s *seen) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// look has people look.
func (f *figures) look(ctx context.Context, with *report.Setup, server *program.Server, address, link string, viewers int, span time.Duration) error {
	with.Say("%d people look, for %s", viewers, span)
	before := server.Figures().Now
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all := &seen{first: map[int]time.Time{}, late: map[int][]time.Duration{}}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	failed := make(chan error, viewers)
	for range viewers {
		go func() { failed <- view(ctx, client, address, link, all) }()
	}
	there, err := load.Wait(ctx, arrivalTime, 50*time.Millisecond, func() (bool, error) {
		select {
		case err := <-failed:
			return false, err
		default:
			return all.count() == viewers, nil
		}
	})
	if err == nil && !there {
		err = fmt.Errorf("only %d of %d have the notebook", all.count(), viewers)
	}
	if err != nil {
		return err
	}
	if _, err := cores(ctx, server, settleTime); err != nil {
		return err
	}
	all.mu.Lock()
	clear(all.first)
	clear(all.late)
	all.mu.Unlock()
	if f.server, err = cores(ctx, server, span); err != nil {
		return err
	}
	f.memory = server.Figures().Now - before
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, times := range all.late {
		if len(times) == viewers { // the first and the last change may have been seen in part
			f.changes++
			f.late = append(f.late, times...)
		}
	}
	if f.changes < int(span.Seconds())/2 {
		return fmt.Errorf("all viewers have seen only %d changes in %s", f.changes, span)
	}
	return nil
}

// view looks until ctx ends.
func view(ctx context.Context, client *http.Client, address, link string, all *seen) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Share-Link", link)
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("looking is answered %d", answer.StatusCode)
	}
	lines := bufio.NewReaderSize(answer.Body, 64<<10)
	for isFirst := true; ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		_, text, there := bytes.Cut(line, []byte("tick "))
		digits, _, _ := bytes.Cut(text, []byte(" of the count"))
		if number, err := strconv.Atoi(string(digits)); there && err == nil {
			all.note(number, time.Now(), isFirst)
			isFirst = false
		}
	}
}

// ask has people ask Jupyter for the notebook once a second, as a page would that shows it without the catalog.
func (f *figures) ask(ctx context.Context, server *program.Server, way program.Way) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	address := way.Base + "/api/contents/" + url.PathEscape(notebook) + "?type=notebook&content=1"
	for number := range asking {
		go func() {
			pause := time.NewTimer(time.Duration(number) * time.Second / asking)
			for {
				select {
				case <-pause.C:
					pause.Reset(time.Second)
				case <-ctx.Done():
					return
				}
				_, _, _ = way.Get(ctx, address)
			}
		}()
	}
	if _, err := cores(ctx, server, settleTime); err != nil {
		return err
	}
	var err error
	f.asked, err = cores(ctx, server, askingTime)
	return err
}

func results(found figures, viewers int) report.Part {
	table := report.Table{Columns: []string{"what", "measured"}}
	table.Add("the server, with nobody who looks", report.Number(found.idle*100)+" % of a core")
	table.Add(report.Whole(viewers)+" people look", report.Number(found.server*100)+" % of a core")
	table.Add("memory for them", report.Mebibytes(found.memory))
	table.Add(fmt.Sprintf("%d people ask Jupyter through the server instead", asking), report.Number(found.asked*100)+" % of a core, and what Jupyter takes")
	late := report.Quantiles(found.late, 0.5, 0.99, 1)
	table.Add("a change, after the first viewer has it: half of them, 99 of 100, all", strings.Join(late, ", ")+" ms")
	return report.Part{
		Name: "sharing", Title: "A session that many people see",
		About: []string{
			fmt.Sprintf("Cairn %s with its demo, a session with a real Jupyter; a notebook of %d cells, of which one changes every second; %d changes", found.version, cells, found.changes),
			fmt.Sprintf("%s people follow it, each by a connection of their own; they are on the same cores as the server", report.Whole(viewers)),
		},
		Aims: []report.Aim{
			{Text: "the server with " + report.Whole(viewers) + " people who look", Limit: coreAim * 100, Measured: found.server * 100, Unit: "% of a core"},
			{Text: "a change reaches 99 of 100 after the first", Limit: evenAim, Measured: float64(report.Quantile(found.late, 0.99)) / 1e6, Unit: "ms"},
			{Text: "for each person, beside asking Jupyter", Limit: 0.1, Measured: found.server / float64(viewers) / (found.asked / asking), Unit: "times"},
		},
		Text: table.String(),
	}
}
