package workshops_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/sessions/warm"
	"cairn/internal/workshops"
)

func TestWhoMayHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want(http.StatusUnauthorized, http.MethodPost, "/workshops", "", w.draft(3, ""))
	w.want(http.StatusForbidden, http.MethodPost, "/workshops", "bob", w.draft(3, ""))
	w.want(http.StatusForbidden, http.MethodPost, "/workshops", "newbie", w.draft(3, ""))
	about := w.prepare(3, `"hosts":["BOB@example.org","ann@example.org"],"event":"spring-school"`)
	if fmt.Sprint(about.Hosts) != "[bob@example.org]" || about.State != workshops.Planned || len(strings.Fields(about.Code)) != 4 {
		t.Errorf("prepared: %+v", about)
	}
	if !strings.HasSuffix(about.JoinURL, "#"+strings.ReplaceAll(about.Code, " ", "-")) || strings.Contains(about.JoinAddress, "#") {
		t.Errorf("people join at %q", about.JoinURL)
	}
	for _, host := range []string{"ann", "bob"} {
		list := sessionstest.Decode[[]workshops.Workshop](t, w.want(http.StatusOK, http.MethodGet, "/workshops", host, ""))
		if len(list) != 1 || list[0].ID != about.ID {
			t.Errorf("%s hosts %+v", host, list)
		}
	}
	if list := sessionstest.Decode[[]workshops.Workshop](t, w.want(http.StatusOK, http.MethodGet, "/workshops", "carol", "")); len(list) != 0 {
		t.Errorf("carol hosts %+v", list)
	}
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/open", "bob", "")
	w.want(http.StatusNotFound, http.MethodPost, "/workshops/"+about.ID+"/open", "carol", "")
	held := func() []workshops.Held {
		return sessionstest.Decode[[]workshops.Held](t, w.want(http.StatusOK, http.MethodGet, "/workshops/of-events", "", ""))
	}
	if found := held(); len(found) != 0 {
		t.Errorf("the events' page says that %+v took place", found)
	}
	w.join(about, "Ada")
	w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/end", "bob", `{"notice":"0s"}`)
	w.look()
	if found := held(); len(found) != 1 || found[0].Event != "spring-school" || found[0].Entry == nil || found[0].Name != about.Name {
		t.Errorf("the events' page says %+v", found)
	}
}

func TestDraftsThatCantBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := w.Clock.Now().Add(time.Hour)
	for _, one := range []struct{ field, value, at string }{
		{"name", `" "`, "body.name"},
		{"entry", `""`, "body.entry"},
		{"project", `"x"`, "body.entry"},
		{"seats", `0`, "body.seats"},
		{"seats", `501`, "body.seats"},
		{"timezone", `"Mars/Olympus"`, "body.timezone"},
		{"timezone", `"Local"`, "body.timezone"},
		{"endsAt", fmt.Sprintf("%q", start.Format(time.RFC3339)), "body.endsAt"},
		{"endsAt", fmt.Sprintf("%q", start.Add(8*24*time.Hour).Format(time.RFC3339)), "body.endsAt"},
		{"event", `"nowhere"`, "body.event"},
		{"hosts", `["nobody"]`, "body.hosts"},
		{"engine", `"nowhere"`, "body.engine"},
		{"profile", `"giant"`, "body.profile"},
	} {
		var draft map[string]json.RawMessage
		sessionstest.Check(t, json.Unmarshal([]byte(w.draft(3, "")), &draft))
		draft[one.field] = json.RawMessage(one.value)
		body, err := json.Marshal(draft)
		sessionstest.Check(t, err)
		answer := w.want(http.StatusUnprocessableEntity, http.MethodPost, "/workshops", "ann", string(body))
		if !strings.Contains(answer.Body.String(), `"location":"`+one.at+`"`) {
			t.Errorf("%s %s: %s", one.field, one.value, answer.Body)
		}
	}
	w.want(http.StatusNotFound, http.MethodPost, "/workshops", "ann", strings.Replace(w.draft(3, ""), w.ID("tools"), w.ID("secret"), 1))
}

func TestTheMachineIsPromisedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		room := func(seats int, except string) workshops.Room {
			t.Helper()
			start := w.Clock.Now().Add(time.Hour)
			return sessionstest.Decode[workshops.Room](t, w.want(http.StatusOK, http.MethodGet, fmt.Sprintf("/workshops/room?startsAt=%s&endsAt=%s&seats=%d&except=%s",
				start.Format(time.RFC3339), start.Add(2*time.Hour).Format(time.RFC3339), seats, except), "ann", ""))
		}
		if found := room(60, ""); found.Fits != 18 || found.Capacity != places || found.Places != 60 || len(found.Sizes) != 1 {
			t.Errorf("an empty machine has room for %+v", found)
		}
		about := w.prepare(10, "")
		if found := room(60, ""); found.Fits != 8 {
			t.Errorf("beside ten seats there is room for %+v", found)
		}
		if found := room(60, about.ID); found.Fits != 18 {
			t.Errorf("instead of them there is room for %+v", found)
		}
		refused := w.wantCode(http.StatusConflict, "no_room", http.MethodPost, "/workshops", "ann", w.draft(9, ""))
		if !strings.Contains(refused.Body.String(), "8 of 9 seats") {
			t.Errorf("it isn't said what fits: %s", refused.Body)
		}
		w.wantCode(http.StatusConflict, "no_room", http.MethodPatch, "/workshops/"+about.ID, "ann", `{"seats":19}`)
		more := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"seats":18,"name":"Larger"}`))
		if more.Seats.Total != 18 || more.Name != "Larger" || more.Code != about.Code {
			t.Errorf("changed to %+v", more)
		}
		later := strings.ReplaceAll(w.draft(18, ""), w.Clock.Now().Add(time.Hour).Format(time.RFC3339), w.Clock.Now().Add(4*time.Hour).Format(time.RFC3339))
		later = strings.ReplaceAll(later, w.Clock.Now().Add(3*time.Hour).Format(time.RFC3339), w.Clock.Now().Add(6*time.Hour).Format(time.RFC3339))
		w.want(http.StatusCreated, http.MethodPost, "/workshops", "ann", later)
		w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/open", "ann", "")
		w.wantCode(http.StatusConflict, "no_room", http.MethodPost, "/workshops/"+about.ID+"/extend", "ann", `{"minutes":120}`)
		w.want(http.StatusOK, http.MethodPost, "/workshops/"+about.ID+"/extend", "ann", `{"minutes":10}`)
		w.want(http.StatusConflict, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"ref":"main"}`)
		w.join(more, "Ada")
		w.join(more, "Grace")
		w.want(http.StatusUnprocessableEntity, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"seats":1}`)
		w.want(http.StatusOK, http.MethodPatch, "/workshops/"+about.ID, "ann", `{"seats":2}`)
	})
}

// TestSeatsGetWarm has the reconciler warm the sessions of a workshop, which its seats alone claim.
func TestSeatsGetWarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.prepare(4, "")
	w.pass()
	if found := w.WarmOnes(warm.Starting); len(found) != 0 {
		t.Fatalf("an hour before, %d sessions get warm", len(found))
	}
	w.Clock.Advance(46 * time.Minute)
	readied := func() int {
		for _, session := range w.WarmOnes(warm.Starting) {
			w.Machine.Ready(session.ID)
		}
		return len(w.WarmOnes(warm.Ready))
	}
	most := 0
	w.until("four are warm", func() bool { most = max(most, len(w.WarmOnes(warm.Starting))); return readied() == 4 })
	if together := w.at.server.Engines.All[0].StartsTogether(); most > together {
		t.Errorf("%d started at once, %d are good", most, together)
	}
	shown := sessionstest.Decode[workshops.Workshop](t, w.want(http.StatusOK, http.MethodGet, "/workshops/"+about.ID, "ann", ""))
	if shown.State != workshops.Warming || shown.Warm != 4 || shown.WarmWanted != 4 {
		t.Errorf("the host sees %+v", shown)
	}
	other, err := w.at.server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("tools")})
	sessionstest.Check(t, err)
	if other.Status != sessions.Created {
		t.Errorf("somebody else got a session of the workshop: %+v", other.Status)
	}
	w.Clock.Advance(15 * time.Minute)
	for i := range 4 {
		if one := w.join(about, fmt.Sprint("Guest ", i)); one.Status != sessions.Running {
			t.Errorf("guest %d waits although a session is warm: %s", i, one.Status)
		}
	}
	w.Clock.Advance(2 * time.Hour)
	w.look()
	w.until("nothing is left", func() bool {
		live, err := w.Store.OfWorkshop(t.Context(), about.ID)
		sessionstest.Check(t, err)
		running := 0
		for _, session := range live {
			if session.Status.Live() {
				running++
			}
		}
		all, err := w.WarmStore().All(t.Context())
		sessionstest.Check(t, err)
		return running == 0 && len(all) == 0
	})
}

// TestAWorkshopAndTheOthersDontWaitForEachOther fills a machine from both sides.
func TestAWorkshopAndTheOthersDontWaitForEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Options.Engines.Capacity, w.Options.Limit = 10, 50
	w.at = w.another()
	w.Server = w.at.server
	about := w.opened(6)
	var seats []workshops.Joined
	for i := range 6 {
		seats = append(seats, w.join(about, fmt.Sprint("Guest ", i)))
	}
	var others []sessions.Session
	for i := range 6 {
		one, err := w.at.server.StartFrom(w.As(w.Bob), sessions.StartRequest{ResourceID: w.ID("tools"), Name: fmt.Sprint("Other ", i)})
		sessionstest.Check(t, err)
		others = append(others, one)
	}
	together := w.at.server.Engines.All[0].StartsTogether()
	w.pass()
	w.pass()
	admitted := func(id string) bool { return !w.Row(id).AdmittedAt.IsZero() }
	count := 0
	for _, seat := range seats {
		if admitted(seat.ID) {
			count++
		}
	}
	if count != min(together, 6) {
		t.Errorf("%d seats start at once, want %d", count, min(together, 6))
	}
	for i, one := range others {
		if admitted(one.ID) != (i < 4) {
			t.Errorf("session %d of the others is admitted: %v; four places are left to them", i, admitted(one.ID))
		}
	}
	last := seats[5]
	if count < 6 && w.Row(last.ID).QueuePosition != 6-count {
		t.Errorf("the last seat is told that it's number %d", w.Row(last.ID).QueuePosition)
	}
	w.until("all seats run", func() bool {
		running := 0
		for _, seat := range seats {
			if !w.Row(seat.ID).LaunchedAt.IsZero() {
				w.Machine.Ready(seat.ID)
			}
			if w.Row(seat.ID).Status == sessions.Running {
				running++
			}
		}
		return running == 6
	})
}
