package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"cairn/bench/launch"
	"cairn/bench/load"
)

const (
	pageSize = 20
	rounds   = 6                // in which the lists are asked for in turn
	askTime  = 10 * time.Minute // for one list in one round
)

// listed is how soon a list was answered.
type listed struct {
	database, name string
	runs           bool // or entries
	answers        load.Result
}

// lists measures the lists on both databases.
func (b *bench) lists(ctx context.Context) (all []listed, err error) {
	program := b.program("sqlite", "")
	postgres, err := newPostgres(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range []database{sqliteOf(program.Data), postgres} {
		if one.config != "" {
			program = b.program("postgres", one.config)
		}
		var entry string
		if err := launch.Serve(ctx, program, func(s *launch.Server) error { entry = s.Entry; return nil }); err != nil {
			return nil, err
		}
		b.say("adding %d runs to %s", b.runs, one.name)
		if err := one.fill(ctx, entry, b.runs); err != nil {
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		err := launch.Serve(ctx, program, func(s *launch.Server) error {
			found, err := b.askLists(ctx, s, one.name)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (b *bench) askLists(ctx context.Context, s *launch.Server, database string) ([]listed, error) {
	base := "/api/v1/rf/resources/public"
	runs := fmt.Sprintf("%s/%s/runs?pageSize=%d&pageNumber=", base, s.Entry, pageSize)
	late := b.runs/pageSize - 1
	all := []listed{
		{database: database, name: "first page of runs", runs: true},
		{database: database, name: fmt.Sprintf("page %d of runs", late+1), runs: true},
		{database: database, name: "first page of the catalog's entries"},
	}
	requests := []load.Request{
		{Bytes: load.Encode(http.MethodGet, s.Address, runs+"0", ""), Check: checkPage(b.runs, lastRun(b.runs))},
		{Bytes: load.Encode(http.MethodGet, s.Address, runs+fmt.Sprint(late), ""), Check: checkPage(b.runs, lastRun(b.runs-late*pageSize))},
		{Bytes: load.Encode(http.MethodGet, s.Address, fmt.Sprintf("%s?pageSize=%d", base, pageSize), ""), Check: checkPage(0, "")},
	}
	for range rounds {
		for i, request := range requests {
			b.say("%s: %s", database, all[i].name)
			found, err := load.Run(ctx, load.Plan{Address: s.Address, Requests: []load.Request{request}, Clients: 1, WarmUp: time.Second, Time: askTime, Limit: (b.asked + rounds - 1) / rounds})
			if err = errors.Join(err, found.FirstErr); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", database, all[i].name, err)
			}
			all[i].answers.Join(found)
		}
	}
	return all, nil
}

// lastRun returns the id of the run that was added as the i-th.
func lastRun(i int) string { return fmt.Sprintf("00000000-0000-7000-8000-%d", 100_000_000_000+i) }

// checkPage checks the number of elements on a full page, how many there are, unless that is 0, and the first one's id.
func checkPage(total int, first string) func(status int, body []byte, _ bool) error {
	return func(status int, body []byte, _ bool) error {
		var page struct {
			Content       []struct{ ID string }
			TotalElements int
		}
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			return errors.Join(fmt.Errorf("it was answered %d: %.300s", status, body), err)
		}
		if len(page.Content) != pageSize || (total > 0 && (page.TotalElements != total || page.Content[0].ID != first)) {
			return fmt.Errorf("a page of %d among %d", len(page.Content), page.TotalElements)
		}
		return nil
	}
}
