package idp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"

	"cairn/internal/fault"
)

const (
	loginLifetime = 8 * time.Hour  // how long the provider remembers a browser
	familyIdle    = 12 * time.Hour // how long a refresh token may lie unused
	refreshGrace  = 10 * time.Second
)

// errNoGrant is the answer to a refresh token that stands for nothing: unknown, idle for too long, or ended.
var errNoGrant = errors.New("the refresh token is not valid any more")

// errUnchanged ends a change that turned out to change nothing, so that strangers cannot make the server write.
var errUnchanged = errors.New("nothing to change")

// login is a browser that signed in. SID names it in tokens; the cookie's value is known to the browser alone.
type login struct {
	SID             string    `json:"sid"`
	Email           string    `json:"email"`
	AuthenticatedAt time.Time `json:"authenticatedAt"`
	ExpiresAt       time.Time `json:"expiresAt"`
}

// family is one line of refresh tokens, each the successor of the one before.
type family struct {
	SID             string    `json:"sid"`
	Email           string    `json:"email"`
	Scopes          []string  `json:"scopes"`
	AuthenticatedAt time.Time `json:"authenticatedAt"`
	Generation      int       `json:"generation"` // of the token that is valid now
	UsedAt          time.Time `json:"usedAt"`     // when that token was made
}

// snapshot is what the state file holds. A snapshot is never changed once it is in use.
type snapshot struct {
	Logins   map[string]login     `json:"logins"`   // by the hash of the cookie
	Families map[string]family    `json:"families"` // by family id
	Ended    map[string]time.Time `json:"ended"`    // sids and token ids whose tokens count no more, until they expire
}

// state is the provider's memory. Every change is on disk before its caller goes on; one that cannot be written does
// not happen.
type state struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	current snapshot
}

func loadState(dir string, now func() time.Time) (*state, error) {
	s := &state{path: filepath.Join(dir, stateFile), now: now}
	data, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fault.Wrap(err, fault.Internal, "The file %s of the identity provider cannot be read.", s.path)
	case json.Unmarshal(data, &s.current) != nil:
		return nil, brokenFile(s.path)
	}
	return s, nil
}

// change runs edit on a copy without what has expired, and puts the copy in force when it is on disk.
func (s *state) change(edit func(next *snapshot, now time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	next := snapshot{Logins: map[string]login{}, Families: map[string]family{}, Ended: map[string]time.Time{}}
	maps.Copy(next.Logins, s.current.Logins)
	maps.Copy(next.Families, s.current.Families)
	maps.Copy(next.Ended, s.current.Ended)
	maps.DeleteFunc(next.Logins, func(_ string, l login) bool { return !now.Before(l.ExpiresAt) })
	maps.DeleteFunc(next.Families, func(_ string, f family) bool { return f.idle(now) })
	maps.DeleteFunc(next.Ended, func(_ string, until time.Time) bool { return !now.Before(until) })
	switch err := edit(&next, now); {
	case errors.Is(err, errUnchanged):
		return nil
	case err != nil:
		return err
	}
	data, err := json.Marshal(next)
	if err == nil {
		err = replaceFile(s.path, data)
	}
	if err != nil {
		return fault.Wrap(err, fault.Internal, "The sign-in server cannot keep its state. Try again in a while.")
	}
	s.current = next
	return nil
}

func (f family) idle(now time.Time) bool { return now.Sub(f.UsedAt) >= familyIdle }

// endSID ends a login wherever it is known: the browser's, its refresh tokens, and its access tokens at userinfo.
func (n *snapshot) endSID(sid string, now time.Time) {
	maps.DeleteFunc(n.Logins, func(_ string, l login) bool { return l.SID == sid })
	maps.DeleteFunc(n.Families, func(_ string, f family) bool { return f.SID == sid })
	n.Ended[sid] = now.Add(accessLifetime)
}

// signIn remembers a browser under a new cookie value, which it returns. The browser's former login goes: for the same
// account its sid is kept, so that signing out later reaches what began before; another account's login is ended whole.
func (s *state) signIn(email, formerCookie string) (cookie string, made login, err error) {
	cookie = rand.Text()
	err = s.change(func(next *snapshot, now time.Time) error {
		made = login{SID: uuid.NewString(), Email: email, AuthenticatedAt: now, ExpiresAt: now.Add(loginLifetime)}
		if former, ok := next.Logins[cookieKey(formerCookie)]; ok {
			if former.Email == email {
				made.SID = former.SID
				delete(next.Logins, cookieKey(formerCookie))
			} else {
				next.endSID(former.SID, now)
			}
		}
		next.Logins[cookieKey(cookie)] = made
		return nil
	})
	return cookie, made, err
}

// loginOf gives the living login of a cookie.
func (s *state) loginOf(cookie string) (login, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.current.Logins[cookieKey(cookie)]
	return found, ok && s.now().Before(found.ExpiresAt)
}

// signOut ends the login of a cookie and the one that a token's sid names; either may be empty or unknown.
func (s *state) signOut(cookie, sid string) error {
	return s.change(func(next *snapshot, now time.Time) error {
		found, ok := next.Logins[cookieKey(cookie)]
		if !ok && sid == "" {
			return errUnchanged
		}
		for _, end := range []string{found.SID, sid} {
			if end != "" {
				next.endSID(end, now)
			}
		}
		return nil
	})
}

// startFamily makes a family and returns its id; the first token has generation 1. A login that was ended since its
// code was given gets none.
func (s *state) startFamily(f family) (id string, err error) {
	id = uuid.NewString()
	err = s.change(func(next *snapshot, now time.Time) error {
		if _, ended := next.Ended[f.SID]; ended {
			return errNoGrant
		}
		f.Generation, f.UsedAt = 1, now
		next.Families[id] = f
		return nil
	})
	return id, err
}

// familyOf gives a family that may still be used.
func (s *state) familyOf(id string) (family, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.current.Families[id]
	return found, ok && !found.idle(s.now())
}

// rotate uses up the token of a generation and returns its successor's generation. The same token again within ten
// seconds has the same successor, because a person's tabs renew at the same moment. Any other token that is not the
// current one was used before, so somebody copied it: that ends the family, thief and owner alike.
func (s *state) rotate(id string, generation int) (successor int, err error) {
	var reused bool
	err = s.change(func(next *snapshot, now time.Time) error {
		f, ok := next.Families[id]
		successor = f.Generation
		switch {
		case !ok:
			return errNoGrant
		case generation == f.Generation:
			successor = f.Generation + 1
			f.Generation, f.UsedAt = successor, now
			next.Families[id] = f
		case generation == f.Generation-1 && now.Sub(f.UsedAt) <= refreshGrace:
			return errUnchanged
		default:
			reused = true
			delete(next.Families, id)
		}
		return nil
	})
	if err == nil && reused {
		err = errNoGrant
	}
	return successor, err
}

// endFamily makes all refresh tokens of a family worthless.
func (s *state) endFamily(id string) error {
	return s.change(func(next *snapshot, _ time.Time) error {
		delete(next.Families, id)
		return nil
	})
}

// endToken makes one access token worthless at userinfo until it expires by itself.
func (s *state) endToken(id string, until time.Time) error {
	return s.change(func(next *snapshot, _ time.Time) error {
		next.Ended[id] = until
		return nil
	})
}

// ended tells whether one of these sids or token ids was ended.
func (s *state) ended(ids ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		if until, ok := s.current.Ended[id]; ok && s.now().Before(until) {
			return true
		}
	}
	return false
}

func cookieKey(cookie string) string {
	sum := sha256.Sum256([]byte(cookie))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
