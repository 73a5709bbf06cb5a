package workshops_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
)

func TestAChangeKeepsMoreTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	other := w.another()
	slow := &late{SeatSessions: w.at.workshops.Seats}
	w.at.workshops.Seats = slow
	slow.during = func() {
		if answer := sessionstest.Send(other.api, http.MethodPost, "/workshops/"+about.ID+"/extend", "ann", `{"minutes":60}`); answer.Code != http.StatusOK {
			t.Fatal(answer.Body)
		}
	}
	made := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"name":"Renamed"}`))
	if !made.EndsAt.Equal(about.EndsAt.Add(time.Hour)) {
		t.Errorf("the hour that was given is gone: %s, before %s", made.EndsAt, about.EndsAt)
	}
}

func TestAChangeDoesntReviveAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(18)
	other := w.another()
	slow := &late{SeatSessions: w.at.workshops.Seats}
	w.at.workshops.Seats = slow
	slow.during = func() {
		if answer := sessionstest.Send(other.api, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"0s"}`); answer.Code != http.StatusOK {
			t.Fatal(answer.Body)
		}
	}
	t.Log(w.call(http.MethodPatch, "/workshops/"+about.ID, "ann", `{"name":"Renamed"}`).Code)
	held, err := sessions.Reservations(t.Context(), w.Database, []string{"local"}, w.Clock.Now(), w.Clock.Now().Add(time.Hour))
	sessionstest.Check(t, err)
	if len(held) != 0 {
		t.Errorf("an ended workshop reserves %d places until %s", held[0].Places, held[0].Until)
	}
}

func TestAChangeKeepsTheNotebook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(4)
	one := w.join(about, "Ada")
	w.running(one.ID)
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE session SET opens = 'a.ipynb' WHERE id = $1`, one.ID)
		return err
	}))
	answer := notebook
	w.Upstream.AnswerWith(func(to http.ResponseWriter, _ *http.Request) {
		if answer == "" {
			to.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(to).Encode(map[string]any{"type": "file", "format": "text", "content": answer})
	})
	sessionstest.Eventually(t, "the cells are known", func() bool { w.look(); return w.board(about).Of == 3 })
	w.works(w.at, one.ID, "two", "secret = 1", "")
	w.look()
	answer = "" // Ada has renamed her copy
	w.want(http.StatusOK, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"seats":5}`)
	for range 3 {
		w.look()
	}
	w.works(w.at, one.ID, "three", "print(secret)", "")
	answer = notebook
	for range 3 {
		w.look()
	}
	if board := w.board(about); board.Of != 3 || board.Seats[0].Passed != 3 {
		t.Errorf("after one more seat the notebook has %d cells, and Ada has passed %d", board.Of, board.Seats[0].Passed)
	}
}

func TestHandOutsComeInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	w.at.workshops.Target = func(context.Context, sessions.Session) (engine.Target, error) {
		return engine.Target{}, errors.New("away for a moment")
	}
	for _, content := range []string{"one", "two"} {
		w.want(http.StatusCreated, http.MethodPost, "/workshops/"+about.ID+"/handouts", "ann", fmt.Sprintf(`{"name":"a.txt","content":%q}`, base64.StdEncoding.EncodeToString([]byte(content))))
	}
	state := func() string {
		rows, err := w.Database.QueryContext(t.Context(), `SELECT h.created_at, d.claimed_until FROM workshop_delivery d JOIN workshop_handout h ON h.id = d.handout_id ORDER BY h.created_at, h.id`)
		sessionstest.Check(t, err)
		defer rows.Close()
		count := 0
		for rows.Next() {
			count++
		}
		sessionstest.Check(t, rows.Err())
		return fmt.Sprint(count)
	}
	w.look()
	w.at.workshops.WaitForHandOuts()
	if state() != "1" {
		t.Fatal("after one look tried: ", state())
	}
	w.look()
	w.at.workshops.WaitForHandOuts()
	if state() != "1" {
		t.Errorf("the second one was tried while the first one hadn't come: %s", state())
	}
}

func TestANewSessionOfASeatGetsHandOuts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	join := func() workshops.Joined {
		return sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
	}
	bob := join()
	w.running(bob.ID)
	w.want(http.StatusCreated, http.MethodPost, "/workshops/"+about.ID+"/handouts", "ann", fmt.Sprintf(`{"name":"a.txt","content":%q}`, base64.StdEncoding.EncodeToString([]byte("one"))))
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error { // as a delivery does
		_, err := tx.ExecContext(t.Context(), `INSERT INTO workshop_delivery (handout_id, seat_id, delivered_at, files) SELECT h.id, s.id, 1, '[]' FROM workshop_handout h, workshop_seat s`)
		return err
	}))
	sessionstest.Check(t, w.Store.Request(t.Context(), []string{bob.ID}, sessions.Deleted))
	w.until("deleted", func() bool { return w.Row(bob.ID).Status == sessions.Deleted })
	again := join()
	w.running(again.ID)
	var asked atomic.Bool
	w.Upstream.AnswerWith(func(to http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "a.txt") {
			asked.Store(true)
		}
		to.WriteHeader(http.StatusNotFound)
	})
	w.look()
	w.at.workshops.WaitForHandOuts()
	if again.ID != bob.ID && !asked.Load() {
		t.Errorf("nothing is handed out to the new session, and the board says %+v", w.board(about).Handouts)
	}
}

// TestComingBackIsLimited has a guest who fills the database with tokens and records.
func TestComingBackIsLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	refused := 0
	for range 50 {
		if w.call(http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, guest.SeatCode)).Code == http.StatusTooManyRequests {
			refused++
		}
	}
	var tokens int
	sessionstest.Check(t, w.Database.QueryRowContext(t.Context(), `SELECT count(*) FROM access_token`).Scan(&tokens))
	if refused < 15 || tokens > 3 {
		t.Errorf("of 50 returns within a second %d were refused, and %d tokens are left", refused, tokens)
	}
}

func TestACellThatTakesLongIsStillTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(4)
	one := w.join(about, "Ada")
	w.running(one.ID)
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE session SET opens = 'a.ipynb' WHERE id = $1`, one.ID)
		return err
	}))
	twice := strings.ReplaceAll(strings.ReplaceAll(notebook, "secret = 1", "import numpy"), "print(secret)", "import numpy") // three times the same, as plt.show() often is
	for _, id := range []string{"one", "two", "three"} {
		twice = strings.ReplaceAll(twice, `"id":"`+id+`",`, "")
	}
	w.Upstream.AnswerWith(func(to http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(to).Encode(map[string]any{"type": "file", "format": "text", "content": twice})
	})
	sessionstest.Eventually(t, "the cells are known", func() bool { w.look(); return w.board(about).Of == 3 })
	tap, done := w.at.workshops.Observe(w.Row(one.ID), "")
	defer done()
	tap.FromPage(fromPage(message("execute_request", "r", "", "shell", map[string]any{}, map[string]any{"code": "import numpy", "silent": false, "store_history": true})))
	tap.FromKernel(fromKernel(message("execute_input", "ri", "r", "iopub", map[string]any{}, map[string]any{"code": "import numpy", "execution_count": 1})))
	w.look() // it takes more than a second
	tap.FromKernel(fromKernel(message("execute_reply", "rr", "r", "shell", map[string]any{}, map[string]any{"status": "ok", "execution_count": 1})))
	w.look()
	if seat := w.board(about).Seats[0]; seat.Passed != 1 {
		t.Errorf("the first cell took two seconds, and passed are %d, at %+v", seat.Passed, seat.Cell)
	}
}

func TestACopyOfASeatReadsWhatItsOwnerMay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sessionstest.Check(t, w.Catalog.Import(t.Context(), []catalog.Entry{{
		ExternalID: "anns", Name: "Ann's", Authors: []string{"ann@example.org"}, Type: catalog.Repository, RepositoryURL: "https://github.com/example/anns.git", Privacy: catalog.PrivacyPrivate,
	}}))
	made := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusCreated, http.MethodPost, "/workshops", "ann", strings.Replace(w.draft(3, ""), w.ID("tools"), w.ID("anns"), 1)))
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+made.ID+"/open", "ann", "")
	bob := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(made), "bob", joining("", made.Code)))
	w.running(bob.ID)
	w.Machine.Put(bob.ID, "a.txt", "x")
	w.Clock.Advance(time.Minute)
	if _, err := w.at.server.Work.SaveVersion(w.As(w.Bob), bob.ID, "step"); err != nil {
		t.Fatal(err)
	}
	share := sessionstest.Decode[struct{ ID string }](t, w.want(http.StatusCreated, http.MethodPost, "/sessions/"+bob.ID+"/shares", "bob", `{"with":{"email":"carol@example.org"},"can":"copy"}`))
	if copied, err := w.at.server.StartFrom(w.As(w.Person("carol")), sessions.StartRequest{FromShare: share.ID}); fault.CodeOf(err) != fault.PartMissing {
		t.Errorf("carol, who was never in the workshop, has session %q of ann's private entry: %v", copied.ID, err)
	}
}

func TestGuestsReallyDownloadAfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	w.Machine.Put(guest.ID, "a.txt", "x")
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"0s"}`)
	w.until("stopped", func() bool { return w.Row(guest.ID).Status == sessions.Terminated })
	link := w.want(http.StatusFound, http.MethodGet, joinPath(about)+"/work.zip", "", "", "Authorization", "Bearer "+guest.Token)
	answer := w.Visit(http.MethodGet, link.Header().Get("Location"))
	if answer.Code != http.StatusOK {
		t.Errorf("the link answers %d %s", answer.Code, answer.Body)
	}
}

func TestWorkOfGuestsIsDeletedAfterACrashToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	// as after kill -9 between StartSeat and setSession
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE workshop_seat SET session_id = ''`)
		return err
	}))
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "ann", `{"notice":"0s"}`)
	w.until("stopped", func() bool { return w.Row(guest.ID).Status == sessions.Terminated })
	w.Clock.Advance(15 * 24 * time.Hour)
	w.look()
	w.until("after 15 days the guest's session is gone", func() bool {
		found, err := w.Store.ByID(t.Context(), guest.ID)
		sessionstest.Check(t, err)
		return len(found) == 0
	})
}

func TestExtendingBeforeTheDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.prepareAt(time.Hour, time.Hour, 18)
	second := w.prepareAt(24*time.Hour, time.Hour, 18)
	if answer := w.call(http.MethodPost, "/workshops/"+second.ID+"/extend", "ann", `{"minutes":30}`); answer.Code != http.StatusOK {
		t.Errorf("tomorrow's workshop can't be longer because of today's: %s", answer.Body)
	}
}

func TestAServerThatHangsStopsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	guest := w.join(about, "Ada")
	w.running(guest.ID)
	sessionstest.Check(t, w.Database.Write(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE session SET opens = 'a.ipynb' WHERE id = $1`, guest.ID)
		return err
	}))
	leave := make(chan struct{})
	w.Upstream.AnswerWith(func(to http.ResponseWriter, r *http.Request) {
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	})
	w.Clock.Advance(2 * time.Second)
	done := make(chan error, 1)
	go func() { done <- w.at.workshops.Look(t.Context()) }()
	select {
	case <-done:
	case <-time.After(12 * time.Second):
		t.Error("Look hangs for more than 12 s with one seat's server: nothing ends, nothing is stored, no board is live")
	}
	close(leave)
}
