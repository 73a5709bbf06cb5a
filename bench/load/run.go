package load

import (
	"context"
	"slices"
	"sync"
	"time"

	"cairn/bench/report"
)

// Request is an encoded request with a check of its answer.
type Request struct {
	Bytes []byte
	// Check returns an error for a wrong answer. Thorough is true for a sample of the answers.
	Check func(status int, body []byte, thorough bool) error
}

// Plan is a closed loop: each client sends its next request after the answer to the last. However short the time is,
// one request of each client counts.
type Plan struct {
	Address  string
	Requests []Request // the clients begin at different positions in the list and go around
	Clients  int
	WarmUp   time.Duration
	Time     time.Duration
	Limit    int // of requests that count, over all clients; 0: unlimited
}

// sampleEvery: one in this many answers gets the thorough check.
const sampleEvery = 50

// Run runs a plan. The error is that of ctx; the server's mistakes are in the result.
func Run(ctx context.Context, plan Plan) (Result, error) {
	var (
		working sync.WaitGroup
		mu      sync.Mutex
		result  Result
	)
	began := time.Now()
	counting, end := began.Add(plan.WarmUp), began.Add(plan.WarmUp+plan.Time)
	limit := (plan.Limit + plan.Clients - 1) / plan.Clients
	for client := range plan.Clients {
		working.Go(func() {
			own := runClient(ctx, plan, client*len(plan.Requests)/plan.Clients, limit, counting, end)
			mu.Lock()
			defer mu.Unlock()
			result.add(own)
		})
	}
	working.Wait()
	slices.Sort(result.Latencies)
	return result, ctx.Err()
}

func runClient(ctx context.Context, plan Plan, at, limit int, counting, end time.Time) Result {
	var result Result
	connection := NewConnection(plan.Address)
	defer connection.Close()
	for sent := 0; ctx.Err() == nil; sent++ {
		request := plan.Requests[(at+sent)%len(plan.Requests)]
		began := time.Now()
		counted := len(result.Latencies)
		if counted > 0 && (began.After(end) || counted == limit) {
			break
		}
		status, body, err := connection.Do(ctx, request.Bytes)
		answered := time.Now()
		if err == nil {
			err = request.Check(status, body, sent%sampleEvery == 0)
		}
		if err != nil && ctx.Err() == nil {
			result.add(Result{Wrong: 1, FirstErr: err})
		}
		if began.After(counting) {
			result.Latencies = append(result.Latencies, answered.Sub(began))
			result.Elapsed = answered.Sub(counting)
		}
	}
	return result
}

// Result is the result of a plan.
type Result struct {
	Latencies []time.Duration // ascending; without the warm-up
	Elapsed   time.Duration
	Wrong     int   // wrong and missing answers, including the warm-up
	FirstErr  error // the first of them
}

func (r *Result) add(other Result) {
	r.Latencies = append(r.Latencies, other.Latencies...)
	r.Elapsed = max(r.Elapsed, other.Elapsed)
	r.Wrong += other.Wrong
	if r.FirstErr == nil {
		r.FirstErr = other.FirstErr
	}
}

// Join adds the answers of a plan that ran before or after.
func (r *Result) Join(other Result) {
	elapsed := r.Elapsed + other.Elapsed
	r.add(other)
	r.Elapsed = elapsed
	slices.Sort(r.Latencies)
}

// Quantile returns the smallest latency that covers this part of the answers; 0 when there are none.
func (r Result) Quantile(part float64) time.Duration { return report.Quantile(r.Latencies, part) }

// PerSecond returns the number of answers per second.
func (r Result) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(len(r.Latencies)) / r.Elapsed.Seconds()
}

// Every calls do so often a second, whether or not earlier calls have returned, until ctx ends. Each worker is called by one
// goroutine, with when its call was due.
func Every(ctx context.Context, rate float64, workers int, do func(worker int, due time.Time)) {
	var working sync.WaitGroup
	defer working.Wait()
	queues := make([]chan time.Time, workers)
	for worker := range queues {
		queues[worker] = make(chan time.Time, 10_000)
		defer close(queues[worker])
		working.Go(func() {
			for due := range queues[worker] {
				if ctx.Err() == nil {
					do(worker, due)
				}
			}
		})
	}
	began := time.Now()
	for number := 0; ; number++ {
		due := began.Add(time.Duration(float64(number) / rate * float64(time.Second)))
		if Pause(ctx, time.Until(due)); ctx.Err() != nil {
			return
		}
		queues[number%workers] <- due
	}
}

// Pause waits, but not longer than ctx.
func Pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Wait waits until something is done, looking every so often, and reports whether it was done before the limit and ctx ended.
func Wait(ctx context.Context, limit, every time.Duration, done func() (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		if ended, err := done(); ended || err != nil || ctx.Err() != nil {
			return ended, err
		}
		Pause(ctx, every)
	}
}
