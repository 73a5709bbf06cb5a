package app_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/apptest"
	"cairn/internal/app/config"
	"cairn/internal/app/doctor"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/idp/idptest"
)

// refusals are arrangements with which a server doesn't start.
func refusals() map[string]func(t *testing.T, settings *config.Config) {
	return map[string]func(t *testing.T, settings *config.Config){
		"a rule of the configuration": func(_ *testing.T, settings *config.Config) { settings.Log.Level, settings.OIDC.ClientID = "all", "" },
		"a hash that is cut off": func(_ *testing.T, settings *config.Config) {
			settings.IDP.Accounts = []config.IDPAccount{{Email: "ada@example.org", PasswordHash: apptest.PasswordHash[:40]}}
		},
		"a name that the provider refuses": func(_ *testing.T, settings *config.Config) { settings.PublicURL = "https://my_catalog.example.org" },
		"no site file":                     func(_ *testing.T, settings *config.Config) { settings.Site = "/nowhere.yaml" },
		"a broken site file": func(t *testing.T, settings *config.Config) {
			settings.Site = apptest.WriteFile(t, "site.yaml", "brand: 7\n")
		},
		"half a certificate": func(_ *testing.T, settings *config.Config) { settings.TLS.CertFile = "/etc/cert.pem" },
		"no certificate": func(_ *testing.T, settings *config.Config) {
			settings.TLS = config.TLS{CertFile: "/nowhere.pem", KeyFile: "/nowhere.key"}
		},
		"another key": func(t *testing.T, settings *config.Config) {
			settings.TLS = config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
			apptest.WriteCertificate(t, settings.TLS.CertFile, settings.TLS.KeyFile, 1, time.Hour)
			other := config.TLS{CertFile: filepath.Join(t.TempDir(), "cert.pem"), KeyFile: filepath.Join(t.TempDir(), "key.pem")}
			apptest.WriteCertificate(t, other.CertFile, other.KeyFile, 2, time.Hour)
			settings.TLS.KeyFile = other.KeyFile
		},
		"no data folder":       func(_ *testing.T, settings *config.Config) { settings.Data = "" },
		"a file as the folder": func(t *testing.T, settings *config.Config) { settings.Data = apptest.WriteFile(t, "file", "") },
		"a folder in a file": func(t *testing.T, settings *config.Config) {
			settings.Data = filepath.Join(apptest.WriteFile(t, "file", ""), "below")
		},
		"a file as the caches": func(t *testing.T, settings *config.Config) { inData(t, *settings, "cache", "no folder") },
		"a damaged key":        func(t *testing.T, settings *config.Config) { inData(t, *settings, "idp/signing-key.pem", "damaged") },
		"a damaged secret": func(t *testing.T, settings *config.Config) {
			idptest.Folder(t, filepath.Join(settings.Data, "idp"))
			inData(t, *settings, "idp/mac.key", "damaged")
		},
		"damaged sign-ins": func(t *testing.T, settings *config.Config) {
			idptest.Folder(t, filepath.Join(settings.Data, "idp"))
			inData(t, *settings, "idp/state.json", "damaged")
		},
		"a port in use":         func(t *testing.T, settings *config.Config) { settings.Listen = takenPort(t) },
		"the other port in use": func(t *testing.T, settings *config.Config) { settings.SessionListen = takenPort(t) },
		"one port for both": func(_ *testing.T, settings *config.Config) {
			settings.Listen, settings.SessionListen = "127.0.0.1:8080", ":8080"
		},
		"another machine's address":   func(_ *testing.T, settings *config.Config) { settings.SessionListen = "192.0.2.1:8081" },
		"an unknown kind of database": func(_ *testing.T, settings *config.Config) { settings.DatabaseURL = "mysql://x" },
		"a file that is no database": func(t *testing.T, settings *config.Config) {
			inData(t, *settings, "cairn.db", strings.Repeat("no database", 500))
		},
		"a database in no folder": func(t *testing.T, settings *config.Config) {
			settings.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "none", "cairn.db")
		},
		"a database that doesn't answer": func(_ *testing.T, settings *config.Config) {
			settings.DatabaseURL = "postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=2"
		},
		"a database of a newer version": func(t *testing.T, settings *config.Config) {
			db := otherDatabase(t, settings)
			if err := db.Write(t.Context(), func(tx *sqldb.Tx) error {
				_, err := tx.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)`)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		},
		"an older database": func(t *testing.T, settings *config.Config) {
			noteState(t, settings, `{"clean":true,"size":1,"file":0,"numbers":{"entries":7},"at":"2026-01-02T03:04:05Z"}`)
		},
		"a database copied while it was open": func(t *testing.T, settings *config.Config) {
			noteState(t, settings, `{"clean":false,"size":1,"file":1,"numbers":{},"at":"2026-01-02T03:04:05Z"}`)
		},
		"another server on the database": func(t *testing.T, settings *config.Config) { attach(t, otherDatabase(t, settings), false) },
		"a server that must be alone, another": func(t *testing.T, settings *config.Config) {
			attach(t, otherDatabase(t, settings), true)
			settings.Demo = false
			settings.OIDC.Issuer = "https://login.example.org"
			settings.Sessions.Engines = []config.Engine{{Name: "hub", Kind: "jupyterhub", URL: "http://127.0.0.1:1", Token: "x"}}
		},
	}
}

// noteState makes a database, and what a server noted of it.
func noteState(t *testing.T, settings *config.Config, state string) {
	t.Helper()
	otherDatabase(t, settings)
	if err := os.WriteFile(strings.TrimPrefix(settings.DatabaseURL, "sqlite:")+".state", []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
}

func inData(t *testing.T, settings config.Config, name, content string) {
	t.Helper()
	path := filepath.Join(settings.Data, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func takenPort(t *testing.T) string {
	t.Helper()
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	return taken.Addr().String()
}

// otherDatabase makes a database outside of the data folder.
func otherDatabase(t *testing.T, settings *config.Config) *sqldb.DB {
	t.Helper()
	settings.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "cairn.db")
	db, err := sqldb.Open(t.Context(), settings.DatabaseURL, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func attach(t *testing.T, db *sqldb.DB, alone bool) {
	t.Helper()
	detach, err := db.Attach(context.WithoutCancel(t.Context()), alone)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = detach() })
}

// lines are the sentences of an error.
func lines(err error) []string {
	message := strings.TrimPrefix(fault.MessageOf(err), "The configuration is not usable:\n")
	found := strings.Split(message, "\n")
	for i := range found {
		found[i] = strings.TrimSpace(found[i])
	}
	return found
}

// What serve refuses, config check finds before, in the same words, and leaves everything as it is.
func TestThoroughCheckFindsEveryRefusalOfTheStart(t *testing.T) {
	t.Parallel()
	said := make(chan string, len(refusals()))
	t.Run("each", func(t *testing.T) {
		for name, arrange := range refusals() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				settings := demoConfig(t)
				arrange(t, &settings)
				before := listing(t, settings.Data)
				_, found := doctor.CheckStart(t.Context(), settings)
				if after := listing(t, settings.Data); after != before {
					t.Errorf("the check changes the data folder from\n%s\nto\n%s", before, after)
				}
				refused := runToEnd(t, settings)
				if refused == nil || found == nil || fault.KindOf(found) != fault.Invalid {
					t.Fatalf("the start says %v, the check %v", refused, found)
				}
				for _, line := range lines(refused) {
					if !strings.Contains(fault.MessageOf(found), line) {
						t.Errorf("the start says %q, the check only\n%s", line, fault.MessageOf(found))
					}
				}
				if strings.Contains(found.Error(), "hunter2") {
					t.Error("the check tells a password")
				}
				said <- fault.MessageOf(refused)
			})
		}
	})
	close(said)
	var all strings.Builder
	for one := range said {
		all.WriteString(one + "\n")
	}
	for place, sentence := range sentencesOfTheStart(t) {
		if sentence.MatchString(all.String()) == (elsewhere[place] != "") {
			t.Errorf("%s: either a case above makes serve say %q, or elsewhere says why there is none", place, sentence)
		}
	}
}

// elsewhere says of sentences in the code of the start why no case makes serve say them, by their beginnings.
var elsewhere = map[string]string{
	"The data folder %s can't be locked":                    "a lock that can't be opened is found among the files of the data folder",
	"Another cairn is already serving from the data folder": "the check is for the next start: TestTheCheckBesideARunningServer",
	"The database %s can't be read":                         "a file that can't be read can't be opened, either",
	"database_url must begin with":                          "a rule of the configuration says it before",
	"These tables are at version":                           "only at a restore",
	"The database couldn't be upgraded":                     "a migration fails only where its author erred",
	"The folder %s for the identity provider's keys":        "a folder that can't be used is found among the files of the data folder",
	"The folder %s contains keys":                           "the start closes the folder before",
	"The file %s of the identity provider cannot be":        "a file that can't be used is found among the files of the data folder",
}

// sentencesOfTheStart collects what the code of the start refuses to start for, by beginnings that elsewhere may name.
func sentencesOfTheStart(t *testing.T) map[string]*regexp.Regexp {
	t.Helper()
	found := map[string]*regexp.Regexp{}
	for _, file := range []string{"app.go", "config/tls.go", "installation/database.go", "installation/datafolder.go", "installation/listen.go", "installation/lock.go", "../people/idp/files.go", "../people/idp/options.go", "../foundation/sqldb/sqldb.go", "../foundation/sqldb/filestate.go", "../foundation/sqldb/sqlite.go", "../foundation/sqldb/postgres.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if from, ok := name.X.(*ast.Ident); !ok || from.Name != "fault" {
				return true
			}
			at := map[string]int{"New": 1, "Wrap": 2}[name.Sel.Name]
			if at == 0 {
				return true
			}
			text := literal(call.Args[at])
			place := text
			for beginning := range elsewhere {
				if strings.HasPrefix(text, beginning) {
					place = beginning
				}
			}
			found[place] = regexp.MustCompile(regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(text), `.*`))
			return true
		})
	}
	if len(found) < 10 {
		t.Errorf("only %d sentences were found", len(found))
	}
	return found
}

// literal joins the parts of a constant text.
func literal(expression ast.Expr) string {
	switch part := expression.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(part.Value)
		return text
	case *ast.BinaryExpr:
		return literal(part.X) + literal(part.Y)
	}
	return "%s"
}

// listing describes all files below a folder.
func listing(t *testing.T, folder string) string {
	t.Helper()
	var found strings.Builder
	_ = filepath.Walk(folder, func(path string, about os.FileInfo, err error) error {
		if err == nil {
			found.WriteString(path + " " + about.Mode().String() + " " + strconv.FormatInt(about.Size(), 10) + "\n")
		}
		return nil
	})
	return found.String()
}

func TestTheCheckBesideARunningServer(t *testing.T) {
	t.Parallel()
	settings := smallConfig(t)
	s := start(t, settings)
	settings.Listen = strings.TrimPrefix(s.address, "http://")
	notes, err := doctor.CheckStart(t.Context(), settings)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "A server runs on the data folder "+settings.Data) {
		t.Errorf("%v, %v", notes, err)
	}
	settings.SessionListen = "192.0.2.1:8081"
	if _, err := doctor.CheckStart(t.Context(), settings); err == nil || !strings.Contains(err.Error(), "this machine has no such address") {
		t.Errorf("an address that isn't this machine's: %v", err)
	}
	s.stop()
	if notes, err := doctor.CheckStart(t.Context(), smallConfig(t)); err != nil || notes != nil {
		t.Errorf("of a new installation: %v, %v", notes, err)
	}
}
