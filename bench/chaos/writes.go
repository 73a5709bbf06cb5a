package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"cairn/bench/program"
)

// known is what must be true of one thing: one value, unless a write had no answer, in which case it may be one of several.
type known struct {
	may  []string  // if it has one element: what was acknowledged last
	last time.Time // when its last write was answered or given up
}

func (k *known) acknowledged(value string) { k.may, k.last = []string{value}, time.Now() }

func (k *known) unanswered(value string) {
	if !slices.Contains(k.may, value) {
		k.may = append(k.may, value)
	}
	k.last = time.Now()
}

// gone reports whether an earlier request, which had no answer, may have deleted what wasn't found.
func (k *known) gone(came answer, value string) bool {
	return came.status == http.StatusNotFound && (came.repeated || len(k.may) > 1) && (value == absent || slices.Contains(k.may, absent))
}

// The values of known.
const (
	here   = "here"
	absent = "absent"
)

// ledger remembers what one installation acknowledged. One goroutine at a time writes each account's part.
type ledger struct {
	people  *people
	entries []string // to star
	address string

	mu           sync.Mutex
	stars        []map[string]*known // by account and entry: here or absent
	projects     []map[string]*known // by account and id: the name, or absent
	acknowledged int
	random       []*rand.Rand // of each account
	starred      tally
	changed      tally
}

func newLedger(name string, people *people, address string, seed uint64) *ledger {
	l := &ledger{people: people, address: address, starred: tally{name: name + ": stars"}, changed: tally{name: name + ": projects"}}
	for i := range people.emails {
		l.stars, l.projects = append(l.stars, map[string]*known{}), append(l.projects, map[string]*known{})
		l.random = append(l.random, rand.New(rand.NewPCG(seed, uint64(i))))
	}
	return l
}

func (l *ledger) note(one *known, came answer, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if came.status/100 == 2 {
		one.acknowledged(value)
		l.acknowledged++
	} else {
		one.unanswered(value)
	}
}

// star sets or removes a star of an account.
func (l *ledger) star(ctx context.Context, who int, due time.Time) {
	entry := l.entries[l.random[who].IntN(len(l.entries))]
	l.mu.Lock()
	one := l.stars[who][entry]
	if one == nil {
		one = &known{may: []string{absent}}
		l.stars[who][entry] = one
	}
	method, value := http.MethodPut, here
	if one.may[0] == here {
		method, value = http.MethodDelete, absent
	}
	l.mu.Unlock()
	came := l.starred.ask(ctx, l.address, due, false, program.Call{Method: method, Path: api + "/resources/" + entry + "/star", Token: l.people.token(who)})
	l.note(one, came, value)
	l.judge(ctx, &l.starred, came, http.StatusOK)
}

// project makes, renames or deletes a project of an account.
func (l *ledger) project(ctx context.Context, who int, due time.Time) {
	random, token := l.random[who], l.people.token(who)
	var ids []string
	for id, one := range l.projects[who] {
		if one.may[0] != absent {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	choice := random.IntN(10)
	name := fmt.Sprintf("Project %016x", random.Uint64())
	if len(ids) == 0 || choice < 5 {
		came := l.changed.ask(ctx, l.address, due, true, program.Call{
			Method: http.MethodPost, Path: api + "/projects", Token: token, Body: map[string]any{"name": name, "repositoryId": l.entries[0]},
		})
		l.judge(ctx, &l.changed, came, http.StatusCreated)
		var made struct{ ID string }
		if came.status == http.StatusCreated && json.Unmarshal(came.body, &made) == nil {
			one := &known{}
			l.mu.Lock()
			l.projects[who][made.ID] = one
			l.mu.Unlock()
			l.note(one, came, name)
		}
		return
	}
	id := ids[random.IntN(len(ids))]
	one, value := l.projects[who][id], name
	call := program.Call{Method: http.MethodPatch, Path: api + "/projects/" + id, Token: token, Body: map[string]any{"name": name}}
	if choice >= 8 {
		call.Method, call.Body, value = http.MethodDelete, nil, absent
	}
	came := l.changed.ask(ctx, l.address, due, false, call)
	if one.gone(came, value) {
		l.note(one, answer{status: http.StatusOK}, absent)
		return
	}
	l.note(one, came, value)
	l.judge(ctx, &l.changed, came, http.StatusOK)
}

// judge counts an answer that is neither expected nor missing.
func (l *ledger) judge(ctx context.Context, kind *tally, came answer, want int) {
	if came.status != want && !came.missing() && ctx.Err() == nil {
		kind.mistake("%d %.300s", came.status, came.body)
	}
}

// owned is what an installation has for one account.
type owned struct {
	stars    map[string]string
	projects map[string]string
}

func newOwned() owned { return owned{stars: map[string]string{}, projects: map[string]string{}} }

// asksFor returns a server's answer about an account's stars and projects.
func (l *ledger) asksFor(ctx context.Context, address string, who int) (owned, error) {
	found := newOwned()
	var stars, projects []struct{ ID, Name string }
	err := errors.Join(read(ctx, address, api+"/resources/"+url.PathEscape(l.people.emails[who])+"/stars", l.people.token(who), &stars),
		read(ctx, address, api+"/projects", l.people.token(who), &projects))
	for _, one := range stars {
		found.stars[one.ID] = here
	}
	for _, one := range projects {
		found.projects[one.ID] = one.Name
	}
	return found, err
}

// compare returns what an account lacks or has in excess, among what was last written before a time.
func (l *ledger) compare(who int, found owned, before time.Time) (lost []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, part := range []struct {
		what  string
		known map[string]*known
		found map[string]string
	}{{"star", l.stars[who], found.stars}, {"project", l.projects[who], found.projects}} {
		for id, one := range part.known {
			value, there := part.found[id]
			if !there {
				value = absent
			}
			if one.last.Before(before) && len(one.may) > 0 && !slices.Contains(one.may, value) {
				lost = append(lost, fmt.Sprintf("the %s %s of %s is %q, and %q was acknowledged", part.what, id, l.people.emails[who], value, one.may))
			}
		}
	}
	return lost
}

// count returns how many things are remembered, and for how many of them the last write had an answer.
func (l *ledger) count() (all, sure int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, part := range slices.Concat(l.stars, l.projects) {
		for _, one := range part {
			all++
			if len(one.may) == 1 {
				sure++
			}
		}
	}
	return all, sure
}
