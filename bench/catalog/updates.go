package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

const (
	updateClients = 16  // that search meanwhile
	batchLines    = 100 // of an import beside the server
	importEvery   = 2 * time.Second
	seenTime      = 30 * time.Second
)

// updates are about writing while others search.
type updates struct {
	calls    []time.Duration // PUT and DELETE of a star
	seen     []time.Duration // from a call's answer to the answer of the first search that shows the change
	atOnce   int             // changes that the very next search showed
	imports  []time.Duration // of batchLines lines, for the whole command
	imported []time.Duration // from the end of the command to the answer of the first search that shows all lines
	searches load.Result
}

// update stars and unstars entries, and imports small files beside the server, while clients search.
func (b *bench) update(ctx context.Context) error {
	who, err := b.cairn.Person(ctx, b.server, program.Account)
	if err != nil {
		return err
	}
	var (
		working            sync.WaitGroup
		starErr, importErr error
	)
	plan := b.mix(updateClients)
	plan.WarmUp, plan.Time = 0, 3*b.time
	end := time.Now().Add(plan.Time)
	working.Go(func() { starErr = b.star(ctx, end, who.Token()) })
	working.Go(func() { importErr = b.importBatches(ctx, end) })
	b.found.updates.searches, err = b.search(ctx, "beside updates", plan)
	working.Wait()
	return errors.Join(err, starErr, importErr)
}

// star stars and unstars one entry after another until the end, and each time checks the entries with most stars.
func (b *bench) star(ctx context.Context, end time.Time, token string) error {
	connection := load.NewConnection(b.server.Address)
	defer connection.Close()
	targets, err := page(ctx, connection, "pageNumber=1&pageSize=100")
	if err != nil {
		return err
	}
	u := &b.found.updates
	for i := 0; ctx.Err() == nil && time.Now().Before(end); i++ {
		target := targets.Content[i/2%len(targets.Content)].ID
		method := []string{http.MethodPut, http.MethodDelete}[i%2]
		began := time.Now()
		status, body, err := connection.Do(ctx, load.Encode(method, b.server.Address, program.API+"/resources/"+target+"/star", token))
		answered := time.Now()
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("%s of a star was answered %d: %.300s, %w", method, status, body, err)
		}
		looks := 0
		seen, err := load.Wait(ctx, seenTime, 0, func() (bool, error) {
			looks++
			found, err := page(ctx, connection, "sort=stars&pageSize=24&view=card")
			if err != nil {
				return false, err
			}
			// The order comes from the index; the number beside an entry may not.
			shown := found.Content[0].ID == target && found.Content[0].StarCount > 0
			return shown == (method == http.MethodPut), nil
		})
		if err != nil || !seen {
			return errors.Join(fmt.Errorf("%s of a star was not seen within %v", method, seenTime), err)
		}
		u.calls, u.seen = append(u.calls, answered.Sub(began)), append(u.seen, time.Since(answered))
		if looks == 1 {
			u.atOnce++
		}
	}
	return nil
}

func page(ctx context.Context, connection *load.Connection, query string) (found answer, err error) {
	body, err := connection.Get(ctx, program.API+"/resources/public?"+query)
	if err == nil {
		err = json.Unmarshal(body, &found)
	}
	if err == nil && len(found.Content) == 0 {
		err = errors.New("nothing was found by " + query)
	}
	return found, err
}

// importBatches imports small files until the end, with pauses between them: each import is a process, which takes
// processor time from what is measured. The entries of each contain a unique word.
func (b *bench) importBatches(ctx context.Context, end time.Time) error {
	connection := load.NewConnection(b.server.Address)
	defer connection.Close()
	u := &b.found.updates
	for number := 0; time.Now().Before(end) && ctx.Err() == nil; number++ {
		due := time.Now().Add(importEvery)
		word := fmt.Sprintf("zqbatch%04d", number)
		took, err := b.cairn.Import(ctx, func(file io.Writer) error {
			encoder := json.NewEncoder(file)
			for i := range batchLines {
				entry := b.corpus.Entry(number*batchLines + i)
				entry.ExternalID, entry.Name, entry.Privacy = fmt.Sprintf("%s-%d", word, i), entry.Name+" "+word, "PUBLIC"
				if err := encoder.Encode(entry); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		ended := time.Now()
		seen, err := load.Wait(ctx, seenTime, 5*time.Millisecond, func() (bool, error) {
			body, err := connection.Get(ctx, program.API+"/resources/public?pageSize=1&nameSearch="+word)
			return totalOf(body) == batchLines, err
		})
		if err != nil || !seen {
			return errors.Join(fmt.Errorf("an import of %d lines was not seen within %v", batchLines, seenTime), err)
		}
		u.imports, u.imported = append(u.imports, took), append(u.imported, time.Since(ended))
		load.Pause(ctx, min(time.Until(due), time.Until(end)))
	}
	return nil
}
