package httpapi

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"cairn/internal/foundation/fault"

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
	wait, _ := l.take(key, 1, now)
	return wait
}

// WaitFrom returns how long the address of a request has to wait for its next event, and counts nothing.
func (l *RateLimit) WaitFrom(ctx context.Context, now time.Time) time.Duration {
	key, many := addressKey(ctx, ClientAddress(ctx))
	bucket, found := l.buckets.Get(key)
	if !found || bucket.TokensAt(now) >= 1 {
		return 0
	}
	return time.Duration((1 - bucket.TokensAt(now)) / float64(l.limit) / float64(many) * float64(time.Second))
}

// TakeFrom counts one event of the address of a request.
func (l *RateLimit) TakeFrom(ctx context.Context, now time.Time) {
	key, many := addressKey(ctx, ClientAddress(ctx))
	l.take(key, many, now)
}

// addressKey returns the key of an address, and how many addresses it stands for.
func addressKey(ctx context.Context, address string) (key string, many int) {
	if sharedAddress(ctx) {
		return "shared " + ClientNetwork(address), peopleBehindProxy
	}
	return ClientNetwork(address), 1
}

// take is Take for a key that stands for so many, and also returns how many events are left at once.
func (l *RateLimit) take(key string, many int, now time.Time) (wait time.Duration, left float64) {
	bucket := rate.NewLimiter(l.limit*rate.Limit(many), l.burst*many)
	if earlier, found, _ := l.buckets.PeekOrAdd(key, bucket); found {
		bucket = earlier
		l.buckets.Get(key) // it was used just now
	}
	reservation := bucket.ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait, max(bucket.TokensAt(now), 0)
}

// tell says in the headers of an answer how many calls its client may make at once, how many of these are left, and after
// how many seconds without a call the full quota is available again.
func (l *RateLimit) tell(header http.Header, left float64) {
	header.Set("RateLimit-Limit", strconv.Itoa(l.burst))
	header.Set("RateLimit-Remaining", strconv.Itoa(int(left)))
	header.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil((float64(l.burst)-left)/float64(l.limit)))))
}

// peopleBehindProxy is how many addresses one stands for that says that it forwards for others, without a word of the
// configuration about it: it may be a proxy, or a client that wants no limit.
const peopleBehindProxy = 50

// limitAnonymous counts a call without a valid token, and returns a TooMany fault if it exceeds the limit. Calls by
// this server itself have no address and no limit. The address of a proxy that the configuration doesn't name has that of many
// addresses. The answers to all others say what is left.
func (api *API) limitAnonymous(header http.Header, r *http.Request) error {
	limit := api.options.Anonymous
	if limit == nil || r.RemoteAddr == "" {
		return nil
	}
	key, many := addressKey(r.Context(), r.RemoteAddr)
	wait, left := limit.take(key, many, api.options.Now())
	if many == 1 {
		limit.tell(header, left)
	}
	if wait == 0 {
		return nil
	}
	tooMany := fault.New(fault.TooMany, "Too many calls came from your address. Wait a moment, or sign in.")
	tooMany.RetryAfter, tooMany.Limit = wait, "anonymous"
	return tooMany
}
