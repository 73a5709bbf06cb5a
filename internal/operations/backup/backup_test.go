package backup_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/operations/backup"
)

const (
	passphrase = "correct horse battery staple"
	secret     = "c2VjcmV0IG9mIHRoaXMgZGF0YWJhc2U="
)

// installation has a database with a session, its work, and secrets.
type installation struct {
	t       *testing.T
	db      *sqldb.DB
	folder  string // of the session
	options backup.Options
}

func newInstallation(t *testing.T, db *sqldb.DB) *installation {
	t.Helper()
	in := &installation{t: t, db: db, folder: filepath.Join(t.TempDir(), "session")}
	err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
		for _, statement := range []string{
			`INSERT INTO account (id, issuer, subject, email, name, created_at, updated_at) VALUES ('a', 'i', 's', 'ann@example.org', 'Ann', 1, 2)`,
			`INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason, requested, idempotency_key,
				launched_at, created_at, updated_at) VALUES ('s-1', 'n', 'a', 'ann@example.org', '', '{}', 'local', 'RUNNING', '', '', '', 1, 1, 1)`,
			`INSERT INTO session (id, name, account_id, owner_email, project_id, holds, engine, status, status_reason, requested, idempotency_key,
				launched_at, created_at, updated_at) VALUES ('s-2', 'n', 'a', 'ann@example.org', '', '{}', 'hub', 'RUNNING', '', '', '', 1, 1, 1)`,
			`INSERT INTO meta (key, value) VALUES ('demo', 'public'), ('header-image-key', '` + secret + `')`,
		} {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	in.options = backup.Options{
		DB: db, Header: backup.Header{Version: "1.0", PublicURL: "https://cairn.example.org"}, PublicMeta: []string{"demo"},
		Files: map[string][]byte{"config.yaml": []byte("data: data\n"), "site/site.yaml": []byte("brand: {}\n")},
		Keys:  backup.Keys{Files: map[string][]byte{"idp/mac.key": []byte("the key of the provider")}}, Passphrase: passphrase,
		Sessions: func(engine, id string) (backup.Session, bool, error) {
			return backup.Session{Folder: in.folder, Trees: []string{"work", "home"}, Files: map[string][]byte{"record.json": []byte(`{}`)}}, engine == "local", nil
		},
	}
	for _, name := range []string{"work/empty", "work/deep/er", "home"} {
		if err := os.MkdirAll(filepath.Join(in.folder, name), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]fs.FileMode{"work/run.sh": 0o755, "work/deep/er/a b\n<c>": 0o640, "home/closed": 0o400, "token": 0o600} {
		if err := os.WriteFile(filepath.Join(in.folder, name), []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(in.folder, "work/link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(in.folder, "work/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(in.folder, "work/run.sh"), old, old); err != nil {
		t.Fatal(err)
	}
	return in
}

func (in *installation) backUp() (folder string) {
	in.t.Helper()
	folder = filepath.Join(in.t.TempDir(), "backup")
	if _, err := backup.Write(in.t.Context(), folder, in.options); err != nil {
		in.t.Fatal(err)
	}
	return folder
}

// tables returns the rows of a database as a backup has them.
func tables(ctx context.Context, t *testing.T, db *sqldb.DB) string {
	t.Helper()
	snapshot, err := db.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	var all bytes.Buffer
	for _, table := range sqldb.Tables {
		if err := snapshot.WriteTable(ctx, table, &all, nil); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

func TestWhatIsBackedUpIsRestored(t *testing.T) {
	t.Parallel()
	sqldbtest.Each(t, func(t *testing.T, db *sqldb.DB) {
		in := newInstallation(t, db)
		found, err := backup.Open(t.Context(), in.backUp())
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		if found.PublicURL != "https://cairn.example.org" || !found.HasKeys || found.Schema == 0 {
			t.Errorf("%+v", found.Header)
		}
		keys, err := found.Keys(passphrase)
		if err != nil || string(keys.Files["idp/mac.key"]) != "the key of the provider" {
			t.Fatalf("%v %v", keys, err)
		}
		other := sqldbtest.SQLite(t, time.Now)
		if err := found.LoadDatabase(t.Context(), other, keys); err != nil {
			t.Fatal(err)
		}
		if before, after := tables(t.Context(), t, db), tables(t.Context(), t, other); before != after {
			t.Errorf("backed up:\n%s\nrestored:\n%s", before, after)
		}
		if sessions := found.Sessions(); len(sessions) != 1 || sessions[0] != "local/s-1" {
			t.Fatalf("%v", sessions)
		}
		to := filepath.Join(t.TempDir(), "sessions", "local", "s-1")
		if err := found.CopyTo(t.Context(), "local/s-1", to); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"work", "work/empty", "work/deep/er/a b\n<c>", "work/run.sh", "home/closed", "work/link"} {
			was, err := os.Lstat(filepath.Join(in.folder, name))
			if err != nil {
				t.Fatal(err)
			}
			is, err := os.Lstat(filepath.Join(to, name))
			if err != nil || is.Mode() != was.Mode() || is.Mode().IsRegular() && (is.Size() != was.Size() || !is.ModTime().Equal(was.ModTime())) {
				t.Errorf("%q was %v %v, is %v %v", name, was.Mode(), was.ModTime(), is, err)
			}
		}
		if target, err := os.Readlink(filepath.Join(to, "work/link")); err != nil || target != "/etc/passwd" {
			t.Errorf("%s %v", target, err)
		}
		for _, absent := range []string{"work/pipe", "token"} {
			if _, err := os.Lstat(filepath.Join(to, absent)); err == nil {
				t.Errorf("%s was copied", absent)
			}
		}
	})
}

// Programs that back up folders store what didn't change once.
func TestTwoBackupsOfTheSameAreEqual(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, sqldbtest.SQLite(t, func() time.Time { return time.Unix(1_700_000_000, 0) }))
	in.options.Passphrase = "" // what is encrypted differs each time
	first, second := os.DirFS(in.backUp()), os.DirFS(in.backUp())
	err := fs.WalkDir(first, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		a, err := fs.ReadFile(first, name)
		if err != nil {
			return err
		}
		b, err := fs.ReadFile(second, name)
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSecretsAreOnlyInTheEncryptedFile(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, sqldbtest.SQLite(t, time.Now))
	for _, one := range []string{passphrase, ""} {
		in.options.Passphrase = one
		folder := in.backUp()
		err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(name)
			for _, text := range []string{secret, "the key of the provider", passphrase} {
				if bytes.Contains(content, []byte(text)) {
					t.Errorf("%s has %s", name, text)
				}
			}
			if about, err := entry.Info(); err != nil || about.Mode().Perm()&0o077 != 0 {
				t.Errorf("others can read %s (%v)", name, err)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := backup.Open(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := found.Keys("another"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v", err)
		}
		_ = found.Close()
	}
}

func TestDamagedBackupsAreRefused(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, sqldbtest.SQLite(t, time.Now))
	in.options.Passphrase = ""
	for what, c := range map[string]struct {
		damage func(t *testing.T, folder string)
		says   string
	}{
		"no manifest":    {func(t *testing.T, folder string) { remove(t, folder, "manifest.jsonl") }, "never finished"},
		"another format": {replace("manifest.jsonl", "cairn backup 1", "cairn backup 9"), "cairn backup 9"},
		"a file is gone": {func(t *testing.T, folder string) { remove(t, folder, "database/tag.jsonl") }, `"database/tag.jsonl" is missing`},
		"a byte changed": {replace("database/account.jsonl", "Ann", "Ama"), "isn't what the manifest says"},
		"a longer file":  {replace("config.yaml", "data", "data data"), "isn't what the manifest says"},
		"another link": {func(t *testing.T, folder string) {
			remove(t, folder, "sessions/local/s-1/work/link")
			if err := os.Symlink("/etc/shadow", filepath.Join(folder, "sessions/local/s-1/work/link")); err != nil {
				t.Fatal(err)
			}
		}, "isn't what the manifest says"},
		"a path that leads out": {replace("manifest.jsonl", `"path":"config.yaml"`, `"path":"../config.yaml"`), "outside of the backup"},
		"a path below a link":   {replace("manifest.jsonl", `"path":"config.yaml"`, `"path":"sessions/local/s-1/work/link/x"`), "isn't in it"},
		"a path twice":          {replace("manifest.jsonl", `"path":"config.yaml"`, `"path":"database/tag.jsonl"`), "again"},
		"an unknown type":       {replace("manifest.jsonl", `"path":"config.yaml","type":"file"`, `"path":"config.yaml","type":"device"`), "unknown type"},
		"half a manifest": {func(t *testing.T, folder string) {
			if err := os.Truncate(filepath.Join(folder, "manifest.jsonl"), 500); err != nil {
				t.Fatal(err)
			}
		}, "is damaged"},
	} {
		t.Run(what, func(t *testing.T) {
			folder := in.backUp()
			c.damage(t, folder)
			found, err := backup.Open(t.Context(), folder)
			if found != nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), c.says) {
				t.Errorf("%v, want a refusal that says %q", err, c.says)
			}
		})
	}
}

func remove(t *testing.T, folder, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
}

func replace(name, old, with string) func(t *testing.T, folder string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		path := filepath.Join(folder, name)
		content, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(content, []byte(old)) {
			t.Fatalf("%v: %s", err, content)
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte(old), []byte(with)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABackupNeedsAnEmptyFolder(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, sqldbtest.SQLite(t, time.Now))
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Write(t.Context(), folder, in.options); fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "isn't empty") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v %v", entries, err)
	}
}
