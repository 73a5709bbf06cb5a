// Package audience finds out who can read the repositories of private entries: it asks their code hosts, with the connections of those who
// want to read, and believes an answer for a few minutes.
package audience

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"

	"golang.org/x/sync/singleflight"
)

// Options configure an Audience.
type Options struct {
	Hosts *codehost.Hosts
	// Recheck returns for how long the answer of a host is believed: 10 s to 5 min.
	Recheck func(codehost.Repository) time.Duration
	Now     func() time.Time
	Logger  *slog.Logger
}

// Audience remembers who can read what. It is a catalog.Readers. Each server asks for itself.
type Audience struct {
	options Options
	asking  singleflight.Group // by account and entry

	mu       sync.Mutex
	accounts map[string]map[string]answer // by account and entry; protected by mu
	cleaned  time.Time                    // when old answers were last dropped; protected by mu
	forgot   uint64                       // rises with each Forget, after which answers that were asked for before don't count; protected by mu
}

// answer is what a host said.
type answer struct {
	of    identity // of the repository that was asked about
	err   error    // why it isn't readable; nil: it is
	until time.Time
}

// identity is what an entry says about its repository. If that changes, answers are about another one.
type identity struct{ address, hostID string }

const (
	deniedTime  = 30 * time.Second // for which a refusal is believed: who is let in there soon gets in here
	silenceTime = 10 * time.Second // for which a host that can't be asked isn't asked again
	answersMost = 100_000          // beyond which all are forgotten
	cleanEvery  = time.Minute
)

// New returns an Audience that knows nothing.
func New(options Options) *Audience {
	return &Audience{options: options, accounts: map[string]map[string]answer{}}
}

// Ask implements catalog.Readers.
func (a *Audience) Ask(ctx context.Context, accountID string, entry catalog.Entry) error {
	of := identity{entry.RepositoryURL, entry.HostID}
	if known, ok := a.known(accountID, entry.ID, of); ok {
		return known.err
	}
	if safehttp.IsOffline(ctx) {
		return fault.New(fault.CodehostUnavailable, "The code host isn't asked now.")
	}
	asked := a.asking.DoChan(accountID+" "+entry.ID+" "+of.address+" "+of.hostID, func() (any, error) {
		began, forgot := a.options.Now(), a.forgotten() // the host may take its time
		going, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer cancel()
		err := a.ask(going, accountID, of)
		a.note(accountID, entry.ID, answer{of, err, began.Add(a.timeOf(entry, err))}, forgot)
		return nil, err
	})
	select {
	case said := <-asked:
		return said.Err
	case <-ctx.Done():
		return fault.New(fault.CodehostUnavailable, "The code host takes too long to say whether you can read this.")
	}
}

// askTime is how long an answer is waited for, also when nobody else waits any more.
const askTime = 15 * time.Second

// ask asks the host.
func (a *Audience) ask(ctx context.Context, accountID string, of identity) error {
	repository, err := codehost.Parse(of.address)
	if err != nil {
		return fault.Wrap(err, fault.NotFound, "The address of the repository can't be read.")
	}
	about, err := a.options.Hosts.Readable(ctx, accountID, repository)
	switch kind := fault.KindOf(err); {
	case err == nil && of.hostID != "" && about.ID != of.hostID: // the name is someone else's by now
		return fault.New(fault.NotFound, "%s is now a different repository from the one in this entry.", repository)
	case err == nil, kind == fault.NotFound, kind == fault.Unavailable, kind == fault.TooMany, fault.CodeOf(err) == fault.NotConnected:
		return err
	default:
		a.options.Logger.WarnContext(ctx, "a code host can't be asked who reads a repository", "host", repository.Host, "error", err)
		return fault.Wrap(err, fault.CodehostUnavailable, "%s can't say right now whether you can read this.", repository.Host)
	}
}

// timeOf returns for how long an answer is believed.
func (a *Audience) timeOf(entry catalog.Entry, err error) time.Duration {
	most := 5 * time.Minute
	if repository, parseErr := codehost.Parse(entry.RepositoryURL); parseErr == nil {
		most = a.options.Recheck(repository)
	}
	switch {
	case err == nil:
		return most
	case fault.KindOf(err) == fault.NotFound && entry.HostID == "": // a host without an API doesn't say whether it takes the token at all
		return most
	case fault.KindOf(err) == fault.NotFound:
		return min(most, deniedTime)
	case fault.CodeOf(err) == fault.NotConnected:
		return 0 // the host wasn't asked
	}
	return min(most, silenceTime)
}

// known returns an answer that is still believed.
func (a *Audience) known(accountID, entryID string, of identity) (answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.accounts[accountID][entryID]
	return found, ok && found.of == of && a.options.Now().Before(found.until)
}

func (a *Audience) forgotten() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forgot
}

// note remembers an answer, unless something was forgotten since a number of times.
func (a *Audience) note(accountID, entryID string, one answer, forgot uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.forgot != forgot {
		return
	}
	if now := a.options.Now(); now.Sub(a.cleaned) >= cleanEvery {
		a.cleaned = now
		total := 0
		for account, answers := range a.accounts {
			maps.DeleteFunc(answers, func(_ string, old answer) bool { return !now.Before(old.until) })
			if total += len(answers); len(answers) == 0 {
				delete(a.accounts, account)
			}
		}
		if total > answersMost {
			clear(a.accounts)
		}
	}
	if a.accounts[accountID] == nil {
		a.accounts[accountID] = map[string]answer{}
	}
	a.accounts[accountID][entryID] = one
}

// Answered implements catalog.Readers.
func (a *Audience) Answered(accountID string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.options.Now()
	var ids []string
	for id, one := range a.accounts[accountID] {
		if one.err == nil && now.Before(one.until) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Forget drops the answers for an account, because its connections changed.
func (a *Audience) Forget(accountID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.accounts, accountID)
	a.forgot++
}

// IsPublic implements catalog.Readers. Anything but a clear answer is a no.
func (a *Audience) IsPublic(ctx context.Context, entry catalog.Entry) bool {
	repository, err := codehost.Parse(entry.RepositoryURL)
	if err != nil || !a.options.Hosts.Knows(repository) {
		return false
	}
	about, err := a.options.Hosts.About(ctx, repository)
	return err == nil && (entry.HostID == "" || about.ID == entry.HostID)
}
