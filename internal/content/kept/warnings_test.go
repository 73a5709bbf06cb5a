package kept_test

import (
	"testing"

	"cairn/internal/content/secretscan"
	"cairn/internal/entries/contribute"
)

// Files that look as if they had a secret in them are named before anybody else can read them: by their names, and by what is in them.
func TestSecretsInUploadsAreNamed(t *testing.T) {
	w := newWorld(t)
	token := "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	archive := zipOf(t, member{name: "study/.env", text: "A=b\n"}, member{name: "study/run.py", text: "login('" + token + "')\n"}, member{name: "study/plain.csv", text: "a,b\n"})
	for name, ids := range map[string][]string{
		"files":      {w.file(ada, "study/.env", "A=b\n"), w.file(ada, "study/run.py", "login('"+token+"')\n"), w.file(ada, "study/plain.csv", "a,b\n")},
		"an archive": {w.send(ada, archive, "filename", "study.zip")},
	} {
		found, err := w.kept.Describe(w.as(ada), contribute.NewContent{Upload: ids})
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]secretscan.Kind{}
		for _, one := range found.Warnings {
			kinds[one.Path] = one.Kind
		}
		if len(kinds) != 2 || kinds[".env"] != secretscan.EnvFile || kinds["run.py"] != secretscan.Token {
			t.Errorf("%s: %v", name, found.Warnings)
		}
	}
}
