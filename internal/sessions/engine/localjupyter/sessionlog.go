package localjupyter

import (
	"bytes"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"cairn/internal/sessions/engine"
)

// Files in a session's folder.
const (
	logName  = "session.log"
	exitName = "exit.json"
)

// A log that grows beyond logMost is cut to its last logKept bytes. Its writers append, so they continue at the new
// end.
const (
	logMost = 1 << 20
	logKept = 64 << 10
)

// openLog opens the log for a process to append to.
func openLog(path string, fresh bool) (*os.File, error) {
	mode := os.O_WRONLY | os.O_CREATE | os.O_APPEND | unix.O_NOFOLLOW
	if fresh {
		mode |= os.O_TRUNC
	}
	return os.OpenFile(path, mode, 0o600)
}

// logTail returns the end of a log, from the beginning of a line, without the secret; "" if there is none.
func logTail(path, secret string) string {
	content, err := tail(path, engine.LogLimit+int64(len(secret)))
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

// trimLog cuts a log that has grown too long. What is written between reading and cutting is lost.
func trimLog(path string) error {
	about, err := os.Lstat(path)
	if err != nil || about.Size() <= logMost {
		return err
	}
	kept, err := tail(path, logKept)
	if err != nil {
		return err
	}
	if err := os.Truncate(path, 0); err != nil {
		return err
	}
	file, err := openLog(path, false)
	if err != nil {
		return err
	}
	_, err = file.Write(kept)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}
