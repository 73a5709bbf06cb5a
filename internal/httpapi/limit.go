package httpapi

import (
	"net/http"
	"time"

	"cairn/internal/fault"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// RateLimit limits how often each of many keys, such as addresses, may do something. It is safe for concurrent use.
type RateLimit struct {
	limit   rate.Limit
	burst   int
	buckets *lru.Cache[string, *rate.Limiter]
}

// keysLimited is the maximum number of keys in memory; the least recently used one is dropped first.
const keysLimited = 50_000

// NewRateLimit returns a limit of rate events per second, after at most burst at once.
func NewRateLimit(limit rate.Limit, burst int) *RateLimit {
	buckets, err := lru.New[string, *rate.Limiter](keysLimited)
	if err != nil {
		panic(err) // only for a size below 1
	}
	return &RateLimit{limit: limit, burst: burst, buckets: buckets}
}

// Take counts one event of a key and returns 0, or returns how long to wait for the next one and counts nothing.
func (l *RateLimit) Take(key string, now time.Time) time.Duration {
	bucket := rate.NewLimiter(l.limit, l.burst)
	if earlier, found, _ := l.buckets.PeekOrAdd(key, bucket); found {
		bucket = earlier
		l.buckets.Get(key) // it was used just now
	}
	reservation := bucket.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// limitAnonymous counts a call without a valid token, and returns a TooMany fault if it exceeds the limit. Calls by
// this server itself have no address, and the address of an unknown proxy stands for too many people: neither is
// limited.
func (api *API) limitAnonymous(r *http.Request) error {
	limit := api.options.Anonymous
	if limit == nil || r.RemoteAddr == "" || sharedAddress(r.Context()) {
		return nil
	}
	wait := limit.Take(ClientNetwork(r.RemoteAddr), api.options.Now())
	if wait == 0 {
		return nil
	}
	tooMany := fault.New(fault.TooMany, "Too many calls came from your address. Wait a moment, or sign in.")
	tooMany.RetryAfter = wait
	return tooMany
}
