package reconcile

import (
	"sync/atomic"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sizes"
)

// engineLoop reconciles the sessions of one engine.
type engineLoop struct {
	*core

	engine sizes.Engine
	wake   chan struct{}

	// The fields below are used by the loop's own goroutine alone.
	saved     savedStates
	limitedAt time.Time // when the engine was last told what versions may take

	limiting atomic.Bool // whether it's being told
}

func newLoop(shared *core, one sizes.Engine) *engineLoop {
	return &engineLoop{core: shared, engine: one, wake: make(chan struct{}, 1)}
}

// savedStates is what the database has of the versions on an engine, by session; nil until it was read.
type savedStates map[string]sessions.SavedState

// look is what a pass has read: the sessions of all engines that may need an action, and what this engine reports.
type look struct {
	sessions []sessions.Session
	reports  []engine.Status
	byID     map[string]*engine.Status
	enabled  map[string]bool // by account
}
