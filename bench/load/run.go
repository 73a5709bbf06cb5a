package load

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Request is what a client sends, and how it knows a right answer.
type Request struct {
	Bytes []byte
	// Check gives an error for a wrong answer. Thorough is true for a sample of the answers.
	Check func(status int, body []byte, thorough bool) error
}

// Plan is a closed loop: each client sends its next request when it has the answer to the last. However little time
// there is, one request of each client counts.
type Plan struct {
	Address  string
	Requests []Request // the clients begin at different places of the list and go around
	Clients  int
	WarmUp   time.Duration
	Time     time.Duration
	Limit    int // of requests that count, over all clients; 0: none
}

// sampleEvery is how many answers pass with a quick check between two thorough ones.
const sampleEvery = 50

// Run follows a plan. The error is that of ctx; what the server does wrong is in the result.
func Run(ctx context.Context, plan Plan) (Result, error) {
	var (
		working sync.WaitGroup
		mutex   sync.Mutex
		result  Result
	)
	began := time.Now()
	counting, end := began.Add(plan.WarmUp), began.Add(plan.WarmUp+plan.Time)
	limit := (plan.Limit + plan.Clients - 1) / plan.Clients
	for client := range plan.Clients {
		working.Go(func() {
			own := runClient(ctx, plan, client*len(plan.Requests)/plan.Clients, limit, counting, end)
			mutex.Lock()
			defer mutex.Unlock()
			result.add(own)
		})
	}
	working.Wait()
	result.sort()
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
			result.wrong(err)
		}
		if began.After(counting) {
			result.Latencies = append(result.Latencies, answered.Sub(began))
			result.Elapsed = answered.Sub(counting)
		}
	}
	return result
}

// Result is what a plan showed.
type Result struct {
	Latencies []time.Duration // from the shortest; without those of the warm-up
	Elapsed   time.Duration
	Wrong     int   // wrong answers, and none, the warm-up's too
	FirstErr  error // of the first of them
}

func (r *Result) wrong(err error) {
	r.Wrong++
	if r.FirstErr == nil {
		r.FirstErr = err
	}
}

func (r *Result) add(other Result) {
	r.Latencies = append(r.Latencies, other.Latencies...)
	r.Elapsed = max(r.Elapsed, other.Elapsed)
	r.Wrong += other.Wrong
	if r.FirstErr == nil {
		r.FirstErr = other.FirstErr
	}
}

func (r *Result) sort() { slices.Sort(r.Latencies) }

// Of creates a result of single measurements.
func Of(latencies []time.Duration) Result {
	result := Result{Latencies: latencies}
	for _, one := range latencies {
		result.Elapsed += one
	}
	result.sort()
	return result
}

// Quantile returns the time within which a part of the answers came, the nearest one from above; 0 when there are none.
func (r Result) Quantile(part float64) time.Duration {
	if len(r.Latencies) == 0 {
		return 0
	}
	at := int(part*float64(len(r.Latencies))+0.999999) - 1
	return r.Latencies[min(max(at, 0), len(r.Latencies)-1)]
}

// PerSecond is how many answers came in a second.
func (r Result) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(len(r.Latencies)) / r.Elapsed.Seconds()
}
