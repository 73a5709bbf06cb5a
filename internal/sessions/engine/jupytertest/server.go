package jupytertest

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

// Options say where a server is and how it starts what it needs.
type Options struct {
	Base   string // the path below which everything lies, with a slash at both ends
	Token  string
	Folder string // where kernels start
	Ended  func() // called once the server was asked to shut down and has answered

	// Python returns the command that runs Python with these arguments; nil: that of the system.
	Python func(arguments ...string) *exec.Cmd
}

// Server is a Jupyter server without a listener.
type Server struct {
	options Options
	routes  http.Handler
	started time.Time

	// mu guards the fields below.
	mu      sync.Mutex
	kernels []*kernel
}

// New returns a server without kernels.
func New(options Options) *Server {
	s := &Server{options: options, started: time.Now()}
	ended := sync.OnceFunc(func() {
		if options.Ended != nil {
			options.Ended()
		}
	})
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/status", s.status)
	routes.HandleFunc("GET /api/kernels", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, s.models()) })
	routes.HandleFunc("POST /api/kernels", s.startKernel)
	routes.HandleFunc("GET /api/kernels/{id}", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *kernel) {
		answer(w, http.StatusOK, k.model())
	}))
	routes.HandleFunc("DELETE /api/kernels/{id}", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *kernel) {
		s.mu.Lock()
		s.kernels = slices.DeleteFunc(s.kernels, func(one *kernel) bool { return one == k })
		s.mu.Unlock()
		k.end()
		w.WriteHeader(http.StatusNoContent)
	}))
	routes.HandleFunc("POST /api/kernels/{id}/interrupt", s.withKernel(func(w http.ResponseWriter, _ *http.Request, k *kernel) {
		k.interrupt()
		w.WriteHeader(http.StatusNoContent)
	}))
	routes.HandleFunc("GET /api/kernels/{id}/channels", s.withKernel(channels))
	routes.HandleFunc("GET /tree", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=UTF-8")
		_, _ = w.Write([]byte("<!DOCTYPE html><title>Home Page - Select or create a notebook</title>"))
	})
	routes.HandleFunc("GET /api/contents/{path...}", s.readContents)
	routes.HandleFunc("PUT /api/contents/{path...}", s.writeContents)
	routes.HandleFunc("POST /api/shutdown", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "0") // so that the answer is whole although the program ends
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		s.Close()
		ended()
	})
	s.routes = http.StripPrefix(strings.TrimSuffix(options.Base, "/"), routes)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "token "+s.options.Token {
		refuse(w, http.StatusForbidden)
		return
	}
	s.routes.ServeHTTP(w, r)
}

// Close ends all kernels.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.kernels {
		one.end()
	}
}

func (s *Server) models() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for _, one := range s.kernels {
		list = append(list, one.model())
	}
	return list
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	connections, all := 0, s.models()
	for _, one := range all {
		open, _ := one["connections"].(int)
		connections += open
	}
	answer(w, http.StatusOK, map[string]any{
		"connections": connections, "kernels": len(all), "last_activity": s.started.UTC(), "started": s.started.UTC(),
	})
}

func (s *Server) startKernel(w http.ResponseWriter, _ *http.Request) {
	python := s.options.Python
	if python == nil {
		python = func(arguments ...string) *exec.Cmd { return exec.Command("/usr/bin/python3", arguments...) }
	}
	started := &kernel{
		id: uuid.NewString(), command: python("-c", program), state: "starting", last: time.Now(), tabs: map[*websocket.Conn]bool{},
	}
	started.command.Dir = s.options.Folder
	if err := started.start(); err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	s.mu.Lock()
	s.kernels = append(s.kernels, started)
	s.mu.Unlock()
	answer(w, http.StatusCreated, started.model())
}

func (s *Server) withKernel(serve func(http.ResponseWriter, *http.Request, *kernel)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		at := slices.IndexFunc(s.kernels, func(one *kernel) bool { return one.id == r.PathValue("id") })
		if at < 0 {
			s.mu.Unlock()
			refuse(w, http.StatusNotFound)
			return
		}
		found := s.kernels[at]
		s.mu.Unlock()
		serve(w, r, found)
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int) {
	answer(w, status, map[string]any{"message": http.StatusText(status), "reason": nil})
}
