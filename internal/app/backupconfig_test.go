package app

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
		looks := strings.Contains(name, "secret") || strings.Contains(name, "password") || strings.HasSuffix(name, "token")
		if (field.Tag.Get("secret") != "" || looks) && !slices.Contains(secretKeys, name) {
			t.Errorf("%s isn't among secretKeys", name)
		}
	})
	file := filepath.Join(t.TempDir(), "cairn.yaml")
	text := "# a secret note\ndatabase_url: postgres://cairn:hunter2@db/cairn\nidp:\n  accounts:\n    - email: ann@example.org\n" +
		"      password_hash: $2a$hunter2 # hunter2\ncodehost: {github: {token: hunter2}}\noidc: {introspection: {client_id: x, client_secret: hunter2}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	content, err := withoutSecrets(file)
	if err != nil || strings.Contains(string(content), "hunter2") || strings.Contains(string(content), "note") ||
		!strings.Contains(string(content), "email: ann@example.org") || strings.Count(string(content), "(left out of the backup)") != 4 {
		t.Errorf("%v\n%s", err, content)
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
