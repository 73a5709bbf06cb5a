package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
)

// box is the server of a session, with the broker in it, and the Jupyter that it has started, each a process of its own.
type box struct {
	broker, direct program.Way // the ways of a page to the kernels

	command *exec.Cmd
	log     *os.File
	ended   chan struct{} // closed then
}

// startTime is how long both may take until they listen.
const startTime = 20 * time.Second

// scripted returns the command of the scripted Jupyter.
func scripted(socket string) []string {
	own, _ := os.Executable() // it is known on Linux
	return []string{own, "jobs", serveWord, socket}
}

// start starts both in a folder, which others remove; jupyter returns the command of the Jupyter for its socket.
func start(ctx context.Context, binary, folder string, jupyter func(socket string) []string) (*box, error) {
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		return nil, err
	}
	b := &box{ended: make(chan struct{})}
	front, behind := filepath.Join(folder, "front.sock"), filepath.Join(folder, "j.sock")
	for _, one := range []struct {
		way    *program.Way
		socket string
	}{{&b.broker, front}, {&b.direct, behind}} {
		*one.way = program.To(one.socket)
		one.way.Base = "http://127.0.0.1" + strings.TrimSuffix(basePath, "/")
		one.way.Header.Set("Authorization", "token secret")
	}
	if b.log, err = os.Create(filepath.Join(folder, "log")); err != nil {
		return nil, err
	}
	// As an engine starts it before a session's Jupyter.
	arguments := append([]string{"serve-session", "--socket=" + front, "--behind=" + behind, "--base=" + basePath, "--"}, jupyter(behind)...)
	b.command = exec.CommandContext(context.WithoutCancel(ctx), binary, arguments...)
	b.command.Env = []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "JUPYTER_RUNTIME_DIR=" + folder, "JUPYTER_NO_CONFIG=1", "PYTHONDONTWRITEBYTECODE=1", "JUPYTER_TOKEN=secret",
	}
	b.command.Stdout, b.command.Stderr = b.log, b.log
	b.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := b.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(b.ended)
		_ = b.command.Wait() // its log says why
	}()
	there, err := load.Wait(ctx, startTime, 10*time.Millisecond, func() (bool, error) {
		select {
		case <-b.ended:
			return false, errors.New("the session's server ended")
		default:
		}
		_, err := os.Stat(front)
		return err == nil, nil
	})
	if err == nil && !there {
		err = errors.New("the session's server doesn't listen")
	}
	if err != nil {
		b.stop()
		text, _ := os.ReadFile(b.log.Name())
		return nil, fmt.Errorf("%w\n%s", err, text[max(0, len(text)-2000):])
	}
	return b, nil
}

// stop ends both.
func (b *box) stop() {
	_ = b.command.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(20*time.Second, func() { _ = b.command.Process.Kill() })
	defer kill.Stop()
	<-b.ended
	_ = b.log.Close()
	b.broker.Client.CloseIdleConnections()
	b.direct.Client.CloseIdleConnections()
}

// number asks the scripted Jupyter for a number.
func (b *box) number(ctx context.Context, path string) (number int64, err error) {
	_, body, err := b.direct.Get(ctx, b.direct.Base+"/"+path)
	return number, errors.Join(err, json.Unmarshal(body, &number))
}

// interrupt ends what a kernel prints.
func (b *box) interrupt(ctx context.Context, kernel string) error {
	_, status, _, err := b.direct.Send(ctx, http.MethodPost, b.direct.Base+"/api/kernels/"+kernel+"/interrupt", nil)
	if err == nil && status != http.StatusNoContent {
		err = fmt.Errorf("the interrupt was answered %d", status)
	}
	return err
}

// file returns a kernel's notebook as somebody reads it through the session's server.
func (b *box) file(ctx context.Context, kernel string) (string, error) {
	_, body, err := b.broker.Get(ctx, b.broker.Base+"/api/contents/"+kernel+".ipynb?type=notebook&content=1")
	return string(body), err
}

// processor returns how much processor time the session's server has used, on all cores together.
func (b *box) processor() time.Duration {
	const tick = 10 * time.Millisecond // the unit of these times, on every machine that Go runs on
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", b.command.Process.Pid))
	// Times in user and system mode are the 12th and 13th field after the program's name in parentheses.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// resident returns how many bytes of memory the session's server has now, and peak how many it had at most.
func (b *box) resident() int64 { return b.status("VmRSS:") }
func (b *box) peak() int64     { return b.status("VmHWM:") }

func (b *box) status(name string) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.command.Process.Pid))
	_, rest, _ := strings.Cut(string(text), name)
	number, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return number << 10
}
