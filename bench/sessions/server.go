package sessions

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is the real binary with accounts and their sessions.
type server struct {
	address string
	data    string
	command *exec.Cmd
	users   []*user
}

// start serves below a folder, with additional flags.
func start(ctx context.Context, binary, folder string, flags ...string) (*server, error) {
	return startLogging(ctx, binary, folder, "warn", os.Stderr, flags...)
}

// startLogging is start with a log of a certain level.
func startLogging(ctx context.Context, binary, folder, level string, log *os.File, flags ...string) (*server, error) {
	s := &server{data: filepath.Join(folder, "data")}
	s.command = exec.CommandContext(ctx, binary, append([]string{
		"serve", "--data", s.data, "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0",
	}, flags...)...)
	s.command.Env = append(os.Environ(), "CAIRN_LOG_LEVEL="+level, "CAIRN_SESSIONS_JUPYTER=/usr/bin/jupyter-notebook")
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.command.Stderr = log
	output, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found, ok := strings.CutPrefix(lines.Text(), "Cairn is at http://"); ok {
			s.address = found
			return s, nil
		}
	}
	return nil, errors.Join(errors.New("the server ended before it served"), s.command.Wait())
}

func (s *server) stop() {
	_ = s.command.Process.Signal(os.Interrupt)
	_ = s.command.Wait()
}

// processor returns how much processor time the server has used.
func (s *server) processor() time.Duration {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/stat")
	fields := strings.Fields(string(text))
	if len(fields) < 15 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[13], 10, 64)
	system, _ := strconv.ParseInt(fields[14], 10, 64)
	return time.Duration(user+system) * (time.Second / ticksPerSecond)
}

// ticksPerSecond is the unit of /proc/PID/stat, the same on every Linux that Go runs on.
const ticksPerSecond = 100

// fill adds an ended session to every account: started and stopped again, as a user would.
func (s *server) fill(ctx context.Context, binary, file string, accounts int) error {
	if err := s.enrol(ctx, binary, file, accounts); err != nil {
		return err
	}
	return s.each(func(one *user) error { return one.makeSession(ctx) })
}

// enrol imports a project that everybody may start, and creates a token for each account.
func (s *server) enrol(ctx context.Context, binary, file string, accounts int) error {
	emails := make([]string, accounts)
	for i := range emails {
		emails[i] = email(i)
	}
	lines := filepath.Join(filepath.Dir(file), "project.jsonl")
	if err := os.WriteFile(lines, []byte(project), 0o600); err != nil {
		return err
	}
	if _, err := s.output(ctx, binary, "import", lines, "--config", file); err != nil {
		return err
	}
	tokens, err := s.output(ctx, binary, append([]string{"token", "--config", file}, emails...)...)
	if err != nil {
		return err
	}
	for token := range strings.FieldsSeq(tokens) {
		s.users = append(s.users, &user{server: s, token: lasting(token)})
	}
	for deadline := time.Now().Add(waitTime); ; { // the running server follows what was imported beside it
		var found []struct{ ID string }
		err := s.users[0].call(ctx, http.MethodGet, "/resources/search?type=REPOSITORY&name=tools", &found)
		if err != nil || len(found) > 0 {
			return err
		}
		if time.Now().After(deadline) {
			return errors.New("what was imported is not found")
		}
		<-time.After(50 * time.Millisecond)
	}
}

// each calls do for every account, for some of them concurrently.
func (s *server) each(do func(*user) error) (err error) {
	var filling sync.WaitGroup
	var mutex sync.Mutex
	next := make(chan *user)
	for range 8 {
		filling.Go(func() {
			for one := range next {
				if failed := do(one); failed != nil {
					mutex.Lock()
					err = errors.Join(err, failed)
					mutex.Unlock()
				}
			}
		})
	}
	for _, one := range s.users {
		next <- one
	}
	close(next)
	filling.Wait()
	return err
}

// project is a project that everybody may start. Its repository doesn't exist: nothing should run here.
const project = `{"kind":"resource","externalId":"r","type":"REPOSITORY","name":"tools","authors":["bench-0@example.org"],"privacy":"PUBLIC","repositoryUrl":"https://github.invalid/o/n"}
{"kind":"project","externalId":"p","name":"Spike sorting","ownerId":"bench-0@example.org","repository":"r","published":true}
`

func (s *server) output(ctx context.Context, binary string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, binary, append(arguments, "--data", s.data)...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	return string(output), err
}

// user sends requests with a token.
type user struct {
	server  *server
	token   func() string
	session string
}

// lasting is a token of somebody who is done before it expires.
func lasting(token string) func() string { return func() string { return token } }

// startSession starts a session of the project that everybody may start.
func (u *user) startSession(ctx context.Context, name string) error {
	project, err := u.projectOf(ctx, "tools")
	if err != nil {
		return err
	}
	var started struct{ SessionID string }
	err = u.call(ctx, http.MethodGet, "/hub/start/project/"+project+"?sessionName="+name, &started)
	u.session = started.SessionID
	return err
}

// projectOf returns the id of the first project of the repository that a name finds.
func (u *user) projectOf(ctx context.Context, name string) (string, error) {
	var found, projects []struct{ ID string }
	if err := u.call(ctx, http.MethodGet, "/resources/search?type=REPOSITORY&name="+name, &found); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("there is no repository %q", name)
	}
	if err := u.call(ctx, http.MethodGet, "/resources/public/"+found[0].ID+"/projects", &projects); err != nil {
		return "", err
	}
	if len(projects) == 0 {
		return "", fmt.Errorf("the repository %q has no project", name)
	}
	return projects[0].ID, nil
}

func (u *user) makeSession(ctx context.Context) error {
	if err := u.startSession(ctx, "Session"); err != nil {
		return err
	}
	var ended struct{ Status string }
	for ended.Status != "TERMINATED" {
		if err := u.call(ctx, http.MethodPatch, "/sessions/"+u.session+"?status=TERMINATED", &ended); err != nil {
			return err
		}
	}
	return nil
}

var client = &http.Client{Timeout: answerTime}

func (u *user) call(ctx context.Context, method, path string, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+u.server.address+"/api/v1/rf"+path, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+u.token())
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %d %s", method, path, response.StatusCode, body)
	}
	if err == nil {
		err = json.Unmarshal(body, answer)
	}
	return err
}

// memory returns the server's resident memory, in bytes.
func (s *server) memory() int {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.command.Process.Pid) + "/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}
