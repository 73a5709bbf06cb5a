package app_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"cairn/internal/app/commands"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

// What isn't text gets an answer that blames the request wherever the server looks something up outside of its API, too: no
// page, harvest, feed, badge, sign-in or session passes it on to a database that refuses it.
func TestWhatIsNotTextIsNoFaultOfThePages(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"SQLite": func(testing.TB) string { return "" }, "PostgreSQL": sqldbtest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := demoConfig(t)
			settings.DatabaseURL = database(t)
			s := start(t, settings)
			token, err := commands.Token(settings, "researcher@example.org")
			if err != nil {
				t.Fatal(err)
			}
			sessions := regexp.MustCompile(`Sessions at http://\{kind\}-\{id\}\.(localhost:\d+)`).FindStringSubmatch(s.out.String())[1]
			id := "01900000-0000-7000-8000-000000000001"
			ask := func(method, address, host, path, form string) {
				t.Helper()
				request, err := http.NewRequestWithContext(t.Context(), method, address+path, strings.NewReader(form))
				if err != nil {
					t.Fatal(path, err)
				}
				if form != "" {
					request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				}
				request.Host = host
				request.Header.Set("Authorization", "Bearer "+token)
				response, err := http.DefaultTransport.RoundTrip(request)
				if err != nil {
					t.Errorf("%s %s%s %s: %v", method, host, path, form, err)
					return
				}
				defer response.Body.Close()
				if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s %s%s %s: %d %.300s %v", method, host, path, form, response.StatusCode, body, err)
				}
			}
			for _, text := range []string{"%00", "a%00b", "%ff", "caf%e9", "%ed%a0%80"} {
				for _, path := range []string{
					"/TEXT", "/id/TEXT", "/run/TEXT", "/badge/TEXT.svg", "/badge/TEXT.json", "/badge/" + id + "TEXT.svg", "/events/TEXT.ics", "/events/TEXT", "/site/TEXT",
					"/resources/notebooks/TEXT", "/resources/datasets/TEXT", "/resources/TEXT/" + id, "/projects/TEXT", "/people/TEXT", "/assets/TEXT",
					"/resources?nameSearch=TEXT", "/resources?tag=TEXT", "/resources?type=TEXT", "/resources?sort=TEXT", "/resources?pageNumber=TEXT", "/resources?lastRun=TEXT", "/TEXT?TEXT=TEXT",
					"/oai?verb=TEXT", "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=TEXT", "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:127.0.0.1:TEXT",
					"/oai?verb=ListRecords&metadataPrefix=TEXT", "/oai?verb=ListRecords&metadataPrefix=oai_dc&from=TEXT", "/oai?verb=ListRecords&metadataPrefix=oai_dc&set=TEXT",
					"/oai?verb=ListRecords&resumptionToken=TEXT", "/oai?verb=ListMetadataFormats&identifier=TEXT", "/feed.atom?nameSearch=TEXT", "/feed.atom?tag=TEXT", "/feed.atom?type=TEXT",
					"/.well-known/api-catalog?x=TEXT", "/sitemap.xml?page=TEXT", "/demo/git/TEXT/info/refs?service=git-upload-pack", "/demo/git/TEXT/info/refs?service=TEXT", "/demo/notebooks/TEXT", "/demo/workflows/TEXT",
					"/idp/authorize?client_id=TEXT&redirect_uri=TEXT&response_type=code&state=TEXT&nonce=TEXT", "/idp/authorize?client_id=data-catalog-portal&redirect_uri=TEXT&login_hint=TEXT",
					"/idp/logout?id_token_hint=TEXT&post_logout_redirect_uri=TEXT", "/idp/login?id=TEXT", "/idp/TEXT",
				} {
					ask(http.MethodGet, s.address, "", strings.ReplaceAll(path, "TEXT", text), "")
				}
				for _, form := range []string{
					"verb=GetRecord&metadataPrefix=oai_dc&identifier=TEXT", "grant_type=TEXT&code=TEXT", "grant_type=authorization_code&client_id=data-catalog-portal&code=TEXT&redirect_uri=TEXT&code_verifier=TEXT",
					"grant_type=refresh_token&client_id=data-catalog-portal&refresh_token=TEXT", "email=TEXT&password=TEXT&account=TEXT&csrf=TEXT",
				} {
					for _, path := range []string{"/oai", "/idp/token", "/idp/login", "/idp/revoke", "/idp/userinfo", "/idp/logout"} {
						ask(http.MethodPost, s.address, "", path, strings.ReplaceAll(form, "TEXT", text))
					}
				}
				loop := "http://127.0.0.1:" + sessions[strings.IndexByte(sessions, ':')+1:]
				for _, host := range []string{"s-" + id, "n-" + id} {
					for _, path := range []string{
						"/TEXT", "/.cairn/TEXT", "/.cairn/assets/TEXT", "/.cairn/s/TEXT/enter?ticket=TEXT", "/.cairn/s/" + id + "/enter?ticket=TEXT&to=TEXT", "/.cairn/s/" + id + "/launch?x=TEXT",
						"/.cairn/s/TEXT/events", "/.cairn/s/TEXT/work.zip", "/.cairn/s/" + id + "/work.zip?ticket=TEXT", "/s/TEXT/", "/s/" + id + "/TEXT", "/n/TEXT/", "/n/" + id + "/?ticket=TEXT", "/n/" + id + "/picture?file=TEXT&address=TEXT",
					} {
						ask(http.MethodGet, loop, host+"."+sessions, strings.ReplaceAll(path, "TEXT", text), "")
					}
				}
			}
			// A query that reaches a place where it is looked up shows that the paths above are those of the server.
			for _, path := range []string{"/oai?verb=Identify", "/feed.atom", "/sitemap.xml", "/resources?nameSearch=" + url.QueryEscape("spike"), "/.well-known/api-catalog"} {
				if answer, body := s.get(path, ""); answer.StatusCode != http.StatusOK {
					t.Errorf("%s: %d %.200s", path, answer.StatusCode, body)
				}
			}
		})
	}
}
