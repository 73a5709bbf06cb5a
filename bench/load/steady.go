package load

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Workers is how many connections make steady calls: enough for each to begin when it is due.
const Workers = 32

// Steady makes a call whenever one is due, whether the last was answered or not, as people do, until ending ends. Calls know
// their worker, which has a connection, and how many it has made before. A time is from when a call was due.
func Steady(ctx, ending context.Context, address string, rate int, call func(connection *Connection, worker, made int) error) (Result, error) {
	due := make(chan time.Time, 1<<16)
	var working sync.WaitGroup
	var mutex sync.Mutex
	var times []time.Duration
	var wrong error
	for worker := range Workers {
		working.Go(func() {
			connection := NewConnection(address)
			defer connection.Close()
			made := 0
			for at := range due {
				err := call(connection, worker, made)
				made++
				mutex.Lock()
				times, wrong = append(times, time.Since(at)), errors.Join(wrong, err)
				mutex.Unlock()
			}
		})
	}
	ticks := time.NewTicker(time.Second / time.Duration(rate))
	defer ticks.Stop()
	for ending.Err() == nil && ctx.Err() == nil {
		select {
		case at := <-ticks.C:
			due <- at
		case <-ending.Done():
		}
	}
	close(due)
	working.Wait()
	return Of(times), errors.Join(wrong, ctx.Err())
}
