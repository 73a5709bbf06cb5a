package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// What a kernel of the scripted server can be asked to execute.
const (
	answerCode   = "answer"         // answers at once, with a small result
	silentCode   = "wait"           // never answers, and says nothing
	streamCode   = "print stream"   // prints without end, so many bytes of text in each message
	picturesCode = "print pictures" // shows pictures without end, of so many bytes each
)

const (
	serveWord = "serve-kernels" // the first argument of the process that is the server
	basePath  = "/s/1/"
	pingEvery = 30 * time.Second // as Jupyter's server does by default
)

// jupyter is a server like Jupyter's, as far as the broker asks it, with as many kernels as somebody connects to. It costs less than
// Jupyter's, so what is measured is what stands before it.
type jupyter struct {
	mu      sync.Mutex
	kernels map[string]*kernel
	files   map[string]string
	saves   int
}

// kernel is one of a jupyter.
type kernel struct {
	printed atomic.Int64 // bytes of outputs that have been sent

	mu        sync.Mutex
	interrupt context.CancelFunc // of what it executes; nil: nothing that can be interrupted
}

// serve serves at a socket until ctx ends.
func serve(ctx context.Context, socket string) error {
	j := &jupyter{kernels: map[string]*kernel{}, files: map[string]string{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET "+basePath+"api/kernels/{id}", func(w http.ResponseWriter, _ *http.Request) { send(w, map[string]any{}) })
	routes.HandleFunc("GET "+basePath+"api/kernels/{id}/channels", j.serveChannels)
	routes.HandleFunc("POST "+basePath+"api/kernels/{id}/interrupt", func(w http.ResponseWriter, r *http.Request) {
		j.kernel(r.PathValue("id")).stop()
		w.WriteHeader(http.StatusNoContent)
	})
	routes.HandleFunc("GET "+basePath+"api/sessions", j.serveSessions)
	routes.HandleFunc(basePath+"api/contents/{name}", j.serveContents)
	routes.HandleFunc("GET "+basePath+"printed/{id}", func(w http.ResponseWriter, r *http.Request) { send(w, j.kernel(r.PathValue("id")).printed.Load()) })
	routes.HandleFunc("GET "+basePath+"saves", func(w http.ResponseWriter, _ *http.Request) {
		j.mu.Lock()
		defer j.mu.Unlock()
		send(w, j.saves)
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: routes, ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func send(w http.ResponseWriter, value any) { _ = json.NewEncoder(w).Encode(value) }

func (j *jupyter) kernel(id string) *kernel {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.kernels[id]
	if k == nil {
		k = &kernel{}
		j.kernels[id] = k
		j.files[id+".ipynb"] = `{"cells":[{"cell_type":"code","id":"cell","metadata":{},"source":"","outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`
	}
	return k
}

func (j *jupyter) serveSessions(w http.ResponseWriter, _ *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	open := []any{}
	for id := range j.kernels {
		open = append(open, map[string]any{"path": id + ".ipynb", "kernel": map[string]any{"id": id}})
	}
	send(w, open)
}

func (j *jupyter) serveContents(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	name := r.PathValue("name")
	if r.Method == http.MethodPut {
		var sent struct{ Content json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&sent)
		j.files[name] = string(sent.Content)
		j.saves++
	}
	text, there := j.files[name]
	if !there {
		http.NotFound(w, r)
		return
	}
	model := map[string]any{"type": "notebook", "last_modified": time.Unix(int64(j.saves), 0).UTC().Format(time.RFC3339)}
	if r.URL.Query().Get("content") != "0" {
		model["content"] = json.RawMessage(text)
	}
	send(w, model)
}

// serveChannels serves the websocket of one connection to a kernel.
func (j *jupyter) serveChannels(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer func() { _ = socket.CloseNow() }()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go ping(ctx, socket)
	k := j.kernel(r.PathValue("id"))
	for {
		_, frame, err := socket.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			Header  json.RawMessage
			Content struct{ Code string }
		}
		if json.Unmarshal(frame, &m) != nil || m.Content.Code == "" {
			continue
		}
		x := execution{kernel: k, socket: socket, parent: m.Header}
		if err := x.run(ctx, m.Content.Code); err != nil {
			return
		}
	}
}

func ping(ctx context.Context, socket *websocket.Conn) {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			_ = socket.Ping(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// execution is what a kernel does for one request.
type execution struct {
	kernel *kernel
	socket *websocket.Conn
	parent json.RawMessage
}

// run begins with code. What prints without end goes on behind it, until it's interrupted or the connection ends.
func (x execution) run(ctx context.Context, code string) error {
	err := errors.Join(x.say(ctx, "iopub", "status", map[string]any{"execution_state": "busy"}),
		x.say(ctx, "iopub", "execute_input", map[string]any{"code": code, "execution_count": 1}))
	if err != nil || code == silentCode {
		return err
	}
	if code == answerCode {
		err := x.say(ctx, "iopub", "execute_result", map[string]any{"data": map[string]any{"text/plain": "42"}, "metadata": map[string]any{}, "execution_count": 1})
		return errors.Join(err, x.end(ctx))
	}
	kind, number, _ := strings.Cut(strings.TrimPrefix(code, "print "), " ")
	size, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	frame := x.message("iopub", "stream", map[string]any{"name": "stdout", "text": lines(size)})
	if kind == "pictures" {
		frame = x.message("iopub", "display_data", map[string]any{"data": map[string]any{"image/png": strings.Repeat("A", size)}, "metadata": map[string]any{}})
	}
	printing, interrupt := context.WithCancel(ctx)
	x.kernel.mu.Lock()
	x.kernel.interrupt = interrupt
	x.kernel.mu.Unlock()
	go func() {
		defer interrupt()
		for printing.Err() == nil {
			if x.socket.Write(ctx, websocket.MessageText, frame) != nil {
				return
			}
			x.kernel.printed.Add(int64(size))
		}
		_ = x.end(ctx)
	}()
	return nil
}

// lines returns a text of so many bytes in lines of 80.
func lines(size int) string {
	line := strings.Repeat("x", 79) + "\n"
	return strings.Repeat(line, size/len(line)+1)[len(line)-size%len(line):]
}

func (x execution) end(ctx context.Context) error {
	return errors.Join(x.say(ctx, "shell", "execute_reply", map[string]any{"status": "ok", "execution_count": 1}),
		x.say(ctx, "iopub", "status", map[string]any{"execution_state": "idle"}))
}

func (x execution) say(ctx context.Context, channel, kind string, content map[string]any) error {
	return x.socket.Write(ctx, websocket.MessageText, x.message(channel, kind, content))
}

func (x execution) message(channel, kind string, content map[string]any) []byte {
	id := fmt.Sprint(time.Now().UnixNano())
	frame, _ := json.Marshal(map[string]any{ // texts always can be
		"header": map[string]any{
			"msg_id": id, "msg_type": kind, "username": "username", "session": "process", "date": time.Now().UTC().Format(time.RFC3339Nano), "version": "5.3",
		},
		"msg_id": id, "msg_type": kind, "parent_header": x.parent, "metadata": map[string]any{}, "content": content, "buffers": []any{}, "channel": channel,
	})
	return frame
}

// stop interrupts what the kernel executes.
func (k *kernel) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.interrupt != nil {
		k.interrupt()
	}
}
