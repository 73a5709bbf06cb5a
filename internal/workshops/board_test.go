package workshops_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/sessions/sessionstest"
	"cairn/internal/workshops"
)

// notebook has three code cells.
const notebook = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"markdown","id":"t","metadata":{},"source":"# A"},` +
	`{"cell_type":"code","id":"one","metadata":{},"outputs":[],"execution_count":null,"source":"import numpy"},` +
	`{"cell_type":"code","id":"two","metadata":{},"outputs":[],"execution_count":null,"source":"secret = 1"},` +
	`{"cell_type":"code","id":"three","metadata":{},"outputs":[],"execution_count":null,"source":"print(secret)"}]}`

// fromPage returns a frame of a browser with a message, masked with zeros.
func fromPage(message string) []byte {
	frame := []byte{0x81, 0x80 | 126}
	frame = binary.BigEndian.AppendUint16(frame, uint16(len(message)))
	return append(append(frame, 0, 0, 0, 0), message...)
}

// fromKernel returns a frame of a server with a message.
func fromKernel(message string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(message))), message...)
}

// message is one of Jupyter's in JSON.
func message(kind, id, parent, channel string, metadata, content any) string {
	text, _ := json.Marshal(map[string]any{
		"channel": channel, "header": map[string]any{"msg_id": id, "msg_type": kind, "session": "s"}, "parent_header": map[string]any{"msg_id": parent, "msg_type": "execute_request"},
		"metadata": metadata, "content": content, "buffers": []any{},
	})
	return string(text)
}

// works has somebody in a seat execute a cell, as the gateway sees it at a server.
func (w *world) works(at *process, session, cell, code, ename string) {
	w.T.Helper()
	tap, done := at.workshops.Observe(w.Row(session), "")
	defer done()
	id := fmt.Sprint("request ", cell, ename, w.Clock.Now().UnixMicro())
	tap.FromPage(fromPage(message("execute_request", id, "", "shell", map[string]any{"cellId": cell}, map[string]any{"code": code, "silent": false, "store_history": true})))
	tap.FromKernel(fromKernel(message("execute_input", id+"i", id, "iopub", map[string]any{}, map[string]any{"code": code, "execution_count": 1})))
	status := map[string]any{"status": "ok", "execution_count": 1}
	if ename != "" {
		status = map[string]any{"status": "error", "ename": ename, "evalue": "the file /home/ada/secret.csv is missing", "traceback": []string{"secret"}}
		tap.FromKernel(fromKernel(message("error", id+"e", id, "iopub", map[string]any{}, status)))
	}
	tap.FromKernel(fromKernel(message("execute_reply", id+"r", id, "shell", map[string]any{}, status)))
}

// opens lets a session open the notebook, and waits until its cells are known.
func (w *world) opens(about workshops.Workshop, session string) {
	w.T.Helper()
	w.write(`UPDATE session SET opens = 'a.ipynb' WHERE id = $1`, session)
	w.Upstream.AnswerWith(func(answer http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(answer).Encode(map[string]any{"type": "file", "format": "text", "content": notebook})
	})
	sessionstest.Eventually(w.T, "the cells are known", func() bool { w.look(); return w.board(about).Of == 3 })
}

func (w *world) write(statement string, arguments ...any) {
	w.T.Helper()
	sessionstest.Check(w.T, w.Database.Write(w.T.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.ExecContext(w.T.Context(), statement, arguments...)
		return err
	}))
}

// What passed at many seats is stored together, and nothing is lost or counted twice when that fails.
func TestProgressIsStoredTogether(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(4)
		var all []workshops.Joined
		for _, name := range []string{"Ada", "Grace", "Mary"} {
			all = append(all, w.join(about, name))
			w.running(all[len(all)-1].ID)
		}
		w.opens(about, all[1].ID)
		w.write(`UPDATE workshop_seat SET progress = 'unreadable' WHERE session_id = $1`, all[0].ID)
		for _, one := range all {
			w.works(w.at, one.ID, "one", "import numpy", "ModuleNotFoundError")
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.at.workshops.Look(canceled); err == nil {
			t.Error("it is stored although its time is over")
		}
		w.look()
		w.look()
		for _, seat := range w.board(about).Seats[:3] {
			if seat.Error == nil || seat.LastActivityAt == nil {
				t.Errorf("seat %d is %+v", seat.Seat, seat)
			}
		}
	})
}

func TestTheBoardShowsWhoIsStuck(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		t.Helper()
		about := w.opened(4)
		one, two := w.join(about, "Ada"), w.join(about, "Grace")
		w.running(one.ID)
		w.running(two.ID)
		w.opens(about, one.ID)
		other := w.another()
		w.works(w.at, one.ID, "one", "import numpy", "")
		w.works(w.at, one.ID, "two", "secret = 1", "")
		w.works(other, two.ID, "one", "import numpy", "ModuleNotFoundError")
		w.works(other, one.ID, "one", "import numpy", "ModuleNotFoundError") // in a second tab, at the other server
		w.Clock.Advance(time.Second)
		sessionstest.Check(t, other.workshops.Look(t.Context()))
		w.look()
		board := w.board(about)
		if board.Of != 3 || len(board.Cells) != 2 {
			t.Fatalf("the board has %+v", board)
		}
		if got := fmt.Sprint(board.Cells); got != "[{0 1 2} {1 1 0}]" {
			t.Errorf("cells %s", got)
		}
		seat := board.Seats[1]
		if seat.Cell == nil || *seat.Cell != (workshops.SeatCell{Index: 0, Of: 3, ID: "one"}) || seat.Error == nil || *seat.Error != (workshops.SeatError{Cell: 0, Name: "ModuleNotFoundError"}) || seat.LastActivityAt == nil {
			t.Errorf("the second seat is %+v %+v", seat.Cell, seat.Error)
		}
		if first := board.Seats[0]; first.Passed != 2 {
			t.Errorf("the first seat is %+v", first)
		}
		w.works(w.at, two.ID, "one", "import numpy", "")
		w.look()
		if seat := w.board(about).Seats[1]; seat.Error != nil || seat.Passed != 1 {
			t.Errorf("after the cell was done: %+v", seat)
		}
		report := w.report(about)
		if len(report.Hints) != 1 || report.Hints[0].Failed != 2 || report.Hints[0].Of != 2 || !strings.Contains(report.Hints[0].Text, "ModuleNotFoundError") {
			t.Errorf("the author is told %+v", report.Hints)
		}
		everything, err := json.Marshal([]any{board, report})
		sessionstest.Check(t, err)
		for _, secret := range []string{"secret", "numpy", "/home"} {
			if strings.Contains(string(everything), secret) {
				t.Errorf("the board knows %q", secret)
			}
		}
		rows, err := w.Database.QueryContext(t.Context(), `SELECT progress FROM workshop_seat UNION ALL SELECT cells FROM workshop`)
		sessionstest.Check(t, err)
		defer rows.Close()
		for rows.Next() {
			var text string
			sessionstest.Check(t, rows.Scan(&text))
			if strings.Contains(text, "secret") || strings.Contains(text, "numpy") {
				t.Errorf("stored: %s", text)
			}
		}
		sessionstest.Check(t, rows.Err())
	})
}

// TestAHostFollowsTheBoard reads the events of a board over a real connection, until the host is disabled.
func TestAHostFollowsTheBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	about := w.opened(2)
	server := httptest.NewServer(w.at.api)
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+httpapi.Base+"/workshops/"+about.ID+"/board", http.NoBody)
	sessionstest.Check(t, err)
	request.Header.Set("Test-Caller", "ann")
	request.Header.Set("Accept", "text/event-stream")
	answer, err := server.Client().Do(request)
	sessionstest.Check(t, err)
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("it is %s", kind)
	}
	lines := bufio.NewScanner(answer.Body)
	next := func() (event string, board workshops.Board) {
		t.Helper()
		for lines.Scan() {
			name, data, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				event = data
			case "data":
				_ = json.Unmarshal([]byte(data), &board)
				return event, board
			}
		}
		t.Fatal("the stream ended without a word", lines.Err())
		return "", board
	}
	if event, board := next(); event != "board" || len(board.Seats) != 2 || board.Seats[0].State != workshops.Invited {
		t.Fatalf("first came %s %+v", event, board)
	}
	w.join(about, "Ada")
	if event, board := next(); event != "board" || board.Seats[0].Name != "Ada" {
		t.Fatalf("then came %s %+v", event, board)
	}
	w.Enable("ann@example.org", false)
	if event, _ := next(); event != "ended" {
		t.Fatalf("a host who was disabled gets %s", event)
	}
}
