package app

import (
	"sync"
	"testing"

	"cairn/internal/app/config"
	"cairn/internal/entries/archives"
	"cairn/internal/entries/archives/archivestest"
	"cairn/internal/entries/codehost"
	"cairn/internal/people/connections"
)

// matrixOfConnections has the calls about connected accounts.
var matrixOfConnections = []matrixRow{
	{"list-connections", "GET", "/account/connections", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"connect-account", "POST", "/account/connections/git", `{"token":"x"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"connect-account", "POST", "/account/connections/git", "", [7]int{401, 401, 422, 422, 422, 403, 422}},
	{"connect-account", "POST", "/account/connections/nowhere", `{"code":"a","state":"b"}`, [7]int{401, 401, 404, 404, 404, 403, 404}},
	{"keep-connection", "PUT", "/account/connections/git", `{"keep":true}`, [7]int{401, 401, 404, 404, 404, 403, 404}},
	{"delete-connection", "DELETE", "/account/connections/git", "", [7]int{401, 401, 404, 404, 404, 404, 404}},
}

// archivesOf returns the client of the archive of all worlds.
func archivesOf(p *program) []*archives.Client {
	p.config.Keeping.Archives = []config.Archive{{Name: "archive", Kind: "zenodo", URL: archive().Zenodo.URL()}}
	return p.openArchives()
}

// archive is the stand-in for an archive that all worlds share.
var archive = sync.OnceValue(func() *archivestest.Server {
	server, _ := archivestest.Start()
	return server
})

// connectionsOf opens connections with one host, which takes every token.
func connectionsOf(t *testing.T, p *program, hosts *codehost.Hosts) *connections.Connections {
	t.Helper()
	host := codehost.ConnectionOf(codehost.ConnectionOptions{Kind: "git", Name: "git", URL: "https://git.example.org", Client: p.webClient()})
	opened, _, err := p.connectAccounts(codeHosts{Hosts: hosts, connect: append(archiveHosts(archivesOf(p)), host)})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}
