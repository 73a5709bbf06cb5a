package app

import (
	"log/slog"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/entries/codehost"
)

// Repositories of an Enterprise server, of github.com and of the demo are read; others aren't.
func TestCodeHosts(t *testing.T) {
	t.Parallel()
	p := &program{config: config.Default(), publicURL: "http://127.0.0.1:8080", logger: slog.New(slog.DiscardHandler), metrics: newMetrics(config.Default(), "1")}
	p.config.Data, p.config.Demo, p.config.CodeHost.GitHub.URL = t.TempDir(), true, "https://ghe.example.org"
	hosts, dataCite, err := p.openCodeHosts()
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{
		"https://github.com/a/b": true, "https://ghe.example.org/a/b": true, "http://127.0.0.1:8080/demo/git/first-steps.git": true,
		"https://gitlab.com/a/b": false, "https://api.github.com/a/b": false, "http://127.0.0.1/a/b": false,
	} {
		repository, err := codehost.Parse(address)
		if err != nil || hosts.Knows(repository) != want {
			t.Errorf("%s: %v %v", address, hosts.Knows(repository), err)
		}
	}
	if names := hosts.Names(); len(names) != 2 || names[0] != "github.com" || names[1] != "ghe.example.org" {
		t.Error(names)
	}
	steps, _ := codehost.Parse("http://127.0.0.1:8080/demo/git/first-steps.git")
	if file, err := hosts.File(t.Context(), steps, "cairn.yml", 10_000); err != nil || len(file.Content) == 0 {
		t.Error(err)
	}
	if dataCite == nil {
		t.Error("DataCite isn't asked")
	}
	if raw := p.config.CodeHost.GitHubRaw(); raw != "" {
		t.Errorf("raw files of github.com are asked for at %s", raw)
	}
}
