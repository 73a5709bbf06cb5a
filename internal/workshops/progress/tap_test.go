package progress_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cairn/internal/workshops/progress"
)

// Every form, masked from the page, with pings between fragments, in pieces of every size up to that of a message.
func TestBothFormsAreReadInPiecesOfEverySize(t *testing.T) {
	t.Parallel()
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			long := len(w.bytesOf(false, failure("r2", "ValueError", "patient 12"))) + 1
			for piece := 1; piece <= min(long, 700); piece++ {
				l := newLine(w)
				l.piece = piece
				l.page(request("r1", "x = 1", "a1"))
				l.run("r1", "x = 1")
				withBuffers := request("r2", "raise ValueError('patient 12')", "a2")
				withBuffers.buffers = [][]byte{[]byte("\x00\x01\x02"), {}}
				l.page(withBuffers)
				l.kernel(input("r2", "raise ValueError('patient 12')"))
				l.kernel(failure("r2", "ValueError", "patient 12"))
				l.kernel(reply("r2", "error", nil))
				l.expect(t, `started r1 {"id":"a1","index":-1}`, `done r1 {"id":"a1","index":-1}`,
					`started r2 {"id":"a2","index":-1}`, `failed r2 {"id":"a2","index":-1} ValueError`)
				if t.Failed() {
					t.Fatalf("in pieces of %d bytes", piece)
				}
			}
		})
	}
}

func TestNotebook6NamesCellsByOurScript(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the old form"])
	l.page(request("r1", "x", ""))
	l.page(cell("", "r1", 4))
	l.page(cell("", "unknown", 5))
	l.run("r1", "x")
	l.page(request("r2", "y", ""))
	l.kernel(input("r2", "y"))
	l.page(cell("b", "r2", 5)) // late
	l.kernel(reply("r2", "ok", nil))
	l.expect(t, `started r1 {"index":4}`, `done r1 {"index":4}`, `started r2`, `done r2 {"id":"b","index":5}`)
}

// Notebook 6 without our script, and consoles.
func TestCodeWithoutACellHasItsDigestAlone(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the old form"])
	l.page(request("r1", "x = 1\n", ""))
	l.run("r1", "x = 1\n")
	l.expect(t, "started r1", "done r1")
	for _, event := range *l.events {
		if event.Digest != progress.Digest("x = 1") || len(event.Digest) != 16 || event.Cell.Index != -1 {
			t.Errorf("the event is %+v", event)
		}
	}
}

func TestWhatNobodySeesIsIgnored(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	silent, unstored := request("r1", "x", "a"), request("r2", "x", "a")
	silent.content["silent"], unstored.content["store_history"] = true, false
	l.page(silent)
	l.page(unstored)
	l.run("r1", "x")
	l.run("r2", "x")
	l.run("of another client", "x")
	l.page(note{channel: "shell", id: "r3", kind: "kernel_info_request"})
	l.run("r3", "x")
	l.expect(t)
}

func TestTheRestOfRunAllIsAborted(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	for _, id := range []string{"r1", "r2", "r3"} {
		l.page(request(id, id, ""))
	}
	l.kernel(input("r1", "r1"))
	l.kernel(reply("r1", "error", fields{"ename": "ERROR", "evalue": "Error in f(): object 'patient' not found\n"}))
	l.kernel(reply("r2", "aborted", nil))
	l.kernel(input("r3", "r3"))
	l.kernel(reply("r3", "abort", nil)) // IRkernel, of a cell that was interrupted
	l.kernel(reply("r3", "ok", nil))    // only one reply counts
	l.expect(t, "started r1", "failed r1 object not found", "aborted r2", "started r3", "aborted r3")
}

// The shell channel and iopub are two connections of the kernel, so that the reply may come first.
func TestAReplyMayOvertakeTheStart(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	l.page(request("r1", "x", ""))
	l.kernel(reply("r1", "error", fields{"ename": "KeyError", "evalue": "'name'"}))
	l.kernel(input("r1", "x"))
	l.kernel(failure("r1", "KeyError", "'name'"))
	l.page(request("r2", "x", ""))
	l.kernel(reply("r2", "error", nil)) // says no more
	l.kernel(reply("r2", "what", nil))
	l.expect(t, "started r1", "failed r1 KeyError", "started r2", "failed r2 Error")
}

func executions(list ...fields) note {
	return note{channel: "iopub", id: "list", kind: "cairn_executions", content: fields{"executions": list, "files": []any{}}}
}

func TestExecutionsThatNoPageSawAreReportedOnce(t *testing.T) {
	t.Parallel()
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(w)
			l.page(request("r1", "x", "a"))
			l.run("r1", "x")
			list := func(last string) note {
				outputs := []any{fields{"output_type": "error", "ename": "OSError", "evalue": "/home/anna", "traceback": []string{}}}
				return executions(
					fields{"id": "r1", "cell": nil, "code": "x", "status": "ok", "outputs": []any{}},
					fields{"id": "r2", "cell": fields{"id": "b", "index": 3}, "code": "y", "status": "error", "outputs": outputs},
					fields{"id": "r3", "cell": fields{"index": 4}, "code": "z", "status": "aborted", "outputs": []any{}},
					fields{"id": "r4", "cell": nil, "code": "w", "status": last, "outputs": []any{}},
					fields{"id": "r5", "cell": nil, "code": "w", "status": "lost", "outputs": []any{}},
				)
			}
			l.kernel(list(""))
			l.kernel(list(""))
			l.kernel(input("r4", "w"))
			l.kernel(list("ok"))
			l.expect(t, `started r1 {"id":"a","index":-1}`, `done r1 {"id":"a","index":-1}`,
				`started r2 {"id":"b","index":3}`, `failed r2 {"id":"b","index":3} OSError`, `aborted r3 {"index":4}`, "started r4", "done r4")
			if got := (*l.events)[2].Digest; got != progress.Digest("y") {
				t.Errorf("the digest is %q", got)
			}
		})
	}
}

// A network that is gone for a moment: the answer comes over the next connection; and two tabs hear of the same execution.
func TestConnectionsOfASeatShareWhatTheyKnow(t *testing.T) {
	t.Parallel()
	one := newLine(wires["the new form"])
	shared := progress.NewExecutions(func(event progress.Event) { *one.events = append(*one.events, event) })
	one.tap = shared.Tap(newSubprotocol)
	other := &line{wire: wires["the old form"], tap: shared.Tap("")}
	one.page(request("r1", "x", ""))
	one.kernel(input("r1", "x"))
	other.kernel(input("r1", "x"))
	other.kernel(reply("r1", "ok", nil))
	one.expect(t, "started r1", "done r1")
}

func TestLongMessagesAreCutOff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", progress.MessageLimit)
	for name, w := range map[string]wire{"the new form": wires["the new form"], "the old form": wires["the old form"], "in fragments": {"", 1 << 16}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(w)
			l.page(request("r1", long, "a")) // it counts, but its code isn't followed
			l.kernel(input("r1", long))
			big := printed("r1", long)
			big.buffers = [][]byte{[]byte(long)}
			l.kernel(big)
			l.kernel(failure("r1", "ValueError", long))
			last := reply("r1", "error", fields{"user_expressions": long}) // behind the status, as encoded here
			l.kernel(last)
			silent := request("r2", "x", "")
			silent.content["silent"], silent.content["user_expressions"] = true, long
			l.page(silent)
			l.run("r2", "x")
			for id := range *l.events {
				if (*l.events)[id].Digest != "" {
					t.Errorf("code that was cut off has the digest %q", (*l.events)[id].Digest)
				}
			}
			if got := l.told(); !strings.HasPrefix(got, `started r1 {"id":"a","index":-1}`+"\n"+`failed r1 {"id":"a","index":-1} `) || strings.Contains(got, "r2") {
				t.Errorf("reported is %s", got)
			}
			if bytes, _ := l.tap.Held(); bytes > 1<<17 {
				t.Errorf("%d bytes are kept between messages", bytes)
			}
		})
	}
}

// 100 MiB of outputs, in one message.
func TestHugeOutputsTakeNoMemory(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	l.page(request("r1", "x", ""))
	head := frameOf(final|binaryOpcode, false, nil)[:1]
	head = append(head, 127, 0, 0, 0, 0, 6, 64, 0, 0) // 100 MiB
	l.tap.FromKernel(head)
	piece := bytes.Repeat([]byte("y"), 1<<16)
	for range 100 << 20 / len(piece) {
		l.tap.FromKernel(piece)
		if held, _ := l.tap.Held(); held > 2*progress.MessageLimit {
			t.Fatalf("%d bytes are kept", held)
		}
	}
	l.run("r1", "x")
	l.expect(t, "started r1", "done r1")
}

func TestRequestsAreForgottenTheOldestFirst(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	l.page(request(strings.Repeat("r", 1000), "x", "")) // no id of Jupyter's
	l.page(request("", "x", ""))
	for id := range progress.RequestsKept + 1 {
		l.page(request(fmt.Sprint("r", id), "x", strings.Repeat("c", 1000)))
	}
	if _, requests := l.tap.Held(); requests != progress.RequestsKept {
		t.Errorf("%d requests are known", requests)
	}
	l.run("r0", "x")
	l.run("r1", "x")
	l.run(strings.Repeat("r", 1000), "x")
	l.expect(t, "started r1", "done r1")
}

func TestBrokenStreamsSilenceTheTap(t *testing.T) {
	t.Parallel()
	for name, frames := range map[string][]byte{
		"compressed":                     frameOf(final|0x40|text, true, nil),
		"an unknown kind":                frameOf(final|3, true, nil),
		"an unknown control frame":       frameOf(final|11, true, nil),
		"a control frame in fragments":   frameOf(9, true, nil),
		"a long control frame":           frameOf(final|9, true, make([]byte, 126)),
		"the rest of no message":         frameOf(final, true, nil),
		"a message inside another":       append(frameOf(text, true, nil), frameOf(final|text, true, nil)...),
		"a length with its highest bit":  {final | text, 127, 0x80, 0, 0, 0, 0, 0, 0, 0},
		"the text of another protocol":   []byte("HTTP/1.1 200 OK\r\n\r\n"),
		"a broken frame after a message": append(frameOf(final|text, true, []byte("{}")), 0xff, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(wires["the new form"])
			l.page(request("r1", "x", ""))
			l.tap.FromPage(frames)
			l.run("r1", "x")
			l.page(request("r2", "x", ""))
			l.expect(t)
			if held, _ := l.tap.Held(); held != 0 || !l.tap.Broken() {
				t.Errorf("%d bytes are kept, and it's broken: %v", held, l.tap.Broken())
			}
		})
	}
}

func TestMessagesThatAreNoneOfJupytersAreSkipped(t *testing.T) {
	t.Parallel()
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(w)
			whole := request("r0", "x", "").inNewForm()
			for _, payload := range [][]byte{
				nil, []byte("{"), []byte("[]"), []byte(`{"header": 3}`), []byte(`{"header": {"msg_type": 5}}`), bytes.Repeat([]byte{0xff}, 64),
				bytes.Repeat([]byte("["), 20_000), whole[:20], whole[:len(whole)-1], append([]byte{0, 0, 0, 0, 0, 0, 0, 1}, whole[8:]...),
				{0, 0, 0, 0, 0, 0, 0, 0},
				{0, 0, 0, 1, 0, 0, 0, 9, 0},
				{0, 0, 0, 2, 0, 0, 0, 12, 0xff, 0xff, 0xff, 0xff},
			} {
				l.tap.FromPage(frameOf(final|text, true, payload))
				l.tap.FromKernel(frameOf(final|binaryOpcode, false, payload))
			}
			l.page(request("r1", "x", ""))
			l.run("r1", "x")
			l.expect(t, "started r1", "done r1")
		})
	}
}

func TestWhatFollowsTheEndOfAConnectionIsNoMessage(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the old form"])
	l.page(request("r1", "x", ""))
	l.tap.FromPage(append(frameOf(final|8, true, []byte{3, 0xe9}), "rest"...))
	l.run("r1", "x")
	l.expect(t, "started r1", "done r1")
}

func TestBothDirectionsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLine(wires["the new form"])
	const count = 200
	asked := make(chan string, count)
	var both sync.WaitGroup
	both.Go(func() {
		for id := range count {
			l.page(request(fmt.Sprint(id), "x", ""))
			asked <- fmt.Sprint(id)
		}
		close(asked)
	})
	both.Go(func() {
		for id := range asked {
			l.run(id, "x")
		}
	})
	both.Wait()
	if len(*l.events) != 2*count {
		t.Errorf("%d events were reported", len(*l.events))
	}
}

// Events have nothing of what people write, and see.
func TestEventsHaveNoSourceAndNoOutput(t *testing.T) {
	t.Parallel()
	const secret = "Xk8secret"
	for _, w := range wires {
		l := newLine(w)
		l.page(request("r1", secret, "a"))
		l.kernel(input("r1", secret))
		l.kernel(printed("r1", secret))
		l.kernel(failure("r1", "ERROR", secret))
		l.kernel(reply("r1", "error", fields{"ename": "a message: " + secret, "evalue": secret}))
		if got := fmt.Sprintf("%+v", *l.events); strings.Contains(got, secret) || len(*l.events) != 2 {
			t.Errorf("the events are %s", got)
		}
	}
}

// FuzzTap sends any bytes, in any pieces, in both directions. It must neither panic nor keep more than its bounds.
func FuzzTap(f *testing.F) {
	for _, w := range wires {
		asked := w.bytesOf(true, request("r1", "x", "a"))
		asked = append(asked, w.bytesOf(true, cell("a", "r1", 1))...)
		said := append(w.bytesOf(false, input("r1", "x")), w.bytesOf(false, failure("r1", "E", "e"))...)
		said = append(said, w.bytesOf(false, executions(fields{"id": "r2", "status": "ok"}))...)
		f.Add(asked, append(said, w.bytesOf(false, reply("r1", "error", nil))...), uint8(9), w.subprotocol != "")
	}
	f.Fuzz(func(t *testing.T, page, kernel []byte, piece uint8, newForm bool) {
		w := wire{}
		if newForm {
			w.subprotocol = newSubprotocol
		}
		l := newLine(w)
		l.piece = int(piece)
		for range 3 {
			l.send(l.tap.FromPage, page)
			l.send(l.tap.FromKernel, kernel)
		}
		bytes, requests := l.tap.Held()
		if bytes > 3*progress.MessageLimit || requests > progress.RequestsKept {
			t.Errorf("%d bytes and %d requests are kept", bytes, requests)
		}
		for _, event := range *l.events {
			if event.Kind == progress.Failed && !shown.MatchString(event.Class) || event.Kind != progress.Failed && event.Class != "" {
				t.Errorf("an event is %+v", event)
			}
		}
	})
}
