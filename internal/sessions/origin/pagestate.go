package origin

import (
	"encoding/json"
	"net/http"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sizes"
)

// pageState is what the script in a session's page learns about the session: nothing that the session's code may not
// know, because that code can read and send everything that the script does.
type pageState struct {
	// Code is "running", "starting", "stopping", "ended", "sign_in" (the cookie has ended), "refused" or "unavailable".
	Code string `json:"code"`
	Text string `json:"text,omitempty"` // why it has ended or is refused, for people
	Run  string `json:"run,omitempty"`  // a different one for each start of the session
	// SignIn is how many seconds the cookie still lasts without a sign-in. It is absent until signInNotice before the end:
	// otherwise the session's code would learn when its owner was last in the catalog.
	SignIn int    `json:"signIn,omitempty"`
	Open   string `json:"open"` // the address in the catalog that signs in and leads back with ?next=PATH

	Session *runState `json:"session,omitempty"` // while it runs
}

// pageLink is a page of the catalog with its name.
type pageLink struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// refuseState is refuse for the script.
func (p pages) refuseState(w http.ResponseWriter, status int, id, text string) {
	state := pageState{Code: "unavailable", Text: text, Open: p.openAddress(id, "")}
	switch status {
	case http.StatusUnauthorized:
		state.Code, state.Text = "sign_in", ""
	case http.StatusForbidden:
		state.Code = "refused"
	}
	sendState(w, status, state)
}

func sendState(w http.ResponseWriter, status int, state pageState) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(state)
}

// restoredFile is a path that was restored in place, for the script in the session's pages.
type restoredFile struct {
	Path string `json:"path"` // escaped as in the address of its contents; "" is everything
	At   int64  `json:"at"`   // microseconds, as in ReadHeader
}

// The requests of the script in the pages of a session.
var (
	stateRoute = "GET " + ownPath("{id}", "state")
	keepRoute  = "POST " + ownPath("{id}", "keep")
	stopRoute  = "POST " + ownPath("{id}", "stop")
)

// runState is what a page says about a running session.
type runState struct {
	Catalog pageLink       `json:"catalog"`           // by the product's name
	Home    pageLink       `json:"home"`              // what the session was started from
	Saving  *savingState   `json:"saving,omitempty"`  // absent: its engine keeps no versions
	StopsIn int            `json:"stopsIn,omitempty"` // seconds until it is stopped if nothing happens in it; absent: it isn't
	MayKeep bool           `json:"mayKeep"`           // whether keepRoute puts that off
	Warning string         `json:"warning,omitempty"` // Session.Warning, as it is now
	Usage   sessions.Usage `json:"usage"`
	Limits  sizes.Limits   `json:"limits"`
	Contact string         `json:"contact,omitempty"` // of the operators
	Jupyter string         `json:"jupyter"`           // the path of Jupyter at this origin, with a slash at both ends
	Editor  string         `json:"editor,omitempty"`  // the path of VS Code at this origin; absent: the session has none

	Guest   string           `json:"guest,omitempty"`   // the name of the owner, to somebody whom they let in; absent: it's the owner's own page
	Share   string           `json:"share,omitempty"`   // the page on which the owner shares the session
	Present []sessions.Visit `json:"present,omitempty"` // who else is there

	Workshop any `json:"workshop,omitempty"` // what its workshop says; absent outside workshops

	Job *jobState `json:"job,omitempty"` // what was executed last without a page; absent: nothing

	Restored []restoredFile `json:"restored,omitempty"` // in place, since it was started
}

// savingState is what a page says about the saved versions of its session.
type savingState struct {
	Ago     int    `json:"ago"`               // seconds since the last one was saved; -1: there is none yet
	Stopped string `json:"stopped,omitempty"` // why none are saved at the moment
	URL     string `json:"url"`               // of the page with all of them
	Publish string `json:"publish"`           // the page on which its owner publishes files of the session
}
