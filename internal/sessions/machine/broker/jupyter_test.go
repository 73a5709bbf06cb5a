package broker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

const (
	kernelID = "kernel-1"
	file     = "a b/notebook.ipynb"
	patience = 20 * time.Second // for what happens at once
)

type fields = map[string]any

// jupyter is a server with one kernel, which executes code as a test says, message by message. It keeps what the kernel says while no page
// is connected, for one that gives itself the same name as the last, as Jupyter's does.
type jupyter struct {
	*testing.T

	broker *broker.Broker
	tabs   atomic.Int64     // connections to it
	listed atomic.Int64     // how often its kernels were
	server *httptest.Server // the broker's pages connect to it

	mu       sync.Mutex
	conn     *websocket.Conn
	session  string // of conn, or of the last
	kept     [][]byte
	begun    int      // executions
	requests []fields // of executions that haven't been taken
	got      chan struct{}
	answers  []fields // that pages have given to the kernel's questions
	files    map[string]string
	modified map[string]int
	gone     bool

	interrupts int
}

func newJupyter(t *testing.T, options broker.Options) *jupyter {
	t.Helper()
	j := &jupyter{T: t, got: make(chan struct{}, 1), files: map[string]string{}, modified: map[string]int{}}
	inner := httptest.NewServer(http.HandlerFunc(j.serve))
	t.Cleanup(inner.Close)
	address, err := url.Parse(inner.URL + "/s/1/")
	check(t, err)
	options.Server = jupyterkernel.NewServer(address, "token secret", http.DefaultTransport)
	if options.Linger == 0 {
		options.Linger = time.Millisecond
	}
	j.broker = broker.New(options)
	j.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		j.tabs.Add(1)
		defer j.tabs.Add(-1)
		j.broker.ServeChannels(w, r, kernelID)
	}))
	t.Cleanup(j.server.Close)
	t.Cleanup(func() { _ = j.broker.Close(context.Background()) })
	return j
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (j *jupyter) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "token secret" {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	name, isFile := strings.CutPrefix(r.URL.Path, "/s/1/api/contents/")
	switch {
	case r.URL.Path == "/s/1/api/kernels/"+kernelID+"/channels" && !j.isGone():
		j.channels(w, r)
	case r.URL.Path == "/s/1/api/kernels/"+kernelID && !j.isGone():
		_, _ = w.Write([]byte("{}"))
	case r.URL.Path == "/s/1/api/sessions":
		j.listed.Add(1)
		_ = json.NewEncoder(w).Encode([]fields{{"path": file, "kernel": fields{"id": kernelID}}})
	case r.URL.Path == "/s/1/api/kernels/"+kernelID+"/interrupt":
		j.mu.Lock()
		defer j.mu.Unlock()
		j.interrupts++
		w.WriteHeader(http.StatusNoContent)
	case isFile:
		j.contents(w, r, name)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (j *jupyter) isGone() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.gone
}

func (j *jupyter) contents(w http.ResponseWriter, r *http.Request, name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.Method == http.MethodPut {
		var sent struct{ Content json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		j.files[name] = string(sent.Content)
		j.modified[name]++
		w.WriteHeader(http.StatusCreated)
	}
	text, there := j.files[name]
	if !there {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	content := any(json.RawMessage(text))
	if r.URL.Query().Get("type") == "file" {
		content = text
	}
	_ = json.NewEncoder(w).Encode(fields{
		"type": "notebook", "content": content, "last_modified": time.Unix(int64(j.modified[name]), 0).UTC().Format(time.RFC3339),
	})
}

func (j *jupyter) channels(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	j.mu.Lock()
	if session := r.URL.Query().Get("session_id"); session != j.session {
		j.session, j.kept = session, nil
	}
	for _, one := range j.kept {
		_ = conn.Write(r.Context(), websocket.MessageText, one)
	}
	j.conn, j.kept = conn, nil
	j.mu.Unlock()
	for {
		var m fields
		if wsjson.Read(r.Context(), conn, &m) != nil {
			break
		}
		j.mu.Lock()
		switch header, _ := m["header"].(fields); header["msg_type"] {
		case "execute_request":
			j.requests = append(j.requests, m)
		case "input_reply":
			content, _ := m["content"].(fields)
			j.answers = append(j.answers, content)
		default:
			j.Errorf("the kernel was sent %v", m)
		}
		j.mu.Unlock()
		select {
		case j.got <- struct{}{}:
		default:
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn == conn {
		j.conn = nil
	}
}

// execution is one that the kernel works on.
type execution struct {
	j      *jupyter
	parent any
	count  int
}

// take waits for the next request, and begins with it.
func (j *jupyter) take() *execution {
	j.Helper()
	late := time.After(patience)
	for {
		j.mu.Lock()
		if len(j.requests) > 0 {
			m := j.requests[0]
			j.requests = j.requests[1:]
			j.begun++
			x := &execution{j, m["header"], j.begun}
			j.mu.Unlock()
			x.say("iopub", "status", fields{"execution_state": "busy"})
			x.say("iopub", "execute_input", fields{"execution_count": x.count})
			return x
		}
		j.mu.Unlock()
		select {
		case <-j.got:
		case <-late:
			j.Fatal("nothing was requested")
		}
	}
}

func (x *execution) say(channel, kind string, content fields) {
	x.j.say("process-1", x.parent, channel, kind, content)
}

func (x *execution) print(text string) {
	x.say("iopub", "stream", fields{"name": "stdout", "text": text})
}

func (x *execution) end(status string) {
	x.say("shell", "execute_reply", fields{"status": status, "execution_count": x.count})
	x.say("iopub", "status", fields{"execution_state": "idle"})
}

func (j *jupyter) say(process string, parent any, channel, kind string, content fields) {
	frame, err := json.Marshal(fields{
		"channel": channel, "parent_header": parent, "metadata": fields{}, "content": content, "buffers": []any{},
		"header": fields{"msg_id": fmt.Sprint(time.Now().UnixNano()), "msg_type": kind, "session": process},
	})
	check(j.T, err)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn == nil || j.conn.Write(context.Background(), websocket.MessageText, frame) != nil {
		j.kept = append(j.kept, frame)
	}
}

// put stores a notebook with these cells, each with its code.
func (j *jupyter) put(codes ...string) {
	cells := []any{}
	for at, code := range codes {
		cells = append(cells, fields{"cell_type": "code", "id": fmt.Sprint("cell-", at), "metadata": fields{}, "source": code, "outputs": []any{}, "execution_count": nil})
	}
	text, err := json.Marshal(fields{"cells": cells, "metadata": fields{"large": json.Number("12345678901234567890")}, "nbformat": 4, "nbformat_minor": 5})
	check(j.T, err)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.files[file] = string(text)
	j.modified[file]++
}

type cell struct {
	ID      string
	Source  string
	Outputs []struct {
		Kind  string `json:"output_type"`
		Text  string
		Data  map[string]any
		Ename string
	}
	Count *int `json:"execution_count"`
}

func (c cell) text() (all string) {
	for _, one := range c.Outputs {
		all += one.Text
		if text, ok := one.Data["text/plain"].(string); ok {
			all += "[" + text + "]"
		}
		all += one.Ename
	}
	return all
}

// cells returns those of a file.
func (j *jupyter) cells(name string) []cell {
	j.mu.Lock()
	defer j.mu.Unlock()
	var book struct{ Cells []cell }
	check(j.T, json.Unmarshal([]byte(j.files[name]), &book))
	return book.Cells
}

// copies returns the names of the files beside the notebook.
func (j *jupyter) copies() (names []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for name := range j.files {
		if name != file && path.Dir(name) == path.Dir(file) {
			names = append(names, name)
		}
	}
	return names
}

// page is a tab, as Notebook 6 is one with our script.
type page struct {
	*testing.T

	session string
	ctx     context.Context //nolint:containedctx // of the tab
	conn    *websocket.Conn
	closed  chan struct{}

	mu    sync.Mutex
	cells map[string]string // what each shows, by the request
	notes map[string]string // the statuses that it was told
	last  []message         // everything that came
	heard chan struct{}
}

type message struct {
	Channel string
	Header  struct {
		Type string `json:"msg_type"`
	}
	Parent struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
	Content json.RawMessage
}

func (j *jupyter) open(session string) *page {
	j.Helper()
	p := &page{T: j.T, session: session, ctx: context.Background(), closed: make(chan struct{}), cells: map[string]string{}, notes: map[string]string{}, heard: make(chan struct{}, 1)}
	p.connect(j)
	return p
}

func (p *page) connect(j *jupyter) {
	p.Helper()
	conn, _, err := websocket.Dial(p.ctx, "ws"+strings.TrimPrefix(j.server.URL, "http")+"/?session_id="+p.session, nil)
	check(p.T, err)
	conn.SetReadLimit(-1)
	p.conn, p.closed = conn, make(chan struct{})
	closed := p.closed
	go func() {
		defer close(closed)
		for {
			_, frame, err := conn.Read(p.ctx)
			if err != nil {
				return
			}
			p.take(frame)
		}
	}()
}

// leave closes the tab's connection without a word.
func (p *page) leave() {
	_ = p.conn.CloseNow()
	<-p.closed
}

func (p *page) take(frame []byte) {
	var m message
	if json.Unmarshal(frame, &m) != nil {
		p.Errorf("a page got %s", frame)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = append(p.last, m)
	var content struct {
		Text       string
		Data       map[string]string
		Executions []struct {
			ID, Status string
			Outputs    []struct {
				Text string
				Data map[string]string
			}
		}
	}
	_ = json.Unmarshal(m.Content, &content)
	text, known := p.cells[m.Parent.ID]
	switch m.Header.Type {
	case "stream":
		if known {
			p.cells[m.Parent.ID] = text + content.Text
		}
	case "execute_result":
		if known {
			p.cells[m.Parent.ID] = text + "[" + content.Data["text/plain"] + "]"
		}
	case "cairn_executions":
		for _, one := range content.Executions {
			p.cells[one.ID], p.notes[one.ID] = "", one.Status
			for _, shown := range one.Outputs {
				p.cells[one.ID] += shown.Text
				if text, ok := shown.Data["text/plain"]; ok {
					p.cells[one.ID] += "[" + text + "]"
				}
			}
		}
	}
	select {
	case p.heard <- struct{}{}:
	default:
	}
}

func (p *page) send(kind, id string, metadata, content fields) {
	p.Helper()
	channel := "shell"
	if kind == "input_reply" {
		channel = "stdin"
	}
	err := wsjson.Write(p.ctx, p.conn, fields{
		"channel": channel, "header": fields{"msg_id": id, "msg_type": kind, "session": p.session}, "parent_header": fields{}, "metadata": metadata, "content": content,
	})
	check(p.T, err)
}

// run asks for code to be executed, from a cell.
func (p *page) run(id, code string, index int) {
	p.Helper()
	p.mu.Lock()
	p.cells[id] = ""
	p.mu.Unlock()
	p.send("execute_request", id, nil, fields{"code": code, "silent": false, "store_history": true})
	p.send("cairn_cell", "x", nil, fields{"request": id, "cell": fields{"id": fmt.Sprint("cell-", index), "index": index}})
}

func (p *page) attach() {
	p.Helper()
	p.send("cairn_attach", "attach", nil, nil)
	p.await("what it's told", func() bool { return p.countOf("cairn_executions") > 0 })
}

// countOf returns how many messages of a type came. p.mu must be held.
func (p *page) countOf(kind string) (count int) {
	for _, m := range p.last {
		if m.Header.Type == kind {
			count++
		}
	}
	return count
}

// await waits for something that the page hears.
func (p *page) await(what string, there func() bool) {
	p.Helper()
	late := time.After(patience)
	for {
		p.mu.Lock()
		done := there()
		p.mu.Unlock()
		if done {
			return
		}
		select {
		case <-p.heard:
		case <-late:
			p.Fatalf("a page waits for %.300s", what)
		}
	}
}

func (p *page) awaitText(id, text string) {
	p.Helper()
	p.await(fmt.Sprintf("%q", text), func() bool { return p.cells[id] == text })
}

// eventually waits until something is there.
func eventually(t *testing.T, what string, there func() bool) {
	t.Helper()
	ticks := time.NewTicker(time.Millisecond)
	defer ticks.Stop()
	for late := time.After(patience); !there(); {
		select {
		case <-ticks.C:
		case <-late:
			t.Fatalf("%s: it doesn't happen", what)
		}
	}
}
