package codehost

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"

	"golang.org/x/time/rate"
)

// The limits of a host per hour until it reports its own.
const (
	anonymousLimit = 60
	tokenLimit     = 5_000
	rawLimit       = 3_000 // for files: a guess, because hosts don't report one
)

// share divides the host's limit: one asker may use up a third of it at once, and regains that within an hour, as soon
// as less than half of the limit is left.
const share = 3

// askersLimit bounds the memory; beyond it, all askers are forgotten.
const askersLimit = 10_000

// busyTime is how long later questions are refused after a host was down, or limited us without saying for how long.
const busyTime = 30 * time.Second

// budget keeps the questions to one service within its limit, and lets nobody use up everybody's share.
type budget struct {
	mu      sync.Mutex
	perHour int
	guessed bool      // the host hasn't reported perHour, so messages don't name it
	until   time.Time // the limit is used up until then
	askers  map[string]*rate.Limiter

	remaining int       // as last reported by the host
	reset     time.Time // when there are perHour again; zero: never reported
}

func newBudget(perHour int) *budget {
	return &budget{perHour: perHour, askers: map[string]*rate.Limiter{}}
}

// take returns a fault when the question must not be asked now: Unavailable with RetryAfter when the host's limit is
// used up, TooMany when the asker's share is.
func (b *budget) take(asker string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.After(now) {
		return b.limited(now)
	}
	limiter := b.askers[asker]
	if limiter == nil {
		if len(b.askers) >= askersLimit {
			clear(b.askers)
		}
		part := max(1, b.perHour/share)
		limiter = rate.NewLimiter(rate.Limit(float64(part)/time.Hour.Seconds()), part)
		b.askers[asker] = limiter
	}
	// While there is plenty, nobody has to wait, but requests count later.
	plenty := !b.reset.IsZero() && (b.remaining > b.perHour/2 || !now.Before(b.reset))
	if !limiter.AllowN(now, 1) && !plenty {
		reserved := limiter.ReserveN(now, 1)
		wait := reserved.DelayFrom(now)
		reserved.CancelAt(now)
		busy := fault.New(fault.TooMany, "You've sent the code host many requests in the last hour, and its limit is shared. Try again in a while.")
		busy.RetryAfter, busy.Limit = wait, "codehost"
		return busy
	}
	return nil
}

// limited returns the fault of a used up limit.
func (b *budget) limited(now time.Time) error {
	limited := fault.New(fault.CodehostLimited, "The code host's rate limit of %d per hour may be exceeded.", b.perHour)
	if b.guessed {
		limited = fault.New(fault.CodehostLimited, "The code host's rate limit may be exceeded.")
	}
	limited.RetryAfter = max(time.Second, b.until.Sub(now))
	return limited
}

// note reads the host's limit from an answer, and whether it is used up. It returns a fault when the host refused for
// this reason.
func (b *budget) note(status int, header http.Header, body string, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if told, err := strconv.Atoi(header.Get("X-RateLimit-Limit")); err == nil && told > 0 {
		if told != b.perHour {
			clear(b.askers)
		}
		b.perHour, b.guessed = told, false
	}
	reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64)
	resetAt := time.Unix(reset, 0)
	if err != nil || !resetAt.After(now) || resetAt.After(now.Add(24*time.Hour)) {
		resetAt = time.Time{}
	}
	remaining, err := strconv.Atoi(header.Get("X-RateLimit-Remaining"))
	if err == nil {
		b.remaining, b.reset = remaining, resetAt
	}
	usedUp := err == nil && remaining == 0
	refused := status == http.StatusTooManyRequests || (status == http.StatusForbidden &&
		(usedUp || header.Get("Retry-After") != "" || strings.Contains(strings.ToLower(body), "rate limit")))
	if !refused && !usedUp {
		return nil
	}
	b.until = now.Add(busyTime)
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); err == nil && seconds > 0 && seconds <= 24*3600 {
		b.until = now.Add(time.Duration(seconds) * time.Second)
	} else if usedUp && !resetAt.IsZero() {
		b.until = resetAt
	}
	if refused {
		return b.limited(now)
	}
	return nil
}
