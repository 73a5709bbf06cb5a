package app_test

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/entries/catalog/index"
)

// answers is what an installation answered under the version that wrote it.
type answers struct {
	StoppedAt time.Time
	Login     struct{ Cookie, RefreshToken string } // of colleague@example.org at the embedded provider
	Hub       []struct {                            // brings a new stand-in to the state that the hub had
		Path string
		Body json.RawMessage
	}
	Calls []call
}

// call is a GET request by an account, or by nobody, and its answer: JSON, or the checksums and names in a zip file. Of
// answers other than 200 only the status counts.
type call struct {
	As, Path string
	Status   int
	Answer   any `json:",omitempty"`
}

// Both installations were written by the version of commit 5c1caa4: demo is a data folder with SQLite, the embedded
// identity provider and sessions of the local engine; institute is a dump of a PostgreSQL database with accounts of an
// external provider and sessions on a JupyterHub, one of which runs. Answers and rows may gain fields but must not lose
// any. Of entries that come with the demo only what people did with them is compared, because a new version may
// describe them differently.
func TestEarlierInstallationsAnswerAsBefore(t *testing.T) {
	t.Run("demo", func(t *testing.T) {
		known := readAnswers(t, "demo")
		settings := installationConfig(t)
		settings.Demo = true
		unpack(t, "demo.tar.gz", settings.Data)
		moveToNow(t, filepath.Join(settings.Data, "idp", "state.json"), known.StoppedAt)
		demo := database{"sqlite", filepath.Join(settings.Data, "cairn.db")}
		before := rowsOf(t, demo)
		s := startInstallation(t, settings, nil)
		expectAnswers(t, known.Calls, func(account string) string {
			token, err := commands.Token(settings, account)
			check(t, err)
			return token
		})
		expectLogin(t, known)
		s.stop()
		expectRows(t, before, rowsOf(t, demo))
	})
	t.Run("institute", func(t *testing.T) {
		known := readAnswers(t, "institute")
		provider := instituteProvider(t)
		settings := installationConfig(t)
		settings.DatabaseURL = restore(t, "institute.sql")
		settings.OIDC.Issuer = "http://" + installationLogin
		settings.Accounts.Enable.Mode = "manual"
		settings.Sessions.Idle, settings.Sessions.OpenIdle = "never", "never"
		settings.Sessions.Engines = []config.Engine{{Name: "hub", Kind: "jupyterhub", URL: instituteHub(t, known), Token: hubToken}}
		institute := database{"pgx", settings.DatabaseURL}
		before := rowsOf(t, institute)
		login := httptest.NewServer(provider.Handler())
		t.Cleanup(login.Close)
		s := startInstallation(t, settings, map[string]string{installationLogin: login.Listener.Addr().String()})
		token := func(account string) string {
			token, err := provider.AccessToken(account, time.Hour)
			check(t, err)
			return token
		}
		expectAnswers(t, known.Calls, token)
		expectRunningSession(t, token("ada@institute.example"))
		s.stop()
		expectRows(t, before, rowsOf(t, institute))
	})
}

const installationAPI = "http://" + installationPage + "/api/v1/rf"

func expectAnswers(t *testing.T, calls []call, token func(account string) string) {
	t.Helper()
	tokens := map[string]string{"": ""}
	for _, one := range calls {
		if _, ok := tokens[one.As]; !ok {
			tokens[one.As] = token(one.As)
		}
		status, body := get(t, installationAPI+one.Path, tokens[one.As])
		if status != one.Status {
			t.Errorf("%s as %q: %d, want %d: %s", one.Path, one.As, status, one.Status, body)
		} else if status == http.StatusOK {
			before, now := packed(one.Answer), packed(answerOf(t, body))
			if strings.Contains(one.Path, "nameSearch=") {
				before, now = foundAgain(before, now)
			}
			if lost := lostFrom(before, now); lost != "" {
				t.Errorf("%s as %q: answer%s", one.Path, one.As, lost)
			}
		}
	}
}

func answerOf(t *testing.T, body []byte) (answer any) {
	t.Helper()
	if !bytes.HasPrefix(body, []byte("PK")) {
		check(t, json.Unmarshal(body, &answer))
		if entry, ok := answer.(map[string]any); ok && entry["notebookSource"] != nil {
			entry["notebookPath"] = entry["notebookSource"] // the former is for frames since, and changes each minute
		}
		return answer
	}
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	check(t, err)
	names := make([]any, len(archive.File))
	for i, file := range archive.File {
		names[i] = fmt.Sprintf("%08x %s", file.CRC32, file.Name)
	}
	return names
}

// packed returns the files of an archive in the order of their names, without git's hooks, which are no longer packed, and
// the note that says so. Other answers it returns as they are.
func packed(answer any) any {
	list, _ := answer.([]any)
	if len(list) == 0 {
		return answer
	}
	if _, file := list[0].(string); !file {
		return answer
	}
	list = slices.DeleteFunc(list, func(one any) bool {
		name := fmt.Sprint(one)
		return strings.HasSuffix(name, "/.git/hooks/") || strings.HasSuffix(name, " About this archive.txt")
	})
	slices.SortFunc(list, func(one, other any) int { return strings.Compare(fmt.Sprint(one), fmt.Sprint(other)) })
	return list
}

// foundAgain returns the entries that a search found before, and those of them that it finds now: a newer search may
// find more.
func foundAgain(before, now any) (earlier, again []any) {
	then, _ := before.(map[string]any)
	today, _ := now.(map[string]any)
	earlier, _ = then["content"].([]any)
	found, _ := today["content"].([]any)
	for _, one := range earlier {
		for _, other := range found {
			if reflect.DeepEqual(one.(map[string]any)["id"], other.(map[string]any)["id"]) {
				again = append(again, other)
			}
		}
	}
	return earlier, again
}

// isFacet reports whether tags are those of a search with their counts, the most used first.
func isFacet(tags []any) bool {
	return slices.ContainsFunc(tags, func(tag any) bool { fields, _ := tag.(map[string]any); return fields["count"] != nil })
}

// byTag orders tags as newer versions do.
func byTag(one, other any) int {
	valueOf := func(tag any) string { fields, _ := tag.(map[string]any); return fmt.Sprint(fields["value"]) }
	return index.CompareTags(valueOf(one), valueOf(other))
}

// lostFrom returns where an answer lacks or changes something of the answer before; "" when nothing is lost.
func lostFrom(before, now any) string {
	switch before := before.(type) {
	case map[string]any:
		now, _ := now.(map[string]any)
		for name, value := range before {
			if tags, ok := value.([]any); ok && name == "tags" && !isFacet(tags) {
				slices.SortFunc(tags, byTag)
			}
			if lost := lostFrom(value, now[name]); lost != "" {
				return "." + name + lost
			}
		}
		return ""
	case []any:
		now, _ := now.([]any)
		if len(now) != len(before) {
			return fmt.Sprintf(" has %d items, want %d: %v", len(now), len(before), now)
		}
		for i, value := range before {
			if lost := lostFrom(value, now[i]); lost != "" {
				return fmt.Sprintf("[%d]%s", i, lost)
			}
		}
		return ""
	}
	if !reflect.DeepEqual(before, now) {
		return fmt.Sprintf(" is %#v, want %#v", now, before)
	}
	return ""
}

// expectLogin continues with a browser that signed in, and with a tab that has a refresh token.
func expectLogin(t *testing.T, known answers) {
	t.Helper()
	const provider, client = "http://" + installationPage + "/idp", "data-catalog-portal"
	query := url.Values{
		"client_id": {client}, "redirect_uri": {"http://" + installationPage + "/oauth_callback"}, "response_type": {"code"}, "scope": {"openid"},
		"prompt": {"none"}, "code_challenge": {strings.Repeat("x", 43)}, "code_challenge_method": {"S256"},
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, provider+"/authorize?"+query.Encode(), http.NoBody)
	check(t, err)
	request.AddCookie(&http.Cookie{Name: "cairn_idp", Value: known.Login.Cookie})
	response, err := http.DefaultTransport.RoundTrip(request)
	check(t, err)
	check(t, response.Body.Close())
	if target, err := response.Location(); err != nil || target.Query().Get("code") == "" {
		t.Errorf("the browser is not signed in: %d %v, %v", response.StatusCode, target, err)
	}

	form := url.Values{"client_id": {client}, "grant_type": {"refresh_token"}, "refresh_token": {known.Login.RefreshToken}}
	request, err = http.NewRequestWithContext(t.Context(), http.MethodPost, provider+"/token", strings.NewReader(form.Encode()))
	check(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	status, body := send(t, request)
	var renewed struct {
		Token string `json:"access_token"`
	}
	check(t, json.Unmarshal(body, &renewed))
	if _, me := get(t, installationAPI+"/accounts/me", renewed.Token); status != http.StatusOK || !bytes.Contains(me, []byte("colleague@example.org")) {
		t.Errorf("the refresh token: %d, who I am: %s", status, me)
	}
}

// expectRunningSession enters the session that runs on the hub, where a stand-in answers with its path.
func expectRunningSession(t *testing.T, token string) {
	t.Helper()
	_, body := get(t, installationAPI+"/sessions?status=RUNNING", token)
	var running []struct{ ID string }
	check(t, json.Unmarshal(body, &running))
	if len(running) != 1 {
		t.Fatalf("running sessions: %s", body)
	}
	_, body = get(t, installationAPI+"/hub/resume/session/"+running[0].ID, token)
	var entry struct{ RedirectURL string }
	check(t, json.Unmarshal(body, &entry))
	status, body := get(t, entry.RedirectURL, "")
	if want := "/user/ada@institute.example/" + running[0].ID + "/tree"; status != http.StatusOK || string(body) != want {
		t.Errorf("the running session: %d %s, want %s", status, body, want)
	}
}

type database struct{ driver, address string }

// ofPeople selects the ids of entries that didn't come with the demo.
const ofPeople = "(SELECT id FROM resource WHERE external_id IS NULL OR external_id NOT LIKE 'demo-%')"

// keptRows are the rows that no migration may lose or change. Other rows expire, count, or change with each version, as
// everything does that comes with the demo.
var keptRows = []string{
	"account", "account_grant", "tag", "star", "project WHERE external_id IS NULL OR external_id NOT LIKE 'demo-%'", "project_dataset", "launch", "meta WHERE key <> 'demo'",
	"resource WHERE id IN " + ofPeople, "resource_tag WHERE resource_id IN " + ofPeople, "resource_author WHERE resource_id IN " + ofPeople,
	"session WHERE status <> 'RUNNING'", "engine_record WHERE content NOT LIKE '%\"Phase\":\"running\"%'",
}

// row maps the names of columns to values.
type row map[string]sql.NullString

func rowsOf(t *testing.T, from database) map[string][]row {
	t.Helper()
	db, err := sql.Open(from.driver, from.address)
	check(t, err)
	defer db.Close()
	found := map[string][]row{}
	for _, which := range keptRows {
		found[which] = readRows(t, db, "SELECT * FROM "+which)
	}
	return found
}

func readRows(t *testing.T, db *sql.DB, query string) (found []row) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	check(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	check(t, err)
	values := make([]sql.NullString, len(columns))
	targets := make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		check(t, rows.Scan(targets...))
		one := row{}
		for i, column := range columns {
			one[column] = values[i]
		}
		found = append(found, one)
	}
	check(t, rows.Err())
	return found
}

func expectRows(t *testing.T, before, after map[string][]row) {
	t.Helper()
	for which, rows := range before {
		for _, want := range rows {
			same := func(now row) bool {
				for column, value := range want {
					if now[column] != value {
						return false
					}
				}
				return true
			}
			if !slices.ContainsFunc(after[which], same) {
				t.Errorf("%s: the row %v is lost", which, want)
			}
		}
	}
}
