package codehost

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
)

// Host is where repositories live. Every method fails with one of these kinds of fault:
//
//   - NotFound: the repository, branch, folder or file doesn't exist, or isn't public.
//   - TooMany, with RetryAfter: this caller has asked too much of the host and leaves something to the others.
//   - Unavailable: the host is down or slow. With RetryAfter its rate limit is used up until then.
//   - BadUpstream: its answer is nonsense, or it refuses this server.
//   - TooLarge: more bytes than asked for.
type Host interface {
	// Fresh reads the first of the paths that exists on the branch main, else master, else the default branch, trying all
	// paths on each branch in order. It bypasses every cache, ours and those on the way.
	Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error)
	// File reads one file on the branch that List shows, or the one that a symbolic link there leads to, whose path it
	// returns. It may be old while the host can't answer.
	File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error)
	// List lists a folder; "" is the root. It may be old while the host can't answer.
	List(ctx context.Context, repository Repository, path string) (Listing, error)
	// HasRef reports whether a repository has a branch or tag of a name; if not, names are those that it has, at most 100
	// of each.
	HasRef(ctx context.Context, repository Repository, ref string) (there bool, names []string, err error)
	// Commit returns the full id of the commit at the tip of a branch, "" being the one that List shows. It bypasses caches as Fresh does.
	// The id is "" if the repositories of the host have no commits.
	Commit(ctx context.Context, repository Repository, branch string) (string, error)
	// About returns what the host says about a repository; the answer may be a few minutes old.
	About(ctx context.Context, repository Repository) (About, error)
	// Name returns what people call the host; "" if the repositories are this server's own.
	Name(repository Repository) string
	// EditPage returns the address of the page on which a file is edited at the host, or created if it's new; "" if that isn't known.
	EditPage(repository Repository, branch, file string, isNew bool) string
	// Languages returns the programming languages of a repository, the one with most code first; none if the host knows of
	// none. It may be old while the host can't answer.
	Languages(ctx context.Context, repository Repository) ([]Language, error)
}

// About is what a host says about a repository.
type About struct {
	ID          string // the host's own, which stays when the repository is renamed or transferred; "" if it has none
	Repository  Repository
	Branch      string // the default one
	Description string
	License     string // SPDX id; "" if unknown
	Topics      []string
	Address     string // where it is cloned; "" where repositories of its host usually are
	Private     bool   // not everybody can read it; never set of what everybody is shown
	Measures
}

// Measures are what a host counts about a whole repository. Zero values are unknown.
type Measures struct {
	Language  string    // the programming language of most of its code
	SizeBytes int64     // of its files and history, as the host stores them
	PushedAt  time.Time // when commits last arrived
}

// Age says when an answer was received, and whether it is shown because the host couldn't be asked again.
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
	FilesURL string // as in Listing; set by File
}

// Listing is a folder of a repository.
type Listing struct {
	Age

	Branch    string
	Path      string
	Entries   []Entry // folders first, then by name
	Truncated bool    // the host has more entries
	FilesURL  string  // of the host's file pages, to which path segments are added; "" if it has none
	Host      string  // of Host.Name
	Measures          // of the whole repository
}

// The types of entries. A symbolic link has the type of what it leads to; one that leads nowhere in the repository counts as
// a file.
const (
	TypeFolder    = "dir"
	TypeFile      = "file"
	TypeSubmodule = "submodule" // another repository
)

// SizeUnknown is the size of a file whose host doesn't say it.
const SizeUnknown = -1

// Entry is one entry of a folder.
type Entry struct {
	Type string `json:"type" enum:"dir,file,submodule" doc:"Of what it leads to, for a symbolic link; submodule: another repository, whose files aren't here"`
	Path string `json:"path" doc:"From the root of the repository"`
	Name string `json:"name"`
	Size int64  `json:"size" doc:"Bytes; 0 for folders and submodules, -1 if the code host doesn't say"`
	SHA  string `json:"sha" doc:"Of git"`

	isLink bool
}

// Hosts are all code hosts of this server, by the host of addresses.
type Hosts struct {
	hosts     map[string]Host
	others    Host
	connected connected
}

// NewHosts returns the registry. Repositories elsewhere are read by others, if it isn't nil.
func NewHosts(hosts map[string]Host, others Host) *Hosts { return &Hosts{hosts: hosts, others: others} }

// Knows reports whether repositories of a host can be read at all.
func (h *Hosts) Knows(repository Repository) bool {
	_, err := h.of(repository)
	return err == nil
}

// callTime limits a call, which may take several questions: pages wait for 10 s, and get a sentence before that.
const callTime = 9 * time.Second

// Fresh calls the repository's Host; NotFound when there is none.
func (h *Hosts) Fresh(ctx context.Context, repository Repository, paths []string, maxBytes int64) (File, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return File{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.Fresh(ctx, repository, paths, maxBytes)
}

// File calls the repository's Host; NotFound when there is none, Invalid for a file that Git LFS keeps elsewhere.
func (h *Hosts) File(ctx context.Context, repository Repository, path string, maxBytes int64) (File, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return File{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return inLFS(host.File(ctx, repository, path, maxBytes))
}

// List calls the repository's Host; NotFound when there is none.
func (h *Hosts) List(ctx context.Context, repository Repository, path string) (Listing, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return Listing{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.List(ctx, repository, path)
}

// HasRef calls the repository's Host; NotFound when there is none.
func (h *Hosts) HasRef(ctx context.Context, repository Repository, ref string) (there bool, names []string, err error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return false, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.HasRef(ctx, repository, ref)
}

// Commit calls the repository's Host; NotFound when there is none.
func (h *Hosts) Commit(ctx context.Context, repository Repository, branch string) (string, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.Commit(ctx, repository, branch)
}

// About calls the repository's Host; NotFound when there is none.
func (h *Hosts) About(ctx context.Context, repository Repository) (About, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return About{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.About(ctx, repository)
}

// Languages calls the repository's Host; NotFound when there is none.
func (h *Hosts) Languages(ctx context.Context, repository Repository) ([]Language, error) {
	host, err := h.read(ctx, repository)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	return host.Languages(ctx, repository)
}

// Name calls the repository's Host; "" when there is none.
func (h *Hosts) Name(repository Repository) string {
	host, err := h.of(repository)
	if err != nil {
		return ""
	}
	return host.Name(repository)
}

// EditPage calls the repository's Host; "" when there is none, or no branch.
func (h *Hosts) EditPage(repository Repository, branch, file string, isNew bool) string {
	host, err := h.of(repository)
	if err != nil || branch == "" {
		return ""
	}
	return host.EditPage(repository, branch, file, isNew)
}

// read returns the host of a repository for whoever reads.
func (h *Hosts) read(ctx context.Context, repository Repository) (Host, error) {
	if accountID, isPrivate := readerOf(ctx); isPrivate {
		return h.connected.host(ctx, accountID, repository)
	}
	return h.of(repository)
}

func (h *Hosts) of(repository Repository) (Host, error) {
	if host := h.hosts[repository.Host]; host != nil {
		return host, nil
	}
	if h.others == nil || !isPublicName(repository.Host) {
		return nil, fault.New(fault.NotFound, "This server can't read repositories on %s.", repository.Host)
	}
	return h.others, nil
}

// publicName matches names of hosts on the internet, whose last part isn't a number.
var publicName = regexp.MustCompile(`^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)

// privateEnds are ends of names that only private networks have: https://www.rfc-editor.org/rfc/rfc6761, 6762 and 8375, and what ICANN
// has reserved.
var privateEnds = []string{".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp", ".home", ".test", ".invalid"}

// isPublicName reports whether a host of an address may be one on the internet, with a port that any user of a machine may open: others are
// only read where operators listed them.
func isPublicName(host string) bool {
	name, port, hasPort := strings.Cut(host, ":")
	if number, err := strconv.ParseUint(port, 10, 16); hasPort && (err != nil || number < 1024) {
		return false
	}
	return publicName.MatchString(name) && !slices.ContainsFunc(privateEnds, func(end string) bool { return strings.HasSuffix(name, end) })
}

type askerKey struct{}

// AskedBy adds to a context whose share questions to hosts count against: an account's id, or the address of an
// anonymous caller. Without it questions count against a common share.
func AskedBy(ctx context.Context, asker string) context.Context {
	return context.WithValue(ctx, askerKey{}, asker)
}

func askerOf(ctx context.Context) string {
	asker, _ := ctx.Value(askerKey{}).(string)
	return asker
}
