package sessions

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// hostility is what one session does for as long as it runs. Its code never returns on its own.
type hostility struct {
	name, code string
	// beside is done again and again through the server while the code runs; nil: nothing.
	beside func(ctx context.Context, who program.Person, id string) error
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
while True: time.sleep(60)`, beside: download},
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
	mu       sync.Mutex
	runs     int
	messages int
	beside   int
	ids      []string
	endings  map[string]int // by the reason that the server gave
	troubles map[string]int // what kept the bench from being hostile
}

func (d *deeds) note(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

func (d *deeds) count(in map[string]int, text string) { d.note(func() { in[text]++ }) }

// harass keeps one session hostile until ctx ends: whenever the server ends it, it is deleted and another one started.
func (h hostility) harass(ctx context.Context, who program.Person, repository string, done *deeds) {
	for ctx.Err() == nil {
		id, way, err := who.Open(ctx, repository)
		if id != "" {
			done.note(func() { done.ids = append(done.ids, id) })
		}
		if err == nil {
			err = h.run(ctx, who, id, way, done)
		}
		if err != nil && ctx.Err() == nil {
			done.count(done.troubles, err.Error())
		}
		if id != "" {
			if err := who.Delete(ctx, id); err != nil {
				done.count(done.troubles, "deletion: "+err.Error())
			}
		}
		if err != nil {
			load.Pause(ctx, time.Second)
		}
	}
}

// run executes the code in a kernel until the session has ended, which isn't an error.
func (h hostility) run(ctx context.Context, who program.Person, id string, way program.Way, done *deeds) error {
	defer way.Client.CloseIdleConnections()
	_, connection, err := way.Kernel(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := connection.Ask(ctx, "shell", "execute_request", map[string]any{
		"code": h.code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
	}); err != nil {
		return err
	}
	done.note(func() { done.runs++ })
	running, end := context.WithCancel(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer end()
	others.Go(func() {
		for {
			if _, err := connection.Read(running); err != nil {
				return
			}
			done.note(func() { done.messages++ })
		}
	})
	if h.beside != nil {
		others.Go(func() {
			for ; running.Err() == nil; load.Pause(running, 100*time.Millisecond) {
				if h.beside(running, who, id) == nil {
					done.note(func() { done.beside++ })
				}
			}
		})
	}
	for {
		load.Pause(ctx, time.Second)
		var now struct{ Status, StatusReason string }
		if err := who.Call(ctx, http.MethodGet, "/sessions/"+id, nil, &now); err != nil {
			return err
		}
		if now.Status != "RUNNING" {
			done.count(done.endings, now.Status+": "+now.StatusReason)
			return nil
		}
	}
}

// download reads the session's whole work.zip.
func download(ctx context.Context, who program.Person, id string) error {
	connection := load.NewConnection(who.Address)
	defer connection.Close()
	return ask(ctx, connection, http.MethodGet, program.API+"/sessions/"+id+"/work.zip", who.Token())
}

// ask makes a call. An answer other than 200 is an error.
func ask(ctx context.Context, through *load.Connection, method, path, token string) error {
	status, _, err := through.Do(ctx, load.Encode(method, through.Address, path, token))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: %d", method, path, status)
	}
	return err
}
