package app

import (
	"encoding/json"
	"net/http"
)

// matrixOfMembers are the rows of the matrix about members of projects. {offered} is another project of the owner's, which is offered to
// the author; member@example.org, who has never signed in, is a member of both.
var matrixOfMembers = []matrixRow{
	{"list-shared-projects", "GET", "/projects/shared", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-members", "GET", "/projects/{project}/members", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"set-member", "PUT", "/projects/{project}/members/author@example.org", `{"role":"viewer"}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"remove-member", "DELETE", "/projects/{project}/members/member@example.org", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"transfer-project", "POST", "/projects/{project}/transfer", `{"email":"author@example.org"}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"transfer-project", "POST", "/projects/{offered}/transfer", `{"accept":true}`, [7]int{401, 401, 404, 200, 404, 404, 404}},
	{"start-session", "POST", "/sessions", `{"projectId":"{offered}"}`, [7]int{401, 401, 404, 403, 201, 403, 404}},
	{"refuse-project", "DELETE", "/projects/{offered}/transfer", "", [7]int{401, 401, 404, 200, 404, 404, 404}},
}

// addMembers adds members to the owner's projects, and returns what their names in rows stand for.
func (w *matrixWorld) addMembers(project string) []string {
	w.t.Helper()
	status, text := w.request("owner", matrixRow{method: "POST", path: "/projects", body: `{"name":"Offered","repositoryId":"` + w.first("author", "/resources/search?name=public").ID + `"}`})
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != http.StatusCreated {
		w.t.Fatalf("no project was made: %d %s", status, text)
	}
	for _, row := range []matrixRow{
		{method: "PUT", path: "/projects/" + project + "/members/member@example.org", body: `{"role":"editor"}`},
		{method: "PUT", path: "/projects/" + made.ID + "/members/member@example.org", body: `{"role":"viewer"}`},
		{method: "POST", path: "/projects/" + made.ID + "/transfer", body: `{"email":"author@example.org"}`},
	} {
		if status, text := w.request("owner", row); status != http.StatusOK {
			w.t.Fatalf("%s: %d %s", row.path, status, text)
		}
	}
	return []string{"{offered}", made.ID}
}
