package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"

	"golang.org/x/time/rate"
)

var fine = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })

// DNS rebinding: a page of another name whose address is that of this server.
func TestOtherNamesAreRefused(t *testing.T) {
	t.Parallel()
	const public, local = "https://catalog.example.org", "http://127.0.0.1:8080"
	page := []string{"Accept", "text/html,application/xhtml+xml"}
	for name, c := range map[string]struct {
		public, method, host string
		headers              []string
		status               int
	}{
		"the public name":             {public, "GET", "catalog.example.org", nil, 204},
		"in capitals":                 {public, "GET", "CATALOG.example.org", nil, 204},
		"another accepted name":       {public, "POST", "catalog.internal:8080", nil, 204},
		"another name":                {public, "GET", "evil.example", nil, 421},
		"another port":                {public, "GET", "catalog.example.org:8080", nil, 421},
		"loopback behind a name":      {public, "GET", "localhost:8080", nil, 421},
		"no name":                     {public, "GET", "", nil, 421},
		"a browser that opens a page": {public, "GET", "evil.example", page, 307},
		"the same over https":         {public, "GET", "evil.example", []string{"Sec-Fetch-Mode", "navigate"}, 307},
		"a script of a browser":       {public, "GET", "evil.example", append(page, "Sec-Fetch-Mode", "cors"), 421},
		"a form":                      {public, "POST", "evil.example", page, 421},
		"loopback names":              {local, "GET", "localhost:9000", nil, 204},
		"loopback addresses":          {local, "GET", "[::1]:8080", nil, 204},
		"subdomains of localhost":     {local, "GET", "a.localhost", nil, 204},
		"no loopback name":            {local, "GET", "127.0.0.1.evil.example", nil, 421},
		"no port":                     {local, "GET", "127.0.0.1:8080.evil.example", nil, 421},
		"a name as a port":            {local, "GET", "localhost:evil.example", nil, 421},
		"after brackets":              {local, "GET", "[::1].evil.example", nil, 421},
		"with a zone":                 {local, "GET", "[::1%25evil.example]:8080", nil, 421},
		"after an account":            {local, "GET", "localhost@evil.example", nil, 421},
		"another account":             {local, "GET", "evil.example@localhost", nil, 421},
		"a page under such a name":    {local, "GET", "127.0.0.1:8080.evil.example", page, 307},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := httptest.NewRequestWithContext(t.Context(), c.method, "/resources?a=b", http.NoBody)
			request.Host = c.host
			for i := 0; i < len(c.headers); i += 2 {
				request.Header.Set(c.headers[i], c.headers[i+1])
			}
			answer := httptest.NewRecorder()
			handler := httpapi.OwnHosts(c.public, []string{"catalog.internal:8080"}, fine)
			httpapi.Observe(slog.New(slog.DiscardHandler), time.Now, nil, handler).ServeHTTP(answer, request)
			if answer.Code != c.status {
				t.Errorf("status %d, want %d", answer.Code, c.status)
			}
			if c.status == http.StatusMisdirectedRequest && problem(t, answer, c.status).Code != "wrong_host" {
				t.Error(answer.Body)
			}
			if c.status == http.StatusTemporaryRedirect && answer.Header().Get("Location") != c.public+"/resources?a=b" {
				t.Error(answer.Header())
			}
		})
	}
}

// The servers of sessions may fail as often as they like.
func TestFloodsOfForeignFailuresAreCutInTheLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	handler := httpapi.Observe(logger, func() time.Time { return now }, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.LogForeignFailure(r.Context(), logger, io.ErrUnexpectedEOF)
		w.WriteHeader(http.StatusBadGateway)
	}))
	for range 1000 {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	}
	if lines := strings.Count(log.String(), io.ErrUnexpectedEOF.Error()); lines < 10 || lines > 100 {
		t.Errorf("%d of 1000 failures are logged, want some", lines)
	}
}

// A target that isn't a path would become a part of the name of the host that a redirect leads to.
func TestTargetsAreParsedAndRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(httpapi.OwnHosts("http://127.0.0.1:8080", nil, fine))
	defer server.Close()
	for target, want := range map[string]int{
		"*": 400, "x:@evil.example/": 400, "mailto:a@evil.example": 400, "x:.evil.example/": 400,
		"/resources": 307, "//evil.example/": 307, "http://evil.example/a": 307,
	} {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n", target)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if location := answer.Header.Get("Location"); answer.StatusCode != want || want == 307 && !strings.HasPrefix(location, "http://127.0.0.1:8080/") || want != 307 && location != "" {
			t.Errorf("%s is answered %d, Location %q", target, answer.StatusCode, location)
		}
		_ = errors.Join(answer.Body.Close(), connection.Close())
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	var broken error
	asked := 0
	health := httpapi.NewHealth(func() time.Time { return now }, httpapi.HealthCheck{Name: "database", Run: func(context.Context) error {
		asked++
		return broken
	}})
	handler := health.Handler(fine)
	ready := func(status int, want string) {
		t.Helper()
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", http.NoBody))
		if got := strings.TrimSpace(answer.Body.String()); answer.Code != status || got != want {
			t.Errorf("%d %s, want %d %s", answer.Code, got, status, want)
		}
	}
	const serving = `{"name":"serving","ok":true,"since":"2027-03-03T09:00:00Z"}]}`
	good := `{"checks":[{"name":"database","ok":true,"since":"2027-03-03T09:00:00Z"},` + serving
	ready(http.StatusOK, good)
	broken = errors.New("postgres://user:secret@db is down")
	ready(http.StatusOK, good) // strangers that ask often cost nothing
	now = now.Add(2 * time.Second)
	bad := `{"checks":[{"name":"database","ok":false,"since":"2027-03-03T09:00:02Z"},` + serving
	ready(http.StatusServiceUnavailable, bad)
	now = now.Add(2 * time.Second)
	ready(http.StatusServiceUnavailable, bad)
	if asked != 3 {
		t.Errorf("checked %d times, want 3", asked)
	}
	broken = nil
	now = now.Add(2 * time.Second)
	ready(http.StatusOK, `{"checks":[{"name":"database","ok":true,"since":"2027-03-03T09:00:06Z"},`+serving)
	health.Drain() // and what is known of the rest is still fresh
	ready(http.StatusServiceUnavailable, `{"checks":[{"name":"database","ok":true,"since":"2027-03-03T09:00:06Z"},`+
		`{"name":"serving","ok":false,"since":"2027-03-03T09:00:06Z"}]}`)
	for path, status := range map[string]int{"/healthz": http.StatusOK, "/readyz/": http.StatusNoContent, "/": http.StatusNoContent} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if answer.Code != status {
			t.Errorf("%s: %d", path, answer.Code)
		}
	}
}

// A log of everything lets strangers fill the disk.
func TestFloodsAreCutInTheLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	status := http.StatusNotFound
	handler := httpapi.Observe(slog.New(slog.NewJSONHandler(&log, nil)), func() time.Time { return now }, nil,
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	ask := func() {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		request.URL.Path = "/" + strings.Repeat("\x01ä", 10_000)
		request.Host = strings.Repeat("h", 1000)
		request.RemoteAddr = "192.0.2.1:5"
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	for range 1000 {
		ask()
	}
	lines := 0
	for scanner := bufio.NewScanner(&log); scanner.Scan(); lines++ {
		var line struct{ Host, Path, Address string }
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if len([]rune(line.Host)) > 300 || len([]rune(line.Path)) > 300 || line.Address != "192.0.2.1" {
			t.Fatalf("%d runes of the host, %d of the path, address %s", len([]rune(line.Host)), len([]rune(line.Path)), line.Address)
		}
	}
	if lines < 100 || lines > 300 {
		t.Errorf("%d of 1000 refusals are logged, want some", lines)
	}
	log.Reset()
	now = now.Add(time.Minute)
	ask()
	if !strings.Contains(log.String(), `"count":`) {
		t.Errorf("how many were left out isn't said: %s", log.String())
	}
	log.Reset()
	status = http.StatusInternalServerError
	for range 1000 {
		ask()
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1000 {
		t.Errorf("%d of 1000 defects are logged", lines)
	}
}

func TestAnonymousCallsAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	handler := httpapi.ClientAddresses(nil, newLimitedHandler(io.Discard, httpapi.NewRateLimit(rate.Limit(1), 3), func() time.Time { return now }))
	ask := func(remote string, headers ...string) int {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+"/public", http.NoBody)
		request.RemoteAddr = remote
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Code == http.StatusTooManyRequests && (problem(t, answer, answer.Code).Code != "too_many" || answer.Header().Get("Retry-After") != "1") {
			t.Errorf("%s, %v", answer.Body, answer.Header())
		}
		return answer.Code
	}
	const one = "192.0.2.1:5"
	for range 3 {
		if status := ask(one); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	for name, c := range map[string]struct {
		remote  string
		headers []string
		status  int
	}{
		"the same address":                  {one, nil, 429},
		"with a token that isn't valid":     {one, []string{"Authorization", "Bearer nonsense"}, 429},
		"signed in":                         {one, []string{"Authorization", goodToken}, 200},
		"another address":                   {"192.0.2.2:5", nil, 200},
		"the address in a header, forged":   {one, []string{"X-Forwarded-For", "198.51.100.1"}, 429},
		"a call of this server of itself":   {"", nil, 200},
		"through a proxy that nobody named": {"127.0.0.1:5", []string{"X-Forwarded-For", "198.51.100.1"}, 200},
	} {
		for range 4 { // what isn't limited isn't limited later either
			status := ask(c.remote, c.headers...)
			if c.remote == "192.0.2.2:5" {
				c.remote = "192.0.2.3:5"
			}
			if status != c.status {
				t.Errorf("%s: %d, want %d", name, status, c.status)
			}
		}
	}
	now = now.Add(time.Second)
	if status := ask(one); status != http.StatusOK {
		t.Errorf("after the wait: %d", status)
	}
	for name, forged := range map[string]string{"10.0.0.7:5": "198.51.100.%d", "[::1]:5": "2001:db8::%x", "[fd00::7]:5": "unknown, _hidden%d"} {
		answered := 0
		for i := range 1000 {
			if ask(name, "X-Forwarded-For", fmt.Sprintf(forged, i)) == http.StatusOK {
				answered++
			}
		}
		if answered < 50 || answered > 300 {
			t.Errorf("%d of 1000 calls are answered that claim to come through %s", answered, name)
		}
	}
}

// Scripts can slow down before they are refused.
func TestLimitedAnswersSayWhatIsLeft(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	handler := httpapi.ClientAddresses(nil, newLimitedHandler(io.Discard, httpapi.NewRateLimit(rate.Limit(2), 3), func() time.Time { return now }))
	ask := func(remote, path, want string, headers ...string) {
		t.Helper()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+path, http.NoBody)
		request.RemoteAddr = remote
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		told := strconv.Itoa(answer.Code)
		for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
			told = strings.TrimSpace(told + " " + answer.Header().Get(name))
		}
		if told != want {
			t.Errorf("%s at %s: got %s, want %s", remote, path, told, want)
		}
	}
	const one = "192.0.2.1:5"
	ask(one, "/public", "200 3 2 1")
	ask(one, "/own", "401 3 1 1")
	ask(one, "/public", "200 3 0 2")
	ask(one, "/public", "429 3 0 2")
	ask("192.0.2.2:5", "/public", "200 3 2 1")
	ask(one, "/public", "200", "Authorization", goodToken)                  // has no limit
	ask("127.0.0.1:5", "/public", "200", "X-Forwarded-For", "198.51.100.1") // neither has a proxy that nobody named
	now = now.Add(time.Second)
	ask(one, "/public", "200 3 1 1")
}

// encoding/json would take "NAME" for "name", past the rules of the schema.
func TestKeysInAnotherCaseAreRefused(t *testing.T) {
	t.Parallel()
	for body, status := range map[string]int{`{"name":"a"}`: 201, `{"Name":"a"}`: 422, `{"name":"a","NAME":"b"}`: 422, `{"name":"a","Count":1}`: 422} {
		if answer := call(t, http.MethodPost, httpapi.Base+"/things", body, "Authorization", goodToken, "Content-Type", "application/json"); answer.Code != status {
			t.Errorf("%s: %d %s", body, answer.Code, answer.Body)
		}
	}
}

// lines returns the lines of a log.
func lines(t *testing.T, log *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		line := map[string]any{}
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// A request has one line, which says whose it was, from where, and what it asked for; a failure is in the same line.
func TestARequestIsOneLine(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /things/{id}", func(_ http.ResponseWriter, r *http.Request) { httpapi.NameAccount(r.Context(), "account-7") })
	mux.HandleFunc("GET /broken/", func(w http.ResponseWriter, r *http.Request) {
		httpapi.LogFailure(r.Context(), nil, slog.LevelError, errors.New("the cause"))
		w.WriteHeader(http.StatusInternalServerError)
	})
	mux.HandleFunc("GET /aborted", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.Handle("/named/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.NameRoute(r.Context(), "/named/{by}/{itself}")
		w.WriteHeader(http.StatusNotFound)
	}))
	for path, want := range map[string]map[string]any{
		"POST /things/1?ticket=s3cret": {"level": "INFO", "route": "/things/{id}", "path": "/things/1", "status": 200.0, "account": "account-7"},
		"GET /broken/x":                {"level": "ERROR", "route": "/broken/*", "status": 500.0, "error": "the cause", "account": ""},
		"GET /aborted":                 {"level": "INFO", "route": "/aborted", "status": 500.0},
		"GET /named/a/b":               {"level": "INFO", "route": "/named/{by}/{itself}", "status": 404.0},
		"GET /nowhere":                 {"level": "INFO", "route": "", "status": 404.0},
	} {
		var log bytes.Buffer
		handler := httpapi.Observe(slog.New(slog.NewJSONHandler(&log, nil)), time.Now, nil, httpapi.NameRoutes(mux))
		method, address, _ := strings.Cut(path, " ")
		request := httptest.NewRequestWithContext(t.Context(), method, address, http.NoBody)
		request.RemoteAddr = "192.0.2.1:5"
		request.Header.Set("Authorization", "Bearer s3cret")
		request.Header.Set("Cookie", "session=s3cret")
		func() {
			defer func() { _ = recover() }()
			handler.ServeHTTP(httptest.NewRecorder(), request)
		}()
		if strings.Contains(log.String(), "s3cret") {
			t.Errorf("%s: the log has a secret in it: %s", path, log.String())
		}
		found := lines(t, &log)
		if len(found) != 1 {
			t.Fatalf("%s: %d lines", path, len(found))
		}
		want["method"], want["address"] = method, "192.0.2.1"
		for key, value := range want {
			if found[0][key] != value {
				t.Errorf("%s: %s is %v, want %v", path, key, found[0][key], value)
			}
		}
	}
}

// A failing call of the API has one line too, with the route of its operation.
func TestAFailingCallIsOneLine(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/broken": "ERROR", "/lost": "WARN", "/panic": "ERROR", "/invalid": "INFO"} {
		var log bytes.Buffer
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, httpapi.Base+path, http.NoBody)
		newLoggingHandler(slog.New(slog.NewJSONHandler(&log, nil))).ServeHTTP(httptest.NewRecorder(), request)
		found := lines(t, &log)
		if len(found) != 1 || found[0]["level"] != want || found[0]["route"] != httpapi.Base+path || found[0]["requestId"] == "" {
			t.Errorf("%s: %v", path, found)
		}
		if _, told := found[0]["error"]; told != (want != "INFO") {
			t.Errorf("%s: %v", path, found[0])
		}
	}
}

// counted is a Counter.
type counted struct {
	open int
	all  []httpapi.Answered
}

func (c *counted) RequestBegins() { c.open++ }

func (c *counted) RequestEnds(answered httpapi.Answered) {
	c.open--
	answered.Took = 0
	c.all = append(c.all, answered)
}

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	var counter counted
	mux := http.NewServeMux()
	mux.HandleFunc("/events", func(w http.ResponseWriter, _ *http.Request) {
		if counter.open != 1 {
			t.Errorf("%d requests are open, want 1", counter.open)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
	})
	mux.HandleFunc("GET /limited", func(w http.ResponseWriter, r *http.Request) {
		httpapi.NameLimit(r.Context(), "tries")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	handler := httpapi.Observe(slog.New(slog.DiscardHandler), time.Now, &counter, httpapi.NameRoutes(mux))
	for _, one := range []string{"GET /events", "GET /limited", "BREW /made/up"} {
		method, path, _ := strings.Cut(one, " ")
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))
	}
	want := []httpapi.Answered{
		{Route: "/events", Method: "GET", Status: 200, Lasting: true},
		{Route: "/limited", Method: "GET", Status: 429, Limit: "tries"},
		{Route: httpapi.OtherRoute, Method: httpapi.OtherMethod, Status: 404},
	}
	if !slices.Equal(counter.all, want) || counter.open != 0 {
		t.Errorf("%+v, %d open", counter.all, counter.open)
	}
}

// Somebody who is signed in can't fill the disk with changes either.
func TestFloodsOfChangesAreCutInTheLog(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 3, 9, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	handler := httpapi.Observe(slog.New(slog.NewJSONHandler(&log, nil)), func() time.Time { return now }, nil, fine)
	change := func() {
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody))
	}
	for range 5000 {
		change()
	}
	if count := strings.Count(log.String(), "\n"); count != 2000 {
		t.Errorf("%d of 5000 changes are logged", count)
	}
	log.Reset()
	now = now.Add(time.Second)
	change()
	if found := lines(t, &log); len(found) != 2 || found[0]["count"] != 3000.0 {
		t.Error(found)
	}
}
