package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// Repositories are read everywhere on the internet, and where operators say.
func TestCodeHosts(t *testing.T) {
	t.Parallel()
	p := &program{config: config.Default(), publicURL: "http://127.0.0.1:8080", logger: slog.New(slog.DiscardHandler), metrics: newMetrics(config.Default(), "1")}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.config.Code.CodeHosts = []config.OneCodeHost{
		{Kind: "gitlab", URL: "https://gitlab.example.org", TokenFile: token},
		{Kind: "forgejo", URL: "http://localhost:3000"},
		{Kind: "github", URL: "https://other.example.org"},
		{Kind: "bitbucket", URL: "https://bitbucket.example.org"},
		{Kind: "git", URL: "https://code.example.org", Name: "The lab"},
	}
	p.config.Data, p.config.Demo, p.config.Code.CodeHost.GitHub.URL = t.TempDir(), true, "https://ghe.example.org"
	hosts, dataCite, err := p.openCodeHosts(p.openKept())
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://github.com/a/b": true, "https://ghe.example.org/a/b": true, "http://127.0.0.1:8080/demo/git/first-steps.git": true,
		"https://gitlab.com/a/b/c": true, "https://codeberg.org/a/b": true, "https://bitbucket.org/a/b": true, "https://git.example.org/a/b": true,
		"https://gitlab.example.org/a/b": true, "http://localhost:3000/a/b": true, "https://other.example.org/a/b": true, "https://code.example.org/a/b": true,
		"http://127.0.0.1/a/b": false, "https://[::1]/a/b": false, "https://10.0.0.1/a/b": false, "https://localhost/a/b": false, "https://a.localhost/a/b": false, "https://intranet/a/b": false,
	} {
		repository, err := codehost.Parse(address)
		if err != nil || hosts.Knows(repository) != want {
			t.Errorf("%s: %v %v", address, hosts.Knows(repository), err)
		}
	}
	steps, _ := codehost.Parse("http://127.0.0.1:8080/demo/git/first-steps.git")
	if file, err := hosts.File(t.Context(), steps, "cairn.yml", 10_000); err != nil || len(file.Content) == 0 {
		t.Error(err)
	}
	if dataCite == nil {
		t.Error("DataCite isn't asked")
	}
	p.config.Code.CodeHosts[0].TokenFile += "-missing"
	if _, _, err := p.openCodeHosts(p.openKept()); fault.KindOf(err) != fault.Invalid {
		t.Errorf("without its token: %v", err)
	}
	if raw := p.config.Code.CodeHost.GitHubRaw(); raw != "" {
		t.Errorf("raw files of github.com are asked for at %s", raw)
	}
}
