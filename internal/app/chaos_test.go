package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	chaosCapacity = 2               // sessions that run; one more may wait in the queue
	chaosLive     = 3               // sessions that are wanted at once
	truthTime     = 2 * time.Minute // until the state must match the answers, also on a busy machine
)

func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs sessions of real Jupyter")
	}
	killsLoseNothing(t, 3)
}

func TestThoroughKillsLoseNothing(t *testing.T) { killsLoseNothing(t, 100) }

// killsLoseNothing kills the real server at random moments while sessions with real Jupyter run and are started,
// stopped, deleted and written to. After each start, everything answered before must be true, and nothing may run that
// shouldn't. CHAOS_SEED repeats a run's choices.
func killsLoseNothing(t *testing.T, kills int) {
	t.Helper()
	seed, err := strconv.ParseInt(os.Getenv("CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = time.Now().UnixNano()
	}
	t.Logf("seed %d (CHAOS_SEED repeats it), %d kills", seed, kills)
	c := &chaos{victim: newVictim(t), random: rand.New(rand.NewPCG(uint64(seed), 0))}
	for number := range kills {
		c.serve()
		c.verify()
		looks := 1 + c.random.IntN(300) // until the random moment
		answered, broken := c.change()
		if number%2 == 0 { // every other kill comes after an answer, however slow the machine is
			<-answered
		}
		for range looks {
			c.call(http.MethodGet, "/sessions/", "", "")
		}
		c.kill()
		<-broken
	}
	c.serve()
	c.verify()
	t.Logf("%d calls were answered, %d files written, %d calls cut off", c.answered, c.written, c.cut)
	if c.answered < (kills+1)/2 {
		t.Errorf("only %d calls were answered between %d kills", c.answered, kills)
	}
	for _, one := range c.wishes {
		if status, body := c.call(http.MethodDelete, "/sessions/"+one.id, "", ""); status != http.StatusOK && status != http.StatusNotFound {
			t.Errorf("delete %s: %d %s", one.name, status, body)
		}
		one.may = []string{gone}
	}
	c.verify()
	c.stop()
	if left := c.processes(); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

// The states that a session may be in.
const (
	live  = "live"
	ended = "ended"
	gone  = "gone"
)

// wish is what was asked for and answered about one session.
type wish struct {
	name, id string            // the id is "" until the start was answered
	may      []string          // more than one after a call that was cut off
	files    map[string]string // known to be written
}

// chaos is a victim and what its users know about it.
type chaos struct {
	*victim

	random                 *rand.Rand
	wishes                 []*wish
	answered, written, cut int
}

type chaosSession struct {
	ID, SessionName, Status, RequestedStatus, StatusReason string
	QueuePosition                                          int
}

// change makes calls one after another until one is cut off. The channels are closed at the first answer, and at that end.
func (c *chaos) change() (answered, broken <-chan struct{}) {
	first, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		once := sync.OnceFunc(func() { close(first) })
		defer once()
		for c.step() {
			c.answered++
			once()
		}
		c.cut++
	}()
	return first, end
}

// step makes one random call; it returns false when the call was cut off.
func (c *chaos) step() bool {
	var going []*wish
	for _, one := range c.wishes {
		if one.may[0] != gone {
			going = append(going, one)
		}
	}
	alive := 0
	for _, one := range going {
		if one.may[0] == live {
			alive++
		}
	}
	if alive < chaosLive && (len(going) == 0 || c.random.IntN(3) == 0) {
		one := &wish{name: fmt.Sprint("session ", len(c.wishes)), may: []string{live}, files: map[string]string{}}
		c.wishes = append(c.wishes, one)
		return c.start(one)
	}
	one := going[c.random.IntN(len(going))]
	switch choice := c.random.IntN(10); {
	case choice < 7 && one.may[0] == live:
		return c.write(one)
	case choice == 9:
		return c.ask(one, http.MethodDelete, "/sessions/"+one.id, gone)
	case one.may[0] == live:
		return c.ask(one, http.MethodPatch, "/sessions/"+one.id+"?status=TERMINATED", ended)
	case alive < chaosLive:
		return c.ask(one, http.MethodPatch, "/sessions/"+one.id+"?status=CREATED", live)
	}
	return c.write(one)
}

// start asks for a session; repeated with the same key, it's the same session.
func (c *chaos) start(one *wish) bool {
	path := "/hub/start/project/" + c.project + "?sessionName=" + strings.ReplaceAll(one.name, " ", "%20")
	status, body := c.call(http.MethodGet, path, "", one.name)
	if status == 0 {
		return false
	}
	var answer struct{ SessionID string }
	if err := json.Unmarshal(body, &answer); err != nil || status != http.StatusOK || answer.SessionID == "" {
		c.t.Errorf("start %s: %d %s", one.name, status, body)
	}
	one.id = answer.SessionID
	return true
}

func (c *chaos) ask(one *wish, method, path, becomes string) bool {
	status, body := c.call(method, path, "", "")
	switch status {
	case 0:
		one.may = append(one.may, becomes)
		return false
	case http.StatusOK, http.StatusAccepted:
		one.may = []string{becomes}
	case http.StatusConflict: // a stop is under way: nothing changed
	default:
		c.t.Errorf("%s %s of %s: %d %s", method, becomes, one.name, status, body)
	}
	return true
}

// write puts a file into a session's work through the session's Jupyter; it fails while the session doesn't run.
func (c *chaos) write(one *wish) bool {
	name, content := fmt.Sprintf("file-%d.txt", len(one.files)), fmt.Sprint("written ", c.random.Uint64())
	status := c.put(one.id, name, content)
	if status == http.StatusOK || status == http.StatusCreated {
		one.files[name] = content
		c.written++
	}
	return status != 0
}

// verify waits until the state matches the answers.
func (c *chaos) verify() {
	c.t.Helper()
	late := time.After(truthTime)
	for _, one := range c.wishes {
		if one.id == "" && !c.start(one) {
			c.t.Fatal("the server does not answer a start")
		}
	}
	for {
		wrong, unfinished := c.look()
		if len(wrong) == 0 && len(unfinished) == 0 {
			c.checkFiles()
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-late:
			c.t.Fatalf("%s after a start: %s\n%s", truthTime, strings.Join(append(wrong, unfinished...), "; "), c.log())
		}
	}
}

// look compares what is shown with what was answered and with what runs. wrong lists what must not be shown, unfinished
// what is still under way.
func (c *chaos) look() (wrong, unfinished []string) {
	status, body := c.call(http.MethodGet, "/sessions/", "", "")
	var shown []chaosSession
	if err := json.Unmarshal(body, &shown); err != nil || status != http.StatusOK {
		c.t.Fatalf("the list: %d %s", status, body)
	}
	running, alive := 0, 0
	byID := map[string]chaosSession{}
	for _, session := range shown {
		byID[session.ID] = session
	}
	processes := c.processes()
	for _, one := range c.wishes {
		session, there := byID[one.id]
		delete(byID, one.id)
		state := gone
		switch {
		case there && session.Status == "TERMINATED":
			state = ended
		case there && (session.Status == "CREATED" || session.Status == "RUNNING"):
			state = live
			alive++
		case there:
			wrong = append(wrong, fmt.Sprintf("%s is %s: %s", one.name, session.Status, session.StatusReason))
			continue
		}
		has := len(processes[one.id]) > 0
		switch {
		case there && session.RequestedStatus != "":
			unfinished = append(unfinished, one.name+" is being stopped")
			continue
		case !slices.Contains(one.may, state):
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %v", one.name, state, one.may))
		case session.Status == "RUNNING" && !has:
			wrong = append(wrong, one.name+" is shown running, and nothing runs")
		case state != live && has:
			wrong = append(wrong, fmt.Sprintf("%s is %s, and %v run", one.name, state, processes[one.id]))
		}
		if session.Status == "RUNNING" {
			running++
		}
		if len(wrong) == 0 {
			one.may = []string{state}
		}
		delete(processes, one.id)
	}
	for id := range byID {
		wrong = append(wrong, "nobody asked for session "+id)
	}
	for id, left := range processes {
		wrong = append(wrong, fmt.Sprintf("orphans of %s: %v", id, left))
	}
	if want := min(alive, chaosCapacity); running > chaosCapacity {
		wrong = append(wrong, fmt.Sprintf("%d run, and there is room for %d", running, chaosCapacity))
	} else if running < want {
		unfinished = append(unfinished, fmt.Sprintf("%d of %d run", running, want))
	}
	return wrong, unfinished
}

// checkFiles downloads every session's work as its owner and compares it.
func (c *chaos) checkFiles() {
	c.t.Helper()
	for _, one := range c.wishes {
		if one.may[0] == gone {
			continue
		}
		status, body := c.call(http.MethodGet, "/sessions/"+one.id+"/work.zip", "", "")
		archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if status != http.StatusOK || err != nil {
			c.t.Errorf("the work of %s: %d %v", one.name, status, err)
			continue
		}
		for name, content := range one.files {
			file, err := archive.Open(name)
			if err != nil {
				c.t.Errorf("%s has lost %s: %v", one.name, name, err)
				continue
			}
			if got, err := io.ReadAll(file); err != nil || string(got) != content {
				c.t.Errorf("%s holds %q in %s, want %q (%v)", one.name, got, name, content, err)
			}
			_ = file.Close()
		}
	}
}
