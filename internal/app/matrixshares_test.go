package app

import (
	"encoding/json"
	"net/http"
	"strings"
)

// matrixOfShares are the rows of the matrix about shares of sessions. {share} is one of {session}'s, {link} the secret of another one, and
// {request} asks its owner to let the author in. Package shares has a matrix of what those people may do with whom a session is shared.
var matrixOfShares = []matrixRow{
	{"share-session", "POST", "/sessions/{session}/shares", `{"with":{"email":"member@example.org"},"can":"edit"}`, [7]int{401, 401, 404, 404, 201, 404, 404}},
	{"list-shares", "GET", "/sessions/{session}/shares", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-shared-sessions", "GET", "/sessions/shared", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"follow-link", "POST", "/sessions/shared", `{"link":"{link}"}`, [7]int{401, 401, 200, 200, 200, 403, 200}},
	{"follow-link", "POST", "/sessions/shared", `{"link":"GUESS"}`, [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"see-session", "GET", "/sessions/{session}/see", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"follow-session", "GET", "/sessions/{project}/see/events", "", [7]int{401, 401, 404, 404, 404, 404, 404}},
	{"ask-for-share", "POST", "/sessions/{session}/requests", `{"kind":"enter"}`, [7]int{401, 401, 201, 201, 409, 403, 201}},
	{"list-session-requests", "GET", "/sessions/{session}/requests", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-open-requests", "GET", "/sessions/requests", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"answer-request", "PATCH", "/sessions/{session}/requests/{request}", `{"granted":true}`, [7]int{401, 401, 404, 403, 200, 404, 404}},
	{"end-share", "DELETE", "/sessions/{session}/shares/{share}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
}

// addShares shares the owner's session, and returns what its names in rows stand for.
func (w *matrixWorld) addShares(session string) []string {
	w.t.Helper()
	made := map[string]string{}
	for name, row := range map[string]matrixRow{
		"{share}":   {method: "POST", path: "/sessions/" + session + "/shares", body: `{"with":{"email":"other@example.org"},"can":"see"}`},
		"{link}":    {method: "POST", path: "/sessions/" + session + "/shares", body: `{"with":{"link":true},"can":"see"}`},
		"{request}": {method: "POST", path: "/sessions/" + session + "/requests", body: `{"kind":"enter"}`},
	} {
		status, text := w.request(map[bool]string{true: "author", false: "owner"}[name == "{request}"], row)
		var answer struct{ ID, URL string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusCreated {
			w.t.Fatalf("%s: %d %s", row.path, status, text)
		}
		if made[name] = answer.ID; name == "{link}" {
			_, made[name], _ = strings.Cut(answer.URL, "#")
		}
	}
	return []string{"{share}", made["{share}"], "{link}", made["{link}"], "{request}", made["{request}"]}
}
