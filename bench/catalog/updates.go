package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

const (
	updateClients = 16  // that search meanwhile
	batchLines    = 100 // of an import beside the server
	importEvery   = 2 * time.Second
	seenTime      = 30 * time.Second
	lookEvery     = 5 * time.Millisecond // between two checks for what another process wrote
)

// updateFigures are about writing while others search.
type updateFigures struct {
	calls    load.Result // PUT and DELETE of a star
	seen     load.Result // from a call's answer to the answer of the first search that shows the change
	atOnce   int         // changes that the very next search showed
	imports  load.Result // of batchLines lines, for the whole command
	imported load.Result // from the end of the command to the answer of the first search that shows all lines
	searches load.Result
}

func (f updateFigures) shareAtOnce() float64 {
	return 100 * float64(f.atOnce) / float64(max(1, len(f.seen.Latencies)))
}

// updates stars and unstars entries, and imports small files beside the server, while clients search.
func (b *bench) updates(ctx context.Context, cairn program.Program, server *program.Server) error {
	b.say("Updates while %d clients search", updateClients)
	token, err := cairn.Output(ctx, "token", program.Account)
	if err != nil {
		return err
	}
	lasting := 3 * b.time
	var (
		working           sync.WaitGroup
		found             = &b.found.updates
		starErr, batchErr error
	)
	working.Go(func() { starErr = found.star(ctx, time.Now().Add(lasting), server, token) })
	working.Go(func() { batchErr = b.importBatches(ctx, time.Now().Add(lasting), cairn, server) })
	searches, err := b.search(ctx, load.Plan{
		Address: server.Address, Requests: requests(server.Address, b.entries.Mix(mixQueries)), Clients: updateClients, Time: lasting,
	})
	working.Wait()
	found.searches = searches
	if err := errors.Join(err, starErr, batchErr); err != nil {
		return err
	}
	b.say("%-18s %d calls    %s", "stars", len(found.calls.Latencies), figuresText(found.calls))
	b.say("%-18s %d of %d in the very next search", "stars seen", found.atOnce, len(found.seen.Latencies))
	b.say("%-18s %d times    p50 %s, seen after %s ms", "imports", len(found.imports.Latencies), seconds(found.imports.Quantile(0.5)),
		milliseconds(found.imported, 0.5))
	return nil
}

// star stars and unstars one entry after another until the end, and each time checks the entries with most stars.
func (f *updateFigures) star(ctx context.Context, end time.Time, server *program.Server, token string) error {
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	targets, err := page(ctx, connection, server, "pageNumber=1&pageSize=100")
	if err != nil {
		return err
	}
	var calls, seen []time.Duration
	for i := 0; ctx.Err() == nil && time.Now().Before(end); i++ {
		target := targets.Content[i/2%len(targets.Content)].ID
		method := []string{http.MethodPut, http.MethodDelete}[i%2]
		began := time.Now()
		status, body, err := connection.Do(ctx, load.Encode(method, server.Address, "/api/v1/rf/resources/"+target+"/star", token))
		answered := time.Now()
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("%s of a star was answered %d: %.300s", method, status, body)
		}
		looks := 0
		for wanted, shown := method == http.MethodPut, method != http.MethodPut; shown != wanted; looks++ {
			if time.Since(answered) > seenTime {
				return fmt.Errorf("%s of a star was not seen within %v", method, seenTime)
			}
			found, err := page(ctx, connection, server, "sort=stars&pageSize=24&view=card")
			if err != nil {
				return err
			}
			// The order comes from the index; the number beside an entry may not.
			shown = found.Content[0].ID == target && found.Content[0].StarCount > 0
		}
		calls, seen = append(calls, answered.Sub(began)), append(seen, time.Since(answered))
		if looks == 1 {
			f.atOnce++
		}
	}
	f.calls, f.seen = load.Of(calls), load.Of(seen)
	return nil
}

func page(ctx context.Context, connection *load.Connection, server *program.Server, query string) (answer, error) {
	status, body, err := connection.Do(ctx, load.Encode("GET", server.Address, "/api/v1/rf/resources/public?"+query, ""))
	if err != nil {
		return answer{}, err
	}
	found, err := decode(status, body)
	if err == nil && len(found.Content) == 0 {
		err = errors.New("nothing was found by " + query)
	}
	return found, err
}

// importBatches imports small files until the end, with pauses between them: each import is a process, which takes
// processor time from what is measured.
func (b *bench) importBatches(ctx context.Context, end time.Time, cairn program.Program, server *program.Server) error {
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	pause := time.NewTicker(importEvery)
	defer pause.Stop()
	var imports, seen []time.Duration
	for number := 0; time.Now().Before(end); number++ {
		word := fmt.Sprintf("zqbatch%04d", number)
		file, err := b.batch(number, word)
		if err != nil {
			return err
		}
		took, err := cairn.Import(ctx, file)
		if err != nil {
			return err
		}
		ended := time.Now()
		if err := awaitTotal(ctx, connection, server, word); err != nil {
			return err
		}
		imports, seen = append(imports, took), append(seen, time.Since(ended))
		select {
		case <-pause.C:
		case <-time.After(time.Until(end)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.found.updates.imports, b.found.updates.imported = load.Of(imports), load.Of(seen)
	return nil
}

// batch writes an import file whose entries all contain a unique word.
func (b *bench) batch(number int, word string) (path string, err error) {
	path = filepath.Join(b.scratch, "batch.jsonl")
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	encoder := json.NewEncoder(file)
	for i := range batchLines {
		entry := b.entries.Entry(number*batchLines + i)
		entry.ExternalID, entry.Name, entry.Privacy = fmt.Sprintf("%s-%d", word, i), entry.Name+" "+word, "PUBLIC"
		if err := encoder.Encode(entry); err != nil {
			return "", err
		}
	}
	return path, nil
}

func awaitTotal(ctx context.Context, connection *load.Connection, server *program.Server, word string) error {
	ctx, cancel := context.WithTimeout(ctx, seenTime)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	request := load.Encode("GET", server.Address, "/api/v1/rf/resources/public?pageSize=1&nameSearch="+word, "")
	for {
		status, body, err := connection.Do(ctx, request)
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("a search was answered %d: %.300s", status, body)
		}
		if totalOf(body) == batchLines {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("an import of %s lines was not seen within %v", report.Whole(batchLines), seenTime)
		}
	}
}
