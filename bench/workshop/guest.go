package workshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
)

// often is how long a page waits between two looks, as in internal/sessions/origin/pages/session.js.
const often = 4 * time.Second

// guest is somebody in a seat.
type guest struct {
	seat              int
	seatCode, session string
	wasWarm           bool
	page, kernel      time.Duration // since the guest asked for the seat

	way    program.Way
	state  string   // the address of what the page is told
	cells  []string // the ids of the notebook's code cells
	tab    *websocket.Conn
	work   map[string]string // the digests of the files in the folder, by path
	memory int64             // bytes, as the page says

	// mu guards the fields below.
	mu      sync.Mutex
	seen    map[string]time.Time // when the page first had a message
	answers []time.Duration      // of what the page asked for
	failed  error
	erred   time.Time // when the kernel last told of an error
}

// nobody calls the API without signing in.
func (w *workshop) nobody() program.Person {
	return program.Person{Address: w.server.Address, Token: func() string { return "" }}
}

// come joins the workshop as a guest, and opens the notebook.
func (w *workshop) come(ctx context.Context, name string) (*guest, error) {
	ctx, cancel := context.WithTimeout(ctx, program.WaitTime)
	defer cancel()
	var joined struct {
		ID, Status, OpenURL, SeatCode string
		QueuePosition, Seat           int
	}
	began := time.Now()
	if err := w.nobody().Call(ctx, http.MethodPost, "/join/"+w.key, map[string]string{"name": name, "code": w.code}, &joined); err != nil {
		return nil, err
	}
	if joined.Seat < 1 || joined.Seat > w.guests || joined.SeatCode == "" {
		return nil, fmt.Errorf("the seat is %d, its code %q", joined.Seat, joined.SeatCode)
	}
	one := &guest{seat: joined.Seat, seatCode: joined.SeatCode, session: joined.ID, wasWarm: joined.Status == "RUNNING", seen: map[string]time.Time{}}
	var err error
	if one.way, err = program.Enter(ctx, joined.ID, joined.OpenURL); err != nil {
		return nil, err
	}
	one.page = time.Since(began)
	kernel, connection, err := one.way.Kernel(ctx)
	if err != nil {
		return nil, err
	}
	_, err = connection.Info(ctx)
	one.kernel = time.Since(began)
	connection.Close()
	origin, _, _ := strings.Cut(joined.OpenURL, "/.cairn/")
	one.state = origin + "/.cairn/s/" + joined.ID + "/state"
	return one, errors.Join(err, one.open(ctx, kernel), one.readCells(ctx))
}

// open connects a tab to the kernel, which follows what it says.
func (g *guest) open(ctx context.Context, kernel string) error {
	var err error
	g.tab, _, err = websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(g.way.Base, "http", "ws", 1)+"/api/kernels/"+kernel+"/channels?session_id="+uuid.NewString(),
		&websocket.DialOptions{HTTPClient: g.way.Client, HTTPHeader: g.way.Header})
	if err != nil {
		return err
	}
	g.tab.SetReadLimit(-1)
	go func() { // until the session ends
		for {
			_, frame, err := g.tab.Read(context.WithoutCancel(ctx))
			if err != nil {
				return
			}
			var message struct {
				Header struct {
					Type string `json:"msg_type"`
				}
			}
			if json.Unmarshal(frame, &message) == nil && message.Header.Type == "error" {
				g.mu.Lock()
				g.erred = time.Now()
				g.mu.Unlock()
			}
		}
	}()
	return nil
}

// readCells reads which cells the notebook has.
func (g *guest) readCells(ctx context.Context) error {
	_, body, err := g.way.Get(ctx, g.way.Base+"/api/contents/"+g.way.Opened+"?type=notebook&content=1")
	if err != nil {
		return err
	}
	g.cells, err = codeCells(body)
	if err == nil && len(g.cells) < 2 {
		err = fmt.Errorf("the notebook has only %d code cells", len(g.cells))
	}
	return err
}

// codeCells returns the ids of the code cells of a notebook that Jupyter has answered.
func codeCells(answer []byte) (ids []string, err error) {
	var notebook struct {
		Content struct {
			Cells []struct {
				ID   string
				Type string `json:"cell_type"`
			}
		}
	}
	err = json.Unmarshal(answer, &notebook)
	for _, cell := range notebook.Content.Cells {
		if cell.Type == "code" {
			ids = append(ids, cell.ID)
		}
	}
	return ids, err
}

// execute executes code as that of a cell, and doesn't wait for it.
func (g *guest) execute(ctx context.Context, cell, code string) error {
	return wsjson.Write(ctx, g.tab, map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{"cellId": cell}, "buffers": []any{},
		"content": map[string]any{"code": code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": true, "stop_on_error": true},
		"header": map[string]any{
			"msg_id": uuid.NewString(), "username": "", "session": "guest", "msg_type": "execute_request", "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339Nano),
		},
	})
}

// pageState is what the page is told.
type pageState struct {
	Code    string
	Session *struct {
		Usage    struct{ MemoryBytes int64 }
		Workshop *struct {
			Seat     int
			Messages []struct{ ID string }
		}
	}
}

// look asks what the page is to show, again and again until ctx ends, as the page does.
func (g *guest) look(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		_, body, err := g.way.Get(ctx, g.state)
		if ctx.Err() != nil {
			return
		}
		var state pageState
		if err == nil {
			err = json.Unmarshal(body, &state)
		}
		g.note(state, err, began)
		load.Pause(ctx, often)
	}
}

func (g *guest) note(state pageState, err error, began time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.answers = append(g.answers, now.Sub(began))
	if err == nil && (state.Code != "running" || state.Session == nil || state.Session.Workshop == nil || state.Session.Workshop.Seat != g.seat) {
		err = fmt.Errorf("it isn't told about its seat in the workshop: %+v", state)
	}
	if err != nil {
		g.failed = errors.Join(g.failed, err)
		return
	}
	g.memory = max(g.memory, state.Session.Usage.MemoryBytes)
	for _, message := range state.Session.Workshop.Messages {
		if _, known := g.seen[message.ID]; !known {
			g.seen[message.ID] = now
		}
	}
}

// hasSeen returns when the page first had a message; zero if it hasn't.
func (g *guest) hasSeen(message string) (time.Time, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[message], g.failed
}

// lastError returns when the kernel last told of an error.
func (g *guest) lastError() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.erred
}

// save saves a text file.
func (g *guest) save(ctx context.Context, path, text string) error {
	return g.put(ctx, path, map[string]any{"type": "file", "format": "text", "content": text})
}

// saveNotebook saves the notebook as its page does now and then, with the error in a cell that the kernel has answered. Nobody else writes
// it then: outputs that no page has saved would be written into its file at the end of the session.
func (g *guest) saveNotebook(ctx context.Context, cell string) error {
	_, body, err := g.way.Get(ctx, g.way.Base+"/api/contents/"+g.way.Opened+"?type=notebook&content=1")
	if err != nil {
		return err
	}
	content, err := withError(body, cell)
	if err != nil {
		return err
	}
	return g.put(ctx, g.way.Opened, map[string]any{"type": "notebook", "format": "json", "content": content})
}

// withError returns the content of a notebook that Jupyter has answered, with the error in a cell.
func withError(answer []byte, cell string) (content map[string]any, err error) {
	var notebook struct{ Content map[string]any }
	if err := json.Unmarshal(answer, &notebook); err != nil {
		return nil, err
	}
	all, _ := notebook.Content["cells"].([]any)
	for _, one := range all {
		if fields, _ := one.(map[string]any); fields["id"] == cell {
			fields["outputs"] = []any{map[string]any{"output_type": "error", "ename": errorClass, "evalue": "division by zero", "traceback": []any{}}}
			return notebook.Content, nil
		}
	}
	return nil, errors.New("the notebook has no cell " + cell)
}

func (g *guest) put(ctx context.Context, path string, model map[string]any) error {
	_, status, body, err := g.way.Send(ctx, http.MethodPut, g.way.Base+"/api/contents/"+path, model)
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("the file couldn't be saved: %d %.300s", status, body)
	}
	return err
}
