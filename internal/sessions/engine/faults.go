package engine

import "cairn/internal/foundation/fault"

// What all engines say.
var (
	// ErrStarted refuses the work of another session for one that was started, and so has its own; a Conflict.
	ErrStarted = fault.New(fault.Conflict, "This session was started before, so it has its own work.")

	// ErrUnknownSession says that an engine has no session of an id.
	ErrUnknownSession = fault.New(fault.NotFound, "This session doesn't exist.")
	// ErrNotRunning says that something can only be had of a session that is Running.
	ErrNotRunning = fault.New(fault.SessionNotRunning, "The session isn't running.")
	// ErrClosing says that the engine is being closed.
	ErrClosing = fault.New(fault.Unavailable, "The server is shutting down. Try again in a moment.")
)
