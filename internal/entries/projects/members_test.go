package projects_test

import (
	"slices"
	"testing"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
)

const eve = "eve@example.org"

// wantKinds checks what becomes of calls.
func wantKinds(t *testing.T, calls map[string]outcome) {
	t.Helper()
	for what, call := range calls {
		if call.kind == 0 && call.err != nil || call.kind != 0 && fault.KindOf(call.err) != call.kind {
			t.Errorf("%s: %v", what, call.err)
		}
	}
}

// made returns a project of Ada's.
func (w *world) made() projects.Project {
	w.t.Helper()
	w.project("Notes", ada, false, "spikes")
	own, err := w.service.Own(as(ada), ada)
	if err != nil || len(own) != 1 {
		w.t.Fatalf("Ada owns %+v, %v", own, err)
	}
	return own[0]
}

// outcome is what became of a call, and the kind of fault that is expected; 0 for none.
type outcome struct {
	err  error
	kind fault.Kind
}

func TestMembersSeeStartAndChangeAProject(t *testing.T) {
	t.Parallel()
	sqldbtest.EachAt(t, time.Now, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.made()
		get := func(email string) (projects.Project, error) { return w.service.Get(as(email), made.ID) }
		set := func(by, email string, role projects.Role) error {
			_, err := w.service.SetMember(as(by), made.ID, email, role)
			return err
		}
		change := func(by string, change projects.Change) error {
			_, err := w.service.Change(as(by), made.ID, change)
			return err
		}
		name, published := "Renamed", true
		wantKinds(t, map[string]outcome{
			"a stranger shares it":        {set(bob, bob, projects.Editor), fault.NotFound},
			"an unknown role":             {set(ada, bob, "boss"), fault.Invalid},
			"no address":                  {set(ada, "bob", projects.Viewer), fault.Invalid},
			"the owner as a member":       {set(ada, ada, projects.Viewer), fault.Invalid},
			"somebody who isn't a member": {w.service.RemoveMember(as(ada), made.ID, bob), fault.NotFound},
		})
		wantKinds(t, map[string]outcome{"a viewer": {set(ada, "BOB@example.org", projects.Viewer), 0}, "an editor": {set(ada, eve, projects.Editor), 0}})
		if seen, err := get(bob); err != nil || seen.Role != projects.Viewer || seen.OwnerID != ada || !seen.Available {
			t.Errorf("a viewer sees %+v, %v", seen, err)
		}
		wantKinds(t, map[string]outcome{
			"a viewer changes it":        {change(bob, projects.Change{Name: &name}), fault.Forbidden},
			"an editor changes it":       {change(eve, projects.Change{Name: &name}), 0},
			"an editor publishes it":     {change(eve, projects.Change{Published: &published}), fault.Forbidden},
			"an editor shares it":        {set(eve, eve, projects.Viewer), fault.Forbidden},
			"an editor deletes it":       {w.service.Delete(as(eve), made.ID), fault.Forbidden},
			"an editor removes a viewer": {w.service.RemoveMember(as(eve), made.ID, bob), fault.Forbidden},
		})
		for _, email := range []string{ada, bob, eve} {
			found, err := w.service.Members(as(email), made.ID)
			if err != nil || len(found) != 2 || found[0].Email != bob || found[1].Role != projects.Editor {
				t.Errorf("%s sees the members %+v, %v", email, found, err)
			}
		}
		shared, err := w.service.Shared(as(bob))
		if err != nil || len(shared) != 1 || shared[0].ID != made.ID {
			t.Errorf("shared with a viewer are %+v, %v", shared, err)
		}
		if own, err := w.service.Own(as(bob), bob); err != nil || len(own) != 0 {
			t.Errorf("a viewer owns %+v, %v", own, err)
		}
		using, err := w.service.Using(as(bob), made.RepositoryResource.ID)
		if err != nil || !slices.ContainsFunc(using, func(p projects.Project) bool { return p.ID == made.ID }) {
			t.Errorf("a viewer isn't told of it at its entry: %v", err)
		}
		wantKinds(t, map[string]outcome{
			"a member leaves":            {w.service.RemoveMember(as(bob), made.ID, bob), 0},
			"the owner removes a member": {w.service.RemoveMember(as(ada), made.ID, eve), 0},
		})
		for _, email := range []string{bob, eve} {
			if _, err := get(email); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s still sees it: %v", email, err)
			}
		}
	})
}

// What of a project somebody may not see, its membership doesn't show.
func TestMembersDoNotSeePrivateParts(t *testing.T) {
	t.Parallel()
	sqldbtest.EachAt(t, time.Now, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.made()
		w.entry("code", catalog.PrivacyPrivate)
		_, err := w.service.SetMember(as(ada), made.ID, bob, projects.Editor)
		if err != nil {
			t.Fatal(err)
		}
		w.entry("spikes", catalog.PrivacyPrivate)
		if seen, err := w.service.Get(as(bob), made.ID); err != nil || seen.Available || seen.RepositoryResource.RepositoryURL != "" {
			t.Errorf("a member sees %+v, %v", seen, err)
		}
		kept := projects.Change{DatasetIDs: []string{w.id("spikes"), w.id("images")}}
		if changed, err := w.service.Change(as(bob), made.ID, kept); err != nil || len(changed.DatasetResources) != 2 {
			t.Errorf("an editor keeps what is hidden from them: %+v, %v", changed.DatasetResources, err)
		}
		w.entry("hidden", catalog.PrivacyPrivate)
		added := projects.Change{DatasetIDs: []string{w.id("spikes"), w.id("hidden")}}
		if _, err := w.service.Change(as(bob), made.ID, added); fault.KindOf(err) != fault.Invalid {
			t.Errorf("an editor adds what is hidden from them: %v", err)
		}
	})
}

func TestAProjectIsHandedOver(t *testing.T) {
	t.Parallel()
	sqldbtest.EachAt(t, time.Now, func(t *testing.T, db *sqldb.DB) {
		w := newWorld(t, db)
		made := w.made()
		offer := func(by, to string) error { _, err := w.service.Offer(as(by), made.ID, to); return err }
		accept := func(by string) error { _, err := w.service.Accept(as(by), made.ID); return err }
		wantKinds(t, map[string]outcome{
			"by a stranger":          {offer(bob, bob), fault.NotFound},
			"to the owner":           {offer(ada, ada), fault.Invalid},
			"accepted without offer": {accept(bob), fault.NotFound},
			"withdrawn without one":  {w.service.EndOffer(as(ada), made.ID), fault.NotFound},
		})
		wantKinds(t, map[string]outcome{"an offer": {offer(ada, bob), 0}})
		wantKinds(t, map[string]outcome{
			"a second offer":      {offer(ada, eve), fault.Conflict},
			"accepted by another": {accept(eve), fault.NotFound},
			"refused by another":  {w.service.EndOffer(as(eve), made.ID), fault.NotFound},
		})
		if seen, err := w.service.Get(as(bob), made.ID); err != nil || seen.OfferedTo != bob || seen.Role != "" {
			t.Errorf("it is offered as %+v, %v", seen, err)
		}
		if shared, err := w.service.Shared(as(bob)); err != nil || len(shared) != 1 {
			t.Errorf("the offer isn't listed: %+v, %v", shared, err)
		}
		wantKinds(t, map[string]outcome{"refused": {w.service.EndOffer(as(bob), made.ID), 0}})
		wantKinds(t, map[string]outcome{"offered again": {offer(ada, bob), 0}})
		wantKinds(t, map[string]outcome{"withdrawn": {w.service.EndOffer(as(ada), made.ID), 0}})
		wantKinds(t, map[string]outcome{"too late": {accept(bob), fault.NotFound}, "and again": {offer(ada, bob), 0}})
		wantKinds(t, map[string]outcome{"accepted": {accept(bob), 0}})
		after, err := w.service.Get(as(bob), made.ID)
		if err != nil || after.OwnerID != bob || after.Role != projects.Owner || after.OfferedTo != "" {
			t.Errorf("it is handed over as %+v, %v", after, err)
		}
		if before, err := w.service.Get(as(ada), made.ID); err != nil || before.Role != projects.Editor {
			t.Errorf("the owner before has it as %+v, %v", before, err)
		}
		if err := w.service.Delete(as(ada), made.ID); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("the owner before deletes it: %v", err)
		}
	})
}
