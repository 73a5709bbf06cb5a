package localjupyter

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answerer answers a request; false closes the connection.
type answerer func(connection net.Conn, request *http.Request) bool

// answeringServer is one that a transport is connected to.
type answeringServer struct {
	transport

	answer                answerer
	dialed, asked, closed atomic.Int64 // connections, requests, connections that the client closed
}

// serve answers over pipes, which the clock of synctest knows.
func serve(answer answerer) *answeringServer {
	s := &answeringServer{answer: answer}
	s.transport = newTransport(func(context.Context) (net.Conn, error) {
		s.dialed.Add(1)
		mine, theirs := net.Pipe()
		go s.serve(theirs)
		return mine, nil
	})
	return s
}

// serveSocket answers over a real socket.
func serveSocket(t *testing.T, answer answerer) *answeringServer {
	t.Helper()
	s := &answeringServer{answer: answer}
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(connection)
		}
	}()
	s.transport = newTransport(func(ctx context.Context) (net.Conn, error) {
		s.dialed.Add(1)
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	})
	t.Cleanup(s.CloseIdleConnections)
	return s
}

func (s *answeringServer) serve(connection net.Conn) {
	defer connection.Close()
	reader := bufio.NewReader(connection)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			s.closed.Add(1)
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		s.asked.Add(1)
		if !s.answer(connection, request) {
			return
		}
	}
}

func (s *answeringServer) expect(t *testing.T, dialed, asked, closed int64) {
	t.Helper()
	if d, a, c := s.dialed.Load(), s.asked.Load(), s.closed.Load(); d != dialed || a != asked || c != closed {
		t.Errorf("%d connections, %d requests, %d closed instead of %d, %d, %d", d, a, c, dialed, asked, closed)
	}
}

// says answers with a text.
func says(text string) answerer {
	return func(connection net.Conn, _ *http.Request) bool {
		_, _ = io.WriteString(connection, text)
		return true
	}
}

const small = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour"

func newRequest(ctx context.Context, method string, content io.Reader) *http.Request {
	request, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1/s/1/api?x=1", content)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "token secret")
	return request
}

// bodyOf sends a request and returns the body of its answer.
func (s *answeringServer) bodyOf(request *http.Request) (string, error) {
	response, err := s.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

func (s *answeringServer) get(ctx context.Context) (string, error) {
	return s.bodyOf(newRequest(ctx, http.MethodGet, nil))
}

// getSmall expects the small answer.
func (s *answeringServer) getSmall(t *testing.T) {
	t.Helper()
	if body, err := s.get(t.Context()); body != "four" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestRequestIsSentAsItIs(t *testing.T) {
	s := serve(func(connection net.Conn, request *http.Request) bool {
		if request.Method != http.MethodGet || request.RequestURI != "/s/1/api?x=1" || request.Host != "127.0.0.1" || request.Header.Get("Authorization") != "token secret" {
			t.Error(request.Method, request.RequestURI, request.Host, request.Header)
		}
		return says(small)(connection, request)
	})
	s.getSmall(t)
	s.CloseIdleConnections()
}

func TestConnectionIsUsedAgainOnceItsAnswerWasRead(t *testing.T) {
	for name, one := range map[string]struct{ method, answer, body string }{
		"length":    {http.MethodGet, small, "four"},
		"chunks":    {http.MethodGet, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nfo\r\n2\r\nur\r\n0\r\nLate: yes\r\n\r\n", "four"},
		"head":      {http.MethodHead, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", ""},
		"unchanged": {http.MethodGet, "HTTP/1.1 304 Not Modified\r\n\r\n", ""},
		"empty":     {http.MethodGet, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ""},
		"interim":   {http.MethodGet, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + small, "four"},
		"long":      {http.MethodGet, "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n" + strings.Repeat("x", 3000000), strings.Repeat("x", 3000000)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(says(one.answer))
				for range 3 {
					ctx, leave := context.WithCancel(t.Context())
					if body, err := s.bodyOf(newRequest(ctx, one.method, nil)); body != one.body || err != nil {
						t.Fatal(len(body), err)
					}
					leave() // whoever asked leaves, which doesn't concern the next one
					synctest.Wait()
				}
				s.expect(t, 1, 3, 0)
				s.CloseIdleConnections()
			})
		})
	}
}

func TestConnectionThatMayHoldMoreIsClosed(t *testing.T) {
	for name, answer := range map[string]string{
		"it says so":         "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfour",
		"more than was said": small + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(says(answer))
				for want := range int64(3) {
					s.getSmall(t)
					synctest.Wait()
					s.expect(t, want+1, want+1, want+1)
				}
			})
		})
	}
	t.Run("until it is closed", func(t *testing.T) {
		s := serve(func(connection net.Conn, _ *http.Request) bool {
			_, _ = io.WriteString(connection, "HTTP/1.0 200 OK\r\n\r\nfour")
			return false
		})
		s.getSmall(t)
		s.getSmall(t)
		s.expect(t, 2, 2, 0)
	})
	t.Run("not read to its end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := serve(says("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour"))
			began := time.Now()
			response, err := s.RoundTrip(newRequest(t.Context(), http.MethodGet, nil))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(response.Body, make([]byte, 4)); err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			s.expect(t, 1, 1, 1)
			if time.Since(began) != 0 {
				t.Error("It waited for the rest")
			}
		})
	})
}

// A server closes connections that were idle for long.
func TestConnectionThatEndedIsNotUsedAgain(t *testing.T) {
	read, came := make(chan struct{}), make(chan struct{})
	var s *answeringServer
	s = serveSocket(t, func(connection net.Conn, request *http.Request) bool {
		says(small)(connection, request)
		if s.asked.Load() > 1 {
			return true
		}
		<-read
		_ = connection.Close()
		close(came)
		return false
	})
	s.getSmall(t)
	close(read)
	<-came
	for range 3 {
		s.getSmall(t)
	}
	if s.dialed.Load() != 2 || s.asked.Load() != 4 {
		t.Error("connections", s.dialed.Load(), "requests", s.asked.Load())
	}
}

func TestRequestIsSentAgainIfItsOldConnectionWasClosed(t *testing.T) {
	for name, one := range map[string]struct {
		method, second string // what the server writes after the second request, before it closes
		again          bool
	}{
		"without a word":    {http.MethodGet, "", true},
		"within the answer": {http.MethodGet, "HTTP/1.1 200 OK\r\nCon", false},
		"of a change":       {http.MethodPost, "", false}, // which may have been made
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s *answeringServer
				s = serve(func(connection net.Conn, request *http.Request) bool {
					if s.asked.Load() == 2 {
						_, _ = io.WriteString(connection, one.second)
						return false
					}
					return says(small)(connection, request)
				})
				for asked := range 2 {
					body, err := s.bodyOf(newRequest(t.Context(), one.method, nil))
					if wanted := asked == 0 || one.again; (body == "four" && err == nil) != wanted {
						t.Errorf("got %q, %v", body, err)
					}
					synctest.Wait()
				}
				if one.again {
					s.expect(t, 2, 3, 0)
				} else {
					s.expect(t, 1, 2, 0)
				}
				s.CloseIdleConnections()
			})
		})
	}
	t.Run("not on a new connection", func(t *testing.T) {
		s := serve(func(net.Conn, *http.Request) bool { return false })
		if _, err := s.get(t.Context()); err == nil {
			t.Error("There was no answer")
		}
		s.expect(t, 1, 1, 0)
	})
}

// What asks Jupyter itself reads no more of an answer than it wants.
func TestAClientReadsABoundedAnswer(t *testing.T) {
	endless := func(connection net.Conn, _ *http.Request) bool {
		_, err := io.WriteString(connection, "HTTP/1.1 200 OK\r\n\r\n{\"kernels\": \"")
		for err == nil {
			_, err = io.WriteString(connection, strings.Repeat("x", 1000))
		}
		return false
	}
	other := says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
	refused := says("HTTP/1.1 403 Forbidden\r\nContent-Length: 9000000000\r\n\r\nno")
	for name, answer := range map[string]answerer{"an endless one": endless, "another protocol": other, "a long refusal": refused} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(answer)
				c := &client{base: "/s/id/", token: "token", transport: s.transport}
				var answered any
				if err := c.ask(t.Context(), "api/status", &answered); err == nil {
					t.Errorf("It is taken: %v", answered)
				}
				if err := c.shutdown(t.Context()); name != "an endless one" && err == nil {
					t.Error("It is taken for a success")
				}
				s.CloseIdleConnections()
			})
		})
	}
}

func TestUpgradedConnectionIsHandedOver(t *testing.T) {
	s := serve(says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"))
	request := newRequest(t.Context(), http.MethodGet, nil)
	request.Header.Set("Upgrade", "echo")
	request.Header.Set("Connection", "Upgrade")
	response, err := s.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, ok := response.Body.(io.Writer); !ok || response.StatusCode != http.StatusSwitchingProtocols {
		t.Error(response.Status)
	}
}

func TestAnswerThatWasNotAskedForIsRefused(t *testing.T) {
	endless := func(begin, line string) answerer {
		return func(connection net.Conn, _ *http.Request) bool {
			_, err := io.WriteString(connection, begin)
			for err == nil {
				_, err = io.WriteString(connection, line)
			}
			return true
		}
	}
	for name, answer := range map[string]answerer{
		"headers without end":         endless("HTTP/1.1 200 OK\r\n", "Name: value\r\n"),
		"a header without end":        endless("HTTP/1.1 200 OK\r\n", strings.Repeat("x", 1000)),
		"interim answers without end": endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
		"another protocol":            says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n"),
		"not HTTP":                    says("hello\r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(answer)
				_, err := s.get(t.Context())
				if err == nil || (strings.Contains(name, "without end") && !strings.Contains(err.Error(), "1048576 bytes")) {
					t.Error(err)
				}
				synctest.Wait()
				s.expect(t, 1, 1, 1)
			})
		})
	}
}

func TestAnswerEndsWithWhoeverAsked(t *testing.T) {
	left := errors.New("the client left")
	for name, begin := range map[string]string{"before its headers": "", "within its body": "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfour"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(says(begin))
				ctx, leave := context.WithCancelCause(t.Context())
				failed := make(chan error)
				go func() {
					_, err := s.get(ctx)
					failed <- err
				}()
				synctest.Wait() // it waits for the rest
				leave(left)
				if err := <-failed; !errors.Is(err, left) {
					t.Error(err)
				}
				synctest.Wait()
				s.expect(t, 1, 1, 1)
			})
		})
	}
	t.Run("before it was sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := serve(says(small))
			s.getSmall(t)
			ctx, leave := context.WithCancelCause(t.Context())
			leave(left)
			if _, err := s.get(ctx); !errors.Is(err, left) {
				t.Error(err)
			}
			s.getSmall(t)
			s.expect(t, 1, 2, 0)
			s.CloseIdleConnections()
		})
	})
	t.Run("while it connects", func(t *testing.T) {
		ctx, leave := context.WithCancelCause(t.Context())
		s := &answeringServer{transport: newTransport(func(context.Context) (net.Conn, error) {
			leave(left)
			return nil, errors.New("operation was canceled")
		})}
		if _, err := s.get(ctx); !errors.Is(err, left) {
			t.Error(err)
		}
	})
}

func TestFewConnectionsAreKeptAndNotForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		s := serve(func(connection net.Conn, request *http.Request) bool {
			<-open
			return says(small)(connection, request)
		})
		for range 20 {
			go s.getSmall(t)
		}
		synctest.Wait() // each has a connection
		close(open)
		synctest.Wait()
		s.expect(t, 20, 20, 4)
		<-time.After(30 * time.Second) // by the test's own clock
		s.getSmall(t)
		for _, one := range []struct {
			pause  time.Duration
			closed int64
		}{{29 * time.Second, 4}, {2 * time.Second, 19}, {30 * time.Second, 20}} {
			<-time.After(one.pause)
			synctest.Wait()
			s.expect(t, 20, 21, one.closed)
		}
		s.getSmall(t)
		s.CloseIdleConnections()
		synctest.Wait()
		s.expect(t, 21, 22, 21)
	})
}

func TestServerThatCannotBeReachedIsAnError(t *testing.T) {
	gone := errors.New("no such socket")
	s := &answeringServer{transport: newTransport(func(context.Context) (net.Conn, error) { return nil, gone })}
	if _, err := s.get(t.Context()); !errors.Is(err, gone) {
		t.Error(err)
	}
}
