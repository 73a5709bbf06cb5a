package idp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

func TestOptionsReportAllFaultsAtOnce(t *testing.T) {
	const secret = "$argon2i$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA"
	_, err := New(Options{
		Issuer: "http://catalog.example.org/idp", RedirectURIs: []string{"/oauth_callback"},
		PostLogoutRedirectURIs: []string{"https://example.org/*"},
		AllowedOrigins:         []string{"https://page.example.org/", "*"},
		Accounts: []Account{
			{Email: "ann", PasswordHash: testHash()},
			{Email: "bob@example.org"},
			{Email: "BOB@example.org", PasswordHash: secret},
			{Email: "eve@example.org", PasswordHash: "$2a$31$" + strings.Repeat("a", 53)},
		},
	})
	if fault.KindOf(err) != fault.Invalid {
		t.Fatalf("got %v", err)
	}
	found := map[string]string{}
	for _, field := range err.(*fault.Fault).Fields {
		found[field.Location] = field.Message
	}
	for location, word := range map[string]string{
		"issuer": "must be https", "client_id": "missing", "dir": "missing", "redirect_uris[0]": "not an absolute",
		"post_logout_redirect_uris[0]": "wildcard", "allowed_origins[0]": `"https://page.example.org"`,
		"allowed_origins[1]": "not an absolute", "accounts[0].email": "not an e-mail",
		"accounts[1].password_hash": "missing", "accounts[2].email": "twice",
		"accounts[2].password_hash": "neither argon2id nor bcrypt", "accounts[3].password_hash": "cost is 31",
	} {
		if !strings.Contains(found[location], word) {
			t.Errorf("%s: %q, want %q", location, found[location], word)
		}
		delete(found, location)
	}
	if len(found) > 0 {
		t.Errorf("unexpected: %v", found)
	}
	if strings.Contains(err.Error(), secret) {
		t.Error("a hash is in the message")
	}
}

func TestIssuers(t *testing.T) {
	for issuer, good := range map[string]bool{
		"https://catalog.example.org": true, "https://catalog.example.org/idp": true, "http://127.0.0.1:8080/idp": true,
		"http://localhost:8080/idp": true, "http://[::1]:8080/idp": true, "http://catalog.localhost/idp": true,
		"http://127.0.0.1.example.org/idp": false, "http://10.0.0.1/idp": false, "http://localhost.example.org": false,
		"": false, "ftp://localhost/": false, "https://user@example.org": false, "https://example.org/idp/": false,
		"https://example.org/idp?x=y": false, "https://example.org/#x": false, "https://example.org/{x}": false,
		"https://example.org;x/idp": false, "https://example.org/a b": false, "//example.org/idp": false,
	} {
		if problem := checkIssuer(issuer); (problem == "") != good {
			t.Errorf("%q: %q", issuer, problem)
		}
	}
}

func TestWithoutAccountsNobodyStarts(t *testing.T) {
	_, err := New(Options{Issuer: "https://example.org", ClientID: "c", Dir: t.TempDir(), ChooseAccount: true})
	if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.MessageOf(err), "At least one account") {
		t.Errorf("got %v", err)
	}
}

func TestFolderThatOthersReadIsRefused(t *testing.T) {
	w := newWorld(t)
	w.check(os.Chmod(w.options.Dir, 0o750))
	if _, err := New(w.options); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("got %v", err)
	}
	if found := CheckDir(w.options.Dir); len(found) != 1 || !strings.Contains(found[0].Error(), "chmod 700") {
		t.Errorf("the check finds %v", found)
	}
}

func TestBrokenFilesAreNamed(t *testing.T) {
	for _, name := range []string{signingKeyFile, macKeyFile, stateFile} {
		w := newWorld(t)
		w.check(os.WriteFile(filepath.Join(w.options.Dir, name), []byte("broken"), 0o600))
		_, err := New(w.options)
		if err == nil || !strings.Contains(fault.MessageOf(err), name) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if found := CheckDir(w.options.Dir); len(found) != 1 || found[0].Error() != err.Error() {
			t.Errorf("%s: the check finds %v", name, found)
		}
	}
	if found := CheckDir(filepath.Join(t.TempDir(), "none")); found != nil {
		t.Errorf("no folder: %v", found)
	}
}

func TestTwoProcessesMakeOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	made, err := readOrCreate(path, func() ([]byte, error) {
		// Another process is faster.
		return []byte("slow"), os.WriteFile(path, []byte("fast"), 0o600)
	})
	if err != nil || string(made) != "fast" {
		t.Errorf("got %q, %v", made, err)
	}
}

func TestPasswordHashes(t *testing.T) {
	hash := HashPassword("secret")
	if problem := checkHash(hash); problem != "" || !passwordMatches(hash, "secret") || passwordMatches(hash, "Secret") ||
		hash == HashPassword("secret") {
		t.Errorf("%s: %s", hash, problem)
	}
	const bcrypted = "$2y$12$abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123"
	if problem := checkHash(bcrypted); problem != "" {
		t.Error(problem)
	}
	for bad, why := range map[string]string{
		"": "missing", "secret": "isn't the hash of a password", "$ecret": "isn't the hash", hash[1:]: "isn't the hash", "$2b$10$short": "60 characters",
		bcrypted[:59]: "60 characters", bcrypted + "x": "60 characters", bcrypted[:59] + "$": "60 characters",
		"$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA":         "costs are out of bounds",
		"$argon2id$v=16$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA":        "cut off",
		"$argon2id$v=19$m=999999999,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA": "costs are out of bounds",
		"$argon2id$v=19$m=64,t=1,p=1x$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA":       "cut off",
		"$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$":                              "cut off", hash + "$x": "cut off", "$argon2id$v=19$m=19456": "cut off", hash[:len(hash)-30]: "cut off",
		"$argon2i$v=19$m=64,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA": "neither argon2id nor bcrypt", "$6$salt$hash": "neither", "$2x$12$" + bcrypted[7:]: "neither",
		"{SSHA}aGFzaA==": "neither", "pbkdf2_sha256$600000$salt$hash": "neither", "scrypt:32768:8:1$salt$hash": "neither",
	} {
		problem := checkHash(bad)
		if !strings.Contains(problem, why) || !strings.Contains(problem, "cairn password") {
			t.Errorf("%q: %q, want %q", bad, problem, why)
		}
		if len(bad) > 6 && strings.Contains(problem, bad) {
			t.Errorf("%q is repeated", bad)
		}
	}
}
