package relevance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// startTime limits the start of a server with 2,000 entries.
const startTime = time.Minute

// path returns the request for the first answers to a text.
func path(text string) string {
	values := url.Values{"view": {"card"}, "pageSize": {strconv.Itoa(depth)}, "pageNumber": {"0"}, "sort": {"relevance"}, "nameSearch": {text}}
	return "/api/v1/rf/resources/public?" + values.Encode()
}

// openCairn imports the entries into a new data folder and serves them.
func openCairn(ctx context.Context, name, binary, folder string, entries []entry) (engine, func() error, error) {
	file := filepath.Join(folder, "entries.jsonl")
	if err := writeEntries(file, entries); err != nil {
		return engine{}, nil, err
	}
	cairn := program.Program{Binary: binary, Data: filepath.Join(folder, "data")}
	if _, err := cairn.Import(ctx, file); err != nil {
		return engine{}, nil, err
	}
	server, err := cairn.Start(ctx, path("a"), startTime)
	if err != nil {
		return engine{}, nil, err
	}
	numbers := make(map[string]int, len(entries))
	for i := range entries {
		numbers[entries[i].Name] = i
	}
	return engine{name, func(ctx context.Context, text string) ([]int, error) {
		connection := load.NewConnection(server.Address)
		defer connection.Close()
		status, body, err := connection.Do(ctx, load.Encode("GET", server.Address, path(text), ""))
		if err != nil {
			return nil, err
		}
		var page struct {
			Content []struct {
				Name string `json:"name"`
			} `json:"content"`
		}
		if status != 200 {
			return nil, fmt.Errorf("%q was answered %d: %.300s", text, status, body)
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, err
		}
		var found []int
		for _, card := range page.Content {
			number, known := numbers[card.Name]
			if !known {
				return nil, fmt.Errorf("%q found %q, which isn't in the set", text, card.Name)
			}
			found = append(found, number)
		}
		return found, nil
	}}, server.Stop, nil
}

func writeEntries(path string, entries []entry) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(file)
	for i := range entries {
		if err := encoder.Encode(entries[i].Entry); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return file.Close()
}
