package workshops_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
)

func TestHandsAreRaised(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(3)
		one, two := w.join(about, "Ada"), w.join(about, "Grace")
		hand := func(seat int) string { return fmt.Sprintf("/workshops/%s/seats/%d/hand", about.ID, seat) }
		w.want(http.StatusOK, http.MethodPost, hand(1), "", "", "Authorization", "Bearer "+one.Token)
		w.Clock.Advance(90 * time.Second)
		w.want(http.StatusOK, http.MethodPost, hand(1), "", "", "Authorization", "Bearer "+one.Token)
		if seat := w.board(about).Seats[0]; !seat.HandUp || seat.WaitingSeconds != 90 {
			t.Errorf("a hand that is up stays as long up: %+v", seat)
		}
		w.want(http.StatusNotFound, http.MethodPost, hand(1), "", "", "Authorization", "Bearer "+two.Token)
		w.want(http.StatusNotFound, http.MethodDelete, hand(1), "", "", "Authorization", "Bearer "+two.Token)
		w.want(http.StatusForbidden, http.MethodPost, hand(2), "ann", "")
		w.want(http.StatusNotFound, http.MethodDelete, hand(1), "bob", "")
		w.want(http.StatusUnauthorized, http.MethodPost, hand(1), "", "")
		w.want(http.StatusNotFound, http.MethodDelete, hand(3), "ann", "")
		w.want(http.StatusOK, http.MethodDelete, hand(1), "ann", "")
		if seat := w.board(about).Seats[0]; seat.HandUp || seat.HandUpAt != nil {
			t.Errorf("the host has lowered it: %+v", seat)
		}
	})
}

func TestSessionsSayWhatTheHostSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	one := w.join(about, "Ada")
	w.running(one.ID)
	for _, text := range []string{"", "  ", strings.Repeat("x", 501), "two\nlines"} {
		w.want(http.StatusUnprocessableEntity, http.MethodPost, "/workshops/"+about.ID+"/messages", "ann", told(text))
	}
	w.want(http.StatusNotFound, http.MethodPost, "/workshops/"+about.ID+"/messages", "bob", told("Hello"))
	w.want(http.StatusCreated, http.MethodPost, "/workshops/"+about.ID+"/messages", "ann", told("Lunch at <b>noon</b>"))
	another := w.another()
	guest, err := w.People.Account(t.Context(), w.Row(one.ID).AccountID)
	sessionstest.Check(t, err)
	state := func(at *process) *workshops.PageState {
		found, err := at.workshops.PageState(w.As(guest), w.Row(one.ID), true)
		sessionstest.Check(t, err)
		return found
	}
	for _, at := range []*process{w.at, another} {
		if shown := state(at); shown == nil || len(shown.Messages) != 1 || shown.Messages[0].Text != "Lunch at <b>noon</b>" || shown.Seat != 1 || shown.EndsIn < 3600 {
			t.Errorf("the page of the session says %+v", shown)
		}
	}
	sessionstest.Check(t, another.workshops.SetHandOf(t.Context(), w.Row(one.ID), true))
	if !state(w.at).HandUp {
		t.Error("the hand isn't up")
	}
	w.want(http.StatusCreated, http.MethodPost, "/workshops/"+about.ID+"/seats/1/requests", "ann", `{"can":"see"}`)
	shown := state(w.at)
	if len(shown.Asks) != 1 || shown.Asks[0].Who != "ann" || shown.Asks[0].Can != "see" {
		t.Fatalf("the page says nothing of the host: %+v", shown.Asks)
	}
	sessionstest.Check(t, w.at.workshops.AnswerAsk(w.As(guest), w.Row(one.ID), shown.Asks[0].ID, true))
	if len(state(w.at).Asks) != 0 {
		t.Error("the question is still there")
	}
	if right, err := w.at.server.Shares.RightToEnter(t.Context(), one.ID, w.Ann.AccountID); err == nil {
		t.Errorf("whoever may see may enter: %+v", right.Level)
	}
	w.want(http.StatusNotFound, http.MethodPost, "/workshops/"+about.ID+"/seats/1/requests", "bob", `{"can":"see"}`)
}

// files are the contents API of a session, as far as hand-outs need it.
type files struct {
	mu    sync.Mutex
	named map[string]string // in base64; protected by mu
}

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, path, isContents := strings.Cut(r.URL.Path, "/api/contents/")
	switch {
	case strings.HasSuffix(r.URL.Path, "/api/sessions"):
		_, _ = w.Write([]byte("[]"))
	case !isContents:
		http.NotFound(w, r)
	case r.Method == http.MethodPut:
		var model struct{ Content string }
		_ = json.NewDecoder(r.Body).Decode(&model)
		f.named[path] = model.Content
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("{}"))
	default:
		content, ok := f.named[path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("{}"))
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"type": "file", "format": "base64", "content": content})
	}
}

func (f *files) read(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	content, _ := base64.StdEncoding.DecodeString(f.named[name])
	return string(content)
}

func TestHandOutsLieBesideWhatPeopleChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	one := w.join(about, "Ada")
	w.running(one.ID)
	work := &files{named: map[string]string{"exercise.ipynb": base64.StdEncoding.EncodeToString([]byte("mine"))}}
	w.Upstream.AnswerWith(work.ServeHTTP)
	handOut := func(name, content string) {
		t.Helper()
		body, _ := json.Marshal(map[string]string{"name": name, "content": base64.StdEncoding.EncodeToString([]byte(content))})
		w.want(http.StatusCreated, http.MethodPost, "/workshops/"+about.ID+"/handouts", "ann", string(body))
	}
	handOut("exercise.ipynb", "from the host")
	handOut("more.csv", "1,2")
	sessionstest.Eventually(t, "both have come", func() bool {
		w.look()
		board := w.board(about)
		return len(board.Handouts) == 2 && board.Handouts[0].Delivered == 1 && board.Handouts[1].Delivered == 1
	})
	if work.read("exercise.ipynb") != "mine" || work.read("exercise (from the host).ipynb") != "from the host" || work.read("more.csv") != "1,2" {
		t.Errorf("the files are %v", work.named)
	}
	handOut("more.csv", "3,4") // nobody has changed the first one
	sessionstest.Eventually(t, "the newer one has come", func() bool { w.look(); return work.read("more.csv") == "3,4" })
	sessionstest.Eventually(t, "the page says so", func() bool {
		state, err := w.at.workshops.PageState(w.As(w.Ann), w.Row(one.ID), true)
		sessionstest.Check(t, err)
		return len(state.Handouts) == 3 && state.Handouts[2].Files[0].At == "exercise (from the host).ipynb"
	})
	two := w.join(about, "Grace") // who comes later gets everything
	w.running(two.ID)
	sessionstest.Eventually(t, "it has come to the second seat", func() bool { w.look(); return w.board(about).Handouts[2].Delivered == 2 })
	for _, body := range []string{`{}`, `{"name":"a/b","content":""}`, `{"name":"a","content":"!"}`, `{"name":"a","content":"","ref":"main"}`} {
		w.want(http.StatusUnprocessableEntity, http.MethodPost, "/workshops/"+about.ID+"/handouts", "ann", body)
	}
	w.want(http.StatusNotFound, http.MethodPost, "/workshops/"+about.ID+"/handouts", "bob", `{"name":"a","content":""}`)
}
