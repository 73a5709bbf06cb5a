package secretscan_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/sys/unix"

	"cairn/internal/content/secretscan"
)

const (
	alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	hex          = "0123456789abcdef"
	upper        = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// drawn returns characters that look random and are always the same. Tests put their tokens together with it, so that this repository
// has none in it.
func drawn(length int, letters string) string {
	made, state := make([]byte, length), uint64(length)*2654435761+uint64(len(letters))
	for i := range made {
		state = state*6364136223846793005 + 1442695040888963407
		made[i] = letters[(state>>33)%uint64(len(letters))]
	}
	return string(made)
}

// texts opens files from their texts.
func texts(files map[string]string) secretscan.Source {
	return func(path string) (io.ReadCloser, error) {
		text, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

// scan searches one file.
func scan(t *testing.T, name, text string) []secretscan.Warning {
	t.Helper()
	report, err := secretscan.Scan(t.Context(), texts(map[string]string{name: text}), []string{name})
	if err != nil || len(report.Unread) > 0 || report.More {
		t.Fatalf("%+v, %v", report, err)
	}
	return report.Warnings
}

// kinds writes warnings as codes with hosts.
func kinds(warnings []secretscan.Warning) string {
	var codes []string
	for _, one := range warnings {
		codes = append(codes, strings.TrimSuffix(string(one.Kind)+":"+one.Host, ":"))
	}
	return strings.Join(codes, " ")
}

// webToken returns a signed token with claims that mean nothing.
func webToken() string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"sub":"carla","exp":1790000000}`) + "." + drawn(43, alphanumeric)
}

func begin(kind string) string { return "-----BEGIN " + kind + "PRIVATE" + " KEY-----" }

func TestContent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		begin("") + "\n" + drawn(64, alphanumeric):                                              "private_key",
		begin("RSA ") + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\n" + drawn(64, alphanumeric): "private_key",
		begin("OPENSSH ") + "\r\n" + drawn(70, alphanumeric):                                    "private_key",
		`{"private_key_x": "` + begin("") + `\n` + drawn(64, alphanumeric) + `\n"}`:             "private_key",
		"PuTTY-User-Key-" + "File-3: ssh-ed25519":                                               "private_key",
		"AGE-SECRET-" + "KEY-1" + drawn(58, upper):                                              "private_key",
		"x = 'gh" + "p_" + drawn(36, alphanumeric) + "'":                                        "token:github",
		"github_" + "pat_" + drawn(82, alphanumeric):                                            "token:github",
		"gl" + "pat-" + drawn(20, alphanumeric):                                                 "token:gitlab",
		"AK" + "IA" + drawn(16, upper):                                                          "token:aws",
		"AI" + "za" + drawn(35, alphanumeric):                                                   "token:google",
		"sk-" + "proj-" + drawn(120, alphanumeric+"_-"):                                         "token:openai",
		"sk-" + drawn(48, alphanumeric):                                                         "token:openai",
		"sk-" + "ant-api03-" + drawn(90, alphanumeric):                                          "token:anthropic",
		`login("hf` + "_" + drawn(34, alphanumeric) + `")`:                                      "token:huggingface",
		"py" + "pi-AgE" + drawn(120, alphanumeric+"_-"):                                         "token:pypi",
		"//registry/:_authToken=np" + "m_" + drawn(36, alphanumeric):                            "generic_secret token:npm",
		"xo" + "xb-" + drawn(50, "0123456789"+alphanumeric):                                     "token:slack",
		"https://hooks.slack." + "com/services/T0" + drawn(40, alphanumeric):                    "token:slack",
		`{"text": "a\nb\ngh` + "o_" + drawn(36, alphanumeric) + `"}`:                            "token:github",
		"\x1b[32mhf" + "_" + drawn(34, alphanumeric) + "\x1b[0m":                                "token:huggingface",
		"a " + webToken():                                                      "jwt",
		"Authorization: Bearer " + webToken():                                  "jwt generic_secret",
		"postgresql://carla:" + "tr0ub4dor@db.uni.test/x":                      "password_in_address",
		"git clone https://carla:p%40ss" + "w0rt@host/x.git":                   "password_in_address",
		"curl -s -u carla:" + "tr0ub4dor https://host":                         "password_in_address",
		"curl https://a\ncurl --user 'carla:" + "tr0ub4dor' https://host":      "password_in_address",
		"aws_secret_access_" + "key = " + drawn(40, alphanumeric+"/+"):         "generic_secret",
		`os.environ["ZENODO_` + `TOKEN"] = "` + drawn(60, alphanumeric) + `"`:  "generic_secret",
		`Sys.setenv(API_` + `KEY = '` + drawn(32, hex) + `')`:                  "generic_secret",
		`token <- "` + drawn(40, alphanumeric) + `"`:                           "generic_secret",
		`token: str = "` + drawn(40, alphanumeric) + `"`:                       "generic_secret",
		"https://host/api?access_" + "token=" + drawn(60, alphanumeric) + "&x": "generic_secret",
		`{"client_` + `secret": "` + drawn(32, alphanumeric) + `"}`:            "generic_secret",
		`"x = \"a\"\ntoken = \"` + drawn(40, alphanumeric) + `\""`:             "generic_secret",
		`password = "tr0ub` + `4dor&3"`:                                        "generic_secret",
		"DB_PASSWORD=tr0ub" + "4dor&3":                                         "generic_secret",
		"İİİ password: 'korrekt" + "-pferd-7'":                                 "generic_secret",
	} {
		if got := kinds(scan(t, "a.txt", text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\x00", "\xff\xfe", strings.Repeat("\x80", 999),
		drawn(40, hex), drawn(64, hex), "sha256:" + drawn(64, hex), "commit " + drawn(40, hex),
		`"key": "` + drawn(64, hex) + `"`, "etag = '" + drawn(32, hex) + "'", "6fa459ea-ee8a-4ca4-894e-db77e160355e",
		`{"id": "6fa459ea-ee8a-4ca4-894e-db77e160355e", "primary_key": "` + drawn(32, hex) + `"}`,
		`token = "YOUR_TOKEN"`, `token = "your-token-goes-here-1-2-3"`, `api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"`, "api_key = <API_KEY>",
		"gh" + "p_" + strings.Repeat("x", 36), "hf" + "_" + strings.Repeat("a", 34), "AK" + "IA" + "IOSFODNN7EXAMPLE", "hf_transfer hf_hub_download",
		`password = "password"`, `password = getpass("Password: ")`, `password: "********"`, "password = os.environ['PASSWORD_1']",
		`password = "${PASSWORD_1}"`, "passwords: 12", "PASSWORD=changeme1", `token = tokenizer.next_token(1)`, "token == 'abc1def2'",
		`csrf_token = "` + drawn(40, alphanumeric) + `"`, `nextPageToken: "` + drawn(40, alphanumeric) + `"`, `tokens = "` + drawn(40, alphanumeric) + `"`,
		`token_type="` + drawn(40, alphanumeric) + `"`, "token=sha256_of_the_whole_content", `"token": "gpt2-tokenizer-large-v1"`,
		"https://user:password@host", "https://user:{password}@host", "https://$USER:$PASS@host", "https://host:8080/@scope/a", "postgres://postgres:postgres@db/x",
		"https://host/a:b@c", "see http://a.b: or c@d.e", "https://name@host/x", "https://abc:xyz@example.com", "OLDPWD='/home/a1/b2'", "password = password1", "curl -u user:password https://host", "curl -u $A:$B https://host",
		"if '" + begin("") + "' in text:", "-----BEGIN PUBLIC " + "KEY-----\n" + drawn(64, alphanumeric), begin("") + "\n...\n",
		"<div class=\"sk-toggleable__content fitted sk-container-id-1 sk-estimator-doc-link\">", "sk-learn-" + drawn(20, alphanumeric),
		strings.Repeat(drawn(1000, "ACGT"), 100), ">seq1\n" + drawn(5000, "ACDEFGHIKLMNPQRSTVWY"),
		`!function(e,t){"use strict";var token=e.token||t(9),n=e.key="a1b2";e.password=function(a){return a},r.secret=o(1e3)}(window,"` + drawn(900, alphanumeric) + `");`,
		"eyJhbGciOiJIUzI1NiJ9", "data:image/png;base64," + drawn(20000, alphanumeric+"+/"), "eyJ.eyJ.eyJ", "Authorization: Bearer <token>",
	} {
		if got := scan(t, "a.py", text); len(got) > 0 {
			t.Errorf("%.200q: %s", text, kinds(got))
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		".env": "env_file", "a/.env.local": "env_file", "prod.env": "env_file", ".Renviron": "env_file", ".envrc": "env_file",
		".env.example": "", ".env.sample": "", "example.env.template": "", ".env.template": "", "sample.example.env": "", "environment.yml": "", "env": "",
		".netrc": "credentials_file", "home/.pypirc": "credentials_file", ".aws/credentials": "credentials_file", "kaggle.json": "credentials_file",
		".git-credentials": "credentials_file", "Kaggle.JSON": "credentials_file", "client_secret_1.json": "credentials_file", "secrets.toml": "credentials_file",
		"id_rsa": "private_key", ".ssh/id_ed25519": "private_key", "id_rsa.bak": "private_key", "id_rsa.pub": "", "a.p12": "private_key", "A.PFX": "private_key",
		"node_modules/a/.env": "", "venv/lib/credentials": "", "x/site-packages/id_rsa": "", "": "", "/": "", ".": "", "..": "", "[": "", "a\n\x00\xff/[x": "",
		"a\n\xff/.env": "env_file", "node_modules": "",
	} {
		if got := kinds(scan(t, name, "x")); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Pictures, fonts, lock files and what others published aren't even opened.
func TestWhatIsNotRead(t *testing.T) {
	t.Parallel()
	paths := []string{"a.PNG", "a.woff2", "go.sum", "web/package-lock.json", "poetry.lock", "node_modules/x/a.js", ".venv/lib/x.py", "a.p12"}
	report, err := secretscan.Scan(t.Context(), func(path string) (io.ReadCloser, error) {
		t.Errorf("%s is opened", path)
		return nil, fs.ErrNotExist
	}, paths)
	if err != nil || kinds(report.Warnings) != "private_key" || len(report.Unread) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + drawn(36, alphanumeric)
	got := scan(t, "d/a.py", "\r\n\r\nx = '"+token+"'\r\ny = '"+token+"'\r\npass"+"word = 'tr0ub4dor'\r\n")
	want := []secretscan.Warning{
		{Path: "d/a.py", Kind: secretscan.GenericSecret, Line: 5},
		{Path: "d/a.py", Kind: secretscan.Token, Host: "github", Line: 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(fmt.Sprint(got), token[4:10]) {
		t.Error("the secret is in the warning")
	}
	wide := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune("é\nx = '" + token + "'")) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	if got := scan(t, "a.csv", string(wide)); len(got) != 1 || got[0].Line != 2 {
		t.Errorf("UTF-16: %+v", got)
	}
	if got := scan(t, "a.pkl", "\x80\x04\x00\x8c\x28"+token+"\x94\x00"); kinds(got) != "token:github" {
		t.Errorf("binary: %+v", got)
	}
}

// notebook returns a notebook with a source and an output in its second cell.
func notebook(t *testing.T, source, output any) string {
	t.Helper()
	cells := []any{map[string]any{"cell_type": "markdown", "source": "# x"}, map[string]any{"cell_type": "code", "source": source, "outputs": []any{output}}}
	text, err := json.MarshalIndent(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": cells}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNotebooks(t *testing.T) {
	t.Parallel()
	token := "hf" + "_" + drawn(34, alphanumeric)
	picture := map[string]any{"data": map[string]any{"image/png": drawn(60000, alphanumeric+"+/") + "\n", "text/plain": []string{"<Figure size 640x480>"}}}
	for name, one := range map[string]struct {
		text, want string
	}{
		"source":     {notebook(t, []string{"a = 1\n", "password = \"tr0ub" + "4dor&\"\n"}, picture), "generic_secret"},
		"printed":    {notebook(t, "x", map[string]any{"output_type": "stream", "text": []string{"a\n", token + "\n"}}), "token:huggingface"},
		"one text":   {notebook(t, "x", map[string]any{"output_type": "stream", "text": "a\n" + token}), "token:huggingface"},
		"traceback":  {notebook(t, "x", map[string]any{"traceback": []string{"\x1b[0;31mHTTPError\x1b[0m", "\x1b[33m" + token + "\x1b[39m"}}), "token:huggingface"},
		"JSON":       {notebook(t, "x", map[string]any{"data": map[string]any{"application/json": map[string]any{"api_" + "key": drawn(40, alphanumeric)}}}), "generic_secret"},
		"key":        {notebook(t, []string{begin("") + "\n", drawn(64, alphanumeric) + "\n"}, picture), "private_key"},
		"escaped":    {strings.Replace(notebook(t, "SECRET", picture), "SECRET", `\u0068f`+token[2:], 1), "token:huggingface"},
		"picture":    {notebook(t, "plot()", picture), ""},
		"hashes":     {notebook(t, "x", map[string]any{"text": drawn(64, hex) + "\n6fa459ea-ee8a-4ca4-894e-db77e160355e"}), ""},
		"no numbers": {strings.Replace(notebook(t, token, picture), "{", `{"x": NaN, `, 1), "token:huggingface"},
		"cut":        {strings.TrimRight(notebook(t, "x = '"+token+"'", picture), "}] \n"), "token:huggingface"},
		"cut inside": {`{"cells": [{"source": ["a\n", "x = \"` + token + `\"\n`, "token:huggingface"},
		"no JSON":    {"the token " + token, "token:huggingface"},
		"empty":      {"", ""},
	} {
		got := scan(t, "n.IPYNB", one.text)
		if kinds(got) != one.want {
			t.Errorf("%s: %q, want %q", name, kinds(got), one.want)
		}
		if name == "printed" && (got[0].Cell != 2 || got[0].Line != 0) {
			t.Errorf("%+v", got[0])
		}
	}
	old := `{"nbformat": 3, "metadata": {"x": "` + token + `"}, "worksheets": [{"cells": [{"input": "x = 'gl` + "pat-" + drawn(20, alphanumeric) + `'"}]}]}`
	if got := scan(t, "old.ipynb", old); kinds(got) != "token:gitlab token:huggingface" || got[0].Cell != 1 || got[1].Cell != 0 {
		t.Errorf("%+v", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	token := "\ngh" + "p_" + drawn(36, alphanumeric) + "\n"
	files := map[string]string{
		"end":  strings.Repeat("a\n", secretscan.MaxBytes/2-len(token)/2-1) + token,
		"over": strings.Repeat("a\n", secretscan.MaxBytes/2) + token,
	}
	report, err := secretscan.Scan(t.Context(), texts(files), []string{"end", "over", "missing", "x/.env"})
	if err != nil || report.Partial != 1 || len(report.Unread) != 2 || kinds(report.Warnings) != "token:github env_file" {
		t.Errorf("%+v, %v", report, err)
	}
	var paths []string
	for i := range secretscan.MaxWarnings {
		paths = append(paths, fmt.Sprintf("%d/.env", i))
	}
	open := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil }
	if report, err := secretscan.Scan(t.Context(), open, paths); err != nil || len(report.Warnings) != secretscan.MaxWarnings || report.More {
		t.Errorf("%d, %v, %v", len(report.Warnings), report.More, err)
	}
	report, err = secretscan.Scan(t.Context(), open, append(paths, "last/.env"))
	if err != nil || len(report.Warnings) != secretscan.MaxWarnings || !report.More {
		t.Errorf("%d, %v, %v", len(report.Warnings), report.More, err)
	}
}

// broken is a file that ends with an error after some text.
type broken struct{ io.Reader }

func (b broken) Read(into []byte) (int, error) {
	n, err := b.Reader.Read(into)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	open := func(string) (io.ReadCloser, error) {
		return io.NopCloser(broken{strings.NewReader("gh" + "p_" + drawn(36, alphanumeric))}), nil
	}
	report, err := secretscan.Scan(t.Context(), open, []string{"a"})
	if err != nil || len(report.Unread) != 1 || kinds(report.Warnings) != "token:github" {
		t.Errorf("%+v, %v", report, err)
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	open := func(string) (io.ReadCloser, error) {
		cancel()
		return io.NopCloser(strings.NewReader("gh" + "p_" + drawn(36, alphanumeric))), nil
	}
	report, err := secretscan.Scan(ctx, open, []string{"a", "b", ".env"})
	if !errors.Is(err, context.Canceled) || kinds(report.Warnings) != "env_file" || !slices.Equal(report.Unread, []string{"a", "b", ".env"}) {
		t.Errorf("what is known by its name, and what wasn't searched: %+v, %v", report, err)
	}
	if _, err := secretscan.Scan(ctx, nil, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestFromFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	token := []byte("gh" + "p_" + drawn(36, alphanumeric))
	outside := filepath.Join(t.TempDir(), "outside")
	for _, err := range []error{
		os.WriteFile(filepath.Join(folder, "a\nb.txt"), token, 0o600), os.WriteFile(outside, token, 0o600),
		os.Symlink("a\nb.txt", filepath.Join(folder, "inside")), os.Symlink(outside, filepath.Join(folder, "escape")),
		os.Symlink("loop", filepath.Join(folder, "loop")), unix.Mkfifo(filepath.Join(folder, "pipe"), 0o600), os.Mkdir(filepath.Join(folder, "folder"), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"a\nb.txt", "inside", "escape", "loop", "pipe", "folder", "missing", "../" + filepath.Base(folder) + "/inside", outside, "", "a\x00b"}
	report, err := secretscan.Scan(t.Context(), secretscan.FromFolder(root), paths)
	if err != nil || kinds(report.Warnings) != "token:github token:github" || len(report.Unread) != len(paths)-2 {
		t.Errorf("%+v, %v", report, err)
	}
}

// floods are texts in which nearly every place begins one of the rules and none is a secret.
func floods() [][]byte {
	var all [][]byte
	for _, unit := range []string{
		"token = ", "secret_key: \"", "://a:", "://" + strings.Repeat("a", 310), "curl ", "curl -u a:", "eyJ.", " eyJ" + strings.Repeat("a", 1000), "bearer ",
		base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256"}`)) + ".a.b ", "ya" + "29.", "SG.", "hooks.slack." + "com/services/",
		begin("") + " ", "PRIVATE KEY", "AKIA ", "\x1b[", "\x1b[0", "[", `{"a":`, `\n`, "passw=\"", "ghp_", " ghp_aA1", "\"", "key=key=",
	} {
		all = append(all, bytes.Repeat([]byte(unit), 1<<20/len(unit)))
	}
	for _, cell := range []string{"{}", `["a a a a a a"]`} {
		all = append(all, []byte(`{"nbformat": 4, "cells": [`+strings.Repeat(cell+",", 1<<20/len(cell))+cell+"]}"))
	}
	return all
}

func TestFloods(t *testing.T) {
	t.Parallel()
	for _, flood := range floods() {
		for _, name := range []string{"a", "a.ipynb"} {
			if got := scan(t, name, string(flood)); len(got) > 0 {
				t.Errorf("%.40q: %s", flood, kinds(got))
			}
		}
	}
}

func BenchmarkFloods(b *testing.B) {
	for _, flood := range floods() {
		b.Run(fmt.Sprintf("%.12q", flood), func(b *testing.B) {
			b.SetBytes(int64(len(flood)))
			for b.Loop() {
				_, _ = secretscan.Scan(b.Context(), texts(map[string]string{"a": string(flood), "a.ipynb": string(flood)}), []string{"a", "a.ipynb"})
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	f.Add("a.txt", "token = \"a\" https://a:b@c curl -u a:b eyJ.eyJ.x")
	f.Add("n.ipynb", `{"nbformat": 4, "cells": [{"source": ["a\n"], "x": {"y": [1, null, {}]}}]}`)
	f.Add(".env", begin("")+"\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		report, err := secretscan.Scan(t.Context(), texts(map[string]string{name: text}), []string{name})
		if err != nil || len(report.Unread) > 0 || report.Partial > 0 {
			t.Errorf("%+v, %v", report, err)
		}
		for _, one := range report.Warnings {
			if one.Path != name || (one.Host != "") != (one.Kind == secretscan.Token) {
				t.Errorf("%+v", one)
			}
		}
	})
}
