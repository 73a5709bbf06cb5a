package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"cairn/bench/program"
)

// The states that an owner can want for a session.
const (
	live  = "live"
	ended = "ended"
)

// wish is what was requested and answered about one session. Its id is "" until a start has been answered.
type wish struct {
	known

	key, id string
}

// launcher starts, ends and deletes sessions of one installation.
type launcher struct {
	people  *people
	address string
	project string
	most    int // sessions per account that are wanted at once
	random  []*rand.Rand

	mu     sync.Mutex
	wishes [][]*wish // by account
	tally  tally
	counts map[string]int // of acknowledged calls
}

func newLauncher(name string, people *people, address string, most int, seed uint64) *launcher {
	l := &launcher{people: people, address: address, most: most, wishes: make([][]*wish, len(people.emails)), tally: tally{name: name + ": sessions"}, counts: map[string]int{}}
	for i := range people.emails {
		l.random = append(l.random, rand.New(rand.NewPCG(seed, uint64(i)+1<<32)))
	}
	return l
}

// step makes one random call for an account.
func (l *launcher) step(ctx context.Context, who int, due time.Time) {
	random := l.random[who]
	var going []*wish
	wanted := 0
	for _, one := range l.wishes[who] {
		if one.may[0] != absent {
			going = append(going, one)
		}
		if slices.Contains(one.may, live) {
			wanted++
		}
	}
	if wanted < l.most && (len(going) == 0 || random.IntN(3) == 0) {
		one := &wish{key: fmt.Sprintf("%d-%d-%016x", who, len(l.wishes[who]), random.Uint64()), known: known{may: []string{live}}}
		l.mu.Lock()
		l.wishes[who] = append(l.wishes[who], one)
		l.mu.Unlock()
		l.start(ctx, who, one, due)
		return
	}
	if len(going) == 0 {
		return
	}
	one := going[random.IntN(len(going))]
	path := api + "/sessions/" + one.id
	switch choice := random.IntN(10); {
	case one.id == "":
		l.start(ctx, who, one, due) // with the same key, so it's the same session
	case choice < 3:
		l.change(ctx, who, one, http.MethodDelete, path, absent, due)
	case one.may[0] == live:
		l.change(ctx, who, one, http.MethodPatch, path+"?status=TERMINATED", ended, due)
	case wanted < l.most:
		l.change(ctx, who, one, http.MethodPatch, path+"?status=CREATED", live, due)
	}
}

func (l *launcher) start(ctx context.Context, who int, one *wish, due time.Time) {
	came := l.tally.ask(ctx, l.address, due, false, program.Call{
		Method: http.MethodPost, Path: api + "/sessions", Token: l.people.token(who), Key: one.key, Body: map[string]any{"projectId": l.project, "name": one.key},
	})
	var made struct{ ID string }
	switch {
	case came.missing():
	case came.status/100 == 2 && json.Unmarshal(came.body, &made) == nil && made.ID != "":
		l.note(func() { one.id = made.ID; one.acknowledged(live) }, "starts")
	case ctx.Err() == nil:
		l.tally.mistake("start: %d %.300s", came.status, came.body)
	}
}

// note changes what is known about a wish and counts an acknowledged call.
func (l *launcher) note(change func(), kind string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	if kind != "" {
		l.counts[kind]++
	}
}

func (l *launcher) change(ctx context.Context, who int, one *wish, method, path, becomes string, due time.Time) {
	came := l.tally.ask(ctx, l.address, due, false, program.Call{Method: method, Path: path, Token: l.people.token(who)})
	kinds := map[string]string{absent: "deletions", ended: "ends", live: "starts again"}
	switch {
	case came.missing():
		l.note(func() { one.unanswered(becomes) }, "")
	case came.status == http.StatusOK || came.status == http.StatusAccepted:
		l.note(func() { one.acknowledged(becomes) }, kinds[becomes])
	case one.gone(came, becomes):
		l.note(func() { one.acknowledged(absent) }, "")
	case came.status == http.StatusConflict && came.repeated:
		l.note(func() { one.unanswered(becomes) }, "")
	case came.status == http.StatusConflict: // a stop is under way, and nothing changed
	case ctx.Err() == nil:
		l.tally.mistake("%s to %s: %d %.300s", method, becomes, came.status, came.body)
	}
}

// shown is a session as its owner sees it.
type shown struct{ ID, SessionName, Status, RequestedStatus, StatusReason string }

// look compares what a server shows an account with what was acknowledged. wrong lists what must not be, and unfinished what
// is still under way. What is shown in the end is certain: runs has the running sessions.
func (l *launcher) look(ctx context.Context, address string, who int, runs map[string]bool) (wrong, unfinished []string, err error) {
	var list []shown
	if err := read(ctx, address, api+"/sessions", l.people.token(who), &list); err != nil {
		return nil, nil, err
	}
	byID, names := map[string]shown{}, map[string]int{}
	for _, one := range list {
		byID[one.ID] = one
		names[one.SessionName]++
	}
	for _, one := range l.wishes[who] {
		if one.id == "" {
			unfinished = append(unfinished, "the start of "+one.key+" has no answer")
			continue
		}
		if names[one.key] > 1 {
			wrong = append(wrong, fmt.Sprintf("%s is there %d times", one.key, names[one.key]))
		}
		session, there := byID[one.id]
		delete(byID, one.id)
		state := absent
		switch {
		case there && (session.RequestedStatus != "" || session.Status == "CREATED"):
			unfinished = append(unfinished, fmt.Sprintf("%s is %s, asked to be %s: %s", one.id, session.Status, session.RequestedStatus, session.StatusReason))
			continue
		case there && session.Status == "RUNNING":
			state = live
			runs[one.id] = true
		case there && session.Status == "TERMINATED":
			state = ended
		case there:
			state = session.Status + ": " + session.StatusReason
		}
		if !slices.Contains(one.may, state) {
			wrong = append(wrong, fmt.Sprintf("the session %s is %s, and %q was acknowledged", one.id, state, one.may))
		}
	}
	for id, one := range byID {
		wrong = append(wrong, fmt.Sprintf("nobody asked for the session %s (%s)", id, one.SessionName))
	}
	return wrong, unfinished, nil
}
