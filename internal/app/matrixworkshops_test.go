package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// matrixOfWorkshops are the rows of the matrix about workshops. {workshop} is the owner's and open; a guest has its first seat, whose hand
// is up; the author has the second. {planned} is the owner's too.
var matrixOfWorkshops = []matrixRow{
	{"prepare-workshop", "POST", "/workshops", preparedWorkshop, [7]int{401, 401, 403, 403, 201, 403, 201}},
	{"list-workshops", "GET", "/workshops", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"get-room", "GET", "/workshops/room?seats=2&startsAt={start}&endsAt={end}", "", [7]int{401, 401, 403, 403, 200, 403, 200}},
	{"get-workshop", "GET", "/workshops/{workshop}", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"change-workshop", "PATCH", "/workshops/{workshop}", `{"name":"Another name"}`, [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"delete-workshop", "DELETE", "/workshops/{planned}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"delete-workshop", "DELETE", "/workshops/{workshop}", "", [7]int{401, 401, 404, 404, 409, 404, 409}},
	{"list-workshops-of-events", "GET", "/workshops/of-events", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"open-workshop", "POST", "/workshops/{planned}/open", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"renew-workshop", "POST", "/workshops/{workshop}/code", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"extend-workshop", "POST", "/workshops/{workshop}/extend", `{"minutes":1}`, [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"end-workshop", "POST", "/workshops/{workshop}/end", `{"notice":"30m"}`, [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"tell-workshop", "POST", "/workshops/{workshop}/messages", `{"text":"Lunch"}`, [7]int{401, 401, 404, 404, 201, 404, 201}},
	{"hand-out", "POST", "/workshops/{workshop}/handouts", `{"name":"more.csv","content":"MQ=="}`, [7]int{401, 401, 404, 404, 201, 404, 201}},
	{"free-seat", "DELETE", "/workshops/{workshop}/seats/1", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"raise-hand", "POST", "/workshops/{workshop}/seats/1/hand", "", [7]int{401, 401, 404, 404, 403, 404, 403}},
	{"raise-hand", "POST", "/workshops/{workshop}/seats/2/hand", "", [7]int{401, 401, 404, 200, 403, 404, 403}},
	{"lower-hand", "DELETE", "/workshops/{workshop}/seats/1/hand", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"ask-seat", "POST", "/workshops/{workshop}/seats/1/requests", `{"can":"see"}`, [7]int{401, 401, 404, 404, 201, 404, 201}},
	{"get-board", "GET", "/workshops/{workshop}/board", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"get-workshop-report", "GET", "/workshops/{workshop}/report", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"get-workshop-csv", "GET", "/workshops/{workshop}/report.csv", "", [7]int{401, 401, 404, 404, 200, 404, 200}},
	{"show-workshop", "GET", "/join/{key}", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"join-workshop", "POST", "/join/{key}", `{"name":"Ada","code":"{code}"}`, [7]int{201, 401, 201, 201, 201, 403, 201}},
	{"link-workshop-work", "POST", "/join/{key}/work", `{"seat":1,"seatCode":"{seatCode}"}`, [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"fetch-workshop-work", "GET", "/join/{plannedKey}/work.zip", "", [7]int{401, 401, 404, 404, 404, 404, 404}},
}

const preparedWorkshop = `{"name":"A workshop","entry":"{public}","seats":9,"startsAt":"{start}","endsAt":"{end}","timezone":"UTC"}`

// addWorkshops lets the owner host, prepares two workshops, and returns what their names in rows stand for.
func (w *matrixWorld) addWorkshops() []string {
	w.t.Helper()
	start, end := time.Now().Add(2*time.Hour).UTC().Format(time.RFC3339), time.Now().Add(3*time.Hour).UTC().Format(time.RFC3339)
	names := []string{"{start}", start, "{end}", end}
	body := strings.NewReplacer(append(names, "{public}", w.first("author", "/resources/search?name=public").ID)...).Replace(preparedWorkshop)
	var made struct{ ID, JoinAddress, Code string }
	var guest struct{ Token, SeatCode string }
	ask := func(role, method, path, body string, answer any) {
		w.t.Helper()
		status, text := w.request(role, matrixRow{method: method, path: path, body: body})
		if err := json.Unmarshal([]byte(text), answer); err != nil || status >= http.StatusBadRequest {
			w.t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	ask("owner", "POST", "/workshops", body, &made)
	names = append(names, "{planned}", made.ID, "{plannedKey}", made.JoinAddress[strings.LastIndex(made.JoinAddress, "/")+1:])
	ask("owner", "POST", "/workshops", body, &made)
	ask("owner", "POST", "/workshops/"+made.ID+"/open", "", &made)
	key := made.JoinAddress[strings.LastIndex(made.JoinAddress, "/")+1:]
	ask("", "POST", "/join/"+key, `{"name":"Grace","code":"`+made.Code+`"}`, &guest)
	w.tokens["guest"] = guest.Token
	seatCode := guest.SeatCode
	ask("author", "POST", "/join/"+key, `{"code":"`+made.Code+`"}`, &guest)
	ask("guest", "POST", "/workshops/"+made.ID+"/seats/1/hand", "", new(bool))
	return append(names, "{workshop}", made.ID, "{key}", key, "{code}", made.Code, "{seatCode}", seatCode)
}

// TestGuestsOfWorkshopsMayDoLittle sends each request of the matrix of rights with the token of a guest.
func TestGuestsOfWorkshopsMayDoLittle(t *testing.T) {
	allowed := map[string]int{
		"get-config": 200, "get-session": 404, "show-workshop": 200, "join-workshop": 201, "link-workshop-work": 200, "fetch-workshop-work": 404, "raise-hand": 200, "lower-hand": 200,
	}
	for id := range guestCalls {
		if _, known := allowed[id]; !known {
			t.Errorf("say what guests get from %s", id)
		}
	}
	world := newMatrixWorld(t)
	for _, row := range matrix {
		const anonymous, badToken = 0, 1
		status, body := world.request("guest", row)
		want, may := allowed[row.operation]
		switch {
		case row.want[badToken] != http.StatusUnauthorized: // it looks at no token
			want, may = row.want[anonymous], true
		case strings.Contains(row.path, "/seats/2/"): // somebody else's
			want = http.StatusNotFound
		}
		if !may {
			want = http.StatusForbidden
			if !strings.Contains(body, `"guests_cannot"`) && row.method != http.MethodHead {
				t.Errorf("%s %s: %s", row.method, row.path, body)
			}
		}
		if status != want {
			t.Errorf("%s %s %s: got %d %s, want %d", row.method, row.path, row.body, status, body, want)
		}
	}
}
