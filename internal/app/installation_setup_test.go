package app_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/idp"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

const (
	installationPage     = "127.0.0.1:18080" // where browsers found the installations
	installationSessions = ".localhost:18081"
	installationLogin    = "127.0.0.1:18060" // the institute's identity provider
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readInstallation(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "installations", name))
	check(t, err)
	return content
}

func readAnswers(t *testing.T, name string) (known answers) {
	t.Helper()
	check(t, json.Unmarshal(readInstallation(t, name+".answers.json"), &known))
	return known
}

func installationConfig(t *testing.T) config.Config {
	t.Helper()
	settings := config.Default()
	settings.Listen, settings.SessionListen = freeAddress(t), freeAddress(t)
	settings.PublicURL, settings.SessionURL = "http://"+installationPage, "http://{kind}-{id}"+installationSessions
	settings.Data, settings.Log.Level = filepath.Join(t.TempDir(), "data"), "error"
	return settings
}

// startInstallation serves under the addresses that the installation had, because accounts belong to the address of
// their identity provider. elsewhere maps further addresses to where they should lead.
func startInstallation(t *testing.T, settings config.Config, elsewhere map[string]string) *server {
	t.Helper()
	before := http.DefaultTransport
	http.DefaultTransport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case address == installationPage:
			address = settings.Listen
		case strings.HasSuffix(address, installationSessions):
			address = settings.SessionListen
		case elsewhere[address] != "":
			address = elsewhere[address]
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(func() { http.DefaultTransport = before })
	return start(t, settings)
}

func unpack(t *testing.T, name, folder string) {
	t.Helper()
	check(t, os.MkdirAll(folder, 0o700))
	uncompressed, err := gzip.NewReader(bytes.NewReader(readInstallation(t, name)))
	check(t, err)
	for archive := tar.NewReader(uncompressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(t, err)
		path := filepath.Join(folder, filepath.FromSlash(header.Name))
		if header.Typeflag == tar.TypeDir {
			check(t, os.MkdirAll(path, header.FileInfo().Mode().Perm()))
			continue
		}
		content, err := io.ReadAll(archive)
		check(t, err)
		check(t, os.WriteFile(path, content, header.FileInfo().Mode().Perm()))
	}
}

var timeInFile = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

// moveToNow shifts the times in a file as if the installation had just been stopped: logins expire.
func moveToNow(t *testing.T, path string, stoppedAt time.Time) {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, err)
	age := time.Since(stoppedAt)
	check(t, os.WriteFile(path, timeInFile.ReplaceAllFunc(content, func(text []byte) []byte {
		at, err := time.Parse(time.RFC3339, string(text))
		check(t, err)
		return []byte(at.Add(age).Format(time.RFC3339Nano))
	}), 0o600))
}

// restore loads a dump into a new database and returns its address.
func restore(t *testing.T, name string) (address string) {
	t.Helper()
	address = sqldbtest.Postgres(t)
	db, err := sql.Open("pgx", address)
	check(t, err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), string(readInstallation(t, name)))
	check(t, err)
	return address
}

func instituteProvider(t *testing.T) *idp.Provider {
	t.Helper()
	options := idp.Options{
		Issuer: "http://" + installationLogin, ClientID: config.Default().OIDC.ClientID, ChooseAccount: true,
		Dir: filepath.Join(t.TempDir(), "idp"), Product: func() string { return "The institute" }, Logger: slog.New(slog.DiscardHandler),
	}
	for _, name := range []string{"Ada", "Ben", "Ops"} {
		options.Accounts = append(options.Accounts, idp.Account{Email: strings.ToLower(name) + "@institute.example", Name: name})
	}
	provider, err := idp.New(options)
	check(t, err)
	return provider
}

const hubToken = "token-of-the-service"

func instituteHub(t *testing.T, known answers) (address string) {
	t.Helper()
	server := httptest.NewServer(hubtest.New(hubToken, 0))
	t.Cleanup(server.Close)
	for _, one := range known.Hub {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+one.Path, bytes.NewReader(one.Body))
		check(t, err)
		request.Header.Set("Authorization", "token "+hubToken)
		if status, body := send(t, request); status >= http.StatusBadRequest {
			t.Fatalf("%s: %d %s", one.Path, status, body)
		}
	}
	return server.URL
}

// send follows redirects and keeps the cookies they set.
func send(t *testing.T, request *http.Request) (status int, body []byte) {
	t.Helper()
	cookies, err := cookiejar.New(nil)
	check(t, err)
	response, err := (&http.Client{Jar: cookies}).Do(request)
	check(t, err)
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	check(t, err)
	return response.StatusCode, body
}

func get(t *testing.T, address, token string) (status int, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	check(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, request)
}
