package page

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/index"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
)

// row is a page in web/pages.json, for the page's router and for the document.
type row struct {
	// Path is the path. ":name" matches any one element, a "*" at the end any rest, even none: paths that only such a row
	// matches don't exist.
	Path string `json:"path"`
	// Title is the window's title before the name of the product; "" for the product's name alone. The title of an entry's
	// page is the entry's name.
	Title string `json:"title"`
	// Module is the source file of the page's component below web/src, without its extension.
	Module string `json:"module"`
	// Guard says whether the page is only for signed-in people.
	Guard bool `json:"guard"`
	// Type is passed to the page's component, if set.
	Type catalog.Type `json:"type"`
	// First is the page's first API request, below the API's base; "" for none. ":id" is the one in the path.
	First string `json:"first"`
	// Filters are the page's query parameters that change First; see filters.
	Filters []string `json:"filters"`
}

// table lists all pages; the first row that matches a path wins.
type table []row

func readTable(text []byte) (table, error) {
	var rows table
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "web/pages.json cannot be read")
	}
	for _, r := range rows {
		for _, name := range r.Filters {
			if filters[name] == nil {
				return nil, fault.New(fault.Internal, "web/pages.json: %s has the unknown filter %q", r.Path, name)
			}
		}
	}
	if len(rows) == 0 || rows[len(rows)-1].Path != "/*" {
		return nil, fault.New(fault.Internal, "web/pages.json: the last row must be for /*")
	}
	return rows, nil
}

// find returns the row of a path and the values of its ":names".
func (t table) find(path string) (row, map[string]string) {
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	for _, r := range t {
		if values, ok := r.match(path); ok {
			return r, values
		}
	}
	return row{Path: "/*"}, nil
}

func (r row) match(path string) (values map[string]string, ok bool) {
	wanted, found := strings.Split(r.Path, "/"), strings.Split(path, "/")
	values = map[string]string{}
	for i, want := range wanted {
		if want == "*" {
			return values, true
		}
		if i >= len(found) {
			return nil, false
		}
		if name, isName := strings.CutPrefix(want, ":"); isName && found[i] != "" {
			values[name] = found[i]
		} else if want != found[i] {
			return nil, false
		}
	}
	return values, len(wanted) == len(found)
}

// isNotFound reports whether the row is for paths without a page.
func (r row) isNotFound() bool { return strings.HasSuffix(r.Path, "*") }

// asksForEntry reports whether the page's first request is for the entry or project in its path.
func (r row) asksForEntry() bool { return strings.HasSuffix(r.First, "/:id") }

// showsEntry reports whether the page is that of an entry, whose answer determines status, title, head and address.
func (r row) showsEntry() bool { return r.asksForEntry() && strings.Contains(r.Path, ":type") }

// runsEntry reports whether the page runs the entry or project in its path. It is the same for all; only its status tells
// whether everybody may see that one.
func (r row) runsEntry() bool { return r.asksForEntry() && strings.HasPrefix(r.Path, "/run/") }

// listsType reports whether the page lists the entries of one type.
func (r row) listsType() bool { return r.Type != "" && strings.HasPrefix(r.Path, "/resources/") }

// showsPerson reports whether the page is that of somebody whom entries credit.
func (r row) showsPerson() bool { return strings.HasPrefix(r.Path, "/people/") }

// firstRequest returns the page's first API request at an address, as the queries of web/src/features/catalog send it;
// "" if there is none.
func (r row) firstRequest(values map[string]string, query url.Values) string {
	path, rest, _ := strings.Cut(r.First, "?")
	if path == "" {
		return ""
	}
	if r.asksForEntry() {
		if !sqldb.IsID(values["id"]) { // other API paths have names in this place
			return ""
		}
		path = strings.Replace(path, ":id", values["id"], 1)
	} else if id, asks := values["id"]; asks {
		path = strings.Replace(path, ":id", url.PathEscape(id), 1)
	}
	asked, err := url.ParseQuery(rest)
	if err != nil {
		return ""
	}
	asked.Del("sort")
	for _, name := range r.Filters {
		filters[name](asked, query.Get(name))
	}
	// The order without one in the address: see sortInForce in web/src/features/catalog/sorts.ts.
	if order := asked.Get("sort"); slices.Contains(r.Filters, "sort") && (order == "" || order == string(catalog.SortRelevance)) {
		if asked.Del("sort"); strings.TrimSpace(asked.Get("nameSearch")) == "" {
			asked.Set("sort", string(catalog.SortUsed))
		}
	}
	if len(asked) == 0 {
		return httpapi.Base + path
	}
	return httpapi.Base + path + "?" + asked.Encode()
}

// filters apply parameters of the page's address to a request. Invalid values have no effect.
var filters = map[string]func(call url.Values, given string){
	"searchText": func(call url.Values, given string) {
		if given != "" {
			call.Set("nameSearch", given)
			call.Set("highlight", "true")
		}
	},
	"sort": func(call url.Values, given string) {
		if slices.Contains([]catalog.Sort{catalog.SortRelevance, catalog.SortName, catalog.SortNewest, catalog.SortStars, catalog.SortUsed, catalog.SortRuns}, catalog.Sort(given)) {
			call.Set("sort", given)
		}
	},
	"page": func(call url.Values, given string) {
		if page, err := strconv.Atoi(given); err == nil && page > 1 {
			call.Set("pageNumber", strconv.Itoa(page-1))
		}
	},
	"version": func(call url.Values, given string) {
		if number, err := strconv.Atoi(given); err == nil && number > 0 {
			call.Set("version", given)
		}
	},
	"resourceTypes": func(call url.Values, given string) {
		var known []string
		for name := range strings.SplitSeq(given, ",") {
			if slices.Contains(catalog.Types[:], catalog.Type(name)) && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		if len(known) > 0 {
			call.Set("type", strings.Join(known, ","))
		}
	},
	"runs": func(call url.Values, given string) {
		var known []string
		for name := range strings.SplitSeq(given, ",") {
			if slices.Contains(index.Outcomes[:], index.Outcome(name)) && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		if len(known) > 0 {
			call.Set("runs", strings.Join(known, ","))
		}
	},
	"tags": func(call url.Values, given string) {
		for _, tag := range tagInList.FindAllString(given, -1) {
			if strings.TrimSpace(tag) != "" && !slices.Contains(call["tag"], tag) {
				call.Add("tag", tag)
			}
		}
	},
}

// tagInList matches a tag in a comma-separated list, in which \, is a comma; it is sent on unchanged.
var tagInList = regexp.MustCompile(`(?s)(?:\\.|[^,\\])+`)
