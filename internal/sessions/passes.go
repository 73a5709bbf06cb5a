package sessions

import (
	"time"

	"cairn/internal/identity"
)

const (
	// passTime is the default of Service.passTime: how long a right that another process revoked may live on. A page of
	// Jupyter takes some forty requests, which would send four queries each.
	passTime = time.Second
	// passesKept is the maximum number of cached passes.
	passesKept = 10_000
)

// passed caches whom a cookie has just admitted to which session. It is dropped whenever a session changes or somebody
// signs out.
type passed struct {
	holder  pass
	caller  identity.Caller
	session Session
}
