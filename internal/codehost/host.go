package codehost

import (
	"context"
	"time"

	"cairn/internal/fault"
)

// Host is where repositories live. Every method tells what it could not do by one of these kinds of fault:
//
//   - NotFound: the repository, branch, folder or file is not there, or the host does not show it to everybody.
//   - TooMany, with RetryAfter: this caller has asked too much of the host and leaves something to the others.
//   - Unavailable: the host is down or slow. With RetryAfter its rate limit is used up until then.
//   - BadUpstream: its answer is nonsense, or it refuses this server.
//   - TooLarge: more bytes than asked for.
type Host interface {
	// Fresh reads the first of the paths that there is on the branch main, else master, else on the default branch; in
	// each branch the paths in their order. It goes past every cache, ours and those on the way, and is never old.
	Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error)
	// File reads one file on the branch that List shows. It may be old while the host cannot answer.
	File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error)
	// List gives a folder; "" is the root. It may be old while the host cannot answer.
	List(ctx context.Context, repository Repository, path string) (Listing, error)
}

// Age says since when an answer is known, and whether it is shown although the host could not be asked again.
type Age struct {
	AsOf  time.Time
	Stale bool
}

// File is a file of a repository.
type File struct {
	Age

	Branch   string
	Path     string
	Content  []byte
	FilesURL string // as in Listing; File tells it
}

// Listing is a folder of a repository.
type Listing struct {
	Age

	Branch    string
	Path      string
	Entries   []Entry // folders first, then by name
	Truncated bool    // the host has more than it tells
	FilesURL  string  // of the host's pages of files: path segments behind it; "" where there are none
}

// The types of entries. What is neither (a link, a repository inside this one) counts as a file: its page tells.
const (
	TypeFolder = "dir"
	TypeFile   = "file"
)

// Entry is one line of a folder.
type Entry struct {
	Type string `json:"type" enum:"dir,file"`
	Path string `json:"path" doc:"From the root of the repository"`
	Name string `json:"name"`
	Size int64  `json:"size" doc:"Bytes; 0 for folders"`
	SHA  string `json:"sha" doc:"Of git"`
}

// Hosts are all that this server asks, by the host of addresses.
type Hosts struct {
	hosts map[string]Host
	names []string
}

// NewHosts makes the registry. Names are the hosts that people are told of.
func NewHosts(hosts map[string]Host, names ...string) *Hosts { return &Hosts{hosts, names} }

// Names are the hosts that people are told of: github.com first.
func (h *Hosts) Names() []string { return h.names }

// Knows tells whether repositories of a host can be read at all.
func (h *Hosts) Knows(repository Repository) bool { return h.hosts[repository.Host] != nil }

// callTime bounds a call, which may take several questions: pages wait for 10 s, and get a sentence before.
const callTime = 9 * time.Second

// Fresh is that of the repository's Host; NotFound when there is none.
func (h *Hosts) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	host, err := h.of(repository)
	if err != nil {
		return File{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.Fresh(ctx, repository, paths, maxBytes)
}

// File is that of the repository's Host; NotFound when there is none.
func (h *Hosts) File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error) {
	host, err := h.of(repository)
	if err != nil {
		return File{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.File(ctx, repository, path, maxBytes)
}

// List is that of the repository's Host; NotFound when there is none.
func (h *Hosts) List(ctx context.Context, repository Repository, path string) (Listing, error) {
	host, err := h.of(repository)
	if err != nil {
		return Listing{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.List(ctx, repository, path)
}

func (h *Hosts) of(repository Repository) (Host, error) {
	host := h.hosts[repository.Host]
	if host == nil {
		return nil, fault.New(fault.NotFound, "This server cannot look into repositories of %s.", repository.Host)
	}
	return host, nil
}

type askerKey struct{}

// AskedBy puts into a context on whose account questions to hosts go: an account's id, or the address of somebody who
// is not signed in. Without it questions go on a common one.
func AskedBy(ctx context.Context, asker string) context.Context {
	return context.WithValue(ctx, askerKey{}, asker)
}

func askerOf(ctx context.Context) string {
	asker, _ := ctx.Value(askerKey{}).(string)
	return asker
}
