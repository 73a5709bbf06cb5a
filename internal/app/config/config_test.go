package config_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
)

// environment returns variables as a process has them, from pairs of name and value.
func environment(pairs ...string) (variables []string) {
	for i := 0; i < len(pairs); i += 2 {
		variables = append(variables, pairs[i]+"="+pairs[i+1])
	}
	return variables
}

func TestDefaultsWork(t *testing.T) {
	t.Parallel()
	settings, err := config.Load("", environment())
	if err != nil {
		t.Fatal(err)
	}
	settings.Demo = true
	if err := settings.Check(); err != nil {
		t.Error(err)
	}
	if settings.Listen != "127.0.0.1:8080" || settings.OIDC.ClientID != "data-catalog-portal" || settings.OIDC.Scope != "openid email" ||
		settings.OIDC.Prompt != "login" || settings.OIDC.ExtraParams["kc_idp_hint"] != "oidc" || settings.Sessions.Limit != 10 {
		t.Errorf("got %+v", settings)
	}
}

func TestFileAndEnvironment(t *testing.T) {
	t.Parallel()
	path := apptest.WriteFile(t, "cairn.yaml", `
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
	settings, err := config.Load(path, environment(
		"CAIRN_DATA", "/from/environment", "CAIRN_OIDC_CLIENT_ID", "portal", "CAIRN_SESSIONS_LIMIT", "4", "CAIRN_DEMO", "true",
		"CAIRN_CORS_ORIGINS", "https://a.example.org, https://b.example.org,", "CAIRN_LOG_LEVEL", "debug",
	))
	if err != nil {
		t.Fatal(err)
	}
	if settings.Listen != "127.0.0.1:9090" || settings.Data != "/from/environment" || settings.Sessions.Limit != 4 || !settings.Demo {
		t.Errorf("got %+v", settings)
	}
	if settings.OIDC.ClientID != "portal" || settings.OIDC.Scope != "openid email" || settings.IDP.Accounts[0].Email != "ada@example.org" {
		t.Errorf("got %+v", settings)
	}
	if enable := settings.Accounts.Enable; enable.Mode != "domains" || !slices.Equal(enable.Domains, []string{"example.org", "Example.EDU"}) {
		t.Errorf("got %+v", enable)
	}
	if len(settings.CORS.Origins) != 2 || len(settings.Sessions.Engines) != 1 || settings.Sessions.Engines[0].Name != "big" {
		t.Errorf("got %+v %+v", settings.CORS, settings.Sessions.Engines)
	}
}

func TestEnablePolicyFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"auto": "auto", "manual": "manual", "domains:a.org,b.org": "domains"} {
		settings, err := config.Load("", environment("CAIRN_ACCOUNTS_ENABLE", text))
		if err != nil || settings.Accounts.Enable.Mode != want || (want == "domains" && len(settings.Accounts.Enable.Domains) != 2) {
			t.Errorf("%s: %+v, %v", text, settings.Accounts.Enable, err)
		}
	}
}

func TestSecretsFromFiles(t *testing.T) {
	t.Parallel()
	secret := apptest.WriteFile(t, "secret", "postgres://user:hunter2@db/cairn\n")
	settings, err := config.Load("", environment(
		"CAIRN_DATABASE_URL_FILE", secret, "CAIRN_CODEHOST_GITHUB_TOKEN_FILE", secret,
	))
	if err != nil || settings.DatabaseURL != "postgres://user:hunter2@db/cairn" || settings.Code.CodeHost.GitHub.Token == "" {
		t.Errorf("got %q, %v", settings.DatabaseURL, err)
	}
	settings, err = config.Load("", environment("CAIRN_DATABASE_URL_FILE", "/nowhere", "CAIRN_DATABASE_URL", "sqlite:x"))
	if err != nil || settings.DatabaseURL != "sqlite:x" {
		t.Errorf("the variable itself does not win: %q, %v", settings.DatabaseURL, err)
	}
	_, err = config.Load("", environment("CAIRN_DATABASE_URL_FILE", "/nowhere"))
	expectFaults(t, err, "CAIRN_DATABASE_URL_FILE: the file cannot be read")
	_, err = config.Load("", environment("CAIRN_DATABASE_URL_FILE", apptest.WriteFile(t, "secret", " \n")))
	expectFaults(t, err, "CAIRN_DATABASE_URL_FILE: the file ")
	_, err = config.Load("", environment("CAIRN_DATA_FILE", secret))
	expectFaults(t, err, "CAIRN_DATA_FILE: only secrets are read from files; set CAIRN_DATA itself")
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
	path := apptest.WriteFile(t, "cairn.yaml", "listen: 127.0.0.1:1\nlisten_on: x\noidc:\n  clientid: x\nsessions:\n  limit: many\n")
	_, err := config.Load(path, environment("CAIRN_DEMO", "perhaps", "CAIRN_SESSIONS_LIMIT", "1.5", "CAIRN_IDP_ACCOUNTS", "x"))
	expectFaults(
		t, err, path+": line 2: there is no key listen_on; did you mean listen?", path+": line 4: there is no key clientid; did you mean client_id?", path+": line 6: cannot unmarshal",
		`CAIRN_DEMO: "perhaps" is neither`, `CAIRN_SESSIONS_LIMIT: "1.5" isn't a whole number`, "CAIRN_IDP_ACCOUNTS: this can be set",
	)
	_, err = config.Load("/nowhere.yaml", environment())
	expectFaults(t, err, "the file can't be read: open /nowhere.yaml")
	_, err = config.Load(apptest.WriteFile(t, "cairn.yaml", "listen: [\n"), environment())
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("got %v", err)
	}
	if _, err = config.Load(apptest.WriteFile(t, "cairn.yaml", ""), environment()); err != nil {
		t.Errorf("an empty file: %v", err)
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"CAIRN_LISTN": "CAIRN_LISTN: there is no such variable; did you mean CAIRN_LISTEN?", "CAIRN_DATABASE": "CAIRN_DATABASE: there is no such variable; did you mean CAIRN_DATABASE_URL?",
		"CAIRN_GITHUB_TOKEN_FILE": "CAIRN_GITHUB_TOKEN_FILE: there is no such variable; did you mean CAIRN_CODEHOST_GITHUB_TOKEN_FILE?",
		"CAIRN_OIDC_CLIENTID":     "CAIRN_OIDC_CLIENTID: there is no such variable; did you mean CAIRN_OIDC_CLIENT_ID?",
		"CAIRN_COLOR":             "CAIRN_COLOR: there is no such variable", "CAIRN_": "CAIRN_: there is no such variable", "CAIRN_OIDC": "CAIRN_OIDC: there is no such variable; did you mean",
		"CAIRN_LISTEN": "", "CAIRNS_LISTN": "", "cairn_listn": "", "CAIRN": "", "CAIRN_TEST_POSTGRES": "", "CAIRN_POSTGRES_OPTIONS": "",
		// What Kubernetes tells of services called cairn and cairn-sessions.
		"CAIRN_SERVICE_HOST": "", "CAIRN_SERVICE_PORT": "", "CAIRN_SERVICE_PORT_HTTP": "", "CAIRN_PORT": "", "CAIRN_PORT_8080_TCP": "", "CAIRN_PORT_8080_TCP_ADDR": "",
		"CAIRN_SESSIONS_PORT_8081_TCP_PROTO": "", "CAIRN_SESSIONS_SERVICE_HOST": "",
	} {
		_, err := config.Load("", environment(name, "127.0.0.1:1"))
		if says != "" {
			expectFaults(t, err, says)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := config.Load("", environment("CAIRN_COLOR", "blue"))
	if message := err.Error(); strings.Contains(message, "mean") || strings.Contains(message, "blue") {
		t.Errorf("%s", message)
	}
}

// Every name that the documentation gives to a variable is one.
func TestVariablesOfTheDocumentation(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"configure.md", "operate.md"} {
		text, err := os.ReadFile("../../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`CAIRN_[A-Z_]*[A-Z]`).FindAllString(string(text), -1) {
			if _, err := config.Load("", environment(name, apptest.WriteFile(t, "value", "1"))); err != nil && strings.Contains(err.Error(), "no such variable") {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func TestTokensOfEnginesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	_, err := config.Load(apptest.WriteFile(t, "cairn.yaml", "sessions: {engines: [{name: hub, kind: jupyterhub, url: 'http://hub', token_file: /nowhere}]}"), environment())
	if err == nil || !strings.Contains(err.Error(), `the token_file of "hub" cannot be read`) {
		t.Errorf("got %v", err)
	}
}
