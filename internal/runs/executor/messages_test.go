package executor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/runs/executor"
)

// Whatever the order in which channels deliver, and whatever else comes, a cell has what it printed.
func TestWhatAKernelSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cells     func(k *kernel, number int)
		want      string // the outputs of three cells
		malformed int
		grace     time.Duration
	}{
		"reply first": {cells: func(k *kernel, number int) {
			k.status("busy")
			k.reply()
			k.prints(fmt.Sprint(number))
			k.idle()
		}, want: `[stdout:"1"][stdout:"2"][stdout:"3"]`},
		"idle first": {cells: func(k *kernel, number int) {
			k.prints(fmt.Sprint(number))
			k.idle()
			k.reply()
		}, want: `[stdout:"1"][stdout:"2"][stdout:"3"]`},
		"a reply twice": {cells: func(k *kernel, number int) {
			k.ends()
			k.says("shell", "execute_reply", `{"status": "error", "ename": "Late", "evalue": "", "traceback": []}`)
		}, want: "[][][]"},
		"a reply of the code's own": {cells: func(k *kernel, number int) {
			k.says("iopub", "execute_reply", `{"status": "error", "ename": "Mine", "evalue": "", "traceback": []}`)
			k.idle()
			k.prints(fmt.Sprint(number))
			k.reply()
		}, want: `[stdout:"1"][stdout:"2"][stdout:"3"]`},
		"late output of the cell before": {cells: func(k *kernel, number int) {
			k.answers(k.asked[number-1], "iopub", "stream", `{"name": "stdout", "text": "late"}`)
			k.answers(k.asked[number-1], "iopub", "status", `{"execution_state": "idle"}`)
			k.prints(fmt.Sprint(number))
			k.ends()
		}, want: `[stdout:"1"][stdout:"2"][stdout:"3"]`},
		"output of others": {cells: func(k *kernel, _ int) {
			k.answers("of a browser tab", "iopub", "stream", `{"name": "stdout", "text": "theirs"}`)
			k.answers("", "iopub", "stream", `{"name": "stdout", "text": "nobody's"}`)
			k.says("control", "debug_event", `{}`)
			k.ends()
		}, want: "[][][]"},
		"never idle": {cells: func(k *kernel, number int) {
			k.reply()
			k.prints(fmt.Sprint(number))
		}, want: `[stdout:"1"][stdout:"2"][stdout:"3"]`, grace: 500 * time.Millisecond},
		"what nobody understands": {cells: func(k *kernel, _ int) {
			for _, text := range []string{
				`{`, `[]`, `7`, `"a"`, `{}`, "\xff", `{"channel": "iopub", "parent_header": 7}`, `{"header": {"msg_type": "stream"}}`,
				`{"header": {"msg_type": "stream"}, "content": []}`,
			} {
				k.sends(text)
			}
			_ = k.socket.Write(k.Context(), websocket.MessageBinary, []byte{0, 0, 0, 1})
			_ = k.socket.Write(k.Context(), websocket.MessageBinary, []byte{0, 0, 0, 9, 0, 0, 0, 8, 255, 255, 255, 255})
			k.says("iopub", "stream", `{"name": "stdout", "text": 7}`)
			k.says("iopub", "stream", `{"text": "of no stream"}`)
			k.says("iopub", "display_data", `{"metadata": {}}`)
			k.says("iopub", "display_data", `{"data": {"image/png": 7}, "metadata": {}}`)
			k.says("iopub", "display_data", `{"data": {"text/plain": null}, "metadata": {}}`)
			k.says("iopub", "execute_input", `{"execution_count": "one"}`)
			k.prints("after")
			k.ends()
		}, want: `[stdout:"after"][stdout:"after"][stdout:"after"]`, malformed: 3 * 17},
		"a message with buffers": {cells: func(k *kernel, number int) {
			text := fmt.Sprintf(`{"header": {"msg_type": "stream"}, "parent_header": {"msg_id": %q}, "content": {"name": "stdout", "text": "b"}}`, k.asked[number])
			frame := append([]byte{0, 0, 0, 2, 0, 0, 0, 12, 0, 0, 0, byte(12 + len(text))}, text+"a buffer"...)
			_ = k.socket.Write(k.Context(), websocket.MessageBinary, frame)
			k.ends()
		}, want: `[stdout:"b"][stdout:"b"][stdout:"b"]`},
		"streams": {cells: func(k *kernel, _ int) {
			k.prints("a")
			k.prints("b\n")
			k.printsTo("stderr", "c")
			k.prints("")
			k.printsTo("stderr", "d")
			k.prints("e")
			k.shows("display_data", "f", "")
			k.prints("<g>\u2028")
			k.ends()
		}, want: strings.Repeat(`[stdout:"ab\n" stderr:"cd" stdout:"e" display_data{"text/plain":"f"} stdout:"<g>\u2028"]`, 3)},
		"all kinds of outputs": {cells: func(k *kernel, _ int) {
			k.says("iopub", "display_data", `{"data": {"text/html": ["<b>", "x"], "application/json": [1, null], "application/vnd.plotly.v1+json": {"a": 1}}, "metadata": {}}`)
			k.shows("execute_result", "7", "")
			k.says("iopub", "comm_open", `{"comm_id": "c", "data": {}}`)
			k.says("iopub", "comm_msg", `{"comm_id": "c", "data": {}}`)
			k.ends()
		}, want: strings.Repeat(`[display_data{"application/json":[1,null],"application/vnd.plotly.v1+json":{"a":1},"text/html":"\u003cb\u003ex"} execute_result{"text/plain":"7"}#7]`, 3)},
		"cleared outputs": {cells: func(k *kernel, number int) {
			k.prints("old")
			k.says("iopub", "clear_output", fmt.Sprintf(`{"wait": %t}`, number > 1))
			if number < 3 {
				k.prints("new")
			}
			k.ends()
		}, want: `[stdout:"new"][stdout:"new"][stdout:"old"]`},
		"changed outputs": {cells: func(k *kernel, number int) {
			switch number {
			case 1:
				k.shows("display_data", "first", "one")
				k.shows("display_data", "other", "two")
				k.shows("display_data", "again", "one")
			case 2:
				k.shows("update_display_data", "changed", "one")
				k.shows("update_display_data", "unknown", "three")
				k.shows("execute_result", "last", "two")
			case 3:
				k.shows("display_data", "gone", "four")
				k.says("iopub", "clear_output", `{"wait": false}`)
				k.shows("update_display_data", "never", "four")
			}
			k.ends()
		}, want: `[display_data{"text/plain":"changed"} display_data{"text/plain":"last"} display_data{"text/plain":"changed"}][execute_result{"text/plain":"last"}#7][]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executed := newScripted(t, test.cells).execute(t.Context(), code("a", "b", "c"), executor.Options{Grace: test.grace})
			if got := outputs(t, executed); got != test.want || executed.Malformed != test.malformed || executed.Ending != executor.Finished {
				t.Errorf("%s: %s; %d malformed; the outputs are\n%s, want\n%s", executed.Ending, executed.Reason, executed.Malformed, got, test.want)
			}
		})
	}
}

func TestTimesAndNumbersOfExecutions(t *testing.T) {
	t.Parallel()
	executed := newScripted(t, func(k *kernel, _ int) {
		k.ends()
	}).execute(t.Context(), code("a"), executor.Options{})
	cell := read(t, executed).Cells[0]
	var times map[string]string
	decode(t, cell.Metadata["execution"], &times)
	const at = "2026-11-25T10:11:12.131415Z"
	for _, what := range []string{"iopub.status.busy", "iopub.execute_input", "shell.execute_reply", "iopub.status.idle"} {
		if times[what] != at {
			t.Errorf("%s is %q", what, times[what])
		}
	}
	if len(times) != 4 || cell.Count == nil || *cell.Count != 7 {
		t.Errorf("There are %d times, and the number is %v", len(times), cell.Count)
	}
	if want := (executor.Kernel{Name: "python3", Language: "python", Version: "3.11.2"}); executed.Kernel != want {
		t.Errorf("The kernel is %+v", executed.Kernel)
	}
}

// What a kernel says beyond the limits isn't kept; a cell says so, and goes on, until all have too much.
func TestLimitsOfOutputs(t *testing.T) {
	t.Parallel()
	const note = `stderr:"[The rest of the output was left out: of a cell 1000 bytes are kept, of a notebook 2.4 KiB.]\n"`
	limits := executor.Options{CellOutput: 1000, Output: 2500}
	half := strings.Repeat("é", 150)
	for name, test := range map[string]struct {
		cells   func(k *kernel, number int)
		want    string
		ending  executor.Ending
		endedAt int
		cut     string // the numbers of the cells
	}{
		"a cell prints too much": {cells: func(k *kernel, number int) {
			for range 5 {
				if number == 2 {
					k.prints(half)
				}
			}
			k.ends()
		}, want: `[][stdout:"` + strings.Repeat("é", 450) + `" ` + note + `][]`, ending: executor.Finished, endedAt: -1, cut: "2"},
		"a picture is too large": {cells: func(k *kernel, _ int) {
			k.shows("display_data", strings.Repeat("p", 1000), "")
			k.prints("lost")
			k.ends()
		}, want: "[" + note + "][" + note + "][" + note + "]", ending: executor.Finished, endedAt: -1, cut: "123"},
		"a message is too large": {cells: func(k *kernel, number int) {
			if number == 2 {
				k.prints(strings.Repeat("x", 2<<20))
			}
			k.prints("after")
			k.ends()
		}, want: `[stdout:"after"][` + note + `][stdout:"after"]`, ending: executor.Finished, endedAt: -1, cut: "2"},
		"cleared in time": {cells: func(k *kernel, _ int) {
			for range 10 {
				k.says("iopub", "clear_output", `{"wait": true}`)
				k.prints(half + half)
			}
			k.says("iopub", "clear_output", `{"wait": false}`)
			k.ends()
		}, want: "[][][]", ending: executor.Finished, endedAt: -1},
		"changed to more": {cells: func(k *kernel, number int) {
			if number < 3 {
				k.shows("display_data", "small", "one")
			}
			if number == 2 {
				k.shows("update_display_data", strings.Repeat("large", 300), "one")
			}
			k.ends()
		}, want: `[display_data{"text/plain":"small"} ` + note + `][display_data{"text/plain":"small"} ` + note + `][]`, ending: executor.Finished, endedAt: -1, cut: "12"},
		"an exception after too much": {cells: func(k *kernel, _ int) {
			k.prints(strings.Repeat("x", 1000))
			k.says("iopub", "error", `{"ename": "ValueError", "evalue": "no", "traceback": ["a"]}`)
			k.says("shell", "execute_reply", `{"status": "error", "ename": "ValueError", "evalue": "no"}`)
			k.idle()
		}, want: `[stdout:"` + strings.Repeat("x", 900) + `" ValueError(no) ` + note + `][][]`, ending: executor.Raised, endedAt: 0, cut: "1"},
		"a long exception": {cells: func(k *kernel, _ int) {
			k.says("iopub", "error", fmt.Sprintf(`{"ename": "ValueError", "evalue": "%s", "traceback": ["%s"]}`, strings.Repeat("v", 2000), strings.Repeat("t", 100_000)))
			k.ends()
		}, want: strings.Repeat("[ValueError("+strings.Repeat("v", 1000)+")]", 3), ending: executor.Finished, endedAt: -1},
		"all cells print too much": {cells: func(k *kernel, _ int) {
			k.prints(half + half + half)
			k.ends()
		}, want: "[stdout:\"" + strings.Repeat("é", 450) + "\"][stdout:\"" + strings.Repeat("é", 450) + "\"][stdout:\"" + strings.Repeat("é", 200) + "\" " + note + "]", ending: executor.OutputLimit, endedAt: 2, cut: "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, test.cells)
			executed := s.execute(t.Context(), code("a", "b", "c"), limits)
			cut := ""
			for i, cell := range executed.Cells {
				if cell.Cut {
					cut += fmt.Sprint(i + 1)
				}
			}
			if got := outputs(t, executed); got != test.want || executed.Ending != test.ending || executed.EndedAt != test.endedAt || cut != test.cut {
				t.Errorf("%s in %d: %s; cut are %q; the outputs are\n%s, want\n%s", executed.Ending, executed.EndedAt, executed.Reason, cut, got, test.want)
			}
		})
	}
}
