package broker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/machine/broker"
)

// R's kernel names itself as whoever asks, and says nothing of cells that it doesn't execute but that.
func TestKernelsThatRepeatTheNameOfWhoeverAsks(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two")
	tab := j.open("tab-1")
	tab.attach()
	tab.run("r1", "one", 0)
	tab.run("r2", "two", 1)
	x, y := j.take(), j.take()
	ask := func(session, kind string, parent any, content fields) { j.say(session, parent, "iopub", kind, content) }
	ask("tab-1", "stream", fields{"msg_id": "r1", "session": "tab-1"}, fields{"name": "stdout", "text": "a"})
	ask("tab-2", "status", fields{"msg_id": "other", "session": "tab-2"}, fields{"execution_state": "busy"})
	ask("tab-1", "stream", fields{"msg_id": "r1", "session": "tab-1"}, fields{"name": "stdout", "text": "b"})
	tab.awaitText("r1", "ab")
	x.end("error")
	y.say("shell", "execute_reply", fields{"status": "aborted"})
	tab.await("the replies", func() bool { return tab.countOf("execute_reply") == 2 })
	again := j.open("tab-2")
	again.attach()
	if again.notes["r1"] != "error" || again.notes["r2"] != "aborted" {
		t.Errorf("the executions are %v", again.notes)
	}
}

func TestADeletedKernelIsNoticed(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one")
	tab := j.open("tab-1")
	tab.run("r1", "one", 0)
	x := j.take()
	x.print("a")
	tab.awaitText("r1", "a")
	j.mu.Lock()
	j.gone = true
	j.mu.Unlock()
	j.broker.Check(t.Context())
	<-tab.closed
	eventually(t, "it's in the file", func() bool {
		return strings.HasPrefix(j.cells(file)[0].text(), "aThe kernel ended") || len(j.broker.Known()) == 0
	})
	if known := j.broker.Known(); len(known) > 0 {
		t.Errorf("it is still known: %v", known)
	}
}

// A page that saves isn't somebody else, however often it does.
func TestAPageThatSavesMeanwhileIsNoConflict(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put(codes(3)...)
	_, err := j.broker.Finish(t.Context(), asked("f", nil))
	check(t, err)
	for at := range 3 {
		x := j.take()
		x.print(fmt.Sprint("printed by ", at))
		j.mu.Lock()
		j.modified[file]++ // a page saves
		j.mu.Unlock()
		j.broker.Saved(file, time.Now())
		x.end("ok")
		eventually(t, "its output is in the file", func() bool { return j.cells(file)[at].text() == fmt.Sprint("printed by ", at) })
	}
	if state := j.finished("f"); state.Beside != "" || len(j.copies()) > 0 {
		t.Errorf("it ends as %+v, with %v", state, j.copies())
	}
}

func TestACellWithEndlesslyManyOutputsIsBounded(t *testing.T) {
	t.Parallel()
	said := []any{}
	for at := range 5000 {
		said = append(said, "stream", fields{"name": "stdout", "text": fmt.Sprintln(at)}, "stream", fields{"name": "stderr", "text": fmt.Sprintln(at)})
	}
	shown := strings.Fields(broker.Shown(t, said))
	if len(shown) > 2100 || shown[0] != "stdout:0" || shown[len(shown)-1] != "stderr:4999" {
		t.Errorf("%d outputs, from %s to %s", len(shown), shown[0], shown[len(shown)-1])
	}
}
