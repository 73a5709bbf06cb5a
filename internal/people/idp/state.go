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
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"cairn/internal/foundation/fault"
)

const (
	loginLifetime = 8 * time.Hour  // how long the provider remembers a browser
	familyIdle    = 12 * time.Hour // how long a refresh token may stay unused
	refreshGrace  = 10 * time.Second
)

// errNoGrant is the answer to a refresh token that is unknown, idle for too long, or ended.
var errNoGrant = errors.New("the refresh token is not valid any more")

// errUnchanged ends a change that has no effect, so that strangers can't cause writes.
var errUnchanged = errors.New("nothing to change")

// login is a browser that signed in. SID names it in tokens; only the browser knows the cookie's value.
type login struct {
	SID             string    `json:"sid"`
	Email           string    `json:"email"`
	AuthenticatedAt time.Time `json:"authenticatedAt"`
	ExpiresAt       time.Time `json:"expiresAt"`
}

// family is a chain of refresh tokens, each the successor of the one before.
type family struct {
	SID             string    `json:"sid"`
	Email           string    `json:"email"`
	ClientID        string    `json:"clientId,omitempty"` // absent: the product's own
	Scopes          []string  `json:"scopes"`
	AuthenticatedAt time.Time `json:"authenticatedAt"`
	Generation      int       `json:"generation"` // of the token that is valid now
	UsedAt          time.Time `json:"usedAt"`     // when that token was issued
}

// snapshot is the content of the state file. A snapshot never changes once it is in use.
type snapshot struct {
	Logins   map[string]login     `json:"logins"`   // by the hash of the cookie
	Families map[string]family    `json:"families"` // by family id
	Ended    map[string]time.Time `json:"ended"`    // sids, family ids and ids of revoked tokens, until the tokens expire
}

// state is the provider's state. Every change is on disk before its caller continues; a change that can't be written
// doesn't happen.
type state struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	current snapshot
}

func loadState(dir string, now func() time.Time) (*state, error) {
	s := &state{path: filepath.Join(dir, stateFile), now: now}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, unreadable(s.path, err)
	}
	s.current, err = parseState(s.path, data)
	return s, err
}

func parseState(path string, data []byte) (found snapshot, err error) {
	if json.Unmarshal(data, &found) != nil {
		return found, brokenFile(path)
	}
	return found, nil
}

// change runs edit on a copy without expired items, and uses the copy once it is on disk.
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
		return fault.Wrap(err, fault.Internal, "The sign-in server can't save its state. Try again later.")
	}
	s.current = next
	return nil
}

func (f family) idle(now time.Time) bool { return now.Sub(f.UsedAt) >= familyIdle }

// endSID ends a login everywhere: in the browser, its refresh tokens, and its access tokens.
func (n *snapshot) endSID(sid string, now time.Time) {
	maps.DeleteFunc(n.Logins, func(_ string, l login) bool { return l.SID == sid })
	maps.DeleteFunc(n.Families, func(_ string, f family) bool { return f.SID == sid })
	n.Ended[sid] = now.Add(accessLifetime)
}

// endFamily ends a family and its access tokens.
func (n *snapshot) endFamily(id string, now time.Time) {
	delete(n.Families, id)
	n.Ended[id] = now.Add(accessLifetime)
}

// familyEnd separates a family from what is unique in the ids of its access tokens.
const familyEnd = "."

// newTokenID returns an id for an access token of a family; the family may be "".
func newTokenID(family string) string {
	if family == "" {
		return uuid.NewString()
	}
	return family + familyEnd + uuid.NewString()
}

// signIn stores a browser's login under a new cookie value, which it returns. The browser's previous login is replaced:
// for the same account its sid is kept, so that signing out later also ends what began before; another account's login
// ends completely.
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

// loginOf returns the valid login of a cookie.
func (s *state) loginOf(cookie string) (login, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.current.Logins[cookieKey(cookie)]
	return found, ok && s.now().Before(found.ExpiresAt)
}

// signOut ends the login of a cookie and the login with a token's sid; either may be empty or unknown.
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

// startFamily creates a family and returns its id; the first token has generation 1. It fails if the login has ended
// since its code was issued.
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

// familyOf returns a family that may still be used.
func (s *state) familyOf(id string) (family, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.current.Families[id]
	return found, ok && !found.idle(s.now())
}

// rotate uses up the token of a generation and returns its successor's generation. The same token returns the same
// successor for ten seconds, because a person's tabs renew at the same moment. Any other token that isn't the current
// one was used before, so somebody copied it: that ends the family, for thief and owner alike.
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
			next.endFamily(id, now)
		}
		return nil
	})
	if err == nil && reused {
		err = errNoGrant
	}
	return successor, err
}

// endFamily revokes all refresh tokens of a family, and its access tokens.
func (s *state) endFamily(id string) error {
	return s.change(func(next *snapshot, now time.Time) error {
		next.endFamily(id, now)
		return nil
	})
}

// endToken revokes one access token until it expires.
func (s *state) endToken(id string, until time.Time) error {
	return s.change(func(next *snapshot, _ time.Time) error {
		next.Ended[id] = until
		return nil
	})
}

// ended reports whether an access token was revoked, or its family or login has ended.
func (s *state) ended(tokenID, sid string) bool {
	family, _, _ := strings.Cut(tokenID, familyEnd)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range []string{tokenID, family, sid} {
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
