package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/sessions"
)

const api = program.API

// people are those with an account. Their tokens are renewed before they expire.
type people struct {
	emails []string
	mu     sync.RWMutex
	tokens []string
}

func (p *people) token(i int) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.tokens[i]
}

func (p *people) renew(tokens []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens = slices.Clone(tokens)
}

// tally counts the answers that people of one kind got.
type tally struct {
	name string

	mu          sync.Mutex
	first       []time.Duration // of answers to the first request, since it was due
	retried     []time.Duration // of answers to the second request, since the first was due
	unavailable []time.Time     // when the second request had no answer either
	wrong       []string
}

func (t *tally) mistake(format string, values ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong = append(t.wrong, time.Now().UTC().Format(time.TimeOnly)+" "+fmt.Sprintf(format, values...))
}

// answer is what came back. If nothing did, status is 0 or 503. repeated says that an earlier request may have done the
// work.
type answer struct {
	status   int
	body     []byte
	repeated bool
}

func (a answer) missing() bool { return a.status == 0 || a.status == http.StatusServiceUnavailable }

// ask makes a call that was due then, as a browser does: once more after a broken connection or a 503, unless it may be made only
// once. It counts the answers.
func (t *tally) ask(ctx context.Context, address string, due time.Time, once bool, call program.Call) answer {
	came := request(ctx, address, call)
	if came.missing() && !once {
		load.Pause(ctx, sessions.RetryAfter)
		came = request(ctx, address, call)
		came.repeated = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch took := time.Since(due); {
	case ctx.Err() != nil:
	case came.missing():
		t.unavailable = append(t.unavailable, time.Now())
	case came.repeated:
		t.retried = append(t.retried, took)
	default:
		t.first = append(t.first, took)
	}
	return came
}

func request(ctx context.Context, address string, call program.Call) answer {
	status, body, err := call.Send(ctx, address)
	if err != nil {
		return answer{body: []byte(err.Error())}
	}
	return answer{status: status, body: body}
}

// read asks for something that exists until it gets an answer, for a minute at most.
func read(ctx context.Context, address, path, token string, into any) error {
	var came answer
	_, _ = load.Wait(ctx, time.Minute, sessions.RetryAfter, func() (bool, error) {
		came = request(ctx, address, program.Call{Method: http.MethodGet, Path: path, Token: token})
		return !came.missing(), nil
	})
	if came.status != http.StatusOK {
		return errors.Join(fmt.Errorf("%s: %d %.300s", path, came.status, came.body), ctx.Err())
	}
	return json.Unmarshal(came.body, into)
}
