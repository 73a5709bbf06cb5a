package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"cairn/internal/sessions/engine/vscodeprogram"

	"golang.org/x/sync/singleflight"
)

// editorTime is how long VS Code may take until it answers.
const editorTime = 90 * time.Second

// editor is the VS Code of the session, which starts when somebody opens it.
type editor struct {
	program string
	gallery bool
	flights singleflight.Group // one start at a time
	proxy   *http.Transport

	// mu guards the fields below.
	mu     sync.Mutex
	socket string // "" before the first start
	asked  Start  // the last
}

func newEditor(program string, gallery bool) *editor {
	e := &editor{program: program, gallery: gallery}
	e.proxy = &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dial(ctx) }}
	return e
}

func (e *editor) dial(ctx context.Context) (net.Conn, error) {
	e.mu.Lock()
	socket := e.socket
	e.mu.Unlock()
	if socket == "" {
		return nil, errors.New("VS Code hasn't been started")
	}
	return (&net.Dialer{}).DialContext(ctx, "unix", socket)
}

func (e *editor) serveStart(w http.ResponseWriter, r *http.Request) {
	var asked Start
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&asked); err != nil {
		http.Error(w, "The request can't be read.", http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.asked = asked
	e.mu.Unlock()
	if err := e.start(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// start returns once VS Code answers; it starts it if it doesn't run.
func (e *editor) start(ctx context.Context) error {
	if vscodeprogram.CheckHealth(ctx, e.proxy) == nil {
		return nil
	}
	started := e.flights.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), editorTime)
		defer cancel()
		var ended <-chan error // nil: it runs already, and will answer
		kill := func() {}
		if connection, err := e.dial(ctx); err == nil {
			_ = connection.Close()
		} else if ended, kill, err = e.launch(); err != nil {
			return nil, err
		}
		for vscodeprogram.CheckHealth(ctx, e.proxy) != nil {
			select {
			case <-time.After(50 * time.Millisecond):
			case err := <-ended:
				return nil, fmt.Errorf("VS Code ended before it answered. See .vscode/server.log in the session's home: %w", err)
			case <-ctx.Done():
				kill()
				return nil, errors.New("VS Code doesn't start in this session. See .vscode/server.log in its home")
			}
		}
		return nil, nil
	})
	select {
	case result := <-started:
		return result.Err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// launch starts VS Code, and tells when it has ended; kill ends it.
func (e *editor) launch() (ended <-chan error, kill func(), err error) {
	program, err := vscodeprogram.Find(e.program)
	if err != nil {
		return nil, nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	sockets, err := os.MkdirTemp("", "vscode-")
	if err != nil {
		return nil, nil, err
	}
	data := filepath.Join(home, ".vscode")
	e.mu.Lock()
	e.socket = filepath.Join(sockets, "s")
	socket, asked := e.socket, e.asked
	e.mu.Unlock()
	if err := vscodeprogram.Prepare(data, asked.Session, asked.Open); err != nil {
		return nil, nil, fmt.Errorf("VS Code can't be prepared in this session. Its disk may be full: %w", err)
	}
	log, err := os.Create(filepath.Join(data, "server.log"))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	words := program.Command(vscodeprogram.Settings{Socket: socket, Data: data, Folder: folder, Name: "Cairn"})
	command := exec.Command(words[0], words[1:]...)
	command.Env = append(environment(), vscodeprogram.Environment(e.gallery)...)
	command.Stdout, command.Stderr, command.SysProcAttr = log, log, &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, nil, err
	}
	result := make(chan error, 1)
	go func() {
		result <- errors.Join(errors.New("it ended"), command.Wait(), os.RemoveAll(sockets))
	}()
	return result, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }, nil
}

// serve passes a request on to VS Code, without the prefix of its path. Where it came from, the catalog has checked.
func (e *editor) serve(w http.ResponseWriter, r *http.Request, prefix string) {
	if connection, err := e.dial(r.Context()); err != nil {
		if err := e.start(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	} else if err := connection.Close(); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	escaped := (&url.URL{Path: prefix}).EscapedPath()
	proxy := httputil.ReverseProxy{Transport: e.proxy, FlushInterval: -1, Rewrite: func(request *httputil.ProxyRequest) {
		request.Out.URL.Scheme, request.Out.URL.Host, request.Out.Host = "http", "vscode", request.In.Host
		request.Out.URL.Path, request.Out.URL.RawPath = strings.TrimPrefix(r.URL.Path, prefix), strings.TrimPrefix(r.URL.EscapedPath(), escaped)
		request.Out.Header.Del("Origin")
		request.Out.Header.Del("Authorization")
	}}
	proxy.ServeHTTP(w, r)
	_, _ = io.Copy(io.Discard, r.Body)
}
