package workshops_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
)

func TestGuestsJoinWithTheCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(3)
		one := w.join(about, "  Ada\u202e <b>Lovelace</b> ")
		if one.Seat != 1 || one.SeatCode == "" || one.Token == "" || !strings.Contains(one.OpenURL, one.ID) || one.Workshop != about.ID {
			t.Errorf("joined: %+v", one)
		}
		if strings.Contains(one.UserID+one.SessionName, "Ada") || !strings.HasPrefix(one.UserID, "seat-1@") {
			t.Errorf("the session names its guest: %q %q", one.UserID, one.SessionName)
		}
		other := w.join(about, "Ada <b>Lovelace</b>")
		if other.Seat != 2 {
			t.Errorf("two of one name share a seat: %d", other.Seat)
		}
		seats := w.board(about).Seats
		if len(seats) != 3 || seats[0].Name != "Ada <b>Lovelace</b>" || seats[1].Name != seats[0].Name || seats[2].State != workshops.Invited || seats[0].SessionID != one.ID {
			t.Errorf("the board has %+v", seats)
		}
		for typed, why := range map[string]string{"": "no name", " \u200b ": "nothing that can be seen", strings.Repeat("x", 81): "too long", strings.Repeat("x", 500): "500 characters"} {
			w.wantCode(http.StatusUnprocessableEntity, "invalid", http.MethodPost, joinPath(about), "", joining(typed, about.Code))
			_ = why
		}
		shouted := strings.ToUpper(strings.ReplaceAll(about.Code, " ", "-"))
		w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", joining("Grace", shouted))
		w.wantCode(http.StatusConflict, "workshop_full", http.MethodPost, joinPath(about), "", joining("Late", about.Code))
	})
}

func TestASeatComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	one := w.join(about, "Ada")
	back := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, strings.ToUpper(one.SeatCode))))
	if back.ID != one.ID || back.Seat != 1 || back.SeatCode != "" || back.Token == "" || back.Token == one.Token {
		t.Errorf("back in %+v", back)
	}
	again := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", joining("Ada", about.Code), "Authorization", "Bearer "+one.Token))
	if again.Seat != 1 || again.ID != one.ID {
		t.Errorf("the same browser got %+v", again)
	}
	w.wantCode(http.StatusForbidden, "wrong_code", http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":2,"seatCode":%q}`, one.SeatCode))
	ann := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
	twice := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "bob", joining("", about.Code)))
	if ann.Seat != 2 || ann.UserID != "bob@example.org" || ann.Token != "" || ann.SeatCode != "" || twice.ID != ann.ID || twice.Seat != 2 {
		t.Errorf("somebody with an account got %+v, then %+v", ann, twice)
	}
	// A session that was stopped, or that its owner deleted, is followed by one that runs.
	w.pass()
	w.pass()
	sessionstest.Check(t, w.at.server.Seats.EndSeats(t.Context(), about.ID, one.ID))
	w.until("it has stopped", func() bool { return w.Row(one.ID).Status == sessions.Terminated })
	restarted := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, one.SeatCode)))
	if restarted.ID != one.ID || !restarted.Status.Live() {
		t.Errorf("after a stop: %+v", restarted.Session)
	}
}

func TestOnlyWrongCodesWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(15)
	wrong := func(status int) {
		t.Helper()
		w.want(status, http.MethodPost, joinPath(about), "", joining("Eve", "one two three four"))
	}
	for range 5 {
		wrong(http.StatusForbidden)
	}
	wrong(http.StatusTooManyRequests)
	answer := w.want(http.StatusTooManyRequests, http.MethodPost, joinPath(about), "", `{"seat":1,"seatCode":"a b c d"}`)
	if answer.Header().Get("Retry-After") == "" {
		t.Error("nothing says how long to wait")
	}
	for i := range 10 { // the whole room comes from the same address
		w.join(about, fmt.Sprintf("Guest %d", i))
	}
	w.Clock.Advance(13 * time.Second)
	wrong(http.StatusForbidden)
	wrong(http.StatusTooManyRequests)
}

func TestJoiningBeforeAndAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.prepare(3, "")
	early := w.wantCode(http.StatusConflict, "workshop_not_open", http.MethodPost, joinPath(about), "", joining("Ada", about.Code))
	if !strings.Contains(early.Body.String(), about.StartsAt.Format(time.RFC3339)) {
		t.Errorf("it isn't said when it opens: %s", early.Body)
	}
	invitation := sessionstest.Decode[workshops.Invitation](t, w.want(http.StatusOK, http.MethodGet, joinPath(about), "", ""))
	if invitation.Open || invitation.State != workshops.Planned || invitation.Entry == nil || !invitation.OpensAt.Equal(about.StartsAt) {
		t.Errorf("the invitation is %+v", invitation)
	}
	w.Clock.Advance(time.Hour)
	one := w.join(about, "Ada")
	w.Clock.Advance(2 * time.Hour)
	w.wantCode(http.StatusGone, "workshop_ended", http.MethodPost, joinPath(about), "", joining("Late", about.Code))
	w.wantCode(http.StatusGone, "workshop_ended", http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, one.SeatCode))
	w.want(http.StatusNotFound, http.MethodGet, "/join/nowhere", "", "")
	w.want(http.StatusNotFound, http.MethodPost, "/join/nowhere", "", joining("Ada", about.Code))
}

func TestACodeThatGotOutIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(3)
	one := w.join(about, "Ada")
	renewed := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/code", "ann", ""))
	w.want(http.StatusNotFound, http.MethodPost, joinPath(about), "", joining("Eve", about.Code))
	w.wantCode(http.StatusForbidden, "wrong_code", http.MethodPost, joinPath(renewed), "", joining("Eve", about.Code))
	back := sessionstest.Decode[workshops.Joined](t, w.want(http.StatusCreated, http.MethodPost, joinPath(renewed), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, one.SeatCode)))
	if back.ID != one.ID {
		t.Errorf("the seat got another session: %+v", back)
	}
	if other := w.join(renewed, "Grace"); other.Seat != 2 {
		t.Errorf("seat %d was given", other.Seat)
	}
}

// TestTwoServersGiveTheLastSeatOnce has many join at two servers at once.
func TestTwoServersGiveTheLastSeatOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(5)
		servers := []*process{w.at, w.another()}
		var joining_ sync.WaitGroup
		var mu sync.Mutex
		var seats []int
		refused := 0
		for i := range 12 {
			joining_.Go(func() {
				answer := sessionstest.Send(servers[i%2].api, http.MethodPost, joinPath(about), "", joining(fmt.Sprintf("Guest %d", i), about.Code))
				mu.Lock()
				defer mu.Unlock()
				switch answer.Code {
				case http.StatusCreated:
					seats = append(seats, sessionstest.Decode[workshops.Joined](t, answer).Seat)
				case http.StatusConflict:
					refused++
				default:
					t.Errorf("%d %s", answer.Code, answer.Body)
				}
			})
		}
		joining_.Wait()
		slices.Sort(seats)
		if !slices.Equal(seats, []int{1, 2, 3, 4, 5}) || refused != 7 {
			t.Errorf("the seats %v were given, and %d people refused", seats, refused)
		}
	})
}

func TestAFreedSeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(1)
	one := w.join(about, "Ada")
	w.pass()
	w.pass()
	w.want(http.StatusNotFound, http.MethodDelete, "/workshops/"+about.ID+"/seats/1", "bob", "")
	w.want(http.StatusOK, http.MethodDelete, "/workshops/"+about.ID+"/seats/1", "ann", "")
	w.want(http.StatusForbidden, http.MethodPost, joinPath(about), "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, one.SeatCode))
	w.want(http.StatusNotFound, http.MethodPost, "/workshops/"+about.ID+"/seats/1/hand", "", "", "Authorization", "Bearer "+one.Token)
	w.until("the session of the freed seat has stopped", func() bool { return w.Row(one.ID).Status == sessions.Terminated })
	two := w.join(about, "Grace")
	if two.Seat != 1 || two.ID == one.ID || two.UserID == one.UserID {
		t.Errorf("the next one got %+v", two)
	}
	w.want(http.StatusOK, http.MethodPost, joinPath(about)+"/work", "", fmt.Sprintf(`{"seat":1,"seatCode":%q}`, one.SeatCode))
}
