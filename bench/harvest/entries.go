package harvest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
)

// changing is how many entries change during harvests, at most.
const changing = 2000

// writeEntries writes an import file in which one entry in so many is public and of the account that changes it.
func (b *bench) writeEntries(ctx context.Context, name string) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	entries, lines := corpus.New(corpus.Default(b.entries)), bufio.NewWriterSize(file, 1<<20)
	encoder := json.NewEncoder(lines)
	for number := range b.entries {
		one := entries.Entry(number)
		if number%max(1, b.entries/changing) == 0 && one.Type != "REPOSITORY" { // which change in their repositories
			one.Authors, one.Privacy = []string{program.Account}, "PUBLIC"
		}
		if err := encoder.Encode(one); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return lines.Flush()
}

// entry is as much of an entry as matters here.
type entry struct{ ID, Name, Type, UpdatedAt string }

// search returns entries that everybody sees, and how many there are.
func search(ctx context.Context, address, words string, pageNumber int) (list []entry, total int, err error) {
	connection := load.NewConnection(address)
	defer connection.Close()
	query := url.Values{"nameSearch": {words}, "pageSize": {"100"}, "pageNumber": {fmt.Sprint(pageNumber)}}
	status, body, err := connection.Do(ctx, load.Encode(http.MethodGet, address, "/api/v1/rf/resources/public?"+query.Encode(), ""))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("a search was answered %d: %.300s", status, body)
	}
	var page struct {
		Content       []entry
		TotalElements int
	}
	if err == nil {
		err = json.Unmarshal(body, &page)
	}
	return page.Content, page.TotalElements, err
}

// named returns the entry with this name.
func named(ctx context.Context, address, name string) (entry, error) {
	list, _, err := search(ctx, address, `"`+name+`"`, 0)
	for _, one := range list {
		if one.Name == name {
			return one, err
		}
	}
	return entry{}, errors.Join(err, fmt.Errorf("there is no entry %q", name))
}

// own returns the entries that change.
func own(ctx context.Context, address string) (all []entry, err error) {
	for number := 0; ; number++ {
		list, _, err := search(ctx, address, "author:"+program.Account, number)
		if all = append(all, list...); err != nil || len(list) == 0 {
			return all, err
		}
	}
}

// request encodes a request with a body that isn't empty, or with another Accept header than load.Encode.
func request(method, address, path, token, accept string, body []byte) []byte {
	authorization := ""
	if token != "" {
		authorization = "Authorization: Bearer " + token + "\r\n"
	}
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept: %s\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, address, accept, authorization, len(body), body)
}
