package localjupyter

import (
	"cmp"
	"context"
	"time"

	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/files/disk"
	"cairn/internal/sessions/machine/sandbox"
)

// Isolation is what the machine allows, for operators.
type Isolation struct {
	Level    sandbox.Level
	Sentence string
	Denied   string // what a trial of the best level said; empty if it works
	Weak     bool   // sessions aren't isolated: warn the operators
	Network  Reach  // what sessions can reach
	Limits   string // what limits them
	Open     string // why the system calls of sessions aren't filtered; or empty
}

// Reach is what sessions can reach over the network.
type Reach struct {
	Network  sandbox.Network // All if nothing keeps sessions from this machine's network
	Sentence string          // why it isn't what was requested; or empty
}

var sentences = map[sandbox.Level]string{
	sandbox.LevelA: "Each session has its own account, file system view, processes and loopback network.",
	sandbox.LevelB: "Each session has its own file system view, processes and loopback network, " +
		"but all share this server's account.",
	sandbox.LevelC: "Each session has its own account, but sees the machine's processes " +
		"and reaches its network: install bubblewrap.",
	sandbox.LevelD: "Sessions aren't isolated from each other or from this server: install bubblewrap, or run as root.",
}

// Isolation reports how well sessions are isolated here.
func (e *Engine) Isolation() Isolation {
	level := e.sandbox.Level()
	found := Isolation{Level: level, Sentence: sentences[level], Weak: level == sandbox.LevelD, Network: reachOf(e.sandbox)}
	if err := e.sandbox.Denied(); err != nil {
		found.Denied = err.Error()
	}
	if err := e.sandbox.Unfiltered(); err != nil {
		found.Open = "Sessions may use every system call, because this machine doesn't allow a filter: a bug in its kernel is enough " +
			"to escape from a session (" + err.Error() + ")."
	}
	if found.Limits = "memory of each process, files"; e.sandbox.Grouped() {
		found.Limits = "memory, processors and processes of each session, files"
	}
	return found
}

// Diagnose reports what sessions run and how well they are isolated here, like the log at startup.
func (e *Engine) Diagnose(_ context.Context, tell func(text string)) error {
	jupyter, err := jupyterprogram.Find(e.options.Jupyter)
	if err != nil {
		return err
	}
	found := e.Isolation()
	tell("Jupyter: " + jupyter.String() + ".")
	tell("Isolation " + string(found.Level) + ": " + found.Sentence)
	tell("Limits: " + found.Limits + ".")
	tell("Network: " + cmp.Or(found.Network.Sentence, string(found.Network.Network)+"."))
	tell("System calls: " + cmp.Or(found.Open, "filtered."))
	return nil
}

func reachOf(box *sandbox.Sandbox) Reach {
	found := box.Reach()
	told := Reach{Network: found.Network}
	switch {
	case found.Network == sandbox.All:
		told.Sentence = "Sessions can reach everything this server can, including its own services and private networks: install bubblewrap."
	case found.Err != nil:
		told.Sentence = "Sessions have no network, because this machine doesn't allow a filtered one: it needs slirp4netns, iproute2 and " +
			"access to /dev/net/tun (" + found.Err.Error() + ")."
	}
	return told
}

// Limits are the limits of one session. A zero field means its default.
type Limits struct {
	Memory    int64         // bytes, including /tmp; default 2 GiB
	CPU       float64       // cores; default as in sandbox.Limits, like the next
	Processes int           // including threads
	Disk      int64         // total size of its files, and maximum size of each; at twice this the session ends; default 10 GiB
	DiskGrace time.Duration // from the warning about exceeding it to the end of the session; default 10 minutes
	Files     int           // files, folders and everything else, including deleted files that it keeps open; default 200,000
}

// Complete returns the limits with their defaults, except those of sandbox.Limits.
func (l Limits) Complete() Limits {
	if l.Memory == 0 {
		l.Memory = 2 << 30
	}
	if l.Disk == 0 {
		l.Disk = 10 << 30
	}
	if l.Files == 0 {
		l.Files = 200_000
	}
	if l.DiskGrace == 0 {
		l.DiskGrace = 10 * time.Minute
	}
	return l
}

// disk returns the limits of the session's files.
func (l Limits) disk() disk.Limits {
	return disk.Limits{Bytes: l.Disk, Files: l.Files, Grace: l.DiskGrace}
}

func (l Limits) box() sandbox.Limits {
	return sandbox.Limits{Memory: l.Memory, CPU: l.CPU, Processes: l.Processes, FileSize: l.Disk}
}
