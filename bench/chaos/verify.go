package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// settleTime is how long after the last disturbance everything may take to match what was acknowledged.
const settleTime = 2 * time.Minute

// verified is what was found at the end.
type verified struct {
	backupBegan time.Time
	exported    int // bytes of the restored backup
	settled     time.Duration
	running     map[string]int // sessions, by the name of a side
}

// verify asks for everything that was acknowledged.
func (r *run) verify(ctx context.Context) error {
	if err := r.renew(ctx); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{r.verifyWrites, r.verifyDatabase, r.verifySessions, r.verifyBackup, r.endRealSessions} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// verifyWrites asks each server.
func (r *run) verifyWrites(ctx context.Context) error {
	for _, side := range r.sides() {
		for _, one := range side.units {
			if err := program.Each(len(side.people.emails), func(who int) error {
				found, err := side.writes.asksFor(ctx, one.address, who)
				for _, lost := range side.writes.compare(who, found, time.Now()) {
					r.faults.add("%s: %s", one.name, lost)
				}
				return err
			}); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
		}
	}
	return nil
}

// verifyDatabase asks PostgreSQL.
func (r *run) verifyDatabase(ctx context.Context) error {
	stars, err := r.cluster.rows(ctx, `SELECT account.email, star.resource_id FROM star JOIN account ON account.id = star.account_id`)
	if err != nil {
		return err
	}
	projects, err := r.cluster.rows(ctx, `SELECT owner_email, id, name FROM project WHERE state = 'ACTIVE' AND external_id IS DISTINCT FROM 'shared'`)
	if err != nil {
		return err
	}
	for who, email := range r.pair.people.emails {
		found := newOwned()
		for _, row := range stars {
			if row[0] == email {
				found.stars[row[1]] = here
			}
		}
		for _, row := range projects {
			if row[0] == email {
				found.projects[row[1]] = row[2]
			}
		}
		for _, lost := range r.pair.writes.compare(who, found, time.Now()) {
			r.faults.add("the database: %s", lost)
		}
	}
	return nil
}

// differences are what must not be, and what is still under way.
type differences struct {
	mu                sync.Mutex
	wrong, unfinished []string
}

func (d *differences) add(from string, wrong, unfinished []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, text := range wrong {
		d.wrong = append(d.wrong, from+": "+text)
	}
	for _, text := range unfinished {
		d.unfinished = append(d.unfinished, from+": "+text)
	}
}

// verifySessions waits until what is shown, what is in the database and what is running all match what was acknowledged.
func (r *run) verifySessions(ctx context.Context) error {
	began := time.Now()
	var last *differences
	_, err := load.Wait(ctx, settleTime, time.Second, func() (bool, error) {
		last = &differences{}
		err := r.lookAtSessions(ctx, last)
		return len(last.wrong)+len(last.unfinished) == 0, err
	})
	r.verified.settled = time.Since(began)
	for _, one := range slices.Concat(last.wrong, last.unfinished) {
		r.faults.add("%s after the load ended: %s", r.verified.settled.Round(time.Second), one)
	}
	return err
}

func (r *run) lookAtSessions(ctx context.Context, into *differences) error {
	inHub, here := r.hub.Sessions(), map[string]int{}
	for id := range r.realSessions() {
		here[id] = 1
	}
	r.verified.running = map[string]int{}
	for _, side := range r.sides() {
		place, counts := "the hub", inHub
		if side == &r.single {
			place, counts = "this machine", here
		}
		for _, one := range side.units {
			runs, err := side.launches.lookAtAll(ctx, one, into)
			if err != nil {
				return err
			}
			r.verified.running[side.name] = len(runs)
			into.add(one.name, different(one.name, slices.Collect(maps.Keys(runs)), place, counts), nil)
		}
	}
	rows, err := r.cluster.rows(ctx, `SELECT id FROM session WHERE status = 'RUNNING'`)
	into.add("PostgreSQL", different("the database", slices.Concat(rows...), "the hub", inHub), nil)
	return err
}

// lookAtAll starts what has no answer yet, compares what a server shows with what was acknowledged, and returns the running
// sessions.
func (l *launcher) lookAtAll(ctx context.Context, from *unit, into *differences) (runs map[string]bool, err error) {
	runs = map[string]bool{}
	var mu sync.Mutex
	return runs, program.Each(len(l.people.emails), func(who int) error {
		for _, wished := range l.wishes[who] {
			if wished.id == "" {
				l.start(ctx, who, wished, time.Now())
			}
		}
		own := map[string]bool{}
		wrong, unfinished, err := l.look(ctx, from.address, who, own)
		into.add(from.name, wrong, unfinished)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(runs, own)
		return err
	})
}

// different returns sessions that one side has and the other lacks or has more than once.
func different(name string, sessions []string, other string, counts map[string]int) (wrong []string) {
	for _, id := range sessions {
		if counts[id] == 0 {
			wrong = append(wrong, fmt.Sprintf("%s has the session %s, and nothing runs for it on %s", name, id, other))
		}
	}
	for id, count := range counts {
		if !slices.Contains(sessions, id) {
			wrong = append(wrong, fmt.Sprintf("%s runs the session %s, which %s doesn't have as running", other, id, name))
		} else if count > 1 {
			wrong = append(wrong, fmt.Sprintf("%s has %d servers for the session %s", other, count, id))
		}
	}
	return wrong
}

// endRealSessions deletes them and expects nothing to be left of them.
func (r *run) endRealSessions(ctx context.Context) error {
	for _, one := range r.single.launches.wishes[0] {
		came := request(ctx, r.single.address, program.Call{Method: http.MethodDelete, Path: api + "/sessions/" + one.id, Token: r.single.people.token(0)})
		if came.status/100 != 2 && came.status != http.StatusNotFound {
			r.faults.add("a real session can't be deleted: %d %.300s", came.status, came.body)
		}
	}
	_, _ = load.Wait(ctx, time.Minute, 200*time.Millisecond, func() (bool, error) { return len(r.realSessions()) == 0, nil })
	for id, pids := range r.realSessions() {
		r.faults.add("%d processes of the deleted session %s are left", len(pids), id)
	}
	return ctx.Err()
}

// verifyBackup restores the backup into SQLite and exports it. Whatever was acknowledged before the backup began, and hasn't
// changed since, must be there.
func (r *run) verifyBackup(ctx context.Context) error {
	_, text, err := r.pair.units[1].Restored(ctx, r.backupFolder(), filepath.Join(r.folder, "restored"))
	if err != nil {
		return err
	}
	byName, byEmail := map[string]string{}, map[string]*owned{}
	of := func(email string) *owned {
		if byEmail[email] == nil {
			one := newOwned()
			byEmail[email] = &one
		}
		return byEmail[email]
	}
	for line := range bytes.Lines([]byte(text)) {
		var one struct{ Kind, ID, ExternalID, Name, OwnerID, Account, Resource, Email string }
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		switch one.Kind {
		case "account":
			byName[one.ExternalID] = one.Email
		case "resource":
			byName[one.ExternalID] = one.ID
		case "project":
			of(one.OwnerID).projects[one.ID] = one.Name
		case "star":
			of(byName[one.Account]).stars[byName[one.Resource]] = here
		}
	}
	for who, email := range r.pair.people.emails {
		for _, lost := range r.pair.writes.compare(who, *of(email), r.verified.backupBegan) {
			r.faults.add("the restored backup: %s", lost)
		}
	}
	r.verified.exported = len(text)
	return nil
}
