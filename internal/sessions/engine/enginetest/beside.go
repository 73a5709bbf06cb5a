package enginetest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
)

// standInEditor is a program with the name and the arguments of a code-server, which says what it was started with.
const standInEditor = `#!/usr/bin/python3
import http.server, json, os, socketserver, sys
def after(name):
    return sys.argv[sys.argv.index(name) + 1]
early = 2  # requests that come before it knows its pages
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global early
        early -= 1
        if early >= 0:
            self.send_error(404)
            return
        data = after("--user-data-dir")
        settings = json.load(open(data + "/Machine/settings.json"))
        about = {"pid": os.getpid(), "account": os.getuid(), "folder": sys.argv[-1], "gallery": os.environ.get("EXTENSIONS_GALLERY"),
                 "settings": settings, "extension": os.listdir(after("--extensions-dir") + "/cairn.session-1.0.0"), "auth": after("--auth"),
                 "token": "JUPYTER_TOKEN" in os.environ, "path": self.path}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(about).encode())
    def address_string(self):
        return "x"
class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    pass
os.umask(0o077)
Server(after("--socket"), Handler).serve_forever()
`

// InstallEditor installs a stand-in for a code-server as npm does, where every account sees it, and returns the link to it.
func InstallEditor(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("/var/tmp", "cairn-editor-") //nolint:usetesting // accounts of sessions can't enter folders of a test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	program := filepath.Join(folder, "node_modules/code-server/out/node/entry.js")
	err = errors.Join(os.Chmod(folder, 0o755), os.MkdirAll(filepath.Dir(program), 0o755))
	for name, content := range map[string]string{
		"node_modules/code-server/package.json": `{"name": "code-server", "version": "4.100.3"}`, "node_modules/code-server/.cairn": "",
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	link := filepath.Join(folder, "code-server")
	err = errors.Join(err, os.WriteFile(program, []byte(standInEditor), 0o755), os.Symlink(program, link))
	if err != nil {
		t.Fatal(err)
	}
	return link
}

// languages checks what a KernelLister promises.
func languages(b *bench) {
	lister, ok := b.engine.(engine.KernelLister)
	if !ok {
		return
	}
	check := func(when string) {
		names := map[string]bool{}
		for _, one := range lister.Kernels(b.Context()) {
			if one.Name == "" || one.Language == "" || one.Label == "" || names[one.Name] {
				b.Errorf("%s: the kernels are %+v", when, lister.Kernels(b.Context()))
			}
			names[one.Name] = true
		}
		if !names[engine.Python.Name] {
			b.Errorf("%s: Python's kernel is missing from %v", when, names)
		}
	}
	check("Before the first session")
	spec := b.spec(b.Working)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	check("While one runs")
}

// editor checks what an EditorEngine promises, where there is an editor.
func editor(b *bench) {
	editors, ok := b.engine.(engine.EditorEngine)
	if !ok || !editors.HasEditor() {
		return
	}
	spec := b.spec(b.Working)
	_, err := editors.Editor(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Editor before the start", err)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	said := b.askEditor(editors, spec.ID)
	for _, want := range []string{`"gallery": "{}"`, `"cairn.session": "` + spec.ID + `"`, `"cairn.open": "working/README.md"`, `"extension.js"`, `"auth": "none"`, `"path": "/a%20b?c=d"`} {
		if !strings.Contains(said, want) {
			b.Errorf("The editor lacks %s: %s", want, said)
		}
	}
	if again := b.askEditor(editors, spec.ID); again != said {
		b.Errorf("It starts a second time: %s, then %s", said, again)
	}
	if code := b.get(spec.ID, true); code != http.StatusOK {
		b.Errorf("Beside it, Jupyter answers %d", code)
	}
	b.reopen()
	b.await(spec.ID, engine.Running)
	editors, _ = b.engine.(engine.EditorEngine)
	if again := b.askEditor(editors, spec.ID); again != said {
		b.Errorf("It starts again after kill -9: %s, then %s", said, again)
	}
	b.stop(spec.ID)
	_, err = editors.Editor(b.Context(), spec.ID)
	b.wants(fault.Conflict, "Editor after the stop", err)
}

// askEditor returns what the stand-in of a session says.
func (b *bench) askEditor(editors engine.EditorEngine, id string) string {
	b.Helper()
	target, err := editors.Editor(b.Context(), id)
	if err != nil {
		b.Fatalf("Editor: %v", err)
	}
	base := strings.TrimSuffix(target.Base, "/")
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, target.URL.String()+base+"/a%20b?c=d", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Authorization", target.Authorization)
	answer, err := target.Transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("The editor answers %s %v: %s", answer.Status, err, text)
	}
	if base == "" {
		return string(text)
	}
	request.Header.Del("Authorization")
	if refused, err := target.Transport.RoundTrip(request); err != nil || refused.StatusCode == http.StatusOK {
		b.Errorf("The editor lets everybody in: %v", err)
	} else {
		_ = refused.Body.Close()
	}
	return string(text)
}

// shell checks what a ShellDialer promises, where sessions have an SSH server.
func shell(b *bench) {
	dialer, ok := b.engine.(engine.ShellDialer)
	if some, asks := b.engine.(interface{ HasShell() bool }); !ok || b.Scripted || asks && !some.HasShell() {
		return
	}
	spec := b.spec(b.Working)
	_, err := dialer.DialShell(b.Context(), spec.ID)
	b.wants(fault.Conflict, "DialShell before the start", err)
	b.start(spec)
	b.await(spec.ID, engine.Running)
	run := func(line string, in io.Reader) string { return RunBySSH(b, dialer, spec.ID, line, in) }
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	if said := run("cat >large && ls working && wc -c <large", bytes.NewReader(large)); said != "README.md\n1048576\n" {
		b.Errorf("The shell said %q", said)
	}
	if said := run(`env | grep -c -e ^JUPYTER_TOKEN -e ^JUPYTERHUB_ || true`, nil); said != "0\n" {
		b.Errorf("The shell knows %s secrets", said)
	}
	b.stop(spec.ID)
	_, err = dialer.DialShell(b.Context(), spec.ID)
	b.wants(fault.Conflict, "DialShell after the stop", err)
}

// RunBySSH runs a line in the shell of a session, and returns what it prints.
func RunBySSH(t testing.TB, dialer engine.ShellDialer, id, line string, in io.Reader) string {
	t.Helper()
	connection, err := dialer.DialShell(t.Context(), id)
	if err != nil {
		t.Fatalf("DialShell: %v", err)
	}
	way, channels, requests, err := ssh.NewClientConn(connection, "session", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	client := ssh.NewClient(way, channels, requests)
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	session.Stdin = in
	said, err := session.Output(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(said)
}
