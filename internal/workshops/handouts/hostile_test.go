package handouts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/workshops/handouts"
)

// endless is an answer that never ends, after its beginning. It counts what is read of it.
type endless struct {
	begin io.Reader
	read  int
}

// Read implements io.Reader.
func (e *endless) Read(into []byte) (int, error) {
	n, err := e.begin.Read(into)
	if err != nil {
		n, err = copy(into, bytes.Repeat([]byte("A"), len(into))), nil
	}
	e.read += n
	return n, err
}

// Close implements io.Closer.
func (e *endless) Close() error { return nil }

func said(status int, text string) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	}
}

func TestHostileServersAreGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		answers transport
		kind    fault.Kind
	}{
		"no JSON":                {said(200, "<html>"), fault.BadUpstream},
		"nothing":                {said(200, ""), fault.BadUpstream},
		"another type":           {said(200, `{"type": 7}`), fault.BadUpstream},
		"a list":                 {said(200, `[1, 2]`), fault.BadUpstream},
		"deep":                   {said(200, strings.Repeat("[", 1<<20)), fault.BadUpstream},
		"everything is a folder": {said(200, `{"type": "directory", "format": "json", "content": []}`), fault.Unavailable},
		"no content":             {said(200, `{"type": "file", "format": "base64", "content": null}`), fault.Unavailable},
		"damaged content":        {said(200, `{"type": "file", "format": "base64", "content": "§"}`), fault.Unavailable},
		"an unknown format":      {said(200, `{"type": "file", "format": "zip", "content": "bmV3"}`), fault.Unavailable},
		"a redirect":             {said(302, ""), fault.BadUpstream},
		"nobody may":             {said(403, ""), fault.Unavailable},
		"unknown token":          {said(401, ""), fault.BadUpstream},
		"broken":                 {said(500, ""), fault.Unavailable},
		"gone":                   {said(503, ""), fault.Unavailable},
		"nothing is there":       {said(404, ""), fault.Unavailable},
		"no connection":          {func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			delivered, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
				requests++
				return c.answers(r)
			}, file("a.txt", "new"), file("b.txt", "new"))
			if fault.KindOf(err) != c.kind || len(delivered.Files) != 0 {
				t.Errorf("got %+v and %v", delivered, err)
			}
			if requests > 50 {
				t.Errorf("it was asked %d times", requests)
			}
		})
	}
}

func TestRedirectsArentFollowed(t *testing.T) {
	asked := []string{}
	_, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.String())
		return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"http://elsewhere.invalid/"}}, Body: http.NoBody, Request: r}, nil
	}, file("a.txt", "new"))
	if err == nil || len(asked) != 1 {
		t.Errorf("got %v after %q", err, asked)
	}
}

// A file too large to be one that was handed out is one that somebody changed, and no more of it is read than is needed to know that.
func TestEndlessAnswersAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		path, begin string
		most        int
		kind        fault.Kind
		beside      bool
	}{
		"a file":    {"/api/contents/a.txt", `{"type": "file", "format": "text", "content": "`, 17 << 20, 0, true},
		"a folder":  {"/api/contents/r", `{"type": "directory`, 5 << 20, fault.BadUpstream, false},
		"kernels":   {"/api/sessions", `[{"path": "`, 5 << 20, fault.BadUpstream, false},
		"a refusal": {"/api/contents/r", "", 5 << 20, fault.BadUpstream, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "mine", "r": folder})
			body := &endless{begin: strings.NewReader(c.begin)}
			delivered, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
				if !strings.HasSuffix(r.URL.Path, c.path) {
					return s.RoundTrip(r)
				}
				status := http.StatusOK
				if name == "a refusal" {
					status = http.StatusNotFound
				}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: body, Request: r}, nil
			}, file("r/b.txt", "new"), file("a.txt", "new", "old"))
			if body.read == 0 || body.read > c.most {
				t.Errorf("%d bytes were read", body.read)
			}
			if c.beside {
				if err != nil || delivered.Files[1].How != handouts.Beside {
					t.Errorf("got %+v and %v", delivered, err)
				}
			} else if fault.KindOf(err) != c.kind {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A file of the largest size is recognized, with the line ends that Jupyter makes.
func TestLargestFileIsRecognized(t *testing.T) {
	s := newSession(t, nil)
	large := handouts.File{Path: "large.bin", Content: bytes.Repeat([]byte("\xff\xfe"), handouts.FileLimit/2)}
	same(t, s.delivers(large), []string{"new large.bin"})
	same(t, s.delivers(large), []string{"there large.bin"})
}

func TestManyEmptySessionsTakeNoMemory(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "old"})
	_, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/api/sessions") {
			return said(200, "["+strings.Repeat("{},", 1_000_000)+"{}]")(r)
		}
		return s.RoundTrip(r)
	}, file("a.txt", "new", "old"))
	if err != nil || s.files["a.txt"] != "new" {
		t.Errorf("got %v and %q", err, s.files)
	}
}

// What a session says of a copy is passed on only if it can be one.
func TestHostileCopiesArentNamed(t *testing.T) {
	for name, header := range map[string]string{
		"outside": "../../etc/passwd", "absolute": "/etc/passwd", "hidden": "r/.a", "control": "a%0Ab", "no text": "%ff", "damaged": "%zz",
		"turned": "%E2%80%AEa", "long": strings.Repeat("a/", 1000) + "a",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, nil)
			delivered, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
				answer, err := s.RoundTrip(r)
				if err == nil {
					answer.Header.Set(engine.KeptHeader, header)
				}
				return answer, err
			}, file("a.txt", "new"))
			if err != nil || delivered.Files[0].Kept != "" {
				t.Errorf("got %+v and %v", delivered, err)
			}
		})
	}
}

// silent never answers. A slow one does after a while that is just allowed.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestSilentServersAreGivenUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := deliverOver(t.Context(), silent, file("a.txt", "new"), file("b.txt", "new"))
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestSlowServersAreGivenUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var files []handouts.File
		for i := range handouts.FilesLimit {
			files = append(files, file(fmt.Sprintf("%d.txt", i), "new"))
		}
		began := time.Now()
		delivered, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(29 * time.Second):
				return said(200, `{"type": "file", "format": "text", "content": "new"}`)(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}, files...)
		if fault.KindOf(err) != fault.Unavailable || len(delivered.Files) == 0 {
			t.Errorf("got %d files and %v", len(delivered.Files), err)
		}
		if took := time.Since(began); took != 10*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

func TestCanceledDeliveriesEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := deliverOver(ctx, func(r *http.Request) (*http.Response, error) {
		cancel()
		return silent(r)
	}, file("a.txt", "new"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Over real connections, an answer that is cut in the middle doesn't count.
func TestAnswersThatAreCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"type": "file", "format": "text", "content": "old`)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	_, err := deliverOver(t.Context(), func(r *http.Request) (*http.Response, error) {
		r.URL.Host = strings.TrimPrefix(server.URL, "http://")
		return http.DefaultTransport.RoundTrip(r)
	}, file("a.txt", "new", "old"))
	if fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
}
