package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/uuid"
)

// hostility is what one session does for as long as it runs. Its code never returns by itself.
type hostility struct {
	name, code string
	// beside is done again and again through the server while the code runs; nil: nothing.
	beside func(*runningSession, context.Context) error
}

var hostilities = []hostility{
	{name: "spins on all cores", code: `import os
for _ in range(os.cpu_count()):
    if os.fork() == 0:
        while True: pass
while True: pass`},
	{name: "fork bomb", code: `import os, time
while True:
    try:
        if os.fork() == 0: time.sleep(0.01)
    except OSError: pass`},
	{name: "memory hog", code: `held = []
while True: held.append(bytearray(b'x' * (1 << 24)))`},
	{name: "unlinked files fill the disk", code: `import os
held = []
while True:
    held.append(os.open('held', os.O_CREAT | os.O_RDWR)); os.unlink('held')
    for _ in range(16):
        try: os.write(held[-1], b'x' * (1 << 20))
        except OSError: pass`},
	{name: "files fill the disk", code: `n = 0
while True:
    n += 1
    try: open('fill%d' % n, 'wb').write(b'x' * (1 << 24))
    except OSError: pass`},
	{name: "deep folders, empty files", code: `import os, time
for _ in range(4000):
    os.mkdir('d'); os.chdir('d')
n = 0
while True:
    n += 1
    try: open('e%d' % n, 'w').close()
    except OSError: time.sleep(0.01)`},
	{name: "sparse files, downloaded", code: `import time
for n in range(8):
    with open('sparse%d' % n, 'wb') as one: one.truncate(1 << 36)
while True: time.sleep(60)`, beside: (*runningSession).download},
	{name: "log flood", code: `import os
noise = b'x' * 1000 + b'\n'
while True:
    for stream in (1, 2):
        try: os.write(stream, noise)
        except OSError: pass
    with open('/proc/%d/fd/2' % os.getppid(), 'wb', 0) as log: log.write(noise)`},
	{name: "endless messages", code: `while True: print('x' * 100000, flush=True)`},
}

// deeds is what one hostile session did.
type deeds struct {
	mutex    sync.Mutex
	runs     int
	messages int
	beside   int
	ids      []string
	endings  map[string]int // by the reason that the server gave
	troubles map[string]int // what kept the bench from being hostile
}

func (d *deeds) note(in map[string]int, text string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	in[text]++
}

// harass keeps one session hostile until ctx ends: whenever the server ends it, it is deleted and another one started.
func (h hostility) harass(ctx context.Context, s *server, token func() string, done *deeds) {
	for ctx.Err() == nil {
		session := &runningSession{user: user{server: s, token: token}}
		err := session.start(ctx, uuid.NewString()) // one of the same name would be shared
		if session.id != "" {
			done.mutex.Lock()
			done.ids = append(done.ids, session.id)
			done.mutex.Unlock()
		}
		if err == nil {
			err = h.run(ctx, session, done)
		}
		if err != nil && ctx.Err() == nil {
			done.note(done.troubles, err.Error())
		}
		if session.id != "" {
			if err := session.remove(); err != nil {
				done.note(done.troubles, "deletion: "+err.Error())
			}
		}
		if err != nil {
			pause(ctx, time.Second)
		}
	}
}

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

// run executes the code in a kernel until the session has ended, which isn't an error.
func (h hostility) run(ctx context.Context, session *runningSession, done *deeds) error {
	entered, err := session.enter(ctx)
	if err != nil {
		return err
	}
	defer entered.client.CloseIdleConnections()
	connection, err := session.execute(ctx, entered, h.code)
	if err != nil {
		return err
	}
	defer func() { _ = connection.CloseNow() }()
	done.mutex.Lock()
	done.runs++
	done.mutex.Unlock()
	running, end := context.WithCancel(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer end()
	others.Go(func() {
		for {
			if _, _, err := connection.Read(running); err != nil {
				return
			}
			done.mutex.Lock()
			done.messages++
			done.mutex.Unlock()
		}
	})
	if h.beside != nil {
		others.Go(func() {
			for running.Err() == nil {
				if h.beside(session, running) == nil {
					done.mutex.Lock()
					done.beside++
					done.mutex.Unlock()
				}
				pause(running, 100*time.Millisecond)
			}
		})
	}
	for {
		pause(ctx, time.Second)
		var now struct{ Status, StatusReason string }
		if err := session.call(ctx, http.MethodGet, "/sessions/"+session.id, &now); err != nil {
			return err
		}
		if now.Status != "RUNNING" {
			done.note(done.endings, now.Status+": "+now.StatusReason)
			return nil
		}
	}
}

// execute sends code to a fresh kernel, through the server.
func (s *runningSession) execute(ctx context.Context, entered way, code string) (*websocket.Conn, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, entered.base+"/api/kernels", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	request.Header = entered.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	answer, err := entered.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	var kernel struct{ ID string }
	if err = errors.Join(err, json.Unmarshal(content, &kernel)); err != nil || kernel.ID == "" {
		return nil, fmt.Errorf("no kernel: %s: %w", answer.Status, err)
	}
	s.kernel = kernel.ID
	connection, _, err := websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(entered.base, "http", "ws", 1)+"/api/kernels/"+kernel.ID+"/channels",
		&websocket.DialOptions{HTTPClient: entered.client, HTTPHeader: entered.header})
	if err != nil {
		return nil, err
	}
	connection.SetReadLimit(16 << 20)
	return connection, wsjson.Write(ctx, connection, map[string]any{
		"channel": "shell", "metadata": map[string]any{}, "parent_header": map[string]any{}, "buffers": []any{},
		"header": map[string]any{
			"msg_id": uuid.NewString(), "msg_type": "execute_request", "username": "soak", "session": uuid.NewString(), "version": "5.3",
			"date": time.Now().UTC().Format(time.RFC3339),
		},
		"content": map[string]any{
			"code": code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
		},
	})
}

// download reads the session's whole work.zip.
func (s *runningSession) download(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.server.address+"/api/v1/rf/sessions/"+s.id+"/work.zip", http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token())
	return swallow(client, request)
}

func swallow(through *http.Client, request *http.Request) error {
	answer, err := through.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return err
}
