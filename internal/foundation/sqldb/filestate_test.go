package sqldb_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
)

const checking = "checking the database"

// served is a database in a folder of its own, as a server has it.
type served struct {
	*sqldb.DB

	width int // of its rows
	log   bytes.Buffer
}

func serve(t *testing.T, path string) (*served, error) {
	t.Helper()
	s := &served{width: 3000}
	var err error
	s.DB, err = sqldb.OpenToServe(t.Context(), "sqlite:"+path, false, time.Now, slog.New(slog.NewTextHandler(&s.log, nil)))
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func mustServe(t *testing.T, path string) *served {
	t.Helper()
	s, err := serve(t, path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write adds rows in one transaction.
func (s *served) write(t *testing.T, names ...string) {
	t.Helper()
	err := s.Write(t.Context(), func(tx *sqldb.Tx) error {
		for _, name := range names {
			if _, err := tx.Count(t.Context(), sqldb.Sessions); err != nil {
				return err
			}
			if _, err := tx.ExecContext(t.Context(), `INSERT INTO tag (id, value) VALUES ($1, $2)`, name, name+strings.Repeat("x", s.width)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func names(from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("%04d", i))
	}
	return names
}

// note writes down the present state, as FollowState does every second.
func (s *served) note(t *testing.T) {
	t.Helper()
	if err := sqldb.NoteState(t.Context(), s.DB); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestAFileThatAServerClosedIsNotCheckedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cairn.db")
	first := mustServe(t, path)
	first.write(t, names(0, 20)...)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := mustServe(t, path)
	if first.log.Len() > 0 || second.log.Len() > 0 {
		t.Errorf("checked: %s%s", &first.log, &second.log)
	}
	// It wasn't closed: as after kill -9.
	if third := mustServe(t, path); !strings.Contains(third.log.String(), checking) {
		t.Errorf("not checked: %q", &third.log)
	}
	if err := second.Close(); err != nil { // another process still has it
		t.Fatal(err)
	}
	if fourth := mustServe(t, path); !strings.Contains(fourth.log.String(), checking) {
		t.Errorf("not checked: %q", &fourth.log)
	}
}

func TestAChangeByACommandHasTheFileChecked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cairn.db")
	if err := mustServe(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	command, err := sqldb.Open(t.Context(), "sqlite:"+path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	(&served{DB: command}).write(t, "one")
	if err := command.Close(); err != nil {
		t.Fatal(err)
	}
	if next := mustServe(t, path); !strings.Contains(next.log.String(), checking) {
		t.Errorf("not checked: %q", &next.log)
	}
}

// accept has the next server start from a file as it is.
func accept(t *testing.T, path string) {
	t.Helper()
	if err := sqldb.AcceptOlder("sqlite:" + path); err != nil {
		t.Fatal(err)
	}
	if doubt, err := sqldb.LookForDoubt(t.Context(), "sqlite:"+path); doubt != nil || err != nil {
		t.Errorf("got %+v, %v", doubt, err)
	}
}

func TestAnOlderFileIsRefusedUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, older := filepath.Join(folder, "cairn.db"), filepath.Join(folder, "older.db")
	s := mustServe(t, path)
	s.write(t, names(0, 5)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	copyFile(t, path, older)
	s = mustServe(t, path)
	s.write(t, names(5, 12)...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(older, path); err != nil {
		t.Fatal(err)
	}
	_, err := serve(t, path)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "is older than its data folder") {
		t.Fatalf("got %v", err)
	}
	doubt, err := sqldb.LookForDoubt(t.Context(), "sqlite:"+path)
	if err != nil || doubt == nil || doubt.Copied || doubt.Missing[sqldb.Sessions] != 7 || len(doubt.Missing) != 1 || time.Since(doubt.Until) > time.Hour {
		t.Fatalf("got %+v, %v", doubt, err)
	}
	accept(t, path)
	if s = mustServe(t, path); !strings.Contains(s.log.String(), checking) {
		t.Errorf("not checked: %q", &s.log)
	}
	if err := errors.Join(s.Close(), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := serve(t, path); fault.KindOf(err) != fault.Conflict {
		t.Errorf("without a file: %v", err)
	}
}

func TestADamagedFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, path string){
		"a page of zeros": func(t *testing.T, path string) { overwrite(t, path, 20*4096, make([]byte, 4096)) },
		"no database":     func(t *testing.T, path string) { overwrite(t, path, 0, bytes.Repeat([]byte("no "), 40)) },
		"cut off": func(t *testing.T, path string) {
			if err := os.Truncate(path, 30*4096); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "cairn.db")
			s := mustServe(t, path)
			s.write(t, names(0, 60)...)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			state, err := os.ReadFile(path + ".state")
			if err == nil {
				err = os.WriteFile(path+".state", bytes.Replace(state, []byte(`"clean":true`), []byte(`"clean":false`), 1), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			damage(t, path)
			if _, err := serve(t, path); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "is damaged") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func overwrite(t *testing.T, path string, at int64, with []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt(with, at)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Such a copy may be in order and lack writes that were acknowledged long before it began.
func TestACopyOfAFileInUseIsRefusedUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, copied := filepath.Join(folder, "cairn.db"), filepath.Join(folder, "copied.db")
	s := mustServe(t, path)
	s.write(t, names(0, 5)...)
	s.note(t)
	for _, part := range []string{"", "-wal", ".state"} {
		copyFile(t, path+part, copied+part)
	}
	if _, err := serve(t, copied); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "was copied while a server had it open") {
		t.Fatalf("got %v", err)
	}
	doubt, err := sqldb.LookForDoubt(t.Context(), "sqlite:"+copied)
	if err != nil || doubt == nil || !doubt.Copied || len(doubt.Missing) > 0 {
		t.Fatalf("got %+v, %v", doubt, err)
	}
	accept(t, copied)
	mustServe(t, copied)

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(folder, "moved.db")
	for _, part := range []string{"", ".state"} {
		copyFile(t, path+part, moved+part)
	}
	if later := mustServe(t, moved); later.log.Len() > 0 {
		t.Errorf("a copy of a file that nobody had open: %s", &later.log)
	}
}
