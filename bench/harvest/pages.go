package harvest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/report"
)

// harvested is one harvest of everything.
type harvested struct {
	prefix            string
	pages             load.Result
	records, repeated int
	changes           load.Result   // meanwhile
	took              time.Duration // until the last change that was due was made
}

// harvests harvests the whole catalog in each format while entries change.
func (b *bench) harvests(ctx context.Context, address, token string) error {
	targets, err := own(ctx, address)
	if err != nil {
		return err
	}
	for _, prefix := range []string{"oai_dc", "oai_datacite"} {
		_, public, err := search(ctx, address, "", 0)
		if err != nil {
			return err
		}
		b.say("Harvesting %s records in %s, while %d entries change each second", report.Whole(public), prefix, b.rate)
		one := harvested{prefix: prefix}
		ending, end := context.WithCancel(ctx)
		var working sync.WaitGroup
		var failed error
		working.Go(func() { one.changes, failed = b.change(ctx, ending, address, token, targets) })
		began := time.Now()
		seen, err := one.read(ctx, address)
		end()
		working.Wait()
		one.took = time.Since(began)
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		for _, each := range targets {
			if seen[each.ID] > 1 {
				one.repeated++
				seen[each.ID] = 1
			}
		}
		for id, times := range seen {
			if times > 1 {
				return fmt.Errorf("%s came %d times and didn't change", id, times)
			}
		}
		if len(seen) != public {
			return fmt.Errorf("%d records of %d came", len(seen), public)
		}
		b.say("%s pages, p95 %s ms", report.Whole(len(one.pages.Latencies)), report.Milliseconds(one.pages.Quantile(0.95)))
		b.found.harvests = append(b.found.harvests, one)
	}
	return nil
}

// change changes entries at a steady rate. Each worker has entries of its own, so no two change the same at once.
func (b *bench) change(ctx, ending context.Context, address, token string, targets []entry) (load.Result, error) {
	if len(targets) < load.Workers {
		return load.Result{}, fmt.Errorf("only %d entries can change", len(targets))
	}
	return load.Steady(ctx, ending, address, b.rate, func(connection *load.Connection, worker, made int) error {
		target := &targets[worker+made%(len(targets)/load.Workers)*load.Workers]
		body, err := json.Marshal(map[string]string{"name": fmt.Sprintf("Change %d of %d", made, worker), "updatedAt": target.UpdatedAt})
		if err != nil {
			return err
		}
		status, answer, err := connection.Do(ctx, request(http.MethodPatch, address, "/api/v1/rf/resources/"+target.ID, token, "application/json", body))
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("a change was answered %d: %.300s", status, answer)
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(answer, target)
	})
}

// read reads page after page, and returns how often each record came.
func (h *harvested) read(ctx context.Context, address string) (map[string]int, error) {
	connection := load.NewConnection(address)
	defer connection.Close()
	seen := map[string]int{}
	var times []time.Duration
	for query := (url.Values{"verb": {"ListRecords"}, "metadataPrefix": {h.prefix}}); query != nil; {
		began := time.Now()
		status, body, err := connection.Do(ctx, load.Encode(http.MethodGet, address, "/oai?"+query.Encode(), ""))
		times = append(times, time.Since(began))
		if err != nil || status != http.StatusOK {
			return nil, errors.Join(fmt.Errorf("page %d was answered %d: %.300s", len(times), status, body), err)
		}
		for rest := body; ; {
			var more bool
			if _, rest, more = bytes.Cut(rest, []byte("<identifier>oai:")); !more {
				break
			}
			name, _, _ := bytes.Cut(rest, []byte("<"))
			seen[string(name[bytes.LastIndexByte(name, ':')+1:])]++
			h.records++
		}
		query = nil
		if _, token, more := bytes.Cut(body, []byte("<resumptionToken")); more {
			_, token, _ = bytes.Cut(token, []byte(">"))
			if token, _, _ = bytes.Cut(token, []byte("<")); len(token) > 0 {
				query = url.Values{"verb": {"ListRecords"}, "resumptionToken": {string(token)}}
			}
		}
	}
	h.pages = load.Of(times)
	return seen, ctx.Err()
}
