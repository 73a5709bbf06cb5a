package front

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// An answer that Jupyter has given before it ended reaches whoever asked.
func TestTheLastAnswerArrives(t *testing.T) {
	t.Parallel()
	given, ended := make(chan struct{}), make(chan struct{})
	f := newFront(Options{}, way{jupyter: &url.URL{Scheme: "http", Host: "127.0.0.1"}, transport: http.DefaultTransport})
	f.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(given)
		<-ended
		_, _ = io.WriteString(w, "Shutting down.")
	})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = f.server.Serve(listener) }()
	answer := make(chan string, 1)
	go func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String(), http.NoBody)
		if err != nil {
			answer <- err.Error()
			return
		}
		response, err := (&http.Client{Timeout: time.Minute}).Do(request)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		answer <- string(text)
	}()
	<-given
	time.AfterFunc(10*time.Millisecond, func() { close(ended) })
	f.endAnswers()
	select {
	case <-ended:
	default:
		t.Error("it ends before the answer was given")
	}
	if text := <-answer; text != "Shutting down." {
		t.Errorf("the answer is %q", text)
	}
}
