package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
)

// ceilingFigures are what the server, the machine and the load generator reach when there is nothing to search: the server
// answers with a file of its site that has as many bytes as a page of cards.
type ceilingFigures struct {
	one, many load.Result // with 1 and with ratioClients clients
}

// ratioClients is the number of clients whose searches are compared with the ceiling.
const ratioClients = 16

// The site's mark is what the server has stored and answers in its API.
const (
	storedFile = "stored.svg"
	storedPath = "/api/mark"
)

// writeSite writes the server's site file with a mark of so many bytes beside it, and returns its path.
func (b *bench) writeSite(ctx context.Context, cairn program.Program, size int) (string, error) {
	site, err := cairn.Site(ctx)
	if err != nil {
		return "", err
	}
	const begin, end = `<svg xmlns="http://www.w3.org/2000/svg"><!--`, `--></svg>`
	mark := begin + strings.Repeat("0123456789abcdef", size/16+1)[:max(size-len(begin)-len(end), 0)] + end
	path := filepath.Join(b.scratch, "site.yaml")
	site = strings.Replace(site, "\nbrand:\n", "\nbrand:\n  mark: "+storedFile+"\n", 1)
	return path, errors.Join(os.WriteFile(path, []byte(site), 0o600), os.WriteFile(filepath.Join(b.scratch, storedFile), []byte(mark), 0o600))
}

// pageSize returns the bytes of a page of cards.
func (b *bench) pageSize(ctx context.Context, server *program.Server) (int, error) {
	query := b.entries.Queries(corpus.Common, 1)[0]
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	status, body, err := connection.Do(ctx, load.Encode("GET", server.Address, query.Path(), ""))
	if err == nil {
		err = checkAnswer(query, status, body, true)
	}
	return len(body), err
}

// ceiling measures how fast the server answers with what it has stored.
func (b *bench) ceiling(ctx context.Context, server *program.Server) error {
	wanted, err := os.ReadFile(filepath.Join(b.scratch, storedFile))
	if err != nil {
		return err
	}
	stored := load.Request{
		Bytes: load.Encode("GET", server.Address, storedPath, ""),
		Check: func(status int, body []byte, _ bool) error {
			if status != http.StatusOK || !bytes.Equal(body, wanted) {
				return fmt.Errorf("%s was answered with %d and %d bytes", storedPath, status, len(body))
			}
			return nil
		},
	}
	for _, one := range []struct {
		clients int
		into    *load.Result
	}{{1, &b.found.ceiling.one}, {ratioClients, &b.found.ceiling.many}} {
		*one.into, err = b.search(ctx, load.Plan{
			Address: server.Address, Requests: []load.Request{stored}, Clients: one.clients, WarmUp: b.time / 5, Time: b.time,
		})
		if err != nil {
			return err
		}
		b.say("%-18s %2d clients  %s", "the ceiling", one.clients, figuresText(*one.into))
	}
	return nil
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

// turns is how often the mix is measured with and without long texts, each for a part of the time: what else slows the
// machine for a while then slows both.
const turns = 4

// besideLong repeats the mix, by turns while somebody sends one search of a thousand characters per second.
func (b *bench) besideLong(ctx context.Context, server *program.Server) error {
	plan := load.Plan{
		Address: server.Address, Requests: requests(server.Address, b.entries.Mix(mixQueries)), Clients: ratioClients,
		WarmUp: b.time / (5 * turns), Time: b.time / turns,
	}
	for range turns {
		alone, err := b.search(ctx, plan)
		if err != nil {
			return err
		}
		b.found.alone.Join(alone)
		asking, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- askLong(asking, server) }()
		beside, err := b.search(ctx, plan)
		stop()
		if err = errors.Join(err, <-ended); err != nil {
			return err
		}
		b.found.besideLong.Join(beside)
	}
	b.say("%-18s %2d clients  %s", "without long texts", ratioClients, figuresText(b.found.alone))
	b.say("%-18s %2d clients  %s", "beside long texts", ratioClients, figuresText(b.found.besideLong))
	return nil
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
