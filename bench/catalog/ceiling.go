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

// ratioClients is the number of clients whose searches are compared with the ceiling: what the server, the machine and the load
// generator reach when there is nothing to search. The server then answers with the mark of its site, which has as many bytes as
// a page of cards.
const ratioClients = 16

// The site's mark is what the server has stored and answers in its API.
const (
	storedFile = "stored.svg"
	storedPath = "/api/mark"
)

// writeSite writes the server's site file with a mark of so many bytes beside it.
func (b *bench) writeSite(ctx context.Context, size int) error {
	site, err := b.cairn.Plain(ctx, "config", "site")
	if err != nil {
		return err
	}
	const begin, end = `<svg xmlns="http://www.w3.org/2000/svg"><!--`, `--></svg>`
	mark := begin + strings.Repeat("0123456789abcdef", size/16+1)[:max(size-len(begin)-len(end), 0)] + end
	path := filepath.Join(b.Folder, "site.yaml")
	b.cairn.Flags = []string{"--site", path}
	site = strings.Replace(site, "\nbrand:\n", "\nbrand:\n  mark: "+storedFile+"\n", 1)
	return errors.Join(os.WriteFile(path, []byte(site), 0o600), os.WriteFile(filepath.Join(b.Folder, storedFile), []byte(mark), 0o600))
}

// pageSize returns the bytes of a page of cards.
func (b *bench) pageSize(ctx context.Context) (int, error) {
	connection := load.NewConnection(b.server.Address)
	defer connection.Close()
	body, err := connection.Get(ctx, b.corpus.Queries(corpus.Common, 1)[0].Path())
	return len(body), err
}

// ceiling measures how fast the server answers with what it has stored.
func (b *bench) ceiling(ctx context.Context) error {
	wanted, err := os.ReadFile(filepath.Join(b.Folder, storedFile))
	if err != nil {
		return err
	}
	plan := load.Plan{WarmUp: b.time / 5, Time: b.time, Clients: 1, Requests: []load.Request{{
		Bytes: load.Encode("GET", b.server.Address, storedPath, ""),
		Check: func(status int, body []byte, _ bool) error {
			if status != http.StatusOK || !bytes.Equal(body, wanted) {
				return fmt.Errorf("%s was answered with %d and %d bytes", storedPath, status, len(body))
			}
			return nil
		},
	}}}
	if b.found.oneCeiling, err = b.search(ctx, "the ceiling", plan); err != nil {
		return err
	}
	plan.Clients = ratioClients
	b.found.manyCeiling, err = b.search(ctx, "the ceiling", plan)
	return err
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
func (b *bench) besideLong(ctx context.Context) error {
	plan := b.mix(ratioClients)
	plan.WarmUp, plan.Time = plan.WarmUp/turns, plan.Time/turns
	for range turns {
		alone, err := b.search(ctx, "without long texts", plan)
		if err != nil {
			return err
		}
		b.found.alone.Join(alone)
		asking, stop := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- b.askLong(asking) }()
		beside, err := b.search(ctx, "beside long texts", plan)
		stop()
		if err = errors.Join(err, <-ended); err != nil {
			return err
		}
		b.found.besideLong.Join(beside)
	}
	b.found.loaded = b.server.Figures()
	return nil
}

// askLong sends one long search per second until ctx ends.
func (b *bench) askLong(ctx context.Context) error {
	connection := load.NewConnection(b.server.Address)
	defer connection.Close()
	for texts, at := longTexts(), 0; ctx.Err() == nil; at++ {
		query := corpus.Query{Text: texts[at%len(texts)]}
		status, _, err := connection.Do(ctx, load.Encode("GET", b.server.Address, query.Path(), ""))
		if err == nil && status != http.StatusOK && status/100 != 4 {
			err = errors.New("a long search was answered " + http.StatusText(status))
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		load.Pause(ctx, time.Second)
	}
	return nil
}

// bare measures what a start with a snapshot can't do without: reading the snapshot's file, and a process that opens the
// database. The start itself follows, so both find the file in the system's cache.
func (b *bench) bare(ctx context.Context) error {
	began := time.Now()
	_, err := os.ReadFile(filepath.Join(b.cairn.Data, "catalog.index"))
	if err == nil {
		_, err = b.cairn.Tokens(ctx, program.Account)
	}
	b.found.bareStart = time.Since(began)
	return err
}
