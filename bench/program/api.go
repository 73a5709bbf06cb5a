package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"cairn/bench/load"
)

// API is the path of the API.
const API = "/api/v1/rf"

// WaitTime is how long anything that people wait for may take.
const WaitTime = 3 * time.Minute

// Call is a call of the API.
type Call struct {
	Method, Path string
	Token        string // "": none
	Key          string // Idempotency-Key; "": none
	Body         any    // nil: none
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}

// Send makes the call and reads the whole answer. Its error is that there was none.
func (c Call) Send(ctx context.Context, address string) (status int, body []byte, err error) {
	header := http.Header{}
	for name, value := range map[string]string{"Authorization": strings.TrimSuffix("Bearer "+c.Token, "Bearer "), "Idempotency-Key": c.Key} {
		if value != "" {
			header.Set(name, value)
		}
	}
	_, status, body, err = Way{Client: client, Header: header}.Send(ctx, c.Method, "http://"+address+c.Path, c.Body)
	return status, body, err
}

// Person calls the API of a server with a token.
type Person struct {
	Address string
	Token   func() string
}

// Call makes a call with a path below that of the API. Answers above 299 are errors; others are decoded unless answer is nil.
func (p Person) Call(ctx context.Context, method, path string, body, answer any) error {
	status, content, err := Call{Method: method, Path: API + path, Token: p.Token(), Body: body}.Send(ctx, p.Address)
	switch {
	case err != nil:
		return err
	case status/100 != 2:
		return fmt.Errorf("%s %s: %d %.300s", method, path, status, content)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(content, answer)
}

// Tokens makes a token for each account, valid for an hour.
func (p Program) Tokens(ctx context.Context, emails ...string) ([]string, error) {
	text, err := p.Output(ctx, append([]string{"token"}, emails...)...)
	tokens := strings.Fields(text)
	if err == nil && len(tokens) != len(emails) {
		err = fmt.Errorf("there are %d tokens for %d accounts", len(tokens), len(emails))
	}
	return tokens, err
}

// Person returns somebody who is done before the token expires.
func (p Program) Person(ctx context.Context, server *Server, email string) (Person, error) {
	tokens, err := p.Tokens(ctx, email)
	return Person{server.Address, func() string { return strings.Join(tokens, "") }}, err
}

// Repository returns the id of the repository with a name, as soon as there is one.
func (p Person) Repository(ctx context.Context, name string) (id string, err error) {
	return p.Entry(ctx, "REPOSITORY", name)
}

// Entry returns the id of the entry of a type with a name, as soon as there is one.
func (p Person) Entry(ctx context.Context, kind, name string) (id string, err error) {
	found, err := load.Wait(ctx, WaitTime, 50*time.Millisecond, func() (bool, error) {
		var entries []struct{ ID, Name string }
		err := p.Call(ctx, http.MethodGet, "/resources/search?type="+kind+"&name="+strings.ReplaceAll(name, " ", "+"), nil, &entries)
		for _, entry := range entries {
			if entry.Name == name {
				id = entry.ID
			}
		}
		return id != "", err
	})
	if err == nil && !found {
		err = fmt.Errorf("there is no entry %q of the type %s", name, kind)
	}
	return id, err
}

// Serve runs the program while work is done by the demo's researcher and operator.
func (p Program) Serve(ctx context.Context, work func(researcher, operator Person) error) (err error) {
	server, err := p.Start(ctx, AnySearch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	researcher, err := p.Person(ctx, server, Researcher)
	if err != nil {
		return err
	}
	operator, err := p.Person(ctx, server, Operator)
	if err != nil {
		return err
	}
	return work(researcher, operator)
}

// AwaitWarm waits until an operator sees so many warm sessions that can be claimed.
func (p Person) AwaitWarm(ctx context.Context, count int) error {
	return p.awaitWarm(ctx, func(_, ready int) bool { return ready >= count })
}

// EndWarm ends the sessions that an earlier configuration kept warm and this one doesn't: they outlive their server. It does so even
// when ctx has ended.
func (p Program) EndWarm(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	return p.Serve(ctx, func(_, operator Person) error {
		return operator.awaitWarm(ctx, func(all, _ int) bool { return all == 0 })
	})
}

// awaitWarm waits until the number of warm sessions, and of those that can be claimed, is as wanted.
func (p Person) awaitWarm(ctx context.Context, wanted func(all, ready int) bool) error {
	all, ready := 0, 0
	reached, err := load.Wait(ctx, WaitTime, 200*time.Millisecond, func() (bool, error) {
		var page struct{ Warm []struct{ Phase string } }
		err := p.Call(ctx, http.MethodGet, "/operator/sessions?live=true", nil, &page)
		all, ready = len(page.Warm), 0
		for _, one := range page.Warm {
			if one.Phase == "ready" {
				ready++
			}
		}
		return err == nil && wanted(all, ready), err
	})
	if err == nil && !reached {
		err = fmt.Errorf("there are %d warm sessions, of which %d are ready", all, ready)
	}
	return err
}

// Delete deletes a session for ever, even when ctx has ended.
func (p Person) Delete(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), WaitTime)
	defer cancel()
	return p.Call(ctx, http.MethodDelete, "/sessions/"+id+"?now=true", nil, nil)
}

// Each calls do for several numbers at once.
func Each(count int, do func(number int) error) (err error) {
	var working sync.WaitGroup
	var mu sync.Mutex
	next := make(chan int)
	for range 8 {
		working.Go(func() {
			for number := range next {
				failed := do(number)
				mu.Lock()
				err = errors.Join(err, failed)
				mu.Unlock()
			}
		})
	}
	for number := range count {
		next <- number
	}
	close(next)
	working.Wait()
	return err
}
