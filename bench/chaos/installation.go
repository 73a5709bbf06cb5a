package chaos

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/program"
	"cairn/bench/sessions"
	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"

	"golang.org/x/sys/unix"
)

const (
	hubSpawn  = 1500 * time.Millisecond // how long the stand-in for a hub takes to start a server
	smallDisk = 64 << 20
)

func newPassword() string { return strings.ToLower(rand.Text()) }

// unit is a server that is killed and started again.
type unit struct {
	program.Program

	name, address string
	disk          string // the folder with a separate small disk; "": none

	mu      sync.Mutex
	running *program.Server // nil while it is down
	peaks   [3]int64        // the most memory in each third of the time, in bytes
}

func (u *unit) start(ctx context.Context) error {
	server, err := u.Start(ctx, program.AnySearch)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = server
	return nil
}

// end ends the server, if it runs, in one of its ways.
func (u *unit) end(how func(*program.Server) error) error {
	u.mu.Lock()
	server := u.running
	u.running = nil
	u.mu.Unlock()
	if server == nil {
		return nil
	}
	return how(server)
}

// measure notes the memory. It returns false if the server has ended on its own.
func (u *unit) measure(third int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.running == nil {
		return true
	}
	u.peaks[third] = max(u.peaks[third], u.running.Figures().Now)
	return !u.running.Ended()
}

// side is where some people write and start sessions.
type side struct {
	name     string
	address  string
	units    []*unit
	people   *people
	writes   *ledger
	launches *launcher
}

// installation is two servers on one PostgreSQL and a hub, behind a balancer, and a single server with real sessions, where
// everybody signs in.
type installation struct {
	folder       string
	corpus       *corpus.Corpus
	cluster      *cluster
	hub          *hubtest.Hub
	hubAt, front *httptest.Server
	balance      *balancer
	pair, single side
}

func (i *installation) sides() []*side { return []*side{&i.pair, &i.single} }

func (i *installation) units() []*unit { return append(i.single.units, i.pair.units...) }

// open starts everything. close stops what it started, even after an error.
func (i *installation) open(ctx context.Context, binary string, rates rates) error {
	port, err := freeports.Find(ctx, 7)
	if err != nil {
		return err
	}
	at := func(offset int) string { return fmt.Sprintf("127.0.0.1:%d", port+offset) }
	if i.cluster, err = newCluster(ctx, filepath.Join(i.folder, "postgres"), port); err != nil {
		return err
	}
	if err := i.cluster.start(ctx); err != nil {
		return err
	}
	i.hub = hubtest.New(newPassword(), hubSpawn)
	i.hubAt = httptest.NewServer(i.hub)
	i.balance = newBalancer(at(3), at(5))
	i.front = httptest.NewServer(i.balance)
	i.pair = side{name: "two servers", address: i.front.Listener.Addr().String(), people: &people{emails: sessions.Emails(rates.accounts)}}
	i.single = side{name: "single server", address: at(1), people: &people{emails: []string{program.Researcher}}}
	unitOf := func(name string, offset int, config string, flags ...string) *unit {
		return &unit{name: name, address: at(offset), Program: program.Program{
			Binary: binary, Data: filepath.Join(i.folder, strings.ReplaceAll(name, " ", "-")), Listen: at(offset),
			Flags: append(flags, "--session-listen", at(offset+1)), Config: config + "log: {level: warn}\n",
		}}
	}
	database := filepath.Join(i.folder, "single-database")
	single := unitOf("single server", 1, program.Config(i.pair.people.emails, "database_url: sqlite:"+filepath.Join(database, "cairn.db")+"\nsessions: {jupyter: "+program.Jupyter+
		", capacity: 2, memory: 512MiB, disk: 64MiB, idle: never, open_idle: never, network: none}\ndisk: {reserve: 64MiB}\n"), "--demo")
	i.single.units = []*unit{single}
	for number := range 2 {
		i.pair.units = append(i.pair.units, unitOf(fmt.Sprintf("server %d", number+1), 3+2*number, program.Common+fmt.Sprintf(`public_url: %s
session_url: http://{kind}-{id}.localhost:%d
trusted_proxies: [127.0.0.1/32]
database_url: "%s"
oidc: {issuer: "http://%s/idp"}
sessions:
  limit: 10
  idle: never
  open_idle: never
  engines: [{name: hub, label: Hub, kind: jupyterhub, url: "%s", token: %s}]
`, i.front.URL, port+4, i.cluster.address(), at(1), i.hubAt.URL, i.hub.Token)))
	}
	if err := os.Mkdir(database, 0o700); err != nil {
		return err
	}
	if os.Geteuid() == 0 { // then this process has its own mounts
		single.disk, i.pair.units[0].disk = database, i.pair.units[0].Data
		for _, one := range []*unit{single, i.pair.units[0]} {
			if err := errors.Join(os.MkdirAll(one.disk, 0o700), unix.Mount("cairn-chaos", one.disk, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", smallDisk))); err != nil {
				return fmt.Errorf("a small disk: %w", err)
			}
		}
	}
	return i.fill(ctx, rates.entries)
}

// fill imports the catalog and starts the servers.
func (i *installation) fill(ctx context.Context, entries int) error {
	i.corpus = corpus.New(corpus.Default(entries))
	if _, err := i.pair.units[0].Import(ctx, func(file io.Writer) error {
		_, err := io.WriteString(file, sessions.Shared)
		return errors.Join(err, i.corpus.Write(ctx, file))
	}); err != nil {
		return err
	}
	for _, one := range i.units() {
		if err := one.start(ctx); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	return i.renew(ctx)
}

// renew makes tokens for everybody. They are valid for an hour.
func (i *installation) renew(ctx context.Context) error {
	tokens, err := i.single.units[0].Tokens(ctx, append([]string{program.Researcher}, i.pair.people.emails...)...)
	if err != nil {
		return err
	}
	i.single.people.renew(tokens[:1])
	i.pair.people.renew(tokens[1:])
	return nil
}

func (i *installation) close() (err error) {
	for _, one := range i.units() {
		err = errors.Join(err, one.end((*program.Server).Stop))
	}
	for _, pids := range i.realSessions() { // from a run that was aborted
		for _, pid := range pids {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
	for _, one := range []*httptest.Server{i.front, i.hubAt} {
		if one != nil {
			one.CloseClientConnections()
			one.Close()
		}
	}
	if i.cluster != nil && i.cluster.ended != nil {
		err = errors.Join(err, i.cluster.stop(fast))
	}
	for _, one := range i.units() {
		if one.disk != "" {
			_ = unix.Unmount(one.disk, unix.MNT_DETACH)
		}
	}
	return err
}

var sessionID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// realSessions returns the processes of each session on this machine: those with the server's data folder in their command
// line or, inside a namespace, in their mounts.
func (i *installation) realSessions() map[string][]int {
	found := map[string][]int{}
	if len(i.single.units) == 0 {
		return found
	}
	mine := filepath.Join(filepath.Base(i.folder), filepath.Base(i.single.units[0].Data)) + "/"
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		line, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if len(line) == 0 {
			continue // a zombie or a kernel thread
		}
		mounts, _ := os.ReadFile(filepath.Join(folder, "mountinfo"))
		for text := range strings.Lines(strings.ReplaceAll(string(line), "\x00", "\n") + "\n" + string(mounts)) {
			if id := sessionID.FindString(text); id != "" && strings.Contains(text, mine) {
				pid, _ := strconv.Atoi(filepath.Base(folder))
				found[id] = append(found[id], pid)
				break
			}
		}
	}
	return found
}
