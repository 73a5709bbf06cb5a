package broker_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/machine/broker"
)

func asked(id string, from *broker.Place) broker.FinishRequest {
	return broker.FinishRequest{ID: id, File: file, From: from, Deadline: time.Now().Add(time.Hour)}
}

// finished waits for the end of a request.
func (j *jupyter) finished(id string) (found broker.FinishState) {
	j.Helper()
	eventually(j.T, "the end", func() bool {
		for _, one := range j.broker.Finishes() {
			if one.ID == id {
				found = one
			}
		}
		return found.ID == id && !found.Running
	})
	return found
}

func codes(count int) (list []string) {
	for at := range count {
		list = append(list, fmt.Sprint("code ", at))
	}
	return list
}

func TestTheRestIsExecutedOnceAndWrittenAfterEveryCell(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put(codes(5)...)
	tab := j.open("tab-1")
	tab.attach()
	for at := range 2 {
		tab.run(fmt.Sprint("r", at), fmt.Sprint("code ", at), at)
		j.take().end("ok")
	}
	tab.await("the replies", func() bool { return tab.countOf("execute_reply") == 2 })
	state, err := j.broker.Finish(t.Context(), asked("f", nil))
	check(t, err)
	if !state.Running || state.Total != 5 || state.Done != 2 {
		t.Errorf("it begins as %+v", state)
	}
	if again, err := j.broker.Finish(t.Context(), asked("f", nil)); err != nil || again.ID != "f" || !again.Running {
		t.Errorf("asked for again: %+v, %v", again, err)
	}
	if _, err := j.broker.Finish(t.Context(), asked("other", nil)); !errors.Is(err, broker.ErrBusy) {
		t.Errorf("another one: %v", err)
	}
	tab.leave()
	for at := 2; at < 5; at++ {
		x := j.take()
		x.print(fmt.Sprint("printed by ", at))
		if at == 3 { // somebody looks
			tab = j.open("tab-2")
			tab.attach()
			tab.awaitText("f-1", "printed by 3")
		}
		x.end("ok")
		eventually(t, "its output is in the file", func() bool { return j.cells(file)[at].text() == fmt.Sprint("printed by ", at) })
	}
	tab.await("what was written", func() bool { return tab.countOf("cairn_rewrites") > 0 })
	if state := j.finished("f"); state.Code != "" || state.Done != 5 || state.At != nil || state.Ended.IsZero() || state.Beside != "" {
		t.Errorf("it ends as %+v", state)
	}
	if j.begun != 5 || len(j.requests) > 0 || len(j.copies()) > 0 {
		t.Errorf("%d cells have begun, %d wait, and there are %v", j.begun, len(j.requests), j.copies())
	}
	if _, err := j.broker.Finish(t.Context(), asked("g", nil)); !errors.Is(err, broker.ErrNoCell) {
		t.Errorf("with nothing left: %v", err)
	}
}

func TestWhatEndsIt(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		change func(*broker.FinishRequest)
		happen func(*jupyter, *execution)
		code   string
		reason string
		failed int
		done   int
	}{
		"a cell that fails": {happen: func(_ *jupyter, x *execution) {
			x.say("iopub", "error", fields{"ename": "ValueError", "evalue": "no", "traceback": []string{}})
			x.end("error")
		}, code: broker.FinishFailed, reason: "ValueError: no", failed: 0},
		"a cell that asks": {happen: func(_ *jupyter, x *execution) {
			x.say("stdin", "input_request", fields{"prompt": "?", "password": false})
			interrupted(x)
		}, code: broker.FinishInput, failed: 0},
		"a cell whose kernel refuses to ask": {happen: func(_ *jupyter, x *execution) {
			x.say("iopub", "error", fields{"ename": "StdinNotImplementedError", "evalue": "raw_input was called", "traceback": []string{}})
			x.end("error")
		}, code: broker.FinishInput, failed: 0},
		"a kernel that is started again": {happen: func(j *jupyter, _ *execution) {
			j.say("server", fields{}, "iopub", "status", fields{"execution_state": "restarting"})
		}, code: broker.FinishLost, failed: 0},
		"its user": {happen: func(j *jupyter, x *execution) {
			j.broker.CancelFinish("f")
			interrupted(x)
		}, code: broker.FinishCanceled, failed: 0},
		"its deadline": {
			change: func(asked *broker.FinishRequest) { asked.Deadline = time.Now().Add(100 * time.Millisecond) },
			happen: func(_ *jupyter, x *execution) { interrupted(x) }, code: broker.FinishDeadline, failed: 0,
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			j := newJupyter(t, broker.Options{})
			j.put(codes(2)...)
			request := asked("f", nil)
			if one.change != nil {
				one.change(&request)
			}
			_, err := j.broker.Finish(t.Context(), request)
			check(t, err)
			one.happen(j, j.take())
			state := j.finished("f")
			if state.Code != one.code || state.FailedAt == nil || *state.FailedAt != one.failed || state.Done != one.done || one.reason != "" && state.Reason != one.reason {
				t.Errorf("it ends as %+v", state)
			}
			if len(j.requests) > 0 {
				t.Errorf("it goes on: %v", j.requests)
			}
		})
	}
}

// interrupted ends an execution as a kernel does that was interrupted.
func interrupted(x *execution) {
	eventually(x.j.T, "the kernel is interrupted", func() bool {
		x.j.mu.Lock()
		defer x.j.mu.Unlock()
		return x.j.interrupts == 1
	})
	x.say("iopub", "error", fields{"ename": "KeyboardInterrupt", "evalue": "", "traceback": []string{}})
	x.end("error")
}

func TestWhereItBegins(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("code 0", "  ", "code 2", "code 3")
	j.files[file] = strings.Replace(j.files[file], `"metadata":{},"outputs":[],"source":"code 2"`, `"metadata":{"tags":["skip-execution"]},"outputs":[],"source":"code 2"`, 1)
	digest := sha256.Sum256([]byte(j.files[file]))
	same := asked("same", &broker.Place{Index: 3})
	same.Digest = strings.ToUpper(hex.EncodeToString(digest[:]))
	if _, err := j.broker.Finish(t.Context(), same); err != nil {
		t.Errorf("the content that it has: %v", err)
	}
	j.take().end("ok")
	j.finished("same")
	for what, one := range map[string]struct {
		request broker.FinishRequest
		before  int
		wrong   error
	}{
		"an id":                  {request: asked("a", &broker.Place{ID: "cell-3"}), before: 1},
		"an index":               {request: asked("b", &broker.Place{Index: 1}), before: 1},
		"a cell that is skipped": {request: asked("c", &broker.Place{ID: "cell-2"}), wrong: broker.ErrNoCell},
		"behind the last":        {request: asked("d", &broker.Place{Index: 4}), wrong: broker.ErrNoCell},
		"another file":           {request: broker.FinishRequest{ID: "e", File: "other.ipynb"}, wrong: broker.ErrNoKernel},
		"another content":        {request: broker.FinishRequest{ID: "g", File: file, Digest: strings.Repeat("0", 64)}, wrong: broker.ErrChanged},
	} {
		state, err := j.broker.Finish(t.Context(), one.request)
		if !errors.Is(err, one.wrong) || err == nil && state.Done != one.before {
			t.Errorf("%s: %+v, %v", what, state, err)
		}
		if err == nil {
			for range state.Total - state.Done {
				j.take().end("ok")
			}
			j.finished(one.request.ID)
		}
	}
}
