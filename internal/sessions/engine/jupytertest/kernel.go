package jupytertest

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

// program runs cells and writes messages.
//
//go:embed kernel.py
var program string

type kernel struct {
	id      string
	command *exec.Cmd
	input   io.WriteCloser

	// mu guards the fields below.
	mu    sync.Mutex
	state string // what the kernel said last
	last  time.Time
	tabs  map[*websocket.Conn]bool
}

func (k *kernel) start() error {
	output, err := k.command.StdoutPipe()
	if err != nil {
		return err
	}
	if k.input, err = k.command.StdinPipe(); err != nil {
		return err
	}
	k.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := k.command.Start(); err != nil {
		return err
	}
	go func() {
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			k.hear(lines.Bytes())
		}
		_ = k.command.Wait()
	}()
	return nil
}

// hear passes what the kernel said on to every tab, with a header of its own as the real server sends it.
func (k *kernel) hear(line []byte) {
	var message map[string]any
	if json.Unmarshal(line, &message) != nil {
		return
	}
	id, now := uuid.NewString(), time.Now().UTC()
	message["header"] = map[string]any{
		"msg_id": id, "msg_type": message["msg_type"], "username": "session", "session": k.id, "date": now, "version": "5.3",
	}
	message["msg_id"], message["metadata"], message["buffers"] = id, map[string]any{}, []any{}
	content, _ := message["content"].(map[string]any)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = now
	if state, _ := content["execution_state"].(string); state != "" {
		k.state = state
	}
	whole, _ := json.Marshal(message)
	for tab := range k.tabs {
		_ = tab.Write(context.Background(), websocket.MessageText, whole)
	}
}

func (k *kernel) tell(message []byte) {
	var line bytes.Buffer
	if json.Compact(&line, message) == nil {
		line.WriteByte('\n')
		k.mu.Lock()
		defer k.mu.Unlock()
		_, _ = k.input.Write(line.Bytes())
	}
}

func (k *kernel) model() map[string]any {
	k.mu.Lock()
	defer k.mu.Unlock()
	return map[string]any{
		"id": k.id, "name": "python3", "last_activity": k.last.UTC(), "execution_state": k.state, "connections": len(k.tabs),
	}
}

func (k *kernel) interrupt() { _ = k.command.Process.Signal(syscall.SIGINT) }

func (k *kernel) end() { _ = k.command.Process.Kill() }

// nudge is what the server asks a kernel that does not work when a tab opens: nothing else would make it say that it is idle.
const nudge = `{"channel": "shell", "header": {"msg_id": "nudge", "msg_type": "kernel_info_request"}, "content": {}}`

// channels is the tab of a kernel.
func channels(w http.ResponseWriter, r *http.Request, k *kernel) {
	tab, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer func() { _ = tab.CloseNow() }()
	tab.SetReadLimit(1 << 20)
	k.mu.Lock()
	k.tabs[tab] = true
	busy := k.state == "busy"
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.tabs, tab)
	}()
	if !busy {
		k.tell([]byte(nudge))
	}
	for {
		_, message, err := tab.Read(r.Context())
		if err != nil {
			return
		}
		k.tell(message)
	}
}
