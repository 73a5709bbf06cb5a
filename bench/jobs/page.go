package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cairn/bench/program"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
)

// page is a tab on a kernel.
type page struct {
	socket  *websocket.Conn
	session string
}

// leftOut is in the text with which the broker says that it has left something out.
const leftOut = "of output were left out here"

// open connects to a kernel.
func open(ctx context.Context, way program.Way, kernel string) (*page, error) {
	p := &page{session: uuid.NewString()}
	var err error
	p.socket, _, err = websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(way.Base, "http", "ws", 1)+"/api/kernels/"+kernel+"/channels?session_id="+p.session,
		&websocket.DialOptions{HTTPClient: way.Client, HTTPHeader: way.Header})
	if err != nil {
		return nil, err
	}
	p.socket.SetReadLimit(-1)
	return p, nil
}

func (p *page) close() { _ = p.socket.CloseNow() }

// send sends a message on the shell channel, from the notebook's cell, and returns its id.
func (p *page) send(ctx context.Context, kind string, content map[string]any) (id string, err error) {
	id = uuid.NewString()
	return id, wsjson.Write(ctx, p.socket, map[string]any{
		"channel": "shell", "parent_header": map[string]any{}, "metadata": map[string]any{"cellId": "cell"}, "buffers": []any{}, "content": content,
		"header": map[string]any{
			"msg_id": id, "username": "", "session": p.session, "msg_type": kind, "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339Nano),
		},
	})
}

// execute asks the kernel to execute code.
func (p *page) execute(ctx context.Context, code string) (id string, err error) {
	return p.send(ctx, "execute_request", map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": true, "stop_on_error": true})
}

// message is what a page looks at in one.
type message struct {
	Header struct {
		Type string `json:"msg_type"`
	}
	Parent struct {
		ID string `json:"msg_id"`
	} `json:"parent_header"`
	Content struct {
		State      string `json:"execution_state"`
		Executions []struct {
			Outputs []struct {
				Text string
				Data map[string]string
			}
		}
	}
}

// await reads messages until one is what is waited for.
func (p *page) await(ctx context.Context, wanted func(message) bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		_, frame, err := p.socket.Read(ctx)
		if err != nil {
			return fmt.Errorf("a page waits for a message: %w", err)
		}
		var m message
		if err := json.Unmarshal(frame, &m); err != nil {
			return err
		}
		if wanted(m) {
			return nil
		}
	}
}

// begin asks for code, and returns once the kernel has begun with it.
func (p *page) begin(ctx context.Context, code string) error {
	id, err := p.execute(ctx, code)
	if err != nil {
		return err
	}
	return p.await(ctx, func(m message) bool { return m.Parent.ID == id && m.Header.Type == "execute_input" })
}

// trip asks for code that answers at once, and returns how long it took until everything had come.
func (p *page) trip(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	id, err := p.execute(ctx, answerCode)
	if err != nil {
		return 0, err
	}
	replied, idle := false, false
	err = p.await(ctx, func(m message) bool {
		if m.Parent.ID == id {
			replied = replied || m.Header.Type == "execute_reply"
			idle = idle || m.Content.State == "idle"
		}
		return replied && idle
	})
	return time.Since(began), err
}

// shown is what a page gets of what a kernel prints.
type shown struct {
	messages int
	bytes    int64
	notes    int  // that something was left out
	ended    bool // the connection was ended by the other side
}

// read reads whatever comes for a time.
func (p *page) read(ctx context.Context, length time.Duration) (found shown, err error) {
	within, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	for {
		_, frame, err := p.socket.Read(within)
		switch {
		case ctx.Err() != nil:
			return found, context.Cause(ctx)
		case within.Err() != nil:
			return found, nil
		case err != nil:
			found.ended = true
			return found, nil
		}
		found.messages++
		found.bytes += int64(len(frame))
		if bytes.Contains(frame, []byte(leftOut)) {
			found.notes++
		}
	}
}

// attach asks the broker what the cell shows. It returns how many bytes that are, and whether it says that something was left out.
func (p *page) attach(ctx context.Context) (kept int64, says bool, err error) {
	if _, err := p.send(ctx, "cairn_attach", map[string]any{}); err != nil {
		return 0, false, err
	}
	err = p.await(ctx, func(m message) bool {
		for _, one := range m.Content.Executions {
			for _, output := range one.Outputs {
				kept += int64(len(output.Text) + len(output.Data["image/png"]))
				says = says || strings.Contains(output.Text, leftOut)
			}
		}
		return m.Header.Type == "cairn_executions"
	})
	if err == nil && kept == 0 {
		err = errors.New("the broker has kept nothing")
	}
	return kept, says, err
}
