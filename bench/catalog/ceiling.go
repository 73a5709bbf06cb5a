package catalog

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
)

// ceilingFigures are what the machine and the load generator reach when the server has nothing to search: the standard
// library's HTTP server, which Cairn uses too, with one stored answer.
type ceilingFigures struct {
	one, many load.Result // with 1 and with ratioClients clients
}

// ratioClients is the number of clients whose searches are compared with the ceiling.
const ratioClients = 16

// ceiling stores an answer of the server with a full page of cards, and measures how fast it is answered without a search.
func (b *bench) ceiling(ctx context.Context, server *program.Server) error {
	query := b.entries.Queries(corpus.Common, 1)[0]
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	status, body, err := connection.Do(ctx, load.Encode("GET", server.Address, query.Path(), ""))
	if err != nil {
		return err
	}
	if err := checkAnswer(query, status, body, true); err != nil {
		return err
	}
	address, stop, err := serveStored(ctx, slices.Clone(body))
	if err != nil {
		return err
	}
	for _, one := range []struct {
		clients int
		into    *load.Result
	}{{1, &b.found.ceiling.one}, {ratioClients, &b.found.ceiling.many}} {
		*one.into, err = b.search(ctx, load.Plan{
			Address: address, Requests: requests(address, []corpus.Query{query}), Clients: one.clients, WarmUp: b.time / 5, Time: b.time,
		})
		if err != nil {
			break
		}
		b.say("%-18s %2d clients  %s", "the ceiling", one.clients, figuresText(*one.into))
	}
	return errors.Join(err, stop())
}

// serveStored answers every request with the same JSON until stop is called.
func serveStored(ctx context.Context, body []byte) (address string, stop func() error, err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	return listener.Addr().String(), func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}, nil
}

// longTexts are search texts of the maximum length of a thousand characters that are hard in different ways.
func longTexts() []string {
	const longest = 1000
	repeated := func(text string) string { return strings.Repeat(text, longest)[:longest] }
	var different strings.Builder
	for letter := 0; different.Len() < longest; letter++ {
		different.WriteString(string(rune('a'+letter%26)) + string(rune('a'+letter/26%26)) + " ")
	}
	return []string{
		repeated("a b c d "), different.String()[:longest], repeated("e"), repeated("data "), repeated(`"of the" `), repeated("-a -b "),
		repeated("Neu3Rons-of_2 "), repeated("tag:data type:model "),
	}
}

// besideLong repeats the mix while somebody sends one search of a thousand characters per second.
func (b *bench) besideLong(ctx context.Context, server *program.Server) error {
	asking, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- askLong(asking, server) }()
	result, err := b.search(ctx, load.Plan{
		Address: server.Address, Requests: requests(server.Address, b.entries.Mix(mixQueries)), Clients: ratioClients, WarmUp: b.time / 5, Time: b.time,
	})
	stop()
	b.found.besideLong = result
	b.say("%-18s %2d clients  %s", "beside long texts", ratioClients, figuresText(result))
	return errors.Join(err, <-ended)
}

// askLong sends one long search per second until ctx ends.
func askLong(ctx context.Context, server *program.Server) error {
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	texts := longTexts()
	pause := time.NewTicker(time.Second)
	defer pause.Stop()
	for at := 0; ; at++ {
		query := corpus.Query{Text: texts[at%len(texts)]}
		status, _, err := connection.Do(ctx, load.Encode("GET", server.Address, query.Path(), ""))
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && status != http.StatusOK && status/100 != 4 {
			err = errors.New("a long search was answered " + http.StatusText(status))
		}
		if err != nil {
			return err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// bareStart measures what a start with a snapshot can't do without: reading the snapshot's file, and a process that opens
// the database. The start itself follows, so both find the file in the system's cache.
func (b *bench) bareStart(ctx context.Context, cairn program.Program) error {
	began := time.Now()
	if _, err := os.ReadFile(filepath.Join(cairn.Data, "catalog.index")); err != nil {
		return err
	}
	if _, err := cairn.Output(ctx, "token", program.Account); err != nil {
		return err
	}
	b.found.bareStart = time.Since(began)
	return nil
}
