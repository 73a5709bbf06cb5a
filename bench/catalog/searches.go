package catalog

import (
	"context"
	"fmt"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

const (
	classQueries = 2000   // different searches in a class
	mixQueries   = 20_000 // different searches in the mix
	classLimit   = 5000   // answers after which a class is measured well enough
	compared     = 20     // searches in a class whose totals are averaged
)

// requests encodes searches with their checks.
func requests(address string, queries []corpus.Query) []load.Request {
	result := make([]load.Request, len(queries))
	for i, query := range queries {
		result[i] = load.Request{
			Bytes: load.Encode("GET", address, query.Path(), ""),
			Check: func(status int, body []byte, thorough bool) error { return checkAnswer(query, status, body, thorough) },
		}
	}
	return result
}

// classes measures each class of searches with one client.
func (b *bench) classes(ctx context.Context, server *program.Server) error {
	for _, one := range corpus.Classes {
		queries := b.entries.Queries(one.Class, classQueries)
		row := classFigures{class: one.Class}
		var err error
		if row.totals, err = totals(ctx, server, queries[:compared]); err != nil {
			return err
		}
		row.http, err = b.search(ctx, load.Plan{
			Address: server.Address, Requests: requests(server.Address, queries), Clients: 1, Limit: classLimit,
			WarmUp: b.time / 10, Time: b.time,
		})
		if err != nil {
			return err
		}
		b.say("%-18s  1 client   %s", one.Class, figuresText(row.http))
		b.found.classes = append(b.found.classes, row)
	}
	return nil
}

// totals runs searches one by one, checks each answer thoroughly, and returns how many entries each found.
func totals(ctx context.Context, server *program.Server, queries []corpus.Query) ([]int, error) {
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	result := make([]int, len(queries))
	for i, query := range queries {
		status, body, err := connection.Do(ctx, load.Encode("GET", server.Address, query.Path(), ""))
		if err != nil {
			return nil, err
		}
		if err := checkAnswer(query, status, body, true); err != nil {
			return nil, err
		}
		result[i] = totalOf(body)
	}
	return result, nil
}

// clientNumbers are the numbers of concurrent clients.
var clientNumbers = []int{1, 16, 64}

// mixes measures the mix of all classes with few and with many clients.
func (b *bench) mixes(ctx context.Context, server *program.Server) error {
	searches := requests(server.Address, b.entries.Mix(mixQueries))
	for _, clients := range clientNumbers {
		result, err := b.search(ctx, load.Plan{
			Address: server.Address, Requests: searches, Clients: clients, WarmUp: b.time / 5, Time: b.time,
		})
		if err != nil {
			return err
		}
		b.say("%-18s %2d clients  %s", "the mix", clients, figuresText(result))
		b.found.mixes = append(b.found.mixes, mixFigures{clients, result})
	}
	return nil
}

// search runs a plan and records wrong answers.
func (b *bench) search(ctx context.Context, plan load.Plan) (load.Result, error) {
	result, err := load.Run(ctx, plan)
	b.found.wrong += result.Wrong
	if result.FirstErr != nil && b.found.firstWrong == nil {
		b.found.firstWrong = result.FirstErr
		b.say("A wrong answer: %v", result.FirstErr)
	}
	return result, err
}

func figuresText(result load.Result) string {
	return fmt.Sprintf("p50 %s  p95 %s  p99 %s ms  %s/s", milliseconds(result, 0.5), milliseconds(result, 0.95), milliseconds(result, 0.99),
		report.Number(result.PerSecond()))
}

func milliseconds(result load.Result, part float64) string {
	if len(result.Latencies) == 0 {
		return "-"
	}
	return report.Milliseconds(result.Quantile(part))
}

// seconds formats the duration of a single measurement.
func seconds(d time.Duration) string { return report.Seconds(d) }
