package jupyterkernel

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func serve(t *testing.T, handler http.HandlerFunc) Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return Server{URL: server.URL + "/base/", Header: http.Header{"Authorization": {"token secret"}}, Client: server.Client()}
}

func TestRefusalsAndRedirects(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "token secret" {
			t.Errorf("%s comes without the token", r.URL)
		}
		switch r.URL.Path {
		case "/base/said":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message": "no", "reason": null}`)
		case "/base/page":
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, strings.Repeat("x", 1000))
		case "/base/away":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/base/endless":
			_, _ = w.Write(make([]byte, answerLimit+1))
		case "/base/api/sessions":
			fmt.Fprint(w, `{}`)
		default:
			t.Errorf("%s is asked for", r.URL)
		}
	})
	for path, want := range map[string]StatusError{
		"said": {http.StatusForbidden, "no"}, "page": {http.StatusBadGateway, strings.Repeat("x", 300)}, "away": {http.StatusTemporaryRedirect, ""},
	} {
		refused, ok := errors.AsType[*StatusError](server.Call(t.Context(), http.MethodPost, path, map[string]int{"a": 1}, nil))
		if !ok || *refused != want {
			t.Errorf("%s is %+v", path, refused)
		}
	}
	var answer any
	if err := server.Call(t.Context(), http.MethodGet, "endless", nil, &answer); err == nil {
		t.Error("An endless answer is taken")
	}
	if kernel, err := server.Start(t.Context(), "python3", "a.ipynb"); err == nil {
		t.Errorf("The server named no kernel, and there is %+v", kernel)
	}
}

// Only the kernel of the path is ended. One that is gone already is no error, and a server that can't end it yet is asked
// again.
func TestEnd(t *testing.T) {
	for name, test := range map[string]struct {
		statuses []int
		fails    bool
	}{
		"it ends":          {[]int{http.StatusNoContent}, false},
		"it is gone":       {[]int{http.StatusNotFound}, false},
		"it was gone":      {[]int{http.StatusGone}, false},
		"it starts again":  {[]int{http.StatusInternalServerError, http.StatusInternalServerError, http.StatusNoContent}, false},
		"it is refused":    {[]int{http.StatusForbidden}, true},
		"it is for others": {[]int{http.StatusFound}, true},
	} {
		asked := 0
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				fmt.Fprint(w, `[{"id": "one", "path": "a/one.ipynb"}, {"id": "two/../one", "path": "a/two.ipynb"}]`)
				return
			}
			if r.Method != http.MethodDelete || r.URL.EscapedPath() != "/base/api/sessions/two%2F..%2Fone" {
				t.Errorf("%s %s is asked for", r.Method, r.URL)
			}
			asked++
			w.WriteHeader(test.statuses[asked-1])
		})
		if err := server.End(t.Context(), "a/two.ipynb"); (err != nil) != test.fails || asked != len(test.statuses) {
			t.Errorf("%s: %v; it is asked for %d times", name, err, asked)
		}
	}
}

// Of a message that is too long no more than the limit is kept, and the next one is read.
func TestLimit(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = socket.CloseNow() }()
		for _, length := range []int{10 << 20, 10} {
			text := strings.Replace(stream, "hello", strings.Repeat("x", length), 1)
			_ = socket.Write(context.Background(), websocket.MessageText, []byte(text))
		}
		_, _, _ = socket.Read(r.Context())
	})
	connection, err := server.Dial(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	first, err := connection.Read(t.Context())
	if err != nil || !first.Cut || first.Content != nil || first.Parent != "asked" || connection.buffer.Cap() > 4<<20 {
		t.Errorf("%+v, %v, %d bytes", first, err, connection.buffer.Cap())
	}
	if second, err := connection.Read(t.Context()); err != nil || second.Cut || !strings.Contains(string(second.Content), "xxxxxxxxxx") {
		t.Errorf("%+v, %v", second, err)
	}
}
