package commands_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cairn/internal/app/apptest"
	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"
)

func TestCheckOfAnEngineSaysWhatToMend(t *testing.T) {
	t.Parallel()
	token := apptest.WriteFile(t, "token", "the-token-of-the-service\n")
	for name, one := range map[string]struct {
		trouble func(hub *hubtest.Hub)
		engine  string
		says    []string // on success
		fix     string
	}{
		"all is well": {says: []string{
			"The hub is JupyterHub 3.0.0.", "has all scopes", "The service cairn-work answers.", "step repository", "A session was ready after",
			"only to its own token", "can be downloaded after it's stopped", "without leaving anything behind",
		}},
		"by its name":     {engine: "hub", says: []string{"without leaving anything behind"}},
		"another name":    {engine: "cluster", fix: `There is no engine named "cluster"`},
		"another token":   {trouble: func(hub *hubtest.Hub) { hub.Token = "another" }, fix: "The hub rejected the token"},
		"missing scopes":  {trouble: func(hub *hubtest.Hub) { hub.Lack("tokens", "read:hub") }, fix: "The service lacks these scopes: tokens, read:hub."},
		"a hub that fell": {trouble: func(hub *hubtest.Hub) { hub.Fail(http.StatusServiceUnavailable) }, fix: "No JupyterHub answers"},
	} {
		t.Run(name, func(t *testing.T) {
			hub := hubtest.New("the-token-of-the-service", 0)
			if one.trouble != nil {
				one.trouble(hub)
			}
			server := httptest.NewServer(hub)
			defer server.Close()
			settings, err := config.Load(apptest.WriteFile(t, "cairn.yaml", `sessions: {engines: [{name: hub, kind: jupyterhub, url: "`+server.URL+`", token_file: "`+token+`"}]}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			err = commands.CheckEngine(t.Context(), settings, one.engine, "https://github.com/o/n", &said)
			if one.fix == "" && err != nil || one.fix != "" && !strings.Contains(fault.MessageOf(err), one.fix) {
				t.Errorf("got %v after\n%s", err, said.String())
			}
			for _, want := range one.says {
				if !strings.Contains(said.String(), want) {
					t.Errorf("%q is not in\n%s", want, said.String())
				}
			}
			if strings.Contains(said.String(), "the-token-of-the-service") || hub.Active() != 0 || hub.Tokens() != 0 {
				t.Errorf("%d servers and %d tokens are left after\n%s", hub.Active(), hub.Tokens(), said.String())
			}
		})
	}
}
