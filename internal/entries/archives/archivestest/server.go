// Package archivestest has stand-ins for research archives, in memory: Zenodo and InvenioRDM, which take deposits and serve
// what was published, Figshare, Dataverse, and doi.org, which knows the DOIs of all of them. They refuse what the real ones
// refuse, and have levers that break them: answers that get lost, uploads that break off, and limits.
package archivestest

import (
	"crypto/md5" //nolint:gosec // the archives' own checksum
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"cairn/internal/entries/archives"
	"cairn/internal/foundation/safehttp"
)

// Token is what the archives accept.
const Token = "token-of-jane"

// Server is all stand-ins together.
type Server struct {
	Zenodo, InvenioRDM *Archive
	Figshare           *Figshare
	Dataverse          *Dataverse
	DOI                *DOI
}

// New starts stand-ins until the test ends.
func New(t testing.TB) *Server {
	t.Helper()
	server, end := Start()
	t.Cleanup(end)
	return server
}

// Start starts stand-ins, each on a loopback address of its own, until end is called.
func Start() (server *Server, end func()) {
	doi := &DOI{targets: map[string]string{}}
	server = &Server{
		Zenodo: newArchive(archives.KindZenodo, doi), InvenioRDM: newArchive(archives.KindInvenioRDM, doi),
		Figshare: &Figshare{doi: doi}, Dataverse: &Dataverse{doi: doi}, DOI: doi,
	}
	var all []*httptest.Server
	for _, one := range []struct {
		*standIn
		routes map[string]answerer
	}{
		{&server.Zenodo.standIn, server.Zenodo.zenodoRoutes()},
		{&server.InvenioRDM.standIn, server.InvenioRDM.invenioRoutes()},
		{&server.Figshare.standIn, server.Figshare.routes()},
		{&server.Dataverse.standIn, server.Dataverse.routes()},
		{&doi.standIn, doi.routes()},
	} {
		started := httptest.NewServer(one.handler(one.routes))
		one.url = started.URL
		all = append(all, started)
	}
	return server, func() {
		for _, one := range all {
			one.CloseClientConnections()
			one.Close()
		}
	}
}

// Records are options with which all of the stand-ins are known.
func (s *Server) Records() archives.RecordsOptions {
	return archives.RecordsOptions{
		DOIURL: s.DOI.URL(), ZenodoURL: s.Zenodo.URL(), FigshareURL: s.Figshare.URL(), DataverseURLs: []string{s.Dataverse.URL()},
		Archives: []archives.Archive{s.InvenioRDM.Archive()}, Client: Client(),
	}
}

// Client reaches stand-ins.
func Client() *safehttp.Client {
	return safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
}

// standIn is what the stand-ins have in common.
type standIn struct {
	url string

	mu      sync.Mutex
	disturb func(http.ResponseWriter, *http.Request) bool // protected by mu
	lost    map[string]bool                               // calls whose next answer is lost; protected by mu
	broken  bool                                          // the next upload breaks off; protected by mu
	limited int                                           // calls that are answered with 429; protected by mu
	calls   []string                                      // protected by mu
}

// URL is its address.
func (s *standIn) URL() string { return s.url }

// Lose loses the next answer of a call after what was asked for is done: create, newversion, import, register, upload, commit,
// deletefile, describe, reserve, publish or discard.
func (s *standIn) Lose(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.lost = map[string]bool{}
	}
	s.lost[call] = true
}

// BreakUpload breaks the next upload off in its middle.
func (s *standIn) BreakUpload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
}

// Limit answers the next calls with 429, and 7 seconds to wait.
func (s *standIn) Limit(calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limited = calls
}

// Disturb has it answer with this instead, where it returns true; nil: it works again.
func (s *standIn) Disturb(answer func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = answer
}

// Calls returns the calls since the last time, by the names of Lose and others such as get and files.
func (s *standIn) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := s.calls
	s.calls = nil
	return calls
}

// request is a call, with its body read.
type request struct {
	*http.Request

	body []byte
}

// object decodes the body, which must be JSON and say so.
func (r request) object(into any) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") && json.Unmarshal(r.body, into) == nil
}

// redirect and content are values of answers that aren't JSON.
type (
	redirect string
	content  []byte
)

// answerer answers calls. s.mu is held.
type answerer struct {
	name   string
	secret func(*http.Request) int // the status for a token that isn't accepted; nil: everybody may ask
	answer func(request) (status int, value any)
}

func (s *standIn) handler(routes map[string]answerer) http.Handler {
	mux := http.NewServeMux()
	for pattern, one := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, one) })
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		disturb := s.disturb
		s.mu.Unlock()
		if disturb == nil || !disturb(w, r) {
			mux.ServeHTTP(w, r)
		}
	})
}

func (s *standIn) serve(w http.ResponseWriter, r *http.Request, by answerer) {
	s.begin(w, r, by)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // what came isn't used
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, by.name)
	var status int
	var value any
	if by.secret != nil {
		status = by.secret(r)
	}
	switch {
	case s.limited > 0:
		s.limited--
		w.Header().Set("Retry-After", "7")
		status, value = http.StatusTooManyRequests, said("Too many requests.")
	case status != 0:
		value = said("Not allowed.")
	default:
		status, value = by.answer(request{r, body})
		if s.lost[by.name] && status < http.StatusBadRequest {
			delete(s.lost, by.name)
			panic(http.ErrAbortHandler)
		}
	}
	send(w, r, status, value)
}

// begin breaks an upload off if that is wanted.
func (s *standIn) begin(w http.ResponseWriter, r *http.Request, by answerer) {
	s.mu.Lock()
	breaks := s.broken && by.name == "upload"
	if breaks {
		s.broken = false
		s.calls = append(s.calls, "broken upload")
	}
	s.mu.Unlock()
	if breaks {
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

func send(w http.ResponseWriter, r *http.Request, status int, value any) {
	switch value := value.(type) {
	case redirect:
		http.Redirect(w, r, string(value), status)
	case content:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.WriteHeader(status)
		_, _ = w.Write(value)
	case nil:
		w.WriteHeader(status)
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
}

type object = map[string]any

func said(message string) object { return object{"message": message} }

func md5Of(data []byte) string {
	sum := md5.Sum(data) //nolint:gosec // the archives' own checksum
	return hex.EncodeToString(sum[:])
}

// DOI stands in for doi.org.
type DOI struct {
	standIn

	targets map[string]string // by DOIs in small letters; protected by mu
}

// Set makes a DOI lead to an address.
func (d *DOI) Set(doi, target string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.targets[strings.ToLower(doi)] = target
}

func (d *DOI) routes() map[string]answerer {
	return map[string]answerer{"GET /api/handles/{doi...}": {"resolve", nil, func(r request) (int, any) {
		target, ok := d.targets[strings.ToLower(r.PathValue("doi"))]
		if !ok {
			return http.StatusNotFound, object{"responseCode": 100, "handle": r.PathValue("doi")}
		}
		return http.StatusOK, object{"responseCode": 1, "handle": r.PathValue("doi"), "values": []object{
			{"index": 100, "type": "HS_ADMIN", "data": object{"format": "admin", "value": object{"handle": "10.SERV/X", "index": 200}}},
			{"index": 1, "type": "URL", "data": object{"format": "string", "value": target}},
		}}
	}}}
}

// Item is a record that was published without a deposit.
type Item struct {
	DOI         string // only Dataverse needs it: the others give one
	Title       string
	Description string
	License     string // in the words of the archive
	Version     string
	Published   string
	People      []archives.Person
	Keywords    []string
	Files       []Content
	Restricted  bool // nobody sees its files
}

// Content is a file of an Item.
type Content struct {
	Path       string // Dataverse alone has folders
	Data       []byte
	Restricted bool   // Dataverse
	Embargo    string // Dataverse: the date when it ends
	Original   string // Dataverse: Data is a table with this name, of which another form was made that has the name in Path
	DOI        string // Dataverse: of the file
	LinkOnly   bool   // Figshare
	Elsewhere  string // Figshare: where it says that the file is
}

// names returns the keys of a map in order.
func names[Value any](all map[string]Value) []string {
	var list []string
	for name := range all {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

func escape(text string) string { return url.PathEscape(text) }
