package paint

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// browser is a headless Chromium, controlled over its debugging pipe.
type browser struct {
	command *exec.Cmd
	out     io.WriteCloser
	ended   chan struct{} // closed when its output ends

	mutex   sync.Mutex
	last    int
	waiting map[int]chan<- message
	events  map[string]chan<- message // by session
}

// message is a call, its answer or an event of the DevTools protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// open starts the browser with a new profile in folder.
func open(ctx context.Context, program, folder string) (*browser, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, answering, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	flags := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + folder, "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update", "--disable-gpu",
	}
	if os.Getuid() == 0 {
		flags = append(flags, "--no-sandbox") // Chromium's own sandbox does not work for root
	}
	b := &browser{
		command: exec.CommandContext(ctx, program, flags...), out: out, ended: make(chan struct{}),
		waiting: map[int]chan<- message{}, events: map[string]chan<- message{},
	}
	b.command.ExtraFiles = []*os.File{in, answering}
	b.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = errors.Join(b.command.Start(), in.Close(), answering.Close())
	if err != nil {
		return nil, errors.Join(err, out.Close(), answers.Close())
	}
	go b.read(answers)
	return b, nil
}

func (b *browser) read(answers io.ReadCloser) {
	defer close(b.ended)
	defer answers.Close()
	for reader := bufio.NewReader(answers); ; {
		text, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var one message
		if json.Unmarshal(text[:len(text)-1], &one) != nil {
			continue
		}
		b.mutex.Lock()
		to := b.events[one.Session]
		if one.ID != 0 {
			to = b.waiting[one.ID]
			delete(b.waiting, one.ID)
		}
		b.mutex.Unlock()
		if to != nil {
			select {
			case to <- one:
			default: // events that nobody waits for
			}
		}
	}
}

// call calls the browser, or one of its pages, and decodes the result into result unless that is nil.
func (b *browser) call(ctx context.Context, session, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	b.mutex.Lock()
	b.last++
	b.waiting[b.last] = answer
	text, err = json.Marshal(message{ID: b.last, Session: session, Method: method, Params: text})
	if err == nil {
		_, err = b.out.Write(append(text, 0))
	}
	b.mutex.Unlock()
	if err != nil {
		return err
	}
	select {
	case one := <-answer:
		if one.Error != nil {
			return fmt.Errorf("%s: %s", method, one.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(one.Result, result)
	case <-b.ended:
		return fmt.Errorf("%s: the browser has ended", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// close stops the browser and waits for it.
func (b *browser) close() error {
	err := errors.Join(b.out.Close(), b.command.Process.Kill())
	<-b.ended
	_ = b.command.Wait() // it was killed
	return err
}
