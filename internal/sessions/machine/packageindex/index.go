package packageindex

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// Options configure an index. Web is required.
type Options struct {
	Address  string           // of the index, with a user and a password if needed; empty: the public one
	Web      *safehttp.Client // for all but the origin of Address, which may be in a private network
	Files    Files            // stores downloads; nil: nothing does
	MaxBytes int64            // of all files that one box downloads
	Logger   *slog.Logger
}

const publicIndex = "https://pypi.org/simple/"

// Limits of what an index may send, and of what a box may request at once.
const (
	pageLimit  = 32 << 20 // size of a project's page
	pageTime   = 45 * time.Second
	fileTime   = 2 * time.Hour
	filesKnown = 200_000 // of all pages that a guard caches
	atOnce     = 8       // requests
)

// Index is a real index as this server knows it. It is safe for concurrent use.
type Index struct {
	options       Options
	address       *url.URL // without a password
	user          string   // may be empty, like the next one
	authorization string   // for its origin alone
	web           *safehttp.Client
}

// New returns the index at an address, without contacting it.
func New(options Options) (*Index, error) {
	if options.Address == "" {
		options.Address = publicIndex
	}
	address, err := url.Parse(options.Address)
	if err != nil || address.Host == "" {
		return nil, fmt.Errorf("the address of the package index can't be read") // which may contain a password
	}
	index := &Index{options: options}
	if user := address.User; user != nil {
		password, _ := user.Password()
		index.user = user.Username()
		index.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
		address.User = nil
	}
	index.address, index.web = address, options.Web.Trusting(address)
	return index, nil
}

// String returns the address of the index with its user name: everything that identifies its content.
func (i *Index) String() string {
	named := *i.address
	if i.user != "" {
		named.User = url.User(i.user)
	}
	return named.String()
}

// ask sends a request, with the password if it is for the index's own origin.
func (i *Index) ask(ctx context.Context, request safehttp.Request) (*safehttp.Response, error) {
	request.Header.Set("Accept-Encoding", "identity")
	address, err := url.Parse(request.Address)
	if err == nil && i.authorization != "" && address.Scheme == i.address.Scheme && strings.EqualFold(address.Host, i.address.Host) {
		request.Header.Set("Authorization", i.authorization)
	}
	return i.web.Get(ctx, request)
}

// Guard serves an index to one box, and ends with it.
type Guard struct {
	index    *Index
	token    string // part of each address, because others may reach the listener too
	own      *regexp.Regexp
	server   *http.Server
	slots    chan struct{}
	received atomic.Int64 // bytes

	mu     sync.Mutex
	pages  map[string]page  // by project
	known  int              // files of all pages
	failed map[string]error // why the index or a host of its files couldn't answer for a path at the last request
}

// Guard returns a guard for one box.
func (i *Index) Guard() *Guard {
	g := &Guard{
		index: i, token: rand.Text(), slots: make(chan struct{}, atOnce), pages: map[string]page{}, failed: map[string]error{},
	}
	g.own = regexp.MustCompile(`http://[0-9.:]+/` + g.token + `/(?:files/[^/\s]+/|simple/)`)
	ways := http.NewServeMux()
	ways.HandleFunc("GET /"+g.token+"/simple/{project}/{$}", g.answer(g.sendPage))
	ways.HandleFunc("GET /"+g.token+"/files/{project}/{file}", g.answer(g.sendFile))
	g.server = &http.Server{
		Handler: ways, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(i.options.Logger.Handler(), slog.LevelDebug),
	}
	return g
}

// Serve answers on a listener until Close.
func (g *Guard) Serve(listener net.Listener) { _ = g.server.Serve(listener) }

// Close ends the guard with all its connections.
func (g *Guard) Close() { _ = g.server.Close() }

// Address returns the index address for pip, if pip reaches the guard at a host and port.
func (g *Guard) Address(host string) string { return "http://" + host + "/" + g.token + "/simple/" }

// Plain rewrites a line of pip as if it had used the index itself: files by their names, and pages by their addresses
// there.
func (g *Guard) Plain(line string) string {
	return g.own.ReplaceAllStringFunc(line, func(address string) string {
		if strings.HasSuffix(address, "/simple/") {
			return g.index.address.JoinPath("/").String()
		}
		return ""
	})
}

// Received returns the number of bytes of packages received from outside.
func (g *Guard) Received() int64 { return g.received.Load() }

// Failure returns why the index, or a host of its files, couldn't answer a request completely; nil if all were
// answered. An answer that something doesn't exist isn't a failure.
func (g *Guard) Failure() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, err := range g.failed {
		return err
	}
	return nil
}

// Has reports whether the index has files of a project, as far as it was asked for it.
func (g *Guard) Has(project string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.pages[canonical(project)]) > 0
}

func canonical(project string) string {
	return separators.ReplaceAllString(strings.ToLower(project), "-")
}

// answer limits what a box requests at once, and records failures.
func (g *Guard) answer(send func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		select {
		case g.slots <- struct{}{}:
			defer func() { <-g.slots }()
		case <-r.Context().Done():
			return
		}
		path := r.URL.Path
		err := send(w, r)
		if r.Context().Err() != nil { // the box gave up, so the index didn't fail
			return
		}
		g.mu.Lock()
		if err == nil {
			delete(g.failed, path)
		} else if len(g.failed) < 1000 {
			g.failed[path] = err
		}
		g.mu.Unlock()
		if err != nil {
			g.index.options.Logger.Warn("the package index isn't responding", "index", g.index.address.Host, "error", err)
			panic(http.ErrAbortHandler) // half an answer must not look complete, and pip tries again
		}
	}
}

func (g *Guard) sendPage(w http.ResponseWriter, r *http.Request) error {
	project := r.PathValue("project")
	found, err := g.page(r.Context(), project)
	switch {
	case err != nil:
		return err
	case found == nil:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, found.html(project))
	}
	return nil
}

var (
	separators = regexp.MustCompile(`[-_.]+`)
	nameForm   = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,200}[a-z0-9])?$`)
)

// page returns the files of a project; nil if the index doesn't have it.
func (g *Guard) page(ctx context.Context, project string) (page, error) {
	project = canonical(project)
	if !nameForm.MatchString(project) {
		return nil, nil
	}
	g.mu.Lock()
	found := g.pages[project]
	g.mu.Unlock()
	if found != nil {
		return found, nil
	}
	found, err := g.index.page(ctx, project)
	if err != nil || found == nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known += len(found); g.known > filesKnown { // they are read again when needed
		clear(g.pages)
		g.known = len(found)
	}
	g.pages[project] = found
	return found, nil
}

func (i *Index) page(ctx context.Context, project string) (page, error) {
	response, err := i.ask(ctx, safehttp.Request{
		Address: i.address.JoinPath(project + "/").String(), MaxBytes: pageLimit, Timeout: pageTime, Header: http.Header{"Accept": {
			jsonType + ", application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1",
		}},
	})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.Status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone: // a plain file server forbids what doesn't exist
		return nil, nil
	}
	if err := response.MustBeOK(); err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	found, err := readPage(kind, content, response.Address)
	if err != nil {
		return nil, fault.Wrap(err, fault.BadUpstream, "%s doesn't send a package index page.", i.address.Hostname())
	}
	return found, nil
}
