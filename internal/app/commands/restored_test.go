package commands

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/operations/backup"
)

func TestARestoreSaysWhatIsLeftToDo(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const another, none, moved, removed = "names another data folder (/old): set data to /new, else", "names no data folder: set data to /new, else",
		"Set database_url to what you gave with --database-url", "Remove database_url: the rows are in /new/cairn.db."
	const unused, missing = "has keys (keys.age), which weren't restored", "The backup has no keys"
	all := []string{another, none, moved, removed, unused, missing}
	for name, test := range map[string]struct {
		restoration
		says []string
	}{
		"the same folder":    {restoration{config: []byte("data: /new/\n"), withKeys: true}, nil},
		"a relative one":     {restoration{config: []byte("data: x\n"), data: filepath.Join(here, "x"), withKeys: true}, nil},
		"another folder":     {restoration{config: []byte("data: /old\n"), withKeys: true}, []string{another}},
		"no file":            {restoration{config: []byte("# There was no configuration file.\n"), withKeys: true}, []string{none}},
		"another database":   {restoration{config: []byte("data: /new\ndatabase_url: " + config.LeftOut), databaseURL: "postgres://a:hunter2@db/x", withKeys: true}, []string{moved}},
		"SQLite again":       {restoration{config: []byte("data: /new\ndatabase_url: " + config.LeftOut), withKeys: true}, []string{removed}},
		"without passphrase": {restoration{config: []byte("data: /new\n")}, []string{unused, "remove /new and restore again with --passphrase-file"}},
		"without, a database": {
			restoration{config: []byte("data: /new\n"), databaseURL: "postgres://db/x"},
			[]string{moved, unused, "remove /new, empty the database, and restore again"},
		},
		"without keys": {restoration{Backup: &backup.Backup{}, config: []byte("data: /new\n")}, []string{missing}},
	} {
		if test.Backup == nil {
			test.Backup = &backup.Backup{HasKeys: true}
		}
		if test.data == "" {
			test.data = "/new"
		}
		said := strings.Join(test.report(), "\n")
		for _, one := range append(all, test.says...) {
			if expected := slices.Contains(test.says, one); strings.Contains(said, one) != expected {
				t.Errorf("%s: %q, want %t, in\n%s", name, one, expected, said)
			}
		}
		for _, one := range []string{"Put config.yaml and site/", "2. Give " + test.data, "3. Run cairn config check", `"Restore" in docs/operate.md`} {
			if !strings.Contains(said, one) {
				t.Errorf("%s: %q is missing in\n%s", name, one, said)
			}
		}
		if strings.Contains(said, "hunter2") {
			t.Errorf("%s: a password is in\n%s", name, said)
		}
	}
}

func TestARestoreThatCannotMakeItsFolderSaysWhatToDo(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Data = t.TempDir()
	top := apptest.OpenFolder(t)
	folder, closed := filepath.Join(top, "backup"), filepath.Join(top, "closed")
	if err := Backup(t.Context(), settings, "", folder, "", "test", false, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(closed, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := filepath.WalkDir(folder, func(name string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = os.Chown(name, apptest.Nobody, apptest.Nobody)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	apptest.WithoutRights(t, func() {
		data := filepath.Join(closed, "data")
		err := Restore(t.Context(), folder, data, "", "", io.Discard)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), data+".restoring can't be used: permission denied. Restore as root") {
			t.Errorf("in a closed folder: %v", err)
		}
	})
	data := filepath.Join(top, "data")
	if err := os.Mkdir(data+".restoring", 0o700); err != nil {
		t.Fatal(err)
	}
	err := Restore(t.Context(), folder, data, "", "", io.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "of a restore that was interrupted or still runs. If none runs, remove it") {
		t.Errorf("after an interrupted restore: %v", err)
	}
}
