package catalog

import (
	"context"

	"cairn/bench/corpus"
	"cairn/bench/load"
)

const (
	classQueries = 2000   // different searches in a class
	mixQueries   = 20_000 // different searches in the mix
	classLimit   = 5000   // answers after which a class is measured well enough
	compared     = 20     // searches in a class whose totals are averaged
)

// requests encodes searches with their checks.
func (b *bench) requests(queries []corpus.Query) []load.Request {
	result := make([]load.Request, len(queries))
	for i, query := range queries {
		result[i] = load.Request{
			Bytes: load.Encode("GET", b.server.Address, query.Path(), ""),
			Check: func(status int, body []byte, thorough bool) error { return checkAnswer(query, status, body, thorough) },
		}
	}
	return result
}

// mix is a plan of the mix of all classes.
func (b *bench) mix(clients int) load.Plan {
	return load.Plan{Requests: b.requests(b.mixed), Clients: clients, WarmUp: b.time / 5, Time: b.time}
}

// classes measures each class of searches with one client.
func (b *bench) classes(ctx context.Context) error {
	connection := load.NewConnection(b.server.Address)
	defer connection.Close()
	for _, one := range corpus.Classes {
		queries := b.corpus.Queries(one.Class, classQueries)
		row, sum := searches{class: one.Class}, 0
		for _, query := range queries[:compared] {
			body, err := connection.Get(ctx, query.Path())
			if err == nil {
				err = checkAnswer(query, 200, body, true)
			}
			if err != nil {
				return err
			}
			sum += totalOf(body)
		}
		row.average = sum / compared
		var err error
		row.Result, err = b.search(ctx, one.Class, load.Plan{Requests: b.requests(queries), Clients: 1, Limit: classLimit, WarmUp: b.time / 10, Time: b.time})
		if err != nil {
			return err
		}
		b.found.classes = append(b.found.classes, row)
	}
	return nil
}

// mixes measures the mix with few and with many clients.
func (b *bench) mixes(ctx context.Context) error {
	for _, clients := range []int{1, ratioClients, 64} {
		result, err := b.search(ctx, "the mix", b.mix(clients))
		if err != nil {
			return err
		}
		b.found.mixes = append(b.found.mixes, searches{clients: clients, Result: result})
	}
	return nil
}
