package sessions

import (
	"sync"
	"time"

	"cairn/internal/identity"
)

// passTime is the default of Service.passTime: how long a right that another process took away may go on. A page of Jupyter
// is some forty requests, which would ask the database four times each.
const passTime = time.Second

// passesKept bounds what is remembered; when it is full, it starts anew.
const passesKept = 10_000

// passes remembers whom cookies have just let into which session. Everything is forgotten whenever a session changes or
// somebody signs out.
type passes struct {
	mutex sync.Mutex
	age   int // how often everything was forgotten
	known map[string]passed
}

// passed is what was found when a cookie was looked at.
type passed struct {
	holder  pass
	caller  identity.Caller
	session Session
	until   time.Time // by the system's clock
}

func (p *passes) get(cookie string) (found passed, age int, ok bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, ok = p.known[cookie]
	return found, p.age, ok && time.Now().Before(found.until)
}

// put keeps what was read when the memory had this age, unless everything was forgotten since: it may be outdated.
func (p *passes) put(cookie string, found passed, age int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if age != p.age {
		return
	}
	if p.known == nil || len(p.known) >= passesKept {
		p.known = map[string]passed{}
	}
	p.known[cookie] = found
}

func (p *passes) forget() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.age++
	p.known = nil
}
