package idp

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter has a token bucket for each key. Full buckets are forgotten, so the table only grows with the traffic of one
// refill time.
type limiter struct {
	every time.Duration
	burst int

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
	sweepAt int
}

const limiterSweep = 1024

func newLimiter(every time.Duration, burst int) *limiter {
	return &limiter{every: every, burst: burst, buckets: map[string]*rate.Limiter{}, sweepAt: limiterSweep}
}

// take takes a token of a key, or returns how long to wait for the next one.
func (l *limiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.buckets[key]
	if bucket == nil {
		if len(l.buckets) >= l.sweepAt {
			for other, candidate := range l.buckets {
				if candidate.TokensAt(now) >= float64(l.burst) {
					delete(l.buckets, other)
				}
			}
			l.sweepAt = max(limiterSweep, 2*len(l.buckets))
		}
		bucket = rate.NewLimiter(rate.Every(l.every), l.burst)
		l.buckets[key] = bucket
	}
	reservation := bucket.ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// addressKey returns what counts as one household or host: the address, or for IPv6 its /64 network.
func addressKey(remote string) string {
	parsed, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address := parsed.Addr().Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	return netip.PrefixFrom(address, 64).Masked().String()
}
