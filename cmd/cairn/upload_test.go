package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"cairn/internal/sharing/client"
)

// cutter passes connections on to a server, and breaks them while more and more bytes have passed.
type cutter struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	passed int64         // to the server; protected by mu
	cuts   []int64       // where a connection breaks, in order; protected by mu
	kills  []int64       // where kill is called likewise; protected by mu
	kill   chan struct{} // receives once for each
}

func newCutter(t *testing.T, to string, cuts, kills []int64) *cutter {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	noError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	c := &cutter{listener: listener, to: to, cuts: cuts, kills: kills, kill: make(chan struct{}, len(kills))}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go c.pass(connection)
		}
	}()
	return c
}

// pass copies until an end closes the connection, or it is cut.
func (c *cutter) pass(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer to.Close()
	go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
	part := make([]byte, 32<<10)
	for {
		count, err := from.Read(part)
		if err != nil {
			return
		}
		if _, err := to.Write(part[:count]); err != nil || c.count(int64(count)) {
			return
		}
	}
}

// count counts bytes, and reports whether the connection breaks now.
func (c *cutter) count(bytes int64) (cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += bytes
	if len(c.kills) > 0 && c.passed >= c.kills[0] {
		c.kills = c.kills[1:]
		c.kill <- struct{}{}
	}
	if len(c.cuts) > 0 && c.passed >= c.cuts[0] {
		c.cuts = c.cuts[1:]
		return true
	}
	return false
}

// left returns how many cuts and kills haven't taken place.
func (c *cutter) left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.cuts) + len(c.kills)
}

// uploadThroughTrouble uploads two files while their line breaks 20 times and the server is killed twice.
func uploadThroughTrouble(t *testing.T, size int64) {
	h, folder := newHolder(t), t.TempDir()
	data := filepath.Join(folder, "data")
	start := func() *process {
		return serve(t, func(command *exec.Cmd) {
			h.give(command)
			command.Env = append(command.Env, "CAIRN_LOG_LEVEL=error")
		}, "--demo", "--data", data)
	}
	server := start()
	token, said, code := run(t, "token", "researcher@example.org", "--data", data)
	if code != 0 {
		t.Fatal(said)
	}
	source := filepath.Join(folder, "measurements")
	digests := map[string]string{}
	for i, name := range []string{"small.bin", "large/large.bin"} {
		bytes := size
		if i == 0 {
			bytes = size / 10
		}
		digests[name] = writeRandom(t, filepath.Join(source, name), bytes)
	}
	total := size + size/10
	var cuts, kills []int64
	for i := range int64(20) {
		cuts = append(cuts, (i+1)*total/22)
	}
	for i := range int64(2) {
		kills = append(kills, (i+1)*total/3)
	}
	line := newCutter(t, strings.TrimPrefix(h.addresses[0], "http://"), cuts, kills)
	ended := make(chan struct{})
	var killing sync.WaitGroup
	killing.Go(func() {
		for {
			select {
			case <-line.kill:
				_ = server.command.Process.Signal(syscall.SIGKILL)
				_ = server.command.Wait()
				server = start()
			case <-ended:
				return
			}
		}
	})
	environment := map[string]string{client.AddressVariable: "http://" + line.listener.Addr().String(), client.TokenVariable: strings.TrimSpace(token)}
	caller, err := client.Open(func(name string) string { return environment[name] }, "test")
	noError(t, err)
	made, err := caller.Upload(t.Context(), client.Upload{Paths: []string{source}, Type: "DATASET", Name: "Measurements"})
	close(ended)
	killing.Wait()
	noError(t, err)
	if left := line.left(); left > 0 {
		t.Errorf("%d cuts and kills didn't take place", left)
	}
	for name, want := range digests {
		if got := digestAt(t, h.addresses[0]+"/api/v1/rf/resources/public/"+made.ResourceID+"/dataset/file?path="+name); got != want {
			t.Errorf("%s arrived with the digest %s, not %s", name, got, want)
		}
	}
}

// writeRandom writes a file and returns its digest.
func writeRandom(t *testing.T, name string, bytes int64) string {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	file, err := os.Create(name)
	noError(t, err)
	hash := sha256.New()
	_, err = io.CopyN(io.MultiWriter(file, hash), rand.NewChaCha8([32]byte{byte(bytes)}), bytes)
	noError(t, err)
	noError(t, file.Close())
	return hex.EncodeToString(hash.Sum(nil))
}

func digestAt(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	noError(t, err)
	answer, err := (&http.Client{}).Do(request)
	noError(t, err)
	defer answer.Body.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, answer.Body)
	noError(t, err)
	return hex.EncodeToString(hash.Sum(nil))
}

func TestUploadsSurviveBrokenLinesAndKilledServers(t *testing.T) {
	t.Parallel()
	uploadThroughTrouble(t, 64<<20)
}

// TestThoroughUpload is the same with 3 GB.
func TestThoroughUpload(t *testing.T) {
	uploadThroughTrouble(t, 3<<30)
}
