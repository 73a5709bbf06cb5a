package engine

import "context"

// Runner is an engine that also starts batch sessions, in which programs run notebooks. Others refuse them with a NotRunnable fault
// that says NoBatch; where no engine is one, entries aren't run. Whether an engine runs batch sessions may depend on what is installed
// elsewhere: such an engine has a method RunsBatches() bool too, and counts as none while it reports false.
type Runner interface {
	Meter

	// Environment returns what the notebooks of a running session in a language, Python or R, are run with, as far as its launch
	// decided it: what their cells install isn't in it. Of another language it's the zero value. It takes some seconds where a kernel has to start for it. Conflict
	// unless the session is Running.
	Environment(ctx context.Context, id, language string) (Installed, error)

	// Head returns the full id of the commit that a first launch would check out now: of the branch or tag that the
	// repository names, or of its default branch. It asks the repository itself, for at most half a minute. A full id of
	// a commit is returned as it is. RefNotFound if there is no such branch or tag, or no commit at all; Unavailable if
	// the repository can't be asked.
	Head(ctx context.Context, repository Repository) (commit string, err error)

	// ReadFile returns a regular file of the session's work folder by its path there, whatever the session's phase is.
	// Links are followed inside the folder only. NotFound if there is none that can be read; TooLarge if it has more
	// than that many bytes.
	ReadFile(ctx context.Context, id, path string, most int64) ([]byte, error)
}

// NoBatch is the sentence with which an engine that is no Runner refuses batch sessions.
const NoBatch = "This hub can't run entries: its agent is missing or from another release, or runs haven't been set up on its cluster."

// Installed is what the notebooks of a session are run with.
type Installed struct {
	Digest   string   // SHA-256, in hexadecimal, of the language's version, all packages, Jupyter and the machine's architecture
	Version  string   // of the language, such as "3.11.2"
	Packages []string // "name==version" in order, with names as Python's indexes normalize them; the first PackageLimit of them
}

// PackageLimit is the maximum number of packages in an Installed.
const PackageLimit = 2000
