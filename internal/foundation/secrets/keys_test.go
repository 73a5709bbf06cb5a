package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestWhatIsSealedIsOpenedWithItsKeyAlone(t *testing.T) {
	one, err := OpenOrMake(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := one.Seal([]byte("canary"))
	if err != nil || strings.Contains(sealed, "canary") {
		t.Fatal(sealed, err)
	}
	if plain, old, err := one.Unseal(sealed); err != nil || old || string(plain) != "canary" {
		t.Errorf("its own key: %q %v %v", plain, old, err)
	}
	other, err := OpenOrMake(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]*Keys{"another": other, "none": nil} {
		if _, _, err := keys.Unseal(sealed); !errors.Is(err, ErrKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := one.Unseal(sealed[:len(sealed)-8] + "AAAAAAAA"); !errors.Is(err, ErrKey) {
		t.Errorf("a changed text: %v", err)
	}
}

func TestKeysAreRotatedWithTwoLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	before, err := OpenOrMake(path)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := before.Seal([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(t.TempDir(), "key")
	if _, err := OpenOrMake(newer); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(newer)
	second, _ := os.ReadFile(path)
	if err := os.WriteFile(path, []byte("# since autumn\n"+string(first)+"\n"+string(second)), 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, old, err := both.Unseal(sealed)
	if err != nil || !old || string(plain) != "text" {
		t.Errorf("sealed before: %q %v %v", plain, old, err)
	}
	again, err := both.Seal(plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := before.Unseal(again); !errors.Is(err, ErrKey) {
		t.Errorf("sealed with the old key: %v", err)
	}
}

func TestAKeyFileIsOneOrIsRefused(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"empty": "", "word": "password\n", "cut": "AGE-SECRET-KEY-1QQQ\n"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); fault.KindOf(err) != fault.Invalid || strings.Contains(err.Error(), "QQQ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	open := filepath.Join(folder, "open")
	if _, err := OpenOrMake(open); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOrMake(open); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a key that others read: %v", err)
	}
}

func TestServersThatStartTogetherMakeOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	var all [4]*Keys
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() {
			keys, err := OpenOrMake(path)
			if err != nil {
				t.Error(err)
				return
			}
			all[i] = keys
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	sealed, err := all[0].Seal([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range all {
		if _, _, err := keys.Unseal(sealed); err != nil {
			t.Error(err)
		}
	}
}
