package environments

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path"
	"time"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine/requirements"
	"cairn/internal/sessions/files/cache"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/machine/packageindex"
	"cairn/internal/sessions/machine/sandbox"
)

// Options say what installs packages, from where, and in what. Folder, Downloads, CacheBytes, Python, DiskLimit, Sandbox, Aside,
// PickAccount, Logger and Now are required.
type Options struct {
	Folder      string           // of the cache of environments
	Downloads   string           // of the cache of what pip downloads
	CacheBytes  int64            // that each of the two may take
	Python      string           // absolute path of the Python that pip belongs to, and whose packages environments add to
	Pip         Pip              // where packages come from
	Builder     Builder          // makes environments for which pip isn't enough
	R           R                // where packages of R come from
	Descriptors []string         // names of the file in a repository that may list packages
	Network     sandbox.Network  // that sessions have: pip reaches the public index if they have the internet
	DiskLimit   int64            // bytes that a file of a package may take
	Web         *safehttp.Client // by which pip and the builder reach hosts; nil: they reach none
	Sandbox     *sandbox.Sandbox // in which they run
	RunAlone    Runner           // runs a command for no session
	PickAccount func() (int, error)
	Lacks       func() bool // whether the disk has less than its reserve; nil: never
	Logger      *slog.Logger
	Now         func() time.Time
}

// Pip says where packages come from.
type Pip struct {
	IndexURL  string // of a package index; empty: pip's own default
	FindLinks string // absolute path of a folder of wheels; on its own, no index is used
}

// Runner runs a command in a box to its end, and passes its output to read.
type Runner func(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error

// Session is the session that an environment is made for.
type Session interface {
	// Run runs a command in a box of the session to its end, and passes its output to read. If the context ends first, all of
	// the session is killed.
	Run(ctx context.Context, box sandbox.Box, read func(io.Reader) error) error
	// Log adds a line to the session's log.
	Log(line string)
	// Pin keeps an entry in the cache as long as the session lives.
	Pin(key string)
	// DiskLimit returns how many bytes the session's files may take.
	DiskLimit() int64
	// AllocateBuildAccount records durably an account for the code that packages run when they are installed, so that it can be
	// ended; 0 where sessions have no accounts of their own.
	AllocateBuildAccount() (int, error)
	// ReleaseBuildAccount frees the account that the build ran as.
	ReleaseBuildAccount()
}

// Installer makes environments, which sessions share.
type Installer struct {
	options   Options
	cache     *cache.Cache
	downloads *cache.Cache
	python    python
	r         rLibrary
	index     *packageindex.Index // for pip; nil: none
}

// Open opens the caches, and makes their folders if there are none.
func Open(options Options) (*Installer, error) {
	opened := &Installer{options: options}
	var err error
	if opened.cache, err = cache.Open(options.Folder, options.CacheBytes, true); err != nil {
		return nil, err
	}
	if opened.downloads, err = cache.Open(options.Downloads, options.CacheBytes, false); err != nil {
		return nil, err
	}
	opened.index, err = opened.openIndex()
	return opened, err
}

// Folder returns the path of the folder of all environments, which sessions read.
func (i *Installer) Folder() string { return i.cache.Folder() }

// Evict makes room in the caches. inUse reports whether a live session uses an entry.
func (i *Installer) Evict(inUse func(key string) bool, lacking func() bool) error {
	return errors.Join(i.downloads.Evict(inUse, lacking), i.cache.Evict(inUse, lacking))
}

// installation is one for a session.
type installation struct {
	*Installer

	session Session
	asked   requirements.Requirements // what pip installs
}

// Kernel returns how a session runs the Python of an environment, or this server's if the key is empty: its path there, a name
// for people, and variables.
func (i *Installer) Kernel(key string) (python, name string, variables map[string]string) {
	if key == "" {
		return i.options.Python, "Python 3", map[string]string{}
	}
	venv := path.Join(i.inside(i.cache.Path(key), path.Join("environments", key)), venvName)
	return path.Join(venv, "bin/python"), "Python 3 (packages of the repository)",
		map[string]string{"PATH": path.Join(venv, "bin") + ":/usr/bin:/bin", "VIRTUAL_ENV": venv}
}

// FirstKilled is a script of a shell that makes a program and its children the first to be killed, before Jupyter, when memory runs out.
const FirstKilled = `echo 500 >/proc/self/oom_score_adj; exec "$@"`

// KernelSpec returns the description by which Jupyter starts the kernel of Python in an environment, or this server's if the key is
// empty, and the path of that Python in the session.
func (i *Installer) KernelSpec(key string) (content []byte, python string, err error) {
	python, name, variables := i.Kernel(key)
	content, err = json.Marshal(map[string]any{
		"argv": []string{
			i.options.Sandbox.Shell(), "-c", FirstKilled, "kernel", python, "-m", "ipykernel_launcher", "-f", "{connection_file}",
		},
		"display_name": name, "language": "python", "metadata": map[string]bool{"debugger": true}, "env": variables,
	})
	return content, python, err
}

// inside returns the path by which a command in its box finds a path of the machine.
func (i *Installer) inside(path, name string) string {
	return folders.Inside(i.options.Sandbox.Level(), path, name)
}

// openIndex returns the index for pip: the operators' own, or the public one if sessions have the internet; or nil.
func (i *Installer) openIndex() (*packageindex.Index, error) {
	pip := i.options.Pip
	if i.options.Web == nil || pip.IndexURL == "" && (pip.FindLinks != "" || i.options.Network != sandbox.Internet) {
		return nil, nil
	}
	return packageindex.New(packageindex.Options{
		Address: pip.IndexURL, Web: i.options.Web, Files: downloads{i.downloads}, MaxBytes: i.options.DiskLimit, Logger: i.options.Logger,
	})
}
