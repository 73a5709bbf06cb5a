package environments

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/machine/sandbox"
)

// TestTheKeyOfAnEnvironmentCoversWhatChangesIt: two keys are the same when nothing changed that its packages depend on.
func TestTheKeyOfAnEnvironmentCoversWhatChangesIt(t *testing.T) {
	t.Parallel()
	dir, wheels := filepath.Join(t.TempDir(), "sessions"), t.TempDir()
	if err := os.WriteFile(filepath.Join(wheels, "a-1.0.whl"), []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	opened := openTestInstaller(t, Options{
		Folder: filepath.Join(dir, "environments"), Web: safehttp.New(safehttp.Options{}),
		Pip: Pip{IndexURL: "https://svc:first@index.example/simple", FindLinks: wheels},
	})
	usual := opened.options
	key := func(change func(*Options), lines ...string) string {
		t.Helper()
		opened.options = usual
		change(&opened.options)
		var err error
		if opened.index, err = opened.openIndex(); err != nil {
			t.Fatal(err)
		}
		found, err := opened.environmentKey(lines...)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	same := func(*Options) {}
	first := key(same, "a", "b")
	for name, again := range map[string]string{
		"nothing":    key(same, "a", "b"),
		"a password": key(func(o *Options) { o.Pip.IndexURL = "https://svc:second@index.example/simple" }, "a", "b"),
		"a network":  key(func(o *Options) { o.Network = sandbox.Internet }, "a", "b"),
	} {
		if again != first {
			t.Errorf("%s changes the key", name)
		}
	}
	keys := map[string]string{first: "nothing"}
	for name, other := range map[string]string{
		"a requirement": key(same, "a", "b==1"),
		"another cut":   key(same, "a\x00b"),
		"the order":     key(same, "b", "a"),
		"the index":     key(func(o *Options) { o.Pip.IndexURL = "https://svc:first@index.example/other" }, "a", "b"),
		"its user":      key(func(o *Options) { o.Pip.IndexURL = "https://ann:first@index.example/simple" }, "a", "b"),
		"no index":      key(func(o *Options) { o.Pip.IndexURL = "" }, "a", "b"),
		"no wheels":     key(func(o *Options) { o.Pip.FindLinks = "" }, "a", "b"),
		"Python":        key(func(o *Options) { o.Python = otherPython(t) }, "a", "b"),
	} {
		if keys[other] != "" {
			t.Errorf("%s gives the key of %s", name, keys[other])
		}
		keys[other] = name
	}
	weaker, err := sandbox.Open(sandbox.Options{Dir: dir, Name: "key", Programs: sandbox.Programs{Bubblewrap: "/nonexistent"}})
	if err != nil {
		t.Fatal(err)
	}
	if other := key(func(o *Options) { o.Sandbox = weaker }, "a", "b"); keys[other] != "" {
		t.Errorf("another level of isolation gives the key of %s", keys[other])
	}
	if err := os.WriteFile(filepath.Join(wheels, "a-1.0.whl"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if other := key(same, "a", "b"); keys[other] != "" {
		t.Errorf("another wheel gives the key of %s", keys[other])
	}
}

// otherPython is a Python that has one more package.
func otherPython(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "more-1.0.dist-info"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"python":                      "#!/bin/sh\nshift\nPYTHONPATH=" + folder + " exec /usr/bin/python3 \"$@\"\n",
		"more-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: more\nVersion: 1.0\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, "python")
}

// openTestInstaller opens one with what every installer has.
func openTestInstaller(t *testing.T, options Options) *Installer {
	t.Helper()
	dir := t.TempDir()
	opened, err := sandbox.Open(sandbox.Options{Dir: dir, Name: "installer", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	if options.Folder == "" {
		options.Folder = filepath.Join(dir, "environments")
	}
	options.Downloads, options.CacheBytes, options.Python = filepath.Join(dir, "downloads"), 20<<30, "/usr/bin/python3"
	options.Sandbox, options.Logger, options.Now = opened, slog.New(slog.DiscardHandler), time.Now
	installer, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	return installer
}
