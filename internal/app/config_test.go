package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app"
	"cairn/internal/fault"
)

// environment returns a lookup in pairs of name and value.
func environment(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaultsWork(t *testing.T) {
	t.Parallel()
	config, err := app.LoadConfig("", environment())
	if err != nil {
		t.Fatal(err)
	}
	config.Demo = true
	if err := config.Check(); err != nil {
		t.Error(err)
	}
	if config.Listen != "127.0.0.1:8080" || config.OIDC.ClientID != "data-catalog-portal" || config.OIDC.Scope != "openid email" ||
		config.OIDC.Prompt != "login" || config.OIDC.ExtraParams["kc_idp_hint"] != "oidc" || config.Sessions.Limit != 10 {
		t.Errorf("got %+v", config)
	}
}

func TestFileAndEnvironment(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "cairn.yaml", `
listen: 127.0.0.1:9090
data: /from/file
oidc:
  issuer: https://login.example.org/realms/lab
  extra_params: {}
idp:
  accounts: [{email: ada@example.org, name: Ada, password_hash: x}]
accounts:
  enable: {domains: [example.org, Example.EDU]}
sessions:
  limit: 3
  engines: [{name: big, label: Big machine, kind: local}]
`)
	config, err := app.LoadConfig(path, environment(
		"CAIRN_DATA", "/from/environment", "CAIRN_OIDC_CLIENT_ID", "portal", "CAIRN_SESSIONS_LIMIT", "4", "CAIRN_DEMO", "true",
		"CAIRN_CORS_ORIGINS", "https://a.example.org, https://b.example.org,", "CAIRN_LOG_LEVEL", "debug",
	))
	if err != nil {
		t.Fatal(err)
	}
	if config.Listen != "127.0.0.1:9090" || config.Data != "/from/environment" || config.Sessions.Limit != 4 || !config.Demo {
		t.Errorf("got %+v", config)
	}
	if config.OIDC.ClientID != "portal" || config.OIDC.Scope != "openid email" || config.IDP.Accounts[0].Email != "ada@example.org" {
		t.Errorf("got %+v", config)
	}
	if enable := config.Accounts.Enable; enable.Mode != "domains" || !slices.Equal(enable.Domains, []string{"example.org", "Example.EDU"}) {
		t.Errorf("got %+v", enable)
	}
	if len(config.CORS.Origins) != 2 || len(config.Sessions.Engines) != 1 || config.Sessions.Engines[0].Name != "big" {
		t.Errorf("got %+v %+v", config.CORS, config.Sessions.Engines)
	}
}

func TestEnablePolicyFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"auto": "auto", "manual": "manual", "domains:a.org,b.org": "domains"} {
		config, err := app.LoadConfig("", environment("CAIRN_ACCOUNTS_ENABLE", text))
		if err != nil || config.Accounts.Enable.Mode != want || (want == "domains" && len(config.Accounts.Enable.Domains) != 2) {
			t.Errorf("%s: %+v, %v", text, config.Accounts.Enable, err)
		}
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	secret := writeFile(t, "secret", "postgres://user:hunter2@db/cairn\n")
	config, err := app.LoadConfig("", environment(
		"CAIRN_DATABASE_URL_FILE", secret, "CAIRN_CODEHOST_GITHUB_TOKEN_FILE", secret, "CAIRN_DATA_FILE", secret,
	))
	if err != nil || config.DatabaseURL != "postgres://user:hunter2@db/cairn" || config.CodeHost.GitHub.Token == "" {
		t.Errorf("got %q, %v", config.DatabaseURL, err)
	}
	if config.Data != "data" {
		t.Error("a setting that is no secret was read from a file")
	}
	config, err = app.LoadConfig("", environment("CAIRN_DATABASE_URL_FILE", "/nowhere", "CAIRN_DATABASE_URL", "sqlite:x"))
	if err != nil || config.DatabaseURL != "sqlite:x" {
		t.Errorf("the variable itself does not win: %q, %v", config.DatabaseURL, err)
	}
	_, err = app.LoadConfig("", environment("CAIRN_DATABASE_URL_FILE", "/nowhere"))
	expectFaults(t, err, "CAIRN_DATABASE_URL_FILE: the file can't be read")
}

// expectFaults expects an Invalid fault whose lines begin with exactly these texts, in any order.
func expectFaults(t *testing.T, err error, beginnings ...string) {
	t.Helper()
	if fault.KindOf(err) != fault.Invalid {
		t.Fatalf("got %v, want an Invalid fault", err)
	}
	lines := strings.Split(fault.MessageOf(err), "\n  ")[1:]
	for _, beginning := range beginnings {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, beginning) }) {
			t.Errorf("no fault begins with %q in:\n%s", beginning, strings.Join(lines, "\n"))
		}
	}
	if len(lines) != len(beginnings) {
		t.Errorf("%d faults, want %d:\n%s", len(lines), len(beginnings), strings.Join(lines, "\n"))
	}
}

func TestUnreadableValuesAreNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "cairn.yaml", "listen: 127.0.0.1:1\nlisten_on: x\noidc:\n  clientid: x\nsessions:\n  limit: many\n")
	_, err := app.LoadConfig(path, environment("CAIRN_DEMO", "perhaps", "CAIRN_SESSIONS_LIMIT", "1.5", "CAIRN_IDP_ACCOUNTS", "x"))
	expectFaults(
		t, err, path+": line 2: there is no key listen_on", path+": line 4: there is no key clientid", path+": line 6: cannot unmarshal",
		`CAIRN_DEMO: "perhaps" is neither`, `CAIRN_SESSIONS_LIMIT: "1.5" isn't a whole number`, "CAIRN_IDP_ACCOUNTS: this can only be set",
	)
	_, err = app.LoadConfig("/nowhere.yaml", environment())
	expectFaults(t, err, "the file can't be read: open /nowhere.yaml")
	_, err = app.LoadConfig(writeFile(t, "cairn.yaml", "listen: [\n"), environment())
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
	if _, err = app.LoadConfig(writeFile(t, "cairn.yaml", ""), environment()); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}
