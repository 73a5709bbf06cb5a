package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/githttp"
)

const (
	refsPath = "/demo/git/first-steps.git/info/refs?service=git-upload-pack"
	packPath = "/demo/git/first-steps.git/git-upload-pack"
	packType = "application/x-git-upload-pack-request"
)

// serve returns the address of a server, and the folder of its repositories.
func serve(t *testing.T) (address, folder string) {
	t.Helper()
	dir := install(t)
	mux := http.NewServeMux()
	mux.Handle("/demo/git/", GitHandler(dir))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, filepath.Join(dir, "git")
}

func TestAnybodyCanClone(t *testing.T) {
	address, _ := serve(t)
	for _, arguments := range [][]string{
		{}, {"--depth", "1"}, {"-c", "protocol.version=0"}, {"--mirror"},
	} {
		target := filepath.Join(t.TempDir(), "clone")
		git(t, append(append([]string{"clone", "--quiet"}, arguments...), address+"/demo/git/first-steps.git", target)...)
		if got := git(t, "-C", target, "rev-parse", "HEAD"); got != firstStepsCommit {
			t.Errorf("%v: commit %s", arguments, got)
		}
		if len(arguments) > 0 && arguments[0] == "--mirror" {
			continue
		}
		for _, name := range []string{"README.md", "cairn.yml", "first-steps.ipynb", "first_steps.py", "LICENSE"} {
			want, err := content.ReadFile("first-steps/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(target, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v: %s differs: %v", arguments, name, err)
			}
		}
	}
}

func TestNobodyCanPush(t *testing.T) {
	address, folder := serve(t)
	target := filepath.Join(t.TempDir(), "clone")
	git(t, "clone", "--quiet", address+"/demo/git/first-steps.git", target)
	git(t, "-C", target, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "b")
	if output, err := tryGit("-C", target, "push", "origin", "HEAD:main"); err == nil || !strings.Contains(output, "403") {
		t.Errorf("push: %v\n%s", err, output)
	}
	if got := git(t, "-C", filepath.Join(folder, repositoryName), "rev-parse", "main"); got != firstStepsCommit {
		t.Errorf("main is now %s", got)
	}
}

// TestCloneAfterTheServerChangedItsUser: one system user installed the data and another one serves it; git refuses such
// repositories by default.
func TestCloneAfterTheServerChangedItsUser(t *testing.T) {
	address, folder := serve(t)
	if os.Geteuid() == 0 { // only root can give files away; the rest applies to everybody
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, 65534, 65534))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	git(t, "clone", "--quiet", address+"/demo/git/first-steps.git", filepath.Join(t.TempDir(), "clone"))
}

// TestGitHandlerAnswers covers what was open elsewhere in CVE-2021-39159 and in path traversal: no path, query or
// header of a caller reaches git.
func TestGitHandlerAnswers(t *testing.T) {
	address, folder := serve(t)
	outside := filepath.Join(filepath.Dir(folder), "secret.git")
	git(t, "init", "--quiet", "--bare", outside)
	for _, one := range []struct {
		method, path, contentType, encoding, body string
		want                                      int
	}{
		{"GET", refsPath, "", "", "", 200},
		{"GET", "/demo/git/first-steps.git/info/refs?service=git-receive-pack", "", "", "", 403},
		{"GET", "/demo/git/first-steps.git/info/refs", "", "", "", 403},
		{"GET", "/demo/git/first-steps.git/info/refs?service=git-upload-pack&service=git-receive-pack", "", "", "", 403},
		{"HEAD", refsPath, "", "", "", 405},
		{"POST", "/demo/git/first-steps.git/info/refs", "", "", "", 405},
		{"POST", "/demo/git/first-steps.git/git-receive-pack", "application/x-git-receive-pack-request", "", "0000", 403},
		{"GET", packPath, "", "", "", 405},
		{"POST", packPath, "text/plain", "", "0000", 415},
		{"POST", packPath, packType, "br", "0000", 415},
		{"POST", packPath, packType, "gzip", "not gzip", 400},
		{"POST", packPath, packType, "", strings.Repeat("0000", githttp.RequestLimit), 413},
		{"POST", packPath, packType, "gzip", zipped(strings.Repeat("0", 100*githttp.RequestLimit)), 413},
		{"POST", packPath, packType, "gzip", zipped("0000"), 200},
		{"GET", "/demo/git/first-steps.git/config", "", "", "", 404},
		{"GET", "/demo/git/first-steps.git/HEAD", "", "", "", 404},
		{"GET", "/demo/git/first-steps.git/objects/info/packs", "", "", "", 404},
		{"GET", "/demo/git/", "", "", "", 404},
		{"GET", "/demo/git/secret.git/info/refs?service=git-upload-pack", "", "", "", 404},
		{"GET", "/demo/git/%2e%2e/secret.git/info/refs?service=git-upload-pack", "", "", "", 404},
		{"GET", "/demo/git/..%2fsecret.git/info/refs?service=git-upload-pack", "", "", "", 404},
		{"GET", "/demo/git/first-steps.git/..%2f..%2fsecret.git/info/refs?service=git-upload-pack", "", "", "", 404},
		{"GET", "/demo/git/first-steps.git%00/info/refs?service=git-upload-pack", "", "", "", 404},
		{"GET", "/demo/git/--help/info/refs?service=git-upload-pack", "", "", "", 404},
	} {
		request, err := http.NewRequestWithContext(context.Background(), one.method, address+one.path, strings.NewReader(one.body))
		if err != nil {
			t.Fatal(err)
		}
		if one.contentType != "" {
			request.Header.Set("Content-Type", one.contentType)
		}
		if one.encoding != "" {
			request.Header.Set("Content-Encoding", one.encoding)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != one.want {
			t.Errorf("%s %s (%s): %d, want %d; %v %.80q", one.method, one.path, one.encoding, response.StatusCode, one.want, err, body)
		}
	}
}

// TestSlowSendersTakeNoPlace: a request that never ends prevents nobody from cloning.
func TestSlowSendersTakeNoPlace(t *testing.T) {
	address, _ := serve(t)
	for range githttp.Processes + 1 {
		connection, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
		head := "POST " + packPath + " HTTP/1.1\r\nHost: a\r\nContent-Type: " + packType + "\r\nContent-Length: 4\r\n" +
			"Expect: 100-continue\r\n\r\n"
		if _, err := io.WriteString(connection, head); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len("HTTP/1.1 100"))
		if _, err := io.ReadFull(connection, answer); err != nil || string(answer) != "HTTP/1.1 100" {
			t.Fatalf("the server does not wait for the body: %q, %v", answer, err) // the server has begun to read it
		}
	}
	git(t, "clone", "--quiet", address+"/demo/git/first-steps.git", filepath.Join(t.TempDir(), "clone"))
}

func TestCloneWithoutGitOnTheServer(t *testing.T) {
	handler := GitHandler(install(t))
	t.Setenv("PATH", "/nonexistent")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, refsPath, nil))
	if answer.Code != http.StatusServiceUnavailable || !strings.Contains(answer.Body.String(), "git is not installed") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func zipped(text string) string {
	var buffer bytes.Buffer
	writer := gzip.NewWriter(&buffer)
	_, err := io.WriteString(writer, text)
	if closing := writer.Close(); err != nil || closing != nil {
		panic("gzip into memory failed")
	}
	return buffer.String()
}
