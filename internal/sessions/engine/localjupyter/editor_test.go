package localjupyter_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/enginetest"
	"cairn/internal/sessions/engine/localjupyter"
)

// thisProgram is the program of the tests, which serves SSH in boxes too.
func thisProgram(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
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
	b := newBench(t, func(options *localjupyter.Options) {
		options.Program, options.VSCode = thisProgram(t), enginetest.InstallEditor(t)
	})
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
	b := newBench(t, func(options *localjupyter.Options) {
		options.Program, options.VSCode, options.ExtensionGallery = thisProgram(t), enginetest.InstallEditor(t), true
	})
	b.open()
	if said := b.askEditor(b.running(b.url("working.git")).ID); !strings.Contains(said, `"gallery": null`) {
		t.Errorf("it was started with %s", said)
	}
}
