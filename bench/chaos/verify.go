package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/bench/program"
)

// settleTime is how long after the last disturbance everything may take to match what was acknowledged.
const settleTime = 2 * time.Minute

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

// everyAccount calls do for each account of a ledger, several at once.
func everyAccount(people *people, do func(who int) error) error {
	var working sync.WaitGroup
	failed := make(chan error, len(people.emails))
	next := make(chan int)
	for range 4 {
		working.Go(func() {
			for who := range next {
				if err := do(who); err != nil {
					failed <- err
				}
			}
		})
	}
	for who := range people.emails {
		next <- who
	}
	close(next)
	working.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// verifyWrites asks each server.
func (r *run) verifyWrites(ctx context.Context) error {
	for _, part := range []struct {
		ledger *ledger
		units  []*unit
	}{{r.writes, r.servers}, {r.singleWrites, []*unit{r.single}}} {
		for _, one := range part.units {
			if err := everyAccount(part.ledger.people, func(who int) error {
				found, err := part.ledger.asksFor(ctx, one.address, who)
				for _, lost := range part.ledger.compare(who, found, time.Now()) {
					r.fault("%s: %s", one.name, lost)
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
	for who, email := range r.people.emails {
		found := owned{stars: map[string]string{}, projects: map[string]string{}}
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
		for _, lost := range r.writes.compare(who, found, time.Now()) {
			r.fault("the database: %s", lost)
		}
	}
	return nil
}

// verifySessions waits until what is shown, what is in the database and what is running all match what was acknowledged.
func (r *run) verifySessions(ctx context.Context) error {
	began := time.Now()
	var wrong, unfinished []string
	for deadline := began.Add(settleTime); ; {
		wrong, unfinished = nil, nil
		if err := r.lookAtSessions(ctx, &wrong, &unfinished); err != nil {
			return err
		}
		if len(wrong)+len(unfinished) == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			break
		}
		pause(ctx, time.Second)
	}
	r.settled = time.Since(began)
	for _, one := range slices.Concat(wrong, unfinished) {
		r.fault("%s after the load ended: %s", r.settled.Round(time.Second), one)
	}
	return ctx.Err()
}

func (r *run) lookAtSessions(ctx context.Context, wrong, unfinished *[]string) error {
	var mutex sync.Mutex
	look := func(one *launcher, from *unit, runs map[string]bool) error {
		return everyAccount(one.people, func(who int) error {
			for _, wished := range one.wishes[who] {
				if wished.id == "" {
					one.start(ctx, who, wished, time.Now())
				}
			}
			own := map[string]bool{}
			bad, open, err := one.look(ctx, from.address, who, own)
			mutex.Lock()
			defer mutex.Unlock()
			for _, text := range bad {
				*wrong = append(*wrong, from.name+": "+text)
			}
			for _, text := range open {
				*unfinished = append(*unfinished, from.name+": "+text)
			}
			maps.Copy(runs, own)
			return err
		})
	}
	inHub := r.hub.Sessions()
	for _, one := range r.servers {
		runs := map[string]bool{}
		if err := look(r.launches, one, runs); err != nil {
			return err
		}
		r.running = len(runs)
		*wrong = append(*wrong, different(one.name, slices.Collect(maps.Keys(runs)), "the hub", inHub)...)
	}
	rows, err := r.cluster.rows(ctx, `SELECT id FROM session WHERE status = 'RUNNING'`)
	if err != nil {
		return err
	}
	stored := make([]string, len(rows))
	for number, row := range rows {
		stored[number] = row[0]
	}
	*wrong = append(*wrong, different("the database", stored, "the hub", inHub)...)

	runs := map[string]bool{}
	if err := look(r.singleLaunches, r.single, runs); err != nil {
		return err
	}
	r.realRunning = len(runs)
	here := map[string]int{}
	for id := range r.realSessions() {
		here[id] = 1
	}
	*wrong = append(*wrong, different(r.single.name, slices.Collect(maps.Keys(runs)), "this machine", here)...)
	return nil
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

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// realSessions returns the processes of each session on this machine: those with the server's data folder in their command
// line or, inside a namespace, in their mounts.
func (i *installation) realSessions() map[string][]int {
	found := map[string][]int{}
	mine := filepath.Join(filepath.Base(i.folder), filepath.Base(i.single.Data)) + "/"
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if len(line) == 0 {
			continue // a zombie or a kernel thread
		}
		mounts, _ := os.ReadFile(filepath.Join(folder, "mountinfo"))
		for text := range strings.Lines(strings.ReplaceAll(string(line), "\x00", "\n") + "\n" + string(mounts)) {
			if id := sessionID.FindString(text); id != "" && strings.Contains(text, mine) {
				pid, _ := strconv.Atoi(filepath.Base(folder))
				found[id] = append(found[id], pid)
				break
			}
		}
	}
	return found
}

// endRealSessions deletes them and expects nothing to be left of them.
func (r *run) endRealSessions(ctx context.Context) error {
	for _, one := range r.singleLaunches.wishes[0] {
		came := request(ctx, r.single.address, asked{method: "DELETE", path: api + "/sessions/" + one.id, token: r.owners.token(0)})
		if came.status/100 != 2 && came.status != 404 {
			r.fault("a real session can't be deleted: %d %.300s", came.status, came.body)
		}
	}
	left := r.realSessions()
	for deadline := time.Now().Add(time.Minute); len(left) > 0 && time.Now().Before(deadline) && ctx.Err() == nil; left = r.realSessions() {
		pause(ctx, 200*time.Millisecond)
	}
	for id, pids := range left {
		r.fault("%d processes of the deleted session %s are left", len(pids), id)
	}
	return ctx.Err()
}

// verifyBackup restores the backup into SQLite and exports it. Whatever was acknowledged before the backup began, and hasn't
// changed since, must be there.
func (r *run) verifyBackup(ctx context.Context) error {
	restored := program.Program{Binary: r.servers[1].Binary, Data: filepath.Join(r.folder, "restored")}
	if output, err := exec.CommandContext(ctx, restored.Binary, "restore", r.backupFolder(), "--data", restored.Data).CombinedOutput(); err != nil {
		return fmt.Errorf("cairn restore: %w: %s", err, output)
	}
	text, err := restored.Output(ctx, "export", "-")
	if err != nil {
		return err
	}
	byName, byEmail := map[string]string{}, map[string]*owned{}
	of := func(email string) *owned {
		if byEmail[email] == nil {
			byEmail[email] = &owned{stars: map[string]string{}, projects: map[string]string{}}
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
	for who, email := range r.people.emails {
		for _, lost := range r.writes.compare(who, *of(email), r.backupBegan) {
			r.fault("the restored backup: %s", lost)
		}
	}
	r.restored = strconv.Itoa(len(text) >> 10)
	return nil
}
