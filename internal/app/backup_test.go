package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/app/transfer"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/idp/idptest"
)

// A backup of a server that runs is restored on the other system, and shows the same to the same people.
func TestABackupOfARunningServerIsServedElsewhere(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	settings.Listen = freeAddress(t) // the same for both: the provider's accounts belong to its address
	s := start(t, settings)
	token, err := commands.Token(settings, "researcher@example.org")
	if err != nil {
		t.Fatal(err)
	}
	const entries, starred = "/api/v1/rf/resources/public?pageSize=100", "/api/v1/rf/resources/researcher%40example.org/stars"
	_, list := s.get(entries, "")
	var page struct{ Content []struct{ ID string } }
	if err := json.Unmarshal([]byte(list), &page); err != nil || len(page.Content) < 30 {
		t.Fatalf("%v %s", err, list)
	}
	if answer, text := s.send(http.MethodPut, "/api/v1/rf/resources/"+page.Content[0].ID+"/star", token, ""); answer.StatusCode >= 300 {
		t.Fatalf("%d %s", answer.StatusCode, text)
	}
	kept := map[string]string{}
	for _, path := range keepVersions(t, "http://"+settings.Listen, token) {
		answer, text := s.get(path, "")
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", path, answer.StatusCode, text)
		}
		kept[path] = text
	}
	_, list = s.get(entries, "") // with the star
	_, stars := s.get(starred, token)
	folder := filepath.Join(t.TempDir(), "backup")
	exported := func(settings config.Config) string {
		var lines strings.Builder
		if err := transfer.Export(t.Context(), settings, "-", &lines, io.Discard); err != nil {
			t.Fatal(err)
		}
		return lines.String()
	}
	lines := exported(settings)
	if !strings.Contains(lines, `{"kind":"star"`) {
		t.Errorf("no star in %s", lines)
	}
	var out strings.Builder
	if err := commands.Backup(t.Context(), settings, "", folder, "a passphrase", "test", false, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "Backed up to "+folder) {
		t.Errorf("%s", out.String())
	}
	s.stop()

	restored := settings
	restored.Data = filepath.Join(t.TempDir(), "restored")
	restored.DatabaseURL = sqldbtest.Postgres(t)
	out.Reset()
	if err := commands.Restore(t.Context(), folder, restored.Data, restored.DatabaseURL, "a passphrase", &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Set database_url to what") || strings.Contains(out.String(), "keys") {
		t.Errorf("%s", out.String())
	}
	if exported(restored) != lines {
		t.Error("the restored installation exports something else")
	}
	again := start(t, restored)
	if _, after := again.get(entries, ""); after != list {
		t.Errorf("was %s, is %s", list, after)
	}
	for path, before := range kept {
		if _, after := again.get(path, ""); after != before {
			t.Errorf("%s was %s, is %s", path, before, after)
		}
	}
	if answer, after := again.get(starred, token); after != stars || !strings.Contains(after, page.Content[0].ID) {
		t.Errorf("stars with the token of before: %d, was %s, is %s", answer.StatusCode, stars, after)
	}
}

func TestAnExportReplacesItsFileAtTheEnd(t *testing.T) {
	t.Parallel()
	settings := config.Default()
	settings.Data = t.TempDir()
	name := filepath.Join(t.TempDir(), "export.jsonl")
	if err := os.WriteFile(name, []byte("an earlier one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := transfer.Export(t.Context(), settings, name, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(name)
	if err != nil || strings.Contains(string(content), "earlier") {
		t.Errorf("%q %v", content, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 1 {
		t.Errorf("something else was left: %v", entries)
	}
	err = transfer.Export(t.Context(), settings, filepath.Join(name, "below"), io.Discard, io.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "can't be written") {
		t.Errorf("got %v", err)
	}
}

func TestRestoreTouchesNothingThatIsInUse(t *testing.T) {
	t.Parallel()
	settings := demoConfig(t)
	idptest.Folder(t, filepath.Join(settings.Data, "idp"))
	folder := filepath.Join(t.TempDir(), "backup")
	if err := commands.Backup(t.Context(), settings, "", folder, "", "test", false, io.Discard); err != nil {
		t.Fatal(err)
	}
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "cairn.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := commands.Restore(t.Context(), folder, used, "", "", io.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "isn't empty") {
		t.Errorf("into a folder in use: %v", err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	err = commands.Restore(t.Context(), folder, fresh, "", "a passphrase", io.Discard)
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "no keys") {
		t.Errorf("with a passphrase for no keys: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if err := commands.Restore(t.Context(), folder, fresh, "sqlite:"+other, "", io.Discard); err != nil {
		t.Fatal(err)
	}
	enabled := settings
	enabled.DatabaseURL = "sqlite:" + other
	if err := commands.ChangeAccounts(t.Context(), enabled, commands.EnableAccount, []string{"ann@example.org"}, io.Discard); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "second")
	err = commands.Restore(t.Context(), folder, second, "sqlite:"+other, "", io.Discard)
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), "database isn't empty") {
		t.Errorf("into a database in use: %v", err)
	}
	prepared := filepath.Join(t.TempDir(), "prepared")
	if err := os.Mkdir(prepared, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := commands.Restore(t.Context(), folder, prepared, "sqlite:"+other, "", io.Discard); fault.KindOf(err) != fault.Conflict {
		t.Errorf("into a database in use, with a folder that is there: %v", err)
	}
	if info, err := os.Stat(prepared); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("the folder that was there before is now %v, %v", info, err)
	}
	for _, name := range []string{second, second + ".restoring", prepared + ".restoring"} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was left", name)
		}
	}
	if err := commands.Restore(t.Context(), folder, prepared, "", "", io.Discard); err != nil {
		t.Errorf("into the folder that was there: %v", err)
	}
}
