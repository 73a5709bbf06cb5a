package front

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

// contents is a Jupyter that has files, and a front before it.
type contents struct {
	t     *testing.T
	front *front

	// mu guards the fields below.
	mu    sync.Mutex
	files map[string]string // the JSON of their models, by path
	full  bool
	seen  []string // what came in the header that is the front's own
}

func newContents(t *testing.T) *contents {
	t.Helper()
	c := &contents{t: t, files: map[string]string{}}
	jupyter := httptest.NewServer(c)
	t.Cleanup(jupyter.Close)
	address, err := url.Parse(jupyter.URL)
	if err != nil {
		t.Fatal(err)
	}
	c.front = newFront(Options{}, way{prefix: "/s/one/", jupyter: address, transport: jupyter.Client().Transport, token: "right", admits: func(r *http.Request) bool {
		return r.Header.Get("Authorization") == "token right"
	}})
	moment := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c.front.together.now = func() time.Time { moment = moment.Add(time.Second); return moment }
	return c
}

// ServeHTTP implements http.Handler.
func (c *contents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, r.Header.Get(engine.WhoHeader))
	file := strings.TrimPrefix(r.URL.Path, "/s/one/api/contents/")
	model, ok := c.files[file]
	switch {
	case r.Method == http.MethodPut && c.full:
		http.Error(w, `{"message": "no room"}`, http.StatusInternalServerError)
	case r.Method == http.MethodPut:
		text, _ := io.ReadAll(r.Body)
		c.files[file] = string(text)
		w.WriteHeader(http.StatusCreated)
	case !ok:
		http.Error(w, `{"message": "none"}`, http.StatusNotFound)
	default:
		_, _ = io.WriteString(w, model)
	}
}

// call reads or saves a file as somebody, and returns the status and the copy that was kept.
func (c *contents) call(method, who, file, content string) (status int, kept string) {
	c.t.Helper()
	body := ""
	if method == http.MethodPut {
		text, err := json.Marshal(map[string]string{"type": "file", "format": "text", "content": content})
		if err != nil {
			c.t.Fatal(err)
		}
		body = string(text)
	}
	request := httptest.NewRequest(method, "/s/one/api/contents/"+(&url.URL{Path: file}).EscapedPath(), strings.NewReader(body))
	request.Header.Set("Authorization", "token right")
	request.Header.Set(engine.WhoHeader, who)
	answer := httptest.NewRecorder()
	c.front.ServeHTTP(answer, request)
	kept, err := url.PathUnescape(answer.Header().Get(engine.KeptHeader))
	if err != nil {
		c.t.Fatal(err)
	}
	return answer.Code, kept
}

func (c *contents) save(who, content string) (kept string) {
	c.t.Helper()
	status, kept := c.call(http.MethodPut, who, "a b.txt", content)
	if status != http.StatusCreated {
		c.t.Fatalf("saving answers %d", status)
	}
	return kept
}

func (c *contents) read(who string) {
	c.t.Helper()
	if status, _ := c.call(http.MethodGet, who, "a b.txt", ""); status != http.StatusOK {
		c.t.Fatalf("reading answers %d", status)
	}
}

// has returns the content of a file.
func (c *contents) has(file string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var model struct{ Content string }
	_ = json.Unmarshal([]byte(c.files[file]), &model)
	return model.Content
}

func TestBothVersionsAreKeptWhereTwoPeopleSave(t *testing.T) {
	c := newContents(t)
	if kept := c.save("ann", "ann's first"); kept != "" {
		t.Errorf("the first save kept %q", kept)
	}
	c.read("bob")
	if kept := c.save("bob", "bob's, from ann's first"); kept != "" {
		t.Errorf("a save of what was read kept %q", kept)
	}
	kept := c.save("ann", "ann's second, who hasn't seen bob's")
	if kept != "a b (other version 2026-03-01 12.00.04).txt" && !strings.HasPrefix(kept, "a b (other version 2026-03-01 12.00.") {
		t.Fatalf("the meeting kept %q", kept)
	}
	if c.has(kept) != "bob's, from ann's first" || c.has("a b.txt") != "ann's second, who hasn't seen bob's" {
		t.Errorf("the files have %q and %q", c.has(kept), c.has("a b.txt"))
	}
	if kept := c.save("ann", "ann's third"); kept != "" {
		t.Errorf("a save of one's own kept %q", kept)
	}
	if kept := c.save("bob", "bob's next"); kept == "" || c.has(kept) != "ann's third" {
		t.Errorf("the other way round it kept %q", kept)
	}
	for _, who := range c.seen {
		if who != "" {
			t.Errorf("Jupyter is told who it is: %q", who)
		}
	}
}

func TestNobodysSaveIsLostWhenThereIsNoRoomForACopy(t *testing.T) {
	c := newContents(t)
	c.save("ann", "ann's")
	c.save("bob", "bob's")
	before := c.has("a b.txt")
	c.mu.Lock()
	c.full = true
	c.mu.Unlock()
	if status, _ := c.call(http.MethodPut, "ann", "a b.txt", "ann's next"); status != http.StatusConflict || c.has("a b.txt") != before {
		t.Errorf("it answers %d, and the file has %q", status, c.has("a b.txt"))
	}
}

func TestADeletedFileHasNothingToKeep(t *testing.T) {
	c := newContents(t)
	c.save("ann", "ann's")
	c.save("bob", "bob's")
	c.mu.Lock()
	delete(c.files, "a b.txt")
	c.mu.Unlock()
	if kept := c.save("ann", "ann's next"); kept != "" {
		t.Errorf("it kept %q", kept)
	}
}

// holding is a Jupyter whose answer to the first request of a kind waits until it may go on.
type holding struct {
	*contents

	method       string
	once         sync.Once
	held, goesOn chan struct{}
}

// ServeHTTP implements http.Handler.
func (h *holding) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	h.contents.ServeHTTP(answer, r)
	if r.Method == h.method {
		h.once.Do(func() {
			close(h.held)
			<-h.goesOn
		})
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func newHolding(t *testing.T, method string) *holding {
	t.Helper()
	h := &holding{contents: newContents(t), method: method, held: make(chan struct{}), goesOn: make(chan struct{})}
	jupyter := httptest.NewServer(h)
	t.Cleanup(jupyter.Close)
	address, err := url.Parse(jupyter.URL)
	if err != nil {
		t.Fatal(err)
	}
	h.front.proxy.Transport, h.front.way.transport, h.front.way.jupyter = jupyter.Client().Transport, jupyter.Client().Transport, address
	return h
}

// hasSomewhere reports whether a content is in a file or a copy.
func (c *contents) hasSomewhere(content string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, model := range c.files {
		if strings.Contains(model, `"`+content+`"`) {
			return true
		}
	}
	return false
}

// The first save is written, but not answered yet, when the second comes.
func TestSavesAtTheSameTimeKeepBoth(t *testing.T) {
	h := newHolding(t, http.MethodPut)
	done := make(chan struct{}, 2)
	go func() { h.save("ann", "from ann"); done <- struct{}{} }()
	<-h.held
	go func() { h.save("bob", "from bob"); done <- struct{}{} }()
	close(h.goesOn)
	<-done
	<-done
	if !h.hasSomewhere("from ann") || h.has("a b.txt") != "from bob" {
		t.Errorf("the files are %v", h.files)
	}
}

// A page reads the old version, and has it only after somebody else has saved.
func TestAReadThatTakesLongKnowsNothingNewer(t *testing.T) {
	h := newHolding(t, http.MethodGet)
	h.save("ann", "old")
	done := make(chan struct{})
	go func() { h.read("bob"); close(done) }()
	<-h.held
	h.save("ann", "from ann")
	close(h.goesOn)
	<-done
	if kept := h.save("bob", "from bob"); kept == "" || h.has(kept) != "from ann" {
		t.Errorf("the files are %v", h.files)
	}
}

// What was forgotten counts as somebody else's.
func TestForgottenSavesAreKept(t *testing.T) {
	c := newContents(t)
	c.save("ann", "from ann")
	for i := range filesKnown {
		c.front.together.note("bob", strconv.Itoa(i), false, c.front.together.now())
	}
	if kept := c.save("bob", "from bob"); kept == "" || c.has(kept) != "from ann" {
		t.Errorf("the files are %v", c.files)
	}
}
