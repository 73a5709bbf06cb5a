package app

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"cairn/internal/catalog"
	"cairn/internal/httpapi"
	"cairn/internal/sqldb"
)

// firstData is written into the document: what the page would ask first as somebody who is not signed in, and the
// answer. The page uses it for exactly that request and asks for anything else itself, so a difference between the two
// sides costs a request and nothing more.
type firstData struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// firstDataTime is how long a document waits for its data; after that the page asks.
const firstDataTime = 500 * time.Millisecond

// firstAnswer is what the API answers anybody to a request; the zero value where nothing is asked.
type firstAnswer struct {
	request string
	status  int
	body    []byte
}

// noStatus is that of a request that was not made.
const noStatus = 0

// ask makes the first request of a page. Whoever wants the document, it is made as nobody: what is private stays out.
func (s *pageServer) ask(ctx context.Context, request string) firstAnswer {
	if request == "" {
		return firstAnswer{}
	}
	ctx, cancel := context.WithTimeout(ctx, firstDataTime)
	defer cancel()
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, request, http.NoBody) //nolint:gosec // it goes to our own handler, not to the network
	if err != nil {
		return firstAnswer{}
	}
	answer := &heldAnswer{header: http.Header{}, status: http.StatusOK}
	s.calls.ServeHTTP(answer, call)
	return firstAnswer{request, answer.status, answer.body.Bytes()}
}

// data gives it as JSON that no script element ends in; nil where it is no success.
func (a firstAnswer) data() []byte {
	if a.status != http.StatusOK {
		return nil
	}
	// Marshal writes <, > and & of the raw answer as escapes too.
	data, err := json.Marshal(firstData{Request: a.request, Answer: a.body})
	if err != nil {
		return nil
	}
	return data
}

// listPages are the pages of one type.
var listPages = map[string]catalog.Type{
	"/resources/notebooks": catalog.Notebook, "/resources/repositories": catalog.Repository,
	"/resources/datasets": catalog.Dataset, "/resources/models": catalog.Model,
}

// newest asks for what the landing page shows of the catalog.
const newest = "facets=types&pageNumber=0&pageSize=3&sort=newest&view=card"

// firstRequest is the first call of the page at an address, as the queries of web/src/features/catalog make it; "" where
// the page shows neither entries nor one of them.
func firstRequest(address *url.URL) string {
	path := strings.TrimSuffix(address.Path, "/")
	if entry := entryRoute.FindStringSubmatch(address.Path); entry != nil {
		if !sqldb.IsID(entry[2]) { // other calls of the API have names in this place
			return ""
		}
		return httpapi.Base + "/resources/public/" + entry[2]
	}
	if path == "" {
		return httpapi.Base + "/resources/public?" + newest
	}
	kind, isList := listPages[path]
	if path != "/resources" && !isList {
		return ""
	}
	given := address.Query()
	query := url.Values{"view": {"card"}, "pageSize": {"100"}, "pageNumber": {"0"}}
	if page, err := strconv.Atoi(given.Get("page")); err == nil && page > 1 {
		query.Set("pageNumber", strconv.Itoa(page-1))
	}
	if text := given.Get("searchText"); text != "" {
		query.Set("nameSearch", text)
	}
	if sort := given.Get("sort"); slices.Contains(sorts, catalog.Sort(sort)) {
		query.Set("sort", sort)
	}
	if isList {
		query.Set("type", string(kind))
		return httpapi.Base + "/resources?" + query.Encode()
	}
	query.Set("facets", "types,tags")
	if types := knownTypes(given.Get("resourceTypes")); types != "" {
		query.Set("type", types)
	}
	for _, tag := range tagInList.FindAllString(given.Get("tags"), -1) {
		if strings.TrimSpace(tag) != "" && !slices.Contains(query["tag"], tag) {
			query.Add("tag", tag)
		}
	}
	return httpapi.Base + "/resources/public?" + query.Encode()
}

var sorts = []catalog.Sort{catalog.SortRelevance, catalog.SortName, catalog.SortNewest, catalog.SortStars}

// tagInList is a tag of a comma list, in which \, is a comma: as it stands there it is sent on.
var tagInList = regexp.MustCompile(`(?s)(?:\\.|[^,\\])+`)

func knownTypes(list string) string {
	var known []string
	for name := range strings.SplitSeq(list, ",") {
		if slices.Contains(catalog.Types[:], catalog.Type(name)) && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return strings.Join(known, ",")
}

// heldAnswer keeps the answer to a call that the server makes of itself.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *heldAnswer) Header() http.Header               { return w.header }
func (w *heldAnswer) WriteHeader(status int)            { w.status = status }
func (w *heldAnswer) Write(content []byte) (int, error) { return w.body.Write(content) }
