package sessions

import (
	"time"

	"cairn/internal/identity"
)

const (
	// passTime is the default of Service.passTime: how long a right that another process took away may go on. A page of
	// Jupyter is some forty requests, which would ask the database four times each.
	passTime = time.Second
	// passesKept bounds what is remembered.
	passesKept = 10_000
)

// passed is whom a cookie has just let into which session. It is forgotten whenever a session changes or somebody signs
// out.
type passed struct {
	holder  pass
	caller  identity.Caller
	session Session
}
