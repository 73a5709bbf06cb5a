package sessions

import (
	"bufio"
	"context"
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

	"cairn/internal/app"
	"cairn/internal/sqldb"
)

// server is the real binary with accounts and their sessions.
type server struct {
	address string
	data    string
	command *exec.Cmd
	users   []user
}

type user struct {
	token    string
	sessions []string
}

// start serves below a folder, with flags of the caller's.
func start(ctx context.Context, binary, folder string, flags ...string) (*server, error) {
	s := &server{data: filepath.Join(folder, "data")}
	s.command = exec.CommandContext(ctx, binary, append([]string{
		"serve", "--data", s.data, "--listen", "127.0.0.1:0", "--session-listen", "127.0.0.1:0",
	}, flags...)...)
	s.command.Env = append(os.Environ(), "CAIRN_LOG_LEVEL=warn")
	s.command.Cancel = func() error { return s.command.Process.Signal(syscall.SIGTERM) }
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.command.Stderr = os.Stderr
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
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
}

// processor is how much of a processor's time the server has used.
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

// fill signs every account in and writes its sessions down, as ended ones: they need no Jupyter.
func (s *server) fill(ctx context.Context, file string, accounts int) error {
	config, err := app.LoadConfig(file, func(string) (string, bool) { return "", false })
	if err != nil {
		return err
	}
	config.Data = s.data
	tokens, err := app.Tokens(config, emails(accounts))
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: answerTime}
	for _, token := range tokens {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+"/api/v1/rf/accounts/me", http.NoBody)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("an account cannot sign in: %s", answer.Status)
		}
		s.users = append(s.users, user{token: token})
	}
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(s.data, "cairn.db"), time.Now)
	if err != nil {
		return err
	}
	defer db.Close()
	ids, err := accountIDs(ctx, db)
	if err != nil {
		return err
	}
	return db.Write(ctx, func(tx *sqldb.Tx) error {
		var rows [][]any
		now := sqldb.Micros(tx.Now)
		for i := range s.users {
			for number := range sessionsOf {
				id := sqldb.NewID()
				s.users[i].sessions = append(s.users[i].sessions, id)
				rows = append(rows, []any{id, fmt.Sprint("Session ", number), ids[email(i)], email(i), "", holds, "local", "FINISHED", "", "", "", now, now, now, now, now})
			}
		}
		return tx.InsertRows(ctx, "session", []string{
			"id", "name", "account_id", "owner_email", "project_id", "holds", "engine", "status", "status_reason", "requested",
			"idempotency_key", "launched_at", "created_at", "updated_at", "queued_at", "admitted_at",
		}, rows, "")
	})
}

const holds = `{"id":"","name":"Spike sorting","repositoryResource":{"id":"","name":"tools","address":"https://github.com/example/tools"},"datasetResources":[]}`

func emails(count int) []string {
	list := make([]string, count)
	for i := range list {
		list[i] = email(i)
	}
	return list
}

func accountIDs(ctx context.Context, db *sqldb.DB) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT email, id FROM account`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	ids := map[string]string{}
	for rows.Next() {
		var email, id string
		if err := rows.Scan(&email, &id); err != nil {
			return nil, err
		}
		ids[email] = id
	}
	return ids, rows.Err()
}
