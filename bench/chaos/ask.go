package chaos

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/bench/sessions"
)

func newPassword() string { return strings.ToLower(rand.Text()) }

// tally counts the answers that people of one kind got.
type tally struct {
	name string

	mutex       sync.Mutex
	first       []time.Duration // of answers to the first request, since it was due
	retried     []time.Duration // of answers to the second request, since the first was due
	unavailable []time.Time     // when the second request had no answer either
	wrong       []string
}

func (t *tally) mistake(format string, values ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.wrong = append(t.wrong, time.Now().UTC().Format(time.TimeOnly)+" "+fmt.Sprintf(format, values...))
}

// asked is an API call.
type asked struct {
	method, path string
	token        string
	body         any    // nil: none
	key          string // Idempotency-Key; "": none
	once         bool   // never repeated
	due          time.Time
}

// answer is what came back. If nothing did, status is 0 or 503. repeated says that an earlier request may have done the
// work.
type answer struct {
	status   int
	body     []byte
	repeated bool
}

func (a answer) missing() bool { return a.status == 0 || a.status == http.StatusServiceUnavailable }

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}

// ask makes a call as a browser does, once more after a broken connection or a 503. It counts the answers.
func (t *tally) ask(ctx context.Context, address string, call asked) answer {
	if call.due.IsZero() {
		call.due = time.Now()
	}
	came := request(ctx, address, call)
	if came.missing() && !call.once {
		pause(ctx, sessions.RetryAfter)
		came = request(ctx, address, call)
		came.repeated = true
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch took := time.Since(call.due); {
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

func request(ctx context.Context, address string, call asked) answer {
	var content io.Reader = http.NoBody
	if call.body != nil {
		text, err := json.Marshal(call.body)
		if err != nil {
			return answer{body: []byte(err.Error())}
		}
		content = bytes.NewReader(text)
	}
	sent, err := http.NewRequestWithContext(ctx, call.method, "http://"+address+call.path, content)
	if err != nil {
		return answer{body: []byte(err.Error())}
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + call.token, "Idempotency-Key": call.key} {
		if value != "" && value != "Bearer " {
			sent.Header.Set(name, value)
		}
	}
	if call.body != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	came, err := client.Do(sent)
	if err != nil {
		return answer{body: []byte(err.Error())}
	}
	defer came.Body.Close()
	body, err := io.ReadAll(came.Body)
	if err != nil {
		return answer{body: []byte(err.Error())}
	}
	return answer{status: came.StatusCode, body: body}
}

// read asks for something that exists until it gets an answer, for a minute at most.
func read(ctx context.Context, address, path, token string, into any) error {
	for deadline := time.Now().Add(time.Minute); ; {
		came := request(ctx, address, asked{method: http.MethodGet, path: path, token: token})
		switch {
		case came.status == http.StatusOK:
			return json.Unmarshal(came.body, into)
		case !came.missing() || time.Now().After(deadline) || ctx.Err() != nil:
			return errors.Join(fmt.Errorf("%s: %d %.300s", path, came.status, came.body), ctx.Err())
		}
		pause(ctx, sessions.RetryAfter)
	}
}

// everySo calls do rate times a second, whether or not earlier calls have returned, until ctx ends. Each worker is called by
// one goroutine.
func everySo(ctx context.Context, rate float64, workers int, do func(worker int, due time.Time)) {
	var working sync.WaitGroup
	defer working.Wait()
	queues := make([]chan time.Time, workers)
	for worker := range queues {
		queues[worker] = make(chan time.Time, 10_000)
		working.Go(func() {
			for due := range queues[worker] {
				if ctx.Err() == nil {
					do(worker, due)
				}
			}
		})
	}
	began := time.Now()
	for number := 0; ctx.Err() == nil; number++ {
		due := began.Add(time.Duration(float64(number) / rate * float64(time.Second)))
		pause(ctx, time.Until(due))
		queues[number%workers] <- due
	}
	for _, queue := range queues {
		close(queue)
	}
}

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// people are those with an account. Their tokens are renewed before they expire.
type people struct {
	emails []string
	mutex  sync.RWMutex
	tokens []string
}

func (p *people) token(i int) string {
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	return p.tokens[i]
}

func (p *people) renew(tokens []string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.tokens = slices.Clone(tokens)
}
