package sessions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// prepare creates the requests that people make.
func (s *soak) prepare(ctx context.Context) error {
	var found []struct{ ID string }
	someone := &user{server: s.server, token: s.current}
	if err := someone.call(ctx, http.MethodGet, "/resources/public/search?type=REPOSITORY&name=", &found); err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("the demo has no entry")
	}
	const api = "/api/v1/rf"
	for _, one := range []struct{ method, path string }{
		{http.MethodGet, "/"},
		{http.MethodGet, api + "/resources/public/search?type=REPOSITORY&name=a"},
		{http.MethodGet, "/resources/repositories/" + found[0].ID},
		{http.MethodGet, api + "/resources/public/" + found[0].ID},
		{http.MethodGet, api + "/sessions"},
		{http.MethodGet, api + "/resources/public?facets=types,tags&pageNumber=0&pageSize=24&view=card"},
		{http.MethodGet, api + "/resources/public/tags/all"},
		{http.MethodGet, api + "/resources/search?type=NOTEBOOK&name=model"},
		// The changes come last.
		{http.MethodPut, api + "/resources/" + found[0].ID + "/star"},
		{http.MethodDelete, api + "/resources/" + found[0].ID + "/star"},
	} {
		request, err := http.NewRequestWithContext(ctx, one.method, "http://"+s.server.address+one.path, http.NoBody)
		if err != nil {
			return err
		}
		s.asked = append(s.asked, request)
	}
	s.latencies = make([][]time.Duration, len(s.asked))
	return nil
}

const (
	changes    = 2  // at the end of what is asked
	turnLength = 20 // one request in so many changes something
)

// turn returns which request is next after so many.
func (s *soak) turn(count int) int {
	reads := len(s.asked) - changes
	if count%turnLength == turnLength-1 {
		return reads + count/turnLength%changes
	}
	return count % reads
}

// ask sends requests when they are due, however slowly others are answered, and counts from then.
func (s *soak) ask(ctx context.Context) {
	var (
		asking sync.WaitGroup
		mutex  sync.Mutex
	)
	through := &http.Client{Timeout: answerTime, Transport: &http.Transport{MaxIdleConnsPerHost: s.rate}}
	defer through.CloseIdleConnections()
	began := time.Now()
	for i := 0; ; i++ {
		at := time.Duration(i) * time.Second / time.Duration(s.rate)
		if at >= s.length || ctx.Err() != nil {
			break
		}
		due := began.Add(at)
		pause(ctx, time.Until(due))
		asking.Go(func() {
			which := s.turn(i)
			request := s.asked[which].Clone(ctx)
			request.Header.Set("Authorization", "Bearer "+s.current())
			err := swallow(through, request)
			mutex.Lock()
			defer mutex.Unlock()
			s.latencies[which] = append(s.latencies[which], time.Since(due))
			if err != nil {
				s.failed = append(s.failed, fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, err))
			}
		})
	}
	asking.Wait()
}
