package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The configuration in a backup has no secret. A new key that is or looks like one has to be left out.
func TestTheConfigurationInABackupHasNoSecrets(t *testing.T) {
	t.Parallel()
	walkFields(reflect.TypeFor[Config](), func(field reflect.StructField) {
		name := field.Tag.Get("yaml")
		isText := field.Type.Kind() == reflect.String && !strings.HasSuffix(name, "_file")
		looks := isText && (strings.Contains(name, "secret") || strings.Contains(name, "password") || strings.HasSuffix(name, "token"))
		if (field.Tag.Get("secret") != "" || looks) && !slices.Contains(secretKeys, name) {
			t.Errorf("%s isn't among secretKeys", name)
		}
	})
	content := redacted(t)
	for _, gone := range []string{"hunter2", "note"} {
		if strings.Contains(content, gone) {
			t.Errorf("%s is in\n%s", gone, content)
		}
	}
	if !strings.Contains(content, "email: ann@example.org") {
		t.Errorf("got\n%s", content)
	}
}

// redacted returns what a backup has of a configuration with each secret key.
func redacted(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cairn.yaml")
	text := "# a secret note\ndatabase_url: postgres://cairn:hunter2@db/cairn\nidp:\n  accounts:\n    - email: ann@example.org\n" +
		"      password_hash: $2a$hunter2 # hunter2\ncodehost: {github: {token: hunter2}}\noidc: {introspection: {client_id: x, client_secret: hunter2}}\n" +
		"sessions: {engines: [{name: hub, kind: jupyterhub, url: https://hub.example.org, token: hunter2}], pip: {index_url: https://a:hunter2@pypi.example.org}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := WithoutSecrets(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A configuration out of a backup isn't used before what was left out is there again.
func TestTheCheckNamesWhatABackupLeftOut(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cairn.yaml")
	if err := os.WriteFile(file, []byte(redacted(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	const fill = ": was left out of the backup; write it here again, or remove the key"
	want := []string{
		"codehost.github.token" + fill, "database_url" + fill,
		`idp.accounts: "ann@example.org": password_hash: was left out of the backup; make one with cairn password and write it in quotes`,
		"oidc.introspection.client_secret" + fill, `sessions.engines: "hub": token` + fill, "sessions.pip.index_url" + fill,
	}
	if got := settings.AllFaults(); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if settings, err = Load(file, []string{"CAIRN_DATABASE_URL=sqlite:x.db"}); err != nil || slices.Contains(settings.AllFaults(), "database_url"+fill) {
		t.Errorf("the variable isn't used: %v", err)
	}
}

func walkFields(of reflect.Type, visit func(field reflect.StructField)) {
	switch of.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map:
		walkFields(of.Elem(), visit)
	case reflect.Struct:
		for field := range of.Fields() {
			visit(field)
			walkFields(field.Type, visit)
		}
	}
}
