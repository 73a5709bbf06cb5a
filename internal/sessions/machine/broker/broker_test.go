package broker_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/sessions/machine/broker"
)

func TestAPageGetsWhatItMissed(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two")
	first := j.open("tab-1")
	first.run("r1", "two", 1)
	x := j.take()
	x.print("a\n")
	first.awaitText("r1", "a\n")
	first.leave()
	x.print("b\n")

	second := j.open("tab-2")
	second.attach()
	x.print("c\n")
	x.say("iopub", "execute_result", fields{"data": fields{"text/plain": "4"}, "metadata": fields{}, "execution_count": 1})
	x.end("ok")
	second.awaitText("r1", "a\nb\nc\n[4]")
	if second.notes["r1"] != "" {
		t.Errorf("a page is told that what runs has the status %q", second.notes["r1"])
	}
	second.leave()
	eventually(t, "it's in the file", func() bool { _ = j.broker.Write(t.Context(), file); return j.cells(file)[1].text() != "" })
	cells := j.cells(file)
	if got := cells[1]; got.text() != "a\nb\nc\n[4]" || got.Count == nil || *got.Count != 1 || len(cells[0].Outputs) > 0 {
		t.Errorf("the file has %+v", cells)
	}
	if !strings.Contains(j.files[file], "12345678901234567890") {
		t.Errorf("a number has changed: %s", j.files[file])
	}
}

// A network that is gone for a moment: what came meanwhile waits, and comes once.
func TestATabThatComesBackGetsTheRest(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one")
	tab := j.open("tab-1")
	tab.run("r1", "one", 0)
	x := j.take()
	x.print("a")
	tab.awaitText("r1", "a")
	tab.leave()
	eventually(t, "the tab has left", func() bool { return j.tabs.Load() == 0 })
	x.print("b")
	x.end("ok")
	tab.connect(j)
	tab.awaitText("r1", "ab")
	tab.await("the reply", func() bool { return tab.countOf("execute_reply") == 1 })
}

// The kernel counts; pages come, go and lose their connection at random, all of them at once when the server of the catalog is killed.
func TestRandomClosingsLoseAndDoubleNoLine(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			j := newJupyter(t, broker.Options{})
			codes := make([]string, 20)
			for at := range codes {
				codes[at] = fmt.Sprint("count ", at)
			}
			j.put(codes...)
			var tabs []*page
			opened, changes := 0, 0
			open := func() *page {
				opened++
				tab := j.open(fmt.Sprint("tab-", opened))
				tab.attach()
				tabs = append(tabs, tab)
				return tab
			}
			for at, code := range codes {
				if len(tabs) == 0 {
					open()
				}
				id := fmt.Sprint("r", at)
				tabs[random.IntN(len(tabs))].run(id, code, at)
				x := j.take()
				line, want := 0, ""
				for range 10 {
					for range random.IntN(20) {
						line++
						want += fmt.Sprintln(at, line)
						x.print(fmt.Sprintln(at, line))
					}
					changes++
					switch choice := random.IntN(4); {
					case choice == 0 || len(tabs) == 0:
						open()
					case choice == 1: // closes for good
						gone := random.IntN(len(tabs))
						tabs[gone].leave()
						tabs = append(tabs[:gone], tabs[gone+1:]...)
					case choice == 2: // its network is away for a moment
						one := tabs[random.IntN(len(tabs))]
						one.leave()
						one.last = nil
						one.connect(j)
						one.attach()
					default: // the server of the catalog is killed
						for _, one := range tabs {
							one.leave()
						}
						tabs = nil
					}
				}
				x.end("ok")
				for len(tabs) == 0 {
					open()
				}
				for _, tab := range tabs {
					tab.send("cairn_attach", "attach", nil, nil)
					tab.awaitText(id, want)
				}
			}
			for _, tab := range tabs {
				tab.leave()
			}
			if changes < 200 {
				t.Fatalf("only %d changes", changes)
			}
			eventually(t, "all of it is in the file", func() bool {
				_ = j.broker.Write(t.Context(), file)
				return j.cells(file)[19].text() != ""
			})
			for at, one := range j.cells(file) {
				lines := strings.Split(strings.TrimSuffix(one.text(), "\n"), "\n")
				for index, line := range lines {
					if line != fmt.Sprint(at, " ", index+1) && one.text() != "" {
						t.Fatalf("cell %d has %q", at, one.text())
					}
				}
			}
			if copies := j.copies(); len(copies) > 0 {
				t.Errorf("there are %v", copies)
			}
		})
	}
}

func TestWhatOthersHaveChangedStays(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{Now: func() time.Time { return time.Date(2026, 11, 29, 14, 5, 0, 0, time.UTC) }})
	j.put("one", "two")
	tab := j.open("tab-1")
	tab.run("r1", "one", 0)
	x := j.take()
	x.print("a")
	tab.awaitText("r1", "a")
	tab.leave()
	eventually(t, "the page's last file is known", func() bool { return j.broker.Write(t.Context(), file) == nil && j.cells(file)[0].text() == "a" })
	j.put("one, changed", "two") // by a program
	x.print("b")
	x.end("ok")
	copied := "a b/notebook (finished 2026-11-29 14.05).ipynb"
	eventually(t, "there is a copy", func() bool {
		_ = j.broker.Write(t.Context(), file)
		return len(j.copies()) == 1 && j.copies()[0] == copied
	})
	if got := j.cells(file); got[0].Source != "one, changed" || got[0].text() != "" {
		t.Errorf("the file has %+v", got)
	}
	if got := j.cells(copied); got[0].Source != "one, changed" || got[0].text() != "ab" { // it has the id
		t.Errorf("the copy has %+v", got)
	}
}

func TestEndsOfSessionsAndKernelsAreWritten(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two", "three")
	tab := j.open("tab-1")
	for at, code := range []string{"one", "two", "three"} {
		tab.run(fmt.Sprint("r", at), code, at)
	}
	x := j.take()
	x.print("a")
	x.say("stdin", "input_request", fields{"prompt": "Who?", "password": false})
	tab.await("the question", func() bool { return tab.countOf("input_request") == 1 })
	eventually(t, "all was requested", func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return len(j.requests) == 2
	})
	tab.leave()

	other := j.open("tab-2")
	other.attach()
	if !strings.Contains(string(other.last[len(other.last)-1].Content), `"prompt":"Who?"`) {
		t.Errorf("a page isn't told of the question: %s", other.last[len(other.last)-1].Content)
	}
	other.send("input_reply", "i", nil, fields{"value": "Ann"})
	eventually(t, "the answer is there", func() bool {
		j.mu.Lock()
		defer j.mu.Unlock()
		return len(j.answers) == 1 && j.answers[0]["value"] == "Ann"
	})
	x.end("error")
	y := j.take()
	y.say("shell", "execute_reply", fields{"status": "aborted"})
	y.say("iopub", "status", fields{"execution_state": "idle"})
	z := j.take()
	z.print("c")
	other.awaitText("r2", "c")
	other.leave()
	check(t, j.broker.Close(t.Context()))
	cells := j.cells(file)
	for at, want := range []string{"a", "This cell wasn't executed, because one before it had failed.\n", "cThe kernel ended before this cell had finished.\n"} {
		if got := cells[at].text(); got != want {
			t.Errorf("cell %d has %q, want %q", at, got, want)
		}
	}
}

func TestAKernelThatIsStartedAgainForgets(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two")
	tab := j.open("tab-1")
	tab.attach()
	tab.run("r1", "one", 0)
	x := j.take()
	x.print("a")
	tab.awaitText("r1", "a")
	tab.run("r2", "two", 1)
	y := j.take()
	j.say("process-2", y.parent, "iopub", "execute_input", fields{"execution_count": 1})
	j.say("process-2", y.parent, "iopub", "stream", fields{"name": "stdout", "text": "b"})
	tab.awaitText("r2", "b")
	again := j.open("tab-2")
	again.attach()
	if again.notes["r1"] != "lost" || again.notes["r2"] != "" {
		t.Errorf("the executions are %v", again.notes)
	}
}

// A page has saved it: then it's the page's.
func TestWhatAPageHasSavedIsItsOwn(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one")
	tab := j.open("tab-1")
	tab.attach()
	tab.run("r1", "one", 0)
	x := j.take()
	x.print("a")
	x.end("ok")
	tab.await("the reply", func() bool { return tab.countOf("status") == 2 })
	eventually(t, "it is forgotten", func() bool {
		j.broker.Saved(file, time.Now().Add(time.Second))
		return j.broker.Kept() == 0
	})
	tab.leave()
	check(t, j.broker.Write(t.Context(), file))
	if got := j.cells(file)[0].text(); got != "" {
		t.Errorf("the file has %q, though its page has saved it otherwise", got)
	}
}

func TestACellThatWasNeverSavedIsAddedWithItsCode(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two")
	tab := j.open("tab-1")
	tab.send("execute_request", "r1", nil, fields{"code": "new", "silent": false})
	tab.send("cairn_cell", "x", nil, fields{"request": "r1", "cell": fields{"index": 1}})
	tab.send("execute_request", "r2", nil, fields{"code": "of a console"})
	x := j.take()
	x.print("a")
	x.end("ok")
	y := j.take()
	y.print("b")
	y.end("ok")
	tab.await("the replies", func() bool { return tab.countOf("execute_reply") == 2 })
	tab.leave()
	eventually(t, "it's in the file", func() bool { _ = j.broker.Write(t.Context(), file); return len(j.cells(file)) == 3 })
	cells := j.cells(file)
	if cells[1].Source != "new" || cells[1].text() != "a" || cells[1].ID == "" || cells[2].Source != "two" {
		t.Errorf("the file has %+v", cells)
	}
}

// Pages of JupyterLab name the cell in the request, and speak the newer form. What a reload reads has the outputs.
func TestJupyterLabFindsItInTheFile(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("one", "two")
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(j.server.URL, "http")+"/?session_id=lab", &websocket.DialOptions{Subprotocols: []string{broker.NewSubprotocol}})
	check(t, err)
	if conn.Subprotocol() != broker.NewSubprotocol {
		t.Fatalf("the subprotocol is %q", conn.Subprotocol())
	}
	parts := []string{
		"shell",
		`{"date":"2026-11-29T10:00:00.000Z","msg_id":"r1","msg_type":"execute_request","session":"lab","username":"","version":"5.2"}`,
		`{}`, `{"trusted":true,"deletedCells":[],"recordTiming":false,"cellId":"cell-1"}`,
		`{"silent":false,"store_history":true,"user_expressions":{},"allow_stdin":true,"stop_on_error":true,"code":"two"}`,
	}
	frame := binary.LittleEndian.AppendUint64(nil, uint64(len(parts)+1))
	at := uint64(len(parts)+2) * 8
	for _, part := range parts {
		frame = binary.LittleEndian.AppendUint64(frame, at)
		at += uint64(len(part))
	}
	frame = append(binary.LittleEndian.AppendUint64(frame, at), strings.Join(parts, "")...)
	check(t, conn.Write(t.Context(), websocket.MessageBinary, frame))
	x := j.take()
	x.print("a")
	for seen := false; !seen; {
		kind, got, err := conn.Read(t.Context())
		check(t, err)
		if seen = bytes.Contains(got, []byte(`"text":"a"`)); kind != websocket.MessageBinary {
			t.Fatalf("Lab got %s", got)
		}
	}
	_ = conn.CloseNow()
	x.print("b")
	x.end("ok")
	eventually(t, "the file has it", func() bool { _ = j.broker.Write(t.Context(), file); return j.cells(file)[1].text() == "ab" })
}

func TestAKernelThatIsNotThere(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.gone = true
	answer := httptest.NewRecorder()
	j.broker.ServeChannels(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody), kernelID)
	if answer.Code != http.StatusNotFound || len(j.broker.Known()) > 0 {
		t.Errorf("it answers %d, and knows %v", answer.Code, j.broker.Known())
	}
}

// A cell that prints without end takes no more memory than it may; its beginning, its end and its result stay.
func TestEndlessOutputIsBounded(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{Limit: 1 << 20})
	j.put("old", "endless")
	tab := j.open("tab-1")
	tab.run("r0", "old", 0)
	old := j.take()
	old.print("the beginning" + strings.Repeat("old\n", 100_000) + "the end")
	old.say("iopub", "display_data", fields{"data": fields{"text/plain": "a picture"}, "metadata": fields{}})
	old.end("ok")
	tab.await("the reply", func() bool { return tab.countOf("execute_reply") == 1 })
	tab.leave()
	tab = j.open("tab-2")
	tab.run("r1", "endless", 1)
	tab.leave()
	x := j.take()
	line := strings.Repeat("x", 99) + "\n"
	x.print("first\n")
	for range 100 {
		x.print(strings.Repeat(line, 500))
	}
	x.say("iopub", "execute_result", fields{"data": fields{"text/plain": "4"}, "metadata": fields{}, "execution_count": 1})
	x.print("last\n")
	x.end("ok")
	eventually(t, "the end is in the file", func() bool {
		_ = j.broker.Write(t.Context(), file)
		return strings.HasSuffix(j.cells(file)[1].text(), "[4]last\n")
	})
	total := 0
	for at, want := range []string{"the beginning", "first\n"} {
		text := j.cells(file)[at].text()
		total += len(text)
		if !strings.HasPrefix(text, want) || strings.Count(text, "of output were left out here.]") != 1 {
			t.Errorf("cell %d has %d bytes: %.200s", at, len(text), text)
		}
	}
	if text := j.cells(file)[0].text(); !strings.HasSuffix(text, "the end[a picture]") {
		t.Errorf("the old cell ends with %q", text[len(text)-100:])
	}
	if total > 1<<20 {
		t.Errorf("%d bytes are kept", total)
	}
}

// What wouldn't reach the page in time is left out, which is said, and everything else comes.
func TestAPageThatReadsNothingCostsLittle(t *testing.T) {
	t.Parallel()
	j := newJupyter(t, broker.Options{})
	j.put("endless")
	tab := j.open("tab-1")
	tab.run("r1", "endless", 0)
	x := j.take()
	tab.leave()
	text := strings.Repeat("x", 60_000)
	for range 500 {
		x.print(text)
	}
	x.print("the end")
	x.end("ok")
	eventually(t, "the end is in the file", func() bool {
		_ = j.broker.Write(t.Context(), file)
		return strings.HasSuffix(j.cells(file)[0].text(), "the end")
	})
	tab.connect(j)
	tab.await("the end", func() bool { return tab.countOf("execute_reply") == 1 })
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if shown := tab.cells["r1"]; len(shown) > 5<<20 || !strings.Contains(shown, "of output were left out here.]") {
		t.Errorf("a page got %d bytes", len(shown))
	}
}

func TestRulesOfOutputs(t *testing.T) {
	t.Parallel()
	stream := func(name, text string) fields { return fields{"name": name, "text": text} }
	display := func(id, text string) fields {
		return fields{"data": fields{"text/plain": text}, "metadata": fields{}, "transient": fields{"display_id": id}}
	}
	for what, one := range map[string]struct {
		said []any // the type and the content of each message
		want string
	}{
		"streams are joined":              {[]any{"stream", stream("stdout", "a"), "stream", stream("stdout", "b"), "stream", stream("stderr", "c")}, "stdout:ab stderr:c"},
		"clearing at once":                {[]any{"stream", stream("stdout", "a"), "clear_output", fields{"wait": false}}, ""},
		"clearing with the next":          {[]any{"stream", stream("stdout", "a"), "clear_output", fields{"wait": true}, "stream", stream("stdout", "b")}, "stdout:b"},
		"clearing with a next that isn't": {[]any{"stream", stream("stdout", "a"), "clear_output", fields{"wait": true}}, "stdout:a"},
		"updating":                        {[]any{"display_data", display("1", "a"), "display_data", display("1", "b"), "update_display_data", display("1", "c")}, "[c] [c]"},
		"updating what isn't":             {[]any{"update_display_data", display("1", "c")}, ""},
		"an exception":                    {[]any{"error", fields{"ename": "E", "evalue": "v", "traceback": []string{"t"}}}, "E"},
		"nothing to print":                {[]any{"stream", stream("stdout", "")}, ""},
		"what is no output":               {[]any{"comm_open", fields{}, "status", fields{"execution_state": "busy"}}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if got := broker.Shown(t, one.said); got != one.want {
				t.Errorf("got %q, want %q", got, one.want)
			}
		})
	}
}

func FuzzFrames(f *testing.F) {
	f.Add(true, true, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	f.Add(false, true, []byte("\x00\x00\x00\x01\x00\x00\x00\x08{}"))
	f.Add(false, false, []byte(`{"header":{"msg_type":"x"},"channel":"shell"}`))
	f.Fuzz(func(t *testing.T, newer, inBinary bool, frame []byte) {
		again, err := broker.Recode(newer, inBinary, frame)
		if err != nil {
			return
		}
		twice, err := broker.Recode(newer, newer || inBinary && len(again) > 0 && again[0] == 0, again)
		if err != nil || !bytes.Equal(again, twice) {
			t.Errorf("%q, then %q (%v)", again, twice, err)
		}
	})
}

func TestFramesAreAsTheyWere(t *testing.T) {
	t.Parallel()
	text := `{"channel":"shell","header":{"msg_id":"1","msg_type":"x"},"parent_header":{},"metadata":{"a":[1.0,"<&>"]},"content":{"n":12345678901234567890},"buffers":[]}`
	got, err := broker.Recode(false, false, []byte(text))
	check(t, err)
	if strings.TrimSpace(string(got)) != text {
		t.Errorf("got %s", got)
	}
	for _, wrong := range []string{"", "{", `{"header":{}}`, `[]`, "null"} {
		if got, err := broker.Recode(false, false, []byte(wrong)); err == nil {
			t.Errorf("%q is read as %s", wrong, got)
		}
	}
	var message struct{ Header json.RawMessage }
	check(t, json.Unmarshal(got, &message))
}
