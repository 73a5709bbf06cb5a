package jupyterapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
)

const base = "/s/one/"

// server has kernels that answer a request as they are told. Its states are what it believes of them.
type server struct {
	*testing.T

	states  map[string]string
	answer  map[string]func(on *websocket.Conn, asked string)
	waiting context.CancelFunc // called when a kernel was asked and won't answer
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "token secret" {
		s.Errorf("%s is asked without the token", r.URL)
	}
	if strings.Contains(r.URL.EscapedPath(), "/../") {
		s.Errorf("%s leads out of the server", r.URL)
	}
	path := strings.TrimPrefix(r.URL.Path, base+"api/kernels")
	if path == "" {
		if r.URL.RawQuery != "no_track_activity=1" {
			s.Errorf("the kernels are asked for with %q, which counts as activity", r.URL.RawQuery)
		}
		kernels := []map[string]string{}
		for id, state := range s.states {
			kernels = append(kernels, map[string]string{"id": id, "execution_state": state})
		}
		_ = json.NewEncoder(w).Encode(kernels)
		return
	}
	answer := s.answer[strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/channels")]
	if answer == nil {
		http.Error(w, "no such kernel", http.StatusNotFound)
		return
	}
	connection, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.Error(err)
		return
	}
	defer func() { _ = connection.CloseNow() }()
	var request struct {
		Channel string
		Header  struct {
			ID   string `json:"msg_id"`
			Type string `json:"msg_type"`
		}
	}
	if err := wsjson.Read(r.Context(), connection, &request); err != nil {
		return // another kernel's answer ended the question
	}
	if request.Channel != "shell" || request.Header.Type != "kernel_info_request" {
		s.Errorf("a kernel is sent %+v", request)
	}
	answer(connection, request.Header.ID)
	_, _, _ = connection.Read(r.Context())
}

// say sends a message of a kernel.
func (s *server) say(on *websocket.Conn, channel, kind, asked string) {
	_ = wsjson.Write(s.Context(), on, map[string]any{
		"channel": channel, "msg_type": kind, "parent_header": map[string]any{"msg_id": asked}, "content": map[string]any{"execution_state": "idle"},
	})
}

func (s *server) idles(on *websocket.Conn, asked string) {
	_ = on.Write(s.Context(), websocket.MessageBinary, []byte{0, 0, 0, 1})
	s.say(on, "iopub", "status", asked)
	s.say(on, "shell", "kernel_info_reply", asked)
}

// works says all that a kernel in a cell may say.
func (s *server) works(on *websocket.Conn, asked string) {
	s.say(on, "iopub", "status", "nudge")
	s.say(on, "control", "kernel_info_reply", asked)
	s.say(on, "shell", "kernel_info_reply", "of another tab")
	s.say(on, "iopub", "stream", "cell")
	s.waiting()
}

func TestIdleIsWhatAnswersOnTheShellChannel(t *testing.T) {
	for name, test := range map[string]struct {
		states map[string]string // the first letter of a kernel's name says what it does
		idle   bool
		fails  bool
	}{
		"no kernel":                         {map[string]string{}, true, false},
		"idle kernels":                      {map[string]string{"idle-1": "idle", "idle-2": "starting"}, true, false},
		"one works though it says idle":     {map[string]string{"idle-1": "idle", "working-1": "idle"}, false, false},
		"one works though it says starting": {map[string]string{"idle-1": "idle", "working-1": "starting"}, false, false},
		"one says that it works":            {map[string]string{"idle-1": "idle", "idle-2": "busy"}, false, false},
		"one is gone":                       {map[string]string{"idle-1": "idle", "gone": "idle"}, false, true},
		"one has another server's name":     {map[string]string{"../../../two/api/kernels/idle-1": "idle"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			served := &server{T: t, states: test.states, waiting: cancel}
			served.answer = map[string]func(*websocket.Conn, string){"idle-1": served.idles, "idle-2": served.idles, "working-1": served.works}
			idle, err := ask(ctx, t, served)
			if idle != test.idle || (err != nil) != test.fails {
				t.Errorf("got %t, %v; want %t and an error: %t", idle, err, test.idle, test.fails)
			}
		})
	}
}

func TestAServerThatCannotBeAskedIsNotIdle(t *testing.T) {
	for name, refuse := range map[string]http.HandlerFunc{
		"it refuses":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		"it hangs up":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"it leads off": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kernels := range []http.Handler{refuse, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/channels"):
					refuse(w, r)
				case strings.HasSuffix(r.URL.Path, "/kernels"):
					_, _ = w.Write([]byte(`[{"id":"idle-1","execution_state":"idle"}]`))
				default:
					t.Errorf("it is followed to %s", r.URL)
				}
			})} {
				if idle, err := ask(t.Context(), t, kernels); idle || fault.KindOf(err) != fault.Unavailable {
					t.Errorf("got %t, %v", idle, err)
				}
			}
		})
	}
}

func ask(ctx context.Context, t *testing.T, handler http.Handler) (bool, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	target := engine.Target{Transport: http.DefaultTransport, URL: address, Authorization: "token secret"}
	return jupyterapi.Idle(ctx, target, base, func(ctx context.Context, path string, answer any) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+base+path, http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", target.Authorization)
		response, err := target.Transport.RoundTrip(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return json.NewDecoder(response.Body).Decode(answer)
	})
}
