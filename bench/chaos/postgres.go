package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/bench/load"
)

// cluster is a PostgreSQL for this run alone, with the usual durability settings.
type cluster struct {
	programs, folder string
	port             int
	password         string
	as               *syscall.Credential // nil: this process's account
	command          *exec.Cmd
	ended            chan struct{}
}

const superuser = "cairn"

// newCluster makes one that isn't running yet. PostgreSQL refuses to run as root, so root uses PostgreSQL's own account for
// it.
func newCluster(ctx context.Context, folder string, port int) (*cluster, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		return nil, errors.New("PostgreSQL is not installed; run scripts/setup.sh test")
	}
	slices.Sort(found)
	c := &cluster{programs: found[len(found)-1], folder: folder, port: port, password: newPassword()}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "password")
	if err := os.WriteFile(file, []byte(c.password+"\n"), 0o600); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.ParseUint(account.Uid, 10, 32)
		gid, _ := strconv.ParseUint(account.Gid, 10, 32)
		c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := errors.Join(os.Chown(folder, int(uid), int(gid)), os.Chown(file, int(uid), int(gid))); err != nil {
			return nil, err
		}
	}
	output, err := c.program(ctx, "initdb", "--pgdata", c.data(), "--username", superuser, "--pwfile", file, "--auth", "password",
		"--encoding", "UTF8", "--locale", "C.UTF-8").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, output)
	}
	return c, nil
}

func (c *cluster) data() string { return filepath.Join(c.folder, "data") }

func (c *cluster) program(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, filepath.Join(c.programs, name), arguments...)
	command.Dir = c.folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: c.as, Pdeathsig: syscall.SIGINT}
	return command
}

// start returns when the server accepts connections.
func (c *cluster) start(ctx context.Context) error {
	c.command = c.program(context.WithoutCancel(ctx), "postgres", "-D", c.data(), "-p", strconv.Itoa(c.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "max_connections=300")
	log, err := os.OpenFile(c.folder+".log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	c.command.Stdout, c.command.Stderr = log, log
	if err := c.command.Start(); err != nil {
		return err
	}
	command, ended := c.command, make(chan struct{})
	c.ended = ended
	go func() { _ = command.Wait(); close(ended) }()
	ready, err := load.Wait(ctx, time.Minute, 20*time.Millisecond, func() (bool, error) {
		select {
		case <-ended:
			text, _ := os.ReadFile(c.folder + ".log")
			return false, fmt.Errorf("PostgreSQL ended: %s", text[max(0, len(text)-2000):])
		default:
		}
		note, _ := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
		lines := strings.Split(string(note), "\n")
		return len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready" && lines[0] == strconv.Itoa(command.Process.Pid), nil
	})
	if err == nil && !ready {
		err = errors.New("PostgreSQL isn't ready")
	}
	return err
}

// The ways to stop it, by the names that pg_ctl uses.
const (
	fast      = syscall.SIGINT  // transactions are rolled back
	immediate = syscall.SIGQUIT // like a crash: the next start recovers
)

// stop stops it and waits.
func (c *cluster) stop(how syscall.Signal) error {
	if err := c.command.Process.Signal(how); err != nil {
		return err
	}
	select {
	case <-c.ended:
		return nil
	case <-time.After(time.Minute):
		return errors.Join(errors.New("PostgreSQL doesn't stop"), c.command.Process.Kill())
	}
}

func (c *cluster) address() string {
	return fmt.Sprintf("postgres://%s:%s@127.0.0.1:%d/postgres?sslmode=disable", superuser, c.password, c.port)
}

// rows asks the database itself. Each row is a line, with its columns separated by "|".
func (c *cluster) rows(ctx context.Context, query string) ([][]string, error) {
	command := c.program(ctx, "psql", "--no-psqlrc", "--tuples-only", "--no-align", "--host", "127.0.0.1", "--port", strconv.Itoa(c.port),
		"--username", superuser, "--command", query, "postgres")
	command.Env = append(os.Environ(), "PGPASSWORD="+c.password)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("psql: %w: %s", err, complaint.String())
	}
	var rows [][]string
	for line := range strings.Lines(string(output)) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "|"))
	}
	return rows, nil
}
