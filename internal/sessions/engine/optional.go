package engine

import (
	"context"
	"net"
)

// The interfaces in this file, Versioner and Runner are optional: an engine implements those whose promises it can keep. Each says
// what it means that an engine doesn't.

// Meter is an engine that knows what its sessions use. Without it, nobody sees what a session uses, but the warnings of
// Status are still shown.
type Meter interface {
	Engine

	// Usage returns what a session uses, fast enough to be asked by every page that shows it; Conflict unless it is
	// Running.
	Usage(ctx context.Context, id string) (Usage, error)
}

// EnvironmentPlanner is an engine that knows before a start what it will leave out. With an engine that is none, people see it
// in the session's Status, once the launch has found it out. One that may leave out everything, because nothing is installed where its
// sessions run, has a method MakesEnvironments() bool too.
type EnvironmentPlanner interface {
	Engine

	// PlanEnvironment reads the files in which a repository declares what it needs. Read returns "" for a path that isn't there,
	// and a TooLarge fault for a file above the size that it reads.
	PlanEnvironment(read func(path string) (string, error)) (Environment, error)
}

// ShellDialer is an engine whose sessions have an SSH server. Those of an engine that is none are reached by a browser alone. One whose
// operators can turn it off has a method HasShell() bool too.
type ShellDialer interface {
	Engine

	// DialShell connects to the SSH server in a session's box, which lets in whoever reaches it. Conflict unless the session is
	// Running; NoShell if its launch started none.
	DialShell(ctx context.Context, id string) (net.Conn, error)
}

// EditorEngine is an engine whose sessions can be used in VS Code, beside Jupyter.
type EditorEngine interface {
	Engine

	// HasEditor reports whether sessions that start now have one.
	HasEditor() bool
	// Editor returns the way to the VS Code of a session, which it starts if it doesn't run; that takes up to a minute and a half.
	// Conflict unless the session is Running.
	Editor(ctx context.Context, id string) (Target, error)
}

// LaunchStopper is an engine whose sessions several servers share. What one server decides, another may have done already,
// and started the session again since. An engine that is none belongs to one server alone, for which Stop is enough.
type LaunchStopper interface {
	Engine

	// StopLaunch is Versioner.StopBecause, unless the session has a later launch than the one that a Status reported. Engines that are no
	// Versioner ignore the cause.
	StopLaunch(ctx context.Context, id string, launch int64, cause VersionCause) error
}
