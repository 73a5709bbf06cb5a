package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// run runs a command line as main does, and returns its output, its error message, and its exit code.
func run(t *testing.T, arguments ...string) (out, said string, code int) {
	t.Helper()
	command := newCommand()
	var text bytes.Buffer
	command.SetOut(&text)
	command.SetErr(&text)
	command.SetArgs(arguments)
	if err := command.ExecuteContext(t.Context()); err != nil {
		return text.String(), sentence(err), exitCode(err)
	}
	return text.String(), "", 0
}

func TestCommandLines(t *testing.T) {
	t.Setenv("CAIRN_URL", "")
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data := filepath.Join(folder, "data")
	fine := write("fine.jsonl", `{"kind": "resource", "externalId": "d1", "type": "DATASET", "name": "Spikes", "description": "", `+
		`"authors": ["neuro@example.org"], "privacy": "PUBLIC", "datasetUrl": "spikes"}`)
	bad := write("bad.jsonl", `{"kind": "resource"}`)
	config := write("cairn.yaml", "demo: true\n")
	shared := write("shared.yaml", "demo: true\nsession_url: https://run.example.org/{kind}/{id}/\nsession_url_shared: true\n")
	broken := write("broken.yaml", "demoo: true\n")
	saved := filepath.Join(folder, "saved")

	for _, c := range []struct {
		line string
		code int
		says string // in the output or in the error message
	}{
		{"", 0, "serve"},
		{"--help", 0, "import"},
		{"serve --help", 0, "--session-url"},
		{"version", 0, "cairn development"},
		{"licenses", 0, "Apache License"},
		{"licenses COBRA", 0, "github.com/spf13/cobra  v"},
		{"licenses nosuch", 1, `There is no component named "nosuch" in this binary`},
		{"licenses a b", 2, "see cairn licenses --help"},
		{"openapi", 0, `"openapi": "3.1.0"`},
		{"search a", 2, "Set CAIRN_URL"},
		{"search --limit 0 a", 2, "--limit must be 1 to 10000"},
		{"get", 2, "see cairn get --help"},
		{"get a b c", 2, "see cairn get --help"},
		{"run a", 2, "Set CAIRN_URL"},
		{"run --help", 0, "CAIRN_TOKEN_FILE"},
		{"bogus", 2, `there is no command "bogus"; see cairn --help`},
		{"config", 0, "check"},
		{"config bogus", 2, `there is no command "bogus"; see cairn config --help`},
		{"--bogus", 2, "unknown flag: --bogus; see cairn --help"},
		{"serve --bogus", 2, "see cairn serve --help"},
		{"serve --demo=maybe", 2, "see cairn serve --help"},
		{"serve --listen", 2, "flag needs an argument"},
		{"serve extra", 2, "see cairn serve --help"},
		{"version extra", 2, "see cairn version --help"},
		{"token", 2, "see cairn token --help"},
		{"import", 2, "see cairn import --help"},
		{"serve", 2, "idp.accounts: no one could sign in"},
		{"serve --demo --listen 0.0.0.0:0", 2, "demo: anyone who can reach"},
		{"serve --demo --public-url http://example.org", 2, "public_url:"},
		{"config check --demo", 0, "The configuration is fine."},
		{"config check --demo", 0, "Sessions on this server run "},
		{"config check --config " + config, 0, "The configuration is fine."},
		{"config check --config " + shared, 0, "Warning: session_url: with one host name for all sessions, code in each session can read and change the others"},
		{"config check --demo --session-url https://run.example.org/{kind}/{id}/", 2, "set session_url_shared: true"},
		{"config check --config " + broken, 2, "line 1: there is no key demoo"},
		{"config check --config /nowhere.yaml", 2, "the file can't be read"},
		{"config check --demo --site " + broken, 2, "broken.yaml line 1: \"demoo\" is unknown"},
		{"serve --demo --site " + broken, 2, "broken.yaml line 1: brand is missing"},
		{"config site", 0, "\nbrand:\n  name: Cairn"},
		{"config check --demo --listen x --session-url y", 2, "session_url must look like"},
		{"import --data " + data + " " + fine, 0, ""},
		{"import " + fine + " --data " + data, 0, ""},
		{"import " + fine + " --data=" + data + " " + bad, 2, "bad.jsonl line 1: externalId"},
		{"import /nowhere.jsonl --data " + data, 2, "The file /nowhere.jsonl can't be read"},
		{"import " + fine + " --data " + fine, 2, "The data folder"},
		{"import " + fine + " --database-url mysql://x --data " + data, 2, "database_url"},
		{"backup", 2, "see cairn backup --help"},
		{"backup " + saved + " --data " + data + " --passphrase-file /nowhere", 2, "the passphrase can't be read"},
		{"backup " + saved + " --data " + data, 0, "Backed up to " + saved},
		{"backup " + saved + " --data " + data, 2, "isn't empty"},
		{"restore " + saved, 2, "name the new data folder with --data"},
		{"restore " + saved + " --data " + data, 2, "isn't empty"},
		{"restore " + data + " --data " + saved + "-restored", 2, "isn't a backup"},
		{"restore " + saved + " --data " + saved + "-restored", 0, "Every file of it was as the manifest says."},
		{"token ada@example.org --data " + data, 1, "No server has used the data folder"},
		{"--data " + data + " token ada@example.org", 1, "No server has used the data folder"},
	} {
		out, said, code := run(t, strings.Fields(c.line)...)
		if code != c.code || !strings.Contains(out+said, c.says) {
			t.Errorf("cairn %s: exit code %d, want %d with %q\nout: %.300s\nerror: %s", c.line, code, c.code, c.says, out, said)
		}
		if code != 0 && (out != "" || said == "") {
			t.Errorf("cairn %s: prints %q besides the sentence %q", c.line, out, said)
		}
	}
}

func TestFlagsWinOverEnvironmentAndFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cairn.yaml")
	if err := os.WriteFile(file, []byte("demo: true\nlisten: file\nsession_listen: file\nsite: file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CAIRN_LISTEN", "environment")
	t.Setenv("CAIRN_SESSION_LISTEN", "environment")
	_, said, code := run(t, "config", "check", "--config", file, "--listen", "flag")
	if code != 2 || !strings.Contains(said, `listen: "flag"`) || !strings.Contains(said, `session_listen: "environment"`) ||
		!strings.Contains(said, "site file file") {
		t.Errorf("%d: %s", code, said)
	}
}
