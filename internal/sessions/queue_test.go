package sessions

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
)

func TestAdmissionIsInOrderAndNeverAboveTheCapacity(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	session := func(id string, queued int, change func(*Session)) Session {
		made := Session{ID: id, Status: Created, QueuedAt: start.Add(time.Duration(queued) * time.Second)}
		if change != nil {
			change(&made)
		}
		return made
	}
	admitted := func(s *Session) { s.AdmittedAt = start }
	running := func(s *Session) { s.Status, s.AdmittedAt = Running, start }
	refused := func(seconds int) func(*Session) {
		return func(s *Session) { s.RefusedAt = start.Add(time.Duration(seconds) * time.Second) }
	}
	at := func(place int) func(*Session) { return func(s *Session) { s.QueuePosition = place } }
	for name, test := range map[string]struct {
		live     []Session
		capacity int
		want     []string // "id" for one that is admitted, "id@place" for one whose place changes
	}{
		"room for all":                       {[]Session{session("b", 2, nil), session("a", 1, nil)}, 2, []string{"a", "b"}},
		"room for one":                       {[]Session{session("b", 2, nil), session("a", 1, nil)}, 1, []string{"a", "b@1"}},
		"no limit":                           {[]Session{session("b", 2, nil), session("a", 1, nil)}, 0, []string{"a", "b"}},
		"asked for together, by id":          {[]Session{session("b", 1, nil), session("a", 1, nil)}, 1, []string{"a", "b@1"}},
		"full":                               {[]Session{session("r", 0, running), session("s", 0, admitted), session("a", 1, nil)}, 2, []string{"a@1"}},
		"places stay":                        {[]Session{session("r", 0, running), session("a", 1, at(1)), session("b", 2, at(2))}, 1, nil},
		"places move up":                     {[]Session{session("r", 0, running), session("b", 2, at(2)), session("c", 3, at(3))}, 1, []string{"b@1", "c@2"}},
		"smaller capacity than what runs":    {[]Session{session("r", 0, running), session("s", 0, running), session("a", 1, nil)}, 1, []string{"a@1"}},
		"one that is being stopped has room": {[]Session{session("r", 0, func(s *Session) { running(s); s.RequestedStatus = Terminated }), session("a", 1, nil)}, 1, []string{"a@1"}},
		"one that is cancelled has none":     {[]Session{session("q", 0, func(s *Session) { s.RequestedStatus = Terminated }), session("a", 1, nil)}, 1, []string{"a"}},
		"refused a moment ago":               {[]Session{session("a", 1, refused(-1)), session("b", 2, nil)}, 0, []string{"a@1", "b@2"}},
		"room was made since":                {[]Session{session("a", 1, refused(-7)), session("b", 2, nil)}, 0, []string{"a", "b@1"}},
		"refused a while ago":                {[]Session{session("a", 1, refused(-10)), session("b", 2, nil)}, 0, []string{"a", "b@1"}},
		"asked again, no answer yet":         {[]Session{session("a", 1, func(s *Session) { refused(-10)(s); admitted(s) }), session("b", 2, refused(-10))}, 0, []string{"b@1"}},
		"asked again, and it begins":         {[]Session{session("a", 1, func(s *Session) { refused(-10)(s); admitted(s); s.LaunchStep = engine.StepRepository }), session("b", 2, refused(-10))}, 0, []string{"b"}},
	} {
		var got []string
		for _, changed := range admit(test.live, nil, test.capacity, start.Add(-5*time.Second), start) {
			text := changed.ID
			if changed.AdmittedAt.IsZero() {
				text = fmt.Sprintf("%s@%d", changed.ID, changed.QueuePosition)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// Jobs wait until nobody does who wants to work, and a job that was refused holds nobody up.
func TestJobsComeAfterPeople(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	queued := func(id, job string, at int) Session {
		return Session{ID: id, Job: job, Status: Created, QueuedAt: now.Add(time.Duration(at) * time.Second)}
	}
	admitted := func(live []Session, capacity int) (ids []string) {
		for _, one := range admit(live, nil, capacity, time.Time{}, now) {
			if !one.AdmittedAt.IsZero() {
				ids = append(ids, one.ID)
			}
		}
		return ids
	}
	if got := admitted([]Session{queued("job", "j", 0), queued("person", "", 1)}, 1); !slices.Equal(got, []string{"person"}) {
		t.Errorf("with one place: %q", got)
	}
	refused := queued("job", "j", 0)
	refused.RefusedAt = now.Add(-time.Second)
	if got := admitted([]Session{refused, queued("person", "", 1)}, 0); !slices.Equal(got, []string{"person"}) {
		t.Errorf("after a job was refused: %q", got)
	}
	trying := refused
	trying.AdmittedAt = now
	if got := admitted([]Session{trying, queued("person", "", 1), queued("next", "k", 2)}, 0); !slices.Equal(got, []string{"person"}) {
		t.Errorf("while a job tries again: %q", got)
	}
}
