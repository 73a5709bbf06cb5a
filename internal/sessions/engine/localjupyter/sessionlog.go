package localjupyter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/internal/sessions/files/workers"

	"golang.org/x/sys/unix"
	"golang.org/x/time/rate"

	"cairn/internal/sessions/engine"
)

// Files in a session's folder.
const (
	logName  = "session.log"
	pipeName = "session.pipe"
	exitName = "exit.json"
)

// A log never takes more than logMost bytes: before it would, it is cut to its last logKept.
const (
	logMost = 1 << 20
	logKept = 64 << 10
)

// logRate is how many bytes a second of a program's output are read. Who writes more waits, so that no session can keep
// this server busy with its log.
const logRate = 1 << 20

// drainTime is how long the rest of the output of a program that has ended is awaited.
const drainTime = time.Second

// sessionLog is the log of a session. Only this server writes the file: whoever has it open could make it as large as
// the disk. Programs write into a named pipe, from which it is copied here. They keep the pipe open for reading too, so
// that they don't end while no server runs: the pipe holds logMost bytes for the next one.
type sessionLog struct {
	folder string // of the session

	// mu guards the file.
	mu sync.Mutex

	// following guards the fields below.
	following sync.Mutex
	pipe      *os.File // nil: nothing is copied
	hurry     context.CancelFunc
	copied    chan struct{} // closed when nothing is copied any more
}

// path returns the path of the file.
func (l *sessionLog) path() string { return filepath.Join(l.folder, logName) }

// clear empties the log.
func (l *sessionLog) clear() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := l.open(os.O_TRUNC)
	if err != nil {
		return err
	}
	return file.Close()
}

func (l *sessionLog) open(mode int) (*os.File, error) {
	return os.OpenFile(l.path(), os.O_WRONLY|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW|mode, 0o600)
}

// Write appends to the log; of more than logMost bytes at once it keeps the last.
func (l *sessionLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	added := text[max(0, len(text)-logMost+logKept):]
	if about, err := os.Lstat(l.path()); err == nil && about.Size()+int64(len(added)) > logMost {
		if err := l.cut(); err != nil {
			return 0, err
		}
	}
	file, err := l.open(0)
	if err != nil {
		return 0, err
	}
	_, err = file.Write(added)
	return len(text), errors.Join(err, file.Close())
}

// cut leaves the end of the log. l.mu must be held.
func (l *sessionLog) cut() error {
	kept, err := tail(l.path(), logKept)
	if err != nil {
		return err
	}
	file, err := l.open(os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = file.Write(kept)
	return errors.Join(err, file.Close())
}

// output returns what a program writes its output to, which follow copies into the log.
func (l *sessionLog) output() (*os.File, error) {
	path := filepath.Join(l.folder, pipeName)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("the pipe to the session's log cannot be made: %w", err)
	}
	opened, err := unix.Open(path, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0) // os.OpenFile would keep it from blocking
	if err != nil {
		return nil, err
	}
	_, _ = unix.FcntlInt(uintptr(opened), unix.F_SETPIPE_SZ, logMost) // the kernel's default will do
	return os.NewFile(uintptr(opened), path), nil
}

// follow copies what programs write into the log, until they have all ended or drain is called, or the context ends:
// what is in the pipe then waits for the next server. Without a pipe it does nothing.
func (l *sessionLog) follow(running *workers.Workers) error {
	pipe, err := os.OpenFile(filepath.Join(l.folder, pipeName), os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !running.Begin() {
		return pipe.Close()
	}
	l.following.Lock()
	defer l.following.Unlock()
	patience, hurry := context.WithCancel(running.Closing())
	copied := make(chan struct{})
	l.pipe, l.hurry, l.copied = pipe, hurry, copied
	closing := context.AfterFunc(running.Closing(), func() { _ = pipe.Close() })
	go func() {
		defer running.Done()
		defer close(copied)
		defer pipe.Close()
		defer closing()
		defer hurry()
		l.copy(patience, pipe)
	}()
	return nil
}

// copy copies to the end, at the logRate until its patience ends.
func (l *sessionLog) copy(patience context.Context, from io.Reader) {
	pace := rate.NewLimiter(logRate, logRate)
	buffer := make([]byte, logKept)
	for {
		count, err := from.Read(buffer)
		_, _ = l.Write(buffer[:count]) // on a full disk it is lost, and the program goes on
		if err != nil {
			return
		}
		_ = pace.WaitN(patience, count)
	}
}

// drain returns when what ended programs wrote is in the log.
func (l *sessionLog) drain() {
	l.following.Lock()
	defer l.following.Unlock()
	if l.pipe == nil {
		return
	}
	_ = l.pipe.SetReadDeadline(time.Now().Add(drainTime)) // another may hold the pipe
	l.hurry()
	<-l.copied
	l.pipe = nil
}

// tail returns the end of the log, from the beginning of a line, without the secret; "" if there is none.
func (l *sessionLog) tail(secret string) string {
	content, err := tail(l.path(), engine.LogLimit+int64(len(secret)))
	if err != nil {
		return ""
	}
	text := string(content)
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	if len(text) <= engine.LogLimit {
		return text
	}
	text = text[len(text)-engine.LogLimit:]
	if _, whole, found := strings.Cut(text, "\n"); found {
		return whole
	}
	return strings.ToValidUTF8(text, "")
}

// tail reads at most the last bytes of a file. If it leaves something out, it begins with a whole line, so that no part
// of a secret at the cut remains.
func tail(path string, most int64) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, about.Size()-most)
	content, err := io.ReadAll(io.NewSectionReader(file, from, most))
	if err != nil || from == 0 {
		return content, err
	}
	_, whole, _ := bytes.Cut(content, []byte("\n"))
	return whole, nil
}
