package page

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/web"
)

func TestBrokenTablesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":           "[",
		"no row for others": `[{"path": "/"}]`,
		"an unknown filter": `[{"path": "/", "filters": ["colour"]}, {"path": "/*"}]`,
	} {
		if _, err := readTable([]byte(text)); err == nil {
			t.Errorf("%s: no fault", name)
		}
	}
}

// A test of the page has the same cases.
func TestFirstRequestsAreThoseOfThePage(t *testing.T) {
	text, err := os.ReadFile("../../../web/src/features/catalog/firstCalls.cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%v %v", err, cases)
	}
	rows, err := readTable(web.Pages())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range cases {
		address, want := parsed(t, one[0]), parsed(t, httpapi.Base+one[1])
		page, values := rows.find(address.Path)
		got := parsed(t, page.firstRequest(values, address.Query()))
		if got.Path != want.Path || got.Query().Encode() != want.Query().Encode() {
			t.Errorf("%s asks for %s, want %s", one[0], got, want)
		}
	}
}

func parsed(t *testing.T, address string) *url.URL {
	t.Helper()
	found, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Whatever an address contains, the request for it is one entry or project, or a call of one of the two lists that can be parsed
// back.
func FuzzFirstRequest(f *testing.F) {
	rows, err := readTable(web.Pages())
	if err != nil {
		f.Fatal(err)
	}
	for _, query := range []string{
		"", "tags=a,b%5C,c&page=2", "searchText=%FF%00&resourceTypes=MODEL,%00", "page=99999999999999999999", "tags=%5C&sort=stars", "a;b=%zz&tags=,,+,", "version=2&tags=a", "version=-1", "version=2%262",
	} {
		f.Add("/", query)
		f.Add("/resources", query)
		f.Add("/resources/models/", query)
		f.Add("/resources/models/01900000-0000-7000-8000-000000000000", query)
		f.Add("/resources/models/search/", query)
		f.Add("/people/müller?x#y", query)
		f.Add("/projects/01900000-0000-7000-8000-000000000000", query)
		f.Add("/run/01900000-0000-7000-8000-000000000000", query)
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		address := &url.URL{Path: path, RawQuery: query}
		page, values := rows.find(path)
		request := page.firstRequest(values, address.Query())
		if request == "" {
			return
		}
		call, err := http.NewRequestWithContext(t.Context(), http.MethodGet, request, http.NoBody)
		if err != nil {
			t.Fatalf("%q: %v", request, err)
		}
		if page.asksForEntry() {
			kind := "resources"
			if strings.HasPrefix(path, "/projects/") {
				kind = "projects"
			}
			asked := call.URL.Query()
			if version, err := strconv.Atoi(asked.Get("version")); page.showsEntry() && err == nil && version > 0 {
				asked.Del("version")
			}
			if id := strings.TrimPrefix(call.URL.Path, httpapi.Base+"/"+kind+"/public/"); !sqldb.IsID(id) || len(asked) > 0 {
				t.Errorf("%q asks for %q", path, request)
			}
			return
		}
		if page.showsPerson() {
			if id := strings.TrimPrefix(call.URL.Path, httpapi.Base+"/people/"); id != values["id"] || call.URL.Query().Get("pageSize") != "100" {
				t.Errorf("%q asks for %q", path, request)
			}
			return
		}
		asked, err := url.ParseQuery(call.URL.RawQuery)
		if err != nil || (asked.Get("pageSize") == "") != (call.URL.Path == httpapi.Base+"/resources/landing") || !strings.HasPrefix(call.URL.Path, "/api/v1/rf/resources") {
			t.Errorf("%q: %v", request, err)
		}
	})
}
