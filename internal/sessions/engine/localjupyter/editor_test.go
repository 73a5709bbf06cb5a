package localjupyter_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
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
                 "token": "JUPYTER_TOKEN" in os.environ}
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

// installEditor installs the stand-in as npm does, and returns the link to it.
func installEditor(t testing.TB) string {
	t.Helper()
	folder := openFolder(t)
	program := filepath.Join(folder, "node_modules/code-server/out/node/entry.js")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(folder, "node_modules/code-server/package.json"), `{"name": "code-server", "version": "4.100.3"}`)
	writeFile(t, filepath.Join(folder, "node_modules/code-server/.cairn"), "")
	if err := os.WriteFile(program, []byte(standInEditor), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "code-server")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// askEditor returns what the stand-in of a session says.
func (b *bench) askEditor(id string) string {
	b.Helper()
	target, err := b.engine.Editor(b.Context(), id)
	if err != nil {
		b.Fatal(err)
	}
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, target.URL.String()+"/", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := target.Transport.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s %v", answer.Status, err)
	}
	return string(text)
}

// TestVSCodeStartsInTheBox opens the editor of a session when somebody asks for it, and once.
func TestVSCodeStartsInTheBox(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(options *localjupyter.Options) { options.ShellProgram, options.VSCode = program, installEditor(t) })
	b.open()
	if !b.engine.HasEditor() {
		t.Fatal("it has no editor")
	}
	spec := b.running(b.url("working.git"))
	said := b.askEditor(spec.ID)
	_, account := b.engine.Process(spec.ID)
	for _, want := range []string{
		`"gallery": "{}"`, `"cairn.session": "` + spec.ID + `"`, `"cairn.open": "working/README.md"`, `"extension.js"`, `"package.json"`, `"auth": "none"`, `"token": false`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %s: %s", want, said)
		}
	}
	if os.Getuid() == 0 && !strings.Contains(said, `"account": `+itoa(account)+",") {
		t.Errorf("its account isn't %d: %s", account, said)
	}
	if again := b.askEditor(spec.ID); again != said {
		t.Errorf("it starts a second time: %s, then %s", said, again)
	}
	b.open() // as after kill -9 of the server
	b.await(spec.ID, engine.Running)
	if again := b.askEditor(spec.ID); again != said {
		t.Errorf("it starts again after a restart of the server: %s, then %s", said, again)
	}
	if _, err := b.engine.DialShell(b.Context(), spec.ID); err == nil {
		t.Error("people reach the shell, which is for the editor alone")
	}
}

// TestVSCodeOffersItsGalleryWhereOperatorsAllowIt leaves the gallery to its program.
func TestVSCodeOffersItsGalleryWhereOperatorsAllowIt(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, func(options *localjupyter.Options) {
		options.ShellProgram, options.VSCode, options.ExtensionGallery = program, installEditor(t), true
	})
	b.open()
	if said := b.askEditor(b.running(b.url("working.git")).ID); !strings.Contains(said, `"gallery": null`) {
		t.Errorf("it was started with %s", said)
	}
}
