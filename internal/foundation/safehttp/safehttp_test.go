package safehttp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// open is a client that may reach the tests' servers.
func open() *safehttp.Client {
	return safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: loopback})
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// read asks an address with limits that suit tests.
func read(t *testing.T, client *safehttp.Client, address string) (*safehttp.Response, []byte, error) {
	t.Helper()
	return client.Read(t.Context(), safehttp.Request{Address: address, MaxBytes: 1000, Timeout: 20 * time.Second})
}

// wantFault checks the kind of an error, and that its sentence is one: with a capital or a host in front, and a full stop.
func wantFault(t *testing.T, err error, kind fault.Kind, mentions string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("got %v (kind %d), want kind %d", err, fault.KindOf(err), kind)
	}
	if message := fault.MessageOf(err); !strings.Contains(message, mentions) || !strings.HasSuffix(message, ".") {
		t.Errorf("%q does not mention %q", message, mentions)
	}
}

func TestReadGivesStatusHeadersAndBody(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"one"`)
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, r.UserAgent(), " ", r.Header.Get("Authorization"), " ", r.URL.RawQuery)
	})
	client := safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: loopback, UserAgent: "Cairn/7 (+https://catalog.example.org)"})
	request := safehttp.Request{Address: server.URL + "/a?b=c#d", Header: http.Header{"Authorization": {"Bearer t"}}, MaxBytes: 1000}
	response, body, err := client.Read(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(body); response.Status != 404 || got != "Cairn/7 (+https://catalog.example.org) Bearer t b=c" || response.Header.Get("ETag") != `"one"` {
		t.Errorf("got %d %q %v", response.Status, got, response.Header)
	}
	wantFault(t, response.MustBeOK(), fault.BadUpstream, "127.0.0.1 answers 404 Not Found")
	request.Header.Set("If-None-Match", `"one"`)
	if response, _, err := client.Read(t.Context(), request); err != nil || response.Status != http.StatusNotModified {
		t.Errorf("got %+v, %v", response, err)
	}
}

// SSRF (CVE-2024-43371, GHSA-gcv9-6737-pjqw, CVE-2026-104636, CVE-2026-70357, CVE-2026-58508, CVE-2026-22874): the
// server fetched a user's address inside its own network.
func TestSSRFPrivateAddressesAreRefusedWhenDialed(t *testing.T) {
	var asked atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	strict := safehttp.New(safehttp.Options{AllowHTTP: true, Resolver: fakeResolver(t, nil)})
	for _, host := range []string{
		"127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "127.0.0.2",
		"[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "10.1.2.3", "172.16.0.1", "172.31.255.255",
		"192.168.0.1", "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "[fd00:ec2::254]",
		"[fe80::1]", "[fc00::1]", "[fec0::1]", "[ff02::1]", "224.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "[2001:db8::1]",
		"240.0.0.1", "0.1.2.3",
	} {
		_, _, err := read(t, strict, "http://"+net.JoinHostPort(strings.Trim(host, "[]"), port)+"/")
		wantFault(t, err, fault.Invalid, "private network")
	}
	for _, disguised := range []string{"2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.1", "１２７.0.0.1", "①27.0.0.1"} {
		_, _, err := read(t, strict, "http://"+disguised+":"+port+"/")
		wantFault(t, err, fault.Invalid, "")
	}
	if asked.Load() != 0 {
		t.Errorf("the server was asked %d times", asked.Load())
	}
	if _, _, err := read(t, open(), server.URL); err != nil || asked.Load() != 1 {
		t.Errorf("%v: what is allowed must be reached, or the rest of this test shows nothing", err)
	}
}

func TestSSRFRedirectsToPrivateAddressesAreRefused(t *testing.T) {
	var asked atomic.Int32
	inside := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	outside := httptest.NewUnstartedServer(nil)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.9:0") // plays the public internet
	if err != nil {
		t.Fatal(err)
	}
	outside.Listener = listener
	outside.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/twice" {
			http.Redirect(w, r, "/once", http.StatusFound)
			return
		}
		http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
	})
	outside.Start()
	t.Cleanup(outside.Close)
	client := safehttp.New(safehttp.Options{AllowHTTP: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}})
	for _, path := range []string{"/once", "/twice"} {
		_, _, err := read(t, client, outside.URL+path)
		wantFault(t, err, fault.Invalid, "private network")
	}
	if asked.Load() != 0 {
		t.Error("the redirect was followed")
	}
}

// A name that is public when it is looked at and private when it is used: there is no moment between the two here.
func TestSSRFNamesThatChangeTheirAddress(t *testing.T) {
	var asked atomic.Int32
	server := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	lookups := byte(0)
	resolver := fakeResolver(t, func() []byte { // nobody listens at the allowed address
		lookups++
		return []byte{127, 0, 0, 9 - 8*(lookups%2)}
	})
	client := safehttp.New(safehttp.Options{AllowHTTP: true, Resolver: resolver, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}})
	kinds := map[fault.Kind]int{}
	for range 4 {
		if err := client.Check("http://rebind.example.org:" + port); err != nil {
			t.Fatal(err)
		}
		_, _, err := read(t, client, "http://rebind.example.org:"+port)
		kinds[fault.KindOf(err)]++
	}
	if asked.Load() != 0 || kinds[fault.Invalid] != 2 || kinds[fault.BadUpstream] != 2 {
		t.Errorf("asked %d times; faults by kind: %v", asked.Load(), kinds)
	}
}

// fakeResolver asks a name server of the test, which knows the IPv4 address of every name, or, with nil, of none.
func fakeResolver(t *testing.T, lookup func() []byte) *net.Resolver {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = server.Close(); <-done })
	go func() {
		defer close(done)
		question := make([]byte, 512)
		for {
			_, from, err := server.ReadFrom(question)
			if err != nil {
				return
			}
			end := 12 // of the question: the name, then type and class
			for question[end] != 0 {
				end += int(question[end]) + 1
			}
			end += 5
			answer := bytes.Clone(question[:end])
			binary.BigEndian.PutUint16(answer[2:], 0x8183) // no such name
			binary.BigEndian.PutUint32(answer[6:], 0)      // no answers, no authorities
			binary.BigEndian.PutUint16(answer[10:], 0)     // no additional records
			if lookup != nil {
				binary.BigEndian.PutUint16(answer[2:], 0x8180)
				if binary.BigEndian.Uint16(answer[end-4:]) == 1 {
					binary.BigEndian.PutUint16(answer[6:], 1)
					answer = append(append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), lookup()...)
				}
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestAddressesThatAreNotAsked(t *testing.T) {
	client := safehttp.New(safehttp.Options{Allowed: loopback})
	for address, mentions := range map[string]string{
		"": "isn't a web address", "example.org": "isn't a web address", "//example.org/": "isn't a web address", "https:example.org": "isn't a web address",
		"https://": "isn't a web address", "https://:443/": "isn't a web address", "file:///etc/passwd": "isn't a web address",
		"ftp://example.org/": "isn't a web address", "gopher://example.org/": "isn't a web address", "javascript:alert(1)": "isn't a web address",
		"http://example.org/": "must begin with https://", "https://user:secret@example.org/": "can't contain a user name",
		"https://user@example.org/": "can't contain a user name", "https://example.org:22/": "Port 22", "https://example.org:25/": "Port 25",
		"https://example.org:0/": "Port 0", "https://example.org:99999/": "Port 99999", "https://exa mple.org/": "isn't a web address",
		"https://example.org/\r\nHost: x": "isn't a web address", "https://" + strings.Repeat("a", 2000): "too long",
	} {
		wantFault(t, client.Check(address), fault.Invalid, mentions)
		_, _, err := read(t, client, address)
		wantFault(t, err, fault.Invalid, mentions)
		if strings.Contains(fault.MessageOf(err), "secret") {
			t.Errorf("%q shows the password", fault.MessageOf(err))
		}
	}
	for _, address := range []string{"https://example.org", "https://example.org:8443/x", "HTTPS://EXAMPLE.ORG/", "https://xn--bcher-kva.example/", "https://bücher.example/"} {
		if err := client.Check(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	_, _, err := read(t, safehttp.New(safehttp.Options{Allowed: loopback}), server.URL)
	wantFault(t, err, fault.BadUpstream, "certificate")
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	if _, body, err := read(t, safehttp.New(safehttp.Options{Allowed: loopback, RootCAs: roots}), server.URL); err != nil || string(body) != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, _, err = read(t, open(), strings.Replace(plain.URL, "http://", "https://", 1))
	wantFault(t, err, fault.BadUpstream, "127.0.0.1")
}

func TestRedirects(t *testing.T) {
	var seen http.Header
	foreign := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen = r.Header })
	var own *httptest.Server
	own = serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "track", Value: "1"})
		switch r.URL.Path {
		case "/foreign":
			http.Redirect(w, r, foreign.URL, http.StatusFound)
		case "/moved":
			http.Redirect(w, r, own.URL+"/here", http.StatusMovedPermanently)
		case "/here":
			seen = r.Header
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/password":
			http.Redirect(w, r, "http://user:secret@127.0.0.1:8080/", http.StatusFound)
		case "/mail":
			http.Redirect(w, r, "http://127.0.0.1:25/", http.StatusFound)
		default:
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}
	})
	secret := http.Header{"Authorization": {"Bearer t"}, "X-Api-Key": {"k"}, "Cookie": {"c=1"}, "Accept": {"image/*"}}
	ask := func(path string) (*safehttp.Response, error) {
		response, _, err := open().Read(t.Context(), safehttp.Request{Address: own.URL + path, Header: secret, MaxBytes: 1000})
		return response, err
	}
	if response, err := ask("/moved"); err != nil || seen.Get("Authorization") != "Bearer t" || response.Address != own.URL+"/here" {
		t.Errorf("own: %+v %v %v", response, seen, err)
	}
	if seen.Get("Cookie") != "c=1" || seen.Get("Referer") != "" {
		t.Errorf("own: %v, want no cookie of the source and no Referer", seen)
	}
	if _, err := ask("/foreign"); err != nil || seen.Get("Accept") != "image/*" {
		t.Errorf("foreign: %v %v", seen, err)
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "Cookie", "Referer"} {
		if seen.Get(name) != "" {
			t.Errorf("another origin is told %s: %s", name, seen.Get(name))
		}
	}
	for path, kind := range map[string]fault.Kind{
		"/loop": fault.BadUpstream, "/file": fault.Invalid, "/password": fault.Invalid, "/mail": fault.Invalid,
	} {
		_, err := ask(path)
		wantFault(t, err, kind, "redirects")
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%v shows the password", err)
		}
	}
}

func TestHTTPSNeverLeadsToHTTPUnlessAllowed(t *testing.T) {
	plain := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	_, _, err := read(t, safehttp.New(safehttp.Options{Allowed: loopback, RootCAs: roots}), server.URL)
	wantFault(t, err, fault.Invalid, "https://")
}

func TestSizeIsCountedInBytesReallyRead(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/announced":
			w.Header().Set("Content-Length", "1001")
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			packer := gzip.NewWriter(w)
			_, _ = packer.Write(make([]byte, 1_000_000))
			_ = packer.Close()
			return
		case "/unasked":
			w.Header().Set("Content-Encoding", "br")
		case "/header":
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		case "/full":
			fmt.Fprint(w, strings.Repeat("x", 1000))
			return
		case "/broken":
			w.Header().Set("Content-Length", "500")
			fmt.Fprint(w, "short")
			return
		}
		w.(http.Flusher).Flush()
		fmt.Fprint(w, strings.Repeat("x", 1001))
	})
	for path, want := range map[string]struct {
		kind     fault.Kind
		mentions string
	}{
		"/announced": {fault.TooLarge, "too large: the limit is 1000 bytes"}, "/endless": {fault.TooLarge, "too large"}, "/bomb": {fault.TooLarge, "too large"},
		"/unasked": {fault.BadUpstream, "compressed"}, "/header": {fault.BadUpstream, "can't be read"}, "/broken": {fault.BadUpstream, "closed the connection"},
	} {
		_, body, err := read(t, open(), server.URL+path)
		if wantFault(t, err, want.kind, want.mentions); len(body) > 1000 {
			t.Errorf("%s: %d bytes were given", path, len(body))
		}
	}
	_, err := open().Get(t.Context(), safehttp.Request{Address: server.URL + "/announced", MaxBytes: 1000})
	wantFault(t, err, fault.TooLarge, "too large") // without reading any of it
	if _, body, err := read(t, open(), server.URL+"/full"); err != nil || len(body) != 1000 {
		t.Errorf("what just fits: %d bytes, %v", len(body), err)
	}
}

func TestTimeIsLimited(t *testing.T) {
	release := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			fmt.Fprint(w, "x")
			w.(http.Flusher).Flush()
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	for _, path := range []string{"/header", "/body"} {
		for _, request := range []safehttp.Request{{Timeout: 20 * time.Millisecond}, {Stall: 20 * time.Millisecond}} {
			request.Address, request.MaxBytes = server.URL+path, 1000
			_, _, err := open().Read(t.Context(), request)
			wantFault(t, err, fault.Unavailable, "takes too long: the limit is 20ms")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := open().Read(ctx, safehttp.Request{Address: server.URL + "/header", MaxBytes: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller's own end is %v", err)
	}
}

func TestSourcesThatAreNotThere(t *testing.T) {
	server := serve(t, nil)
	server.Close()
	_, _, err := read(t, open(), server.URL)
	wantFault(t, err, fault.BadUpstream, "127.0.0.1 can't be reached")
	lost := safehttp.New(safehttp.Options{AllowHTTP: true, Resolver: fakeResolver(t, nil)})
	_, _, err = read(t, lost, "http://there-is-no-such-name.example.org/")
	wantFault(t, err, fault.Invalid, "the name is unknown")
}

func TestDownloadStreamsAndTellsOfProgress(t *testing.T) {
	const size = 3_000_000
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("Accept-Encoding %q", r.Header.Get("Accept-Encoding"))
		}
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.Header().Set("Content-Length", fmt.Sprint(size))
			w.Header().Set("ETag", `"v1"`)
			_, _ = io.Copy(w, io.LimitReader(zeros{}, size))
		}
	})
	var file bytes.Buffer
	var steps []int64
	request := safehttp.Request{Address: server.URL + "/data.bin", MaxBytes: size}
	response, err := open().Download(t.Context(), request, &file, func(done, total int64) {
		if steps = append(steps, done); total != size {
			t.Errorf("total %d", total)
		}
	})
	if err != nil || file.Len() != size || response.Header.Get("ETag") != `"v1"` {
		t.Fatalf("%d bytes, %v", file.Len(), err)
	}
	if len(steps) < 3 || steps[len(steps)-1] != size {
		t.Errorf("progress %v", steps)
	}
	for path, kind := range map[string]fault.Kind{"/gone": fault.BadUpstream, "/busy": fault.Unavailable} {
		_, err := open().Download(t.Context(), safehttp.Request{Address: server.URL + path, MaxBytes: size}, io.Discard, nil)
		wantFault(t, err, kind, "127.0.0.1")
	}
	full := errors.New("no space left")
	if _, err := open().Download(t.Context(), request, failing{full}, nil); !errors.Is(err, full) {
		t.Errorf("a full disk is told as %v", err)
	}
	request.MaxBytes = size - 1
	_, err = open().Download(t.Context(), request, io.Discard, nil)
	wantFault(t, err, fault.TooLarge, "2.9 MiB")
}

type zeros struct{}

func (zeros) Read(part []byte) (int, error) { clear(part); return len(part), nil }

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
