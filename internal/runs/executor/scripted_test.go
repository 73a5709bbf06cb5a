package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/runs/executor"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// scripted is a Jupyter server with one kernel that says what a test wants.
type scripted struct {
	testing.TB
	server *httptest.Server

	cells       func(k *kernel, number int) // says what the kernel says to the number-th cell, from 1
	interrupted func(k *kernel)             // says what it says to an interrupt
	kernels     string                      // the answer to which kernels there are
	info        func(k *kernel)             // says what it says to the question what it is, instead of answering
	endless     bool                        // it never ends its kernel
	late        bool                        // cells say themselves that they have begun
	missing     bool                        // the kernel doesn't exist any more when it is asked for

	mu      sync.Mutex
	calls   []string
	path    string // of the session; empty: none
	open    *kernel
	started string // the kernel that was wanted
}

// kernel is the kernel's side of a connection.
type kernel struct {
	*scripted
	socket *websocket.Conn
	asked  []string // the ids of the cells
}

func newScripted(t testing.TB, cells func(k *kernel, number int)) *scripted {
	s := &scripted{TB: t, cells: cells, kernels: `{"default": "python3", "kernelspecs": {"python3": {"spec": {"display_name": "Python 3", "language": "python"}}}}`}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/kernelspecs", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s.kernels) })
	routes.HandleFunc("POST /api/sessions", s.start)
	routes.HandleFunc("GET /api/sessions", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		list := []map[string]string{{"id": "another", "path": "another.ipynb"}}
		if s.path != "" {
			list = append(list, map[string]string{"id": "ours", "path": s.path})
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	routes.HandleFunc("DELETE /api/sessions/ours", func(w http.ResponseWriter, r *http.Request) {
		s.called("end")
		if s.endless {
			<-r.Context().Done()
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.path = ""
		w.WriteHeader(http.StatusNoContent)
	})
	routes.HandleFunc("GET /api/kernels/one", func(w http.ResponseWriter, _ *http.Request) {
		if s.missing {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "{}")
	})
	routes.HandleFunc("POST /api/kernels/one/interrupt", func(w http.ResponseWriter, _ *http.Request) {
		s.called("interrupt")
		if s.interrupted != nil {
			s.mu.Lock()
			open := s.open
			s.mu.Unlock()
			s.interrupted(open)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	routes.HandleFunc("GET /api/kernels/one/channels", s.channels)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token secret" {
			t.Errorf("%s comes without the token", r.URL)
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *scripted) called(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, what)
}

func (s *scripted) start(w http.ResponseWriter, r *http.Request) {
	var wish struct {
		Path   string
		Kernel struct{ Name string }
	}
	if err := json.NewDecoder(r.Body).Decode(&wish); err != nil {
		s.Error(err)
	}
	s.called("start")
	s.mu.Lock()
	s.path, s.started = wish.Path, wish.Kernel.Name
	s.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{"kernel": {"id": "one"}}`)
}

func (s *scripted) channels(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.Error(err)
		return
	}
	defer func() { _ = socket.CloseNow() }()
	socket.SetReadLimit(-1)
	k := &kernel{scripted: s, socket: socket}
	s.mu.Lock()
	s.open = k
	s.mu.Unlock()
	for {
		_, text, err := socket.Read(r.Context())
		if err != nil {
			return
		}
		var asked struct {
			Header struct {
				ID   string `json:"msg_id"`
				Type string `json:"msg_type"`
			}
			Content struct {
				Stdin  bool `json:"allow_stdin"`
				Silent bool
			}
		}
		if err := json.Unmarshal(text, &asked); err != nil {
			s.Error(err)
		}
		if asked.Content.Silent { // not one of the notebook's cells
			cells := k.asked
			k.asked = []string{asked.Header.ID}
			k.ends()
			k.asked = cells
			continue
		}
		k.asked = append(k.asked, asked.Header.ID)
		switch {
		case asked.Header.Type == "execute_request":
			if asked.Content.Stdin {
				s.Error("a cell may ask for input")
			}
			if !s.late {
				k.begins()
			}
			s.cells(k, len(k.asked)-1)
		case s.info != nil:
			s.info(k)
		default:
			k.status("busy")
			k.says("shell", "kernel_info_reply", `{"status": "ok", "language_info": {"name": "python", "version": "3.11.2", "mimetype": "text/x-python"}}`)
			k.idle()
		}
	}
}

// says sends a message that belongs to the last request.
func (k *kernel) says(channel, kind, content string) {
	k.answers(k.asked[len(k.asked)-1], channel, kind, content)
}

// answers sends a message that belongs to a request, as Jupyter orders its fields.
func (k *kernel) answers(parent, channel, kind, content string) {
	k.sends(fmt.Sprintf(`{"header": {"msg_id": "m", "msg_type": %q, "date": "2026-11-25T10:11:12.131415Z"}, "msg_id": "m", "msg_type": %q, "parent_header": {"msg_id": %q},`+
		`"metadata": {}, "content": %s, "buffers": [], "channel": %q}`, kind, kind, parent, content, channel))
}

func (k *kernel) sends(text string) {
	_ = k.socket.Write(context.Background(), websocket.MessageText, []byte(text))
}

func (k *kernel) status(state string) {
	k.says("iopub", "status", fmt.Sprintf(`{"execution_state": %q}`, state))
}

// begins says that a cell has begun.
func (k *kernel) begins() {
	k.status("busy")
	k.says("iopub", "execute_input", `{"code": "", "execution_count": 7}`)
}

func (k *kernel) idle()  { k.status("idle") }
func (k *kernel) reply() { k.says("shell", "execute_reply", `{"status": "ok", "execution_count": 7}`) }

// ends says that a cell has ended.
func (k *kernel) ends() {
	k.reply()
	k.idle()
}

func (k *kernel) prints(text string) { k.printsTo("stdout", text) }

func (k *kernel) printsTo(name, text string) {
	quoted, _ := json.Marshal(text)
	k.says("iopub", "stream", fmt.Sprintf(`{"name": %q, "text": %s}`, name, quoted))
}

func (k *kernel) shows(kind, text, display string) {
	k.says("iopub", kind, fmt.Sprintf(`{"data": {"text/plain": %q}, "metadata": {}, "transient": {"display_id": %q}, "execution_count": 7}`, text, display))
}

// execute executes a notebook on the server, and makes sure that its kernel was ended, once.
func (s *scripted) execute(ctx context.Context, source string, options executor.Options) executor.Executed {
	s.Helper()
	executed, err := s.tried(ctx, source, options)
	if err != nil {
		s.Fatal(err)
	}
	s.mu.Lock() // a call that nobody waits for any more may still be there
	calls := strings.Join(s.calls, " ")
	s.mu.Unlock()
	if executed.Ending != executor.NoKernel && (!strings.HasPrefix(calls, "start") || !strings.HasSuffix(calls, " end") || strings.Count(calls, "end") != 1) {
		s.Errorf("The calls are %q", calls)
	}
	if executed.KernelLeft != s.endless {
		s.Errorf("The kernel is left: %t", executed.KernelLeft)
	}
	return executed
}

func (s *scripted) tried(ctx context.Context, source string, options executor.Options) (executor.Executed, error) {
	if options.Grace == 0 {
		options.Grace = 10 * time.Second
	}
	server := jupyterkernel.Server{URL: s.server.URL + "/", Header: http.Header{"Authorization": {"token secret"}}, Client: s.server.Client()}
	return executor.Execute(ctx, server, []byte(source), options)
}

// code is a notebook of cells with code.
func code(cells ...string) string {
	var list []string
	for i, one := range cells {
		text, _ := json.Marshal(one)
		list = append(list, fmt.Sprintf(`{"cell_type": "code", "id": "c%d", "metadata": {}, "source": %s, "outputs": [{"output_type": "stream", "name": "stdout", "text": "old"}], "execution_count": 3}`, i, text))
	}
	return notebook("{}", list...)
}

// notebook is a notebook of any cells.
func notebook(metadata string, cells ...string) string {
	return fmt.Sprintf(`{"cells": [%s], "metadata": %s, "nbformat": 4, "nbformat_minor": 5}`, strings.Join(cells, ","), metadata)
}

// written is an executed notebook as it is written.
type written struct {
	Metadata map[string]json.RawMessage
	Format   int `json:"nbformat"`
	Minor    int `json:"nbformat_minor"`
	Cells    []struct {
		ID       string
		Type     string `json:"cell_type"`
		Source   string
		Metadata map[string]json.RawMessage
		Outputs  []json.RawMessage
		Count    *int `json:"execution_count"`
	}
}

func read(t testing.TB, executed executor.Executed) written {
	t.Helper()
	var book written
	if err := json.Unmarshal(executed.Notebook, &book); err != nil {
		t.Fatalf("%v in\n%s", err, executed.Notebook)
	}
	return book
}

// outputs are those of all cells on a line: of each cell its outputs in brackets.
func outputs(t testing.TB, executed executor.Executed) string {
	t.Helper()
	var line strings.Builder
	for _, cell := range read(t, executed).Cells {
		line.WriteByte('[')
		for i, raw := range cell.Outputs {
			var output struct {
				Type      string `json:"output_type"`
				Name      string
				Text      string
				Data      map[string]json.RawMessage
				ErrorName string `json:"ename"`
				Value     string `json:"evalue"`
				Count     *int   `json:"execution_count"`
			}
			if err := json.Unmarshal(raw, &output); err != nil {
				t.Fatalf("%v in %s", err, raw)
			}
			if i > 0 {
				line.WriteByte(' ')
			}
			switch output.Type {
			case "stream":
				fmt.Fprintf(&line, "%s:%q", output.Name, output.Text)
			case "error":
				fmt.Fprintf(&line, "%s(%s)", output.ErrorName, output.Value)
			default:
				data, _ := json.Marshal(output.Data)
				fmt.Fprintf(&line, "%s%s", output.Type, data)
				if output.Count != nil {
					fmt.Fprintf(&line, "#%d", *output.Count)
				}
			}
		}
		line.WriteByte(']')
	}
	return line.String()
}
