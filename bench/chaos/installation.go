package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/program"
	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine/jupyterhub/hubtest"

	"golang.org/x/sys/unix"
)

const (
	hubSpawn    = 1500 * time.Millisecond // how long the stand-in for a hub takes to start a server
	readyTime   = 2 * time.Minute
	smallDisk   = 64 << 20
	anySearch   = api + "/resources/public?pageSize=1"
	realAccount = "researcher@example.org" // an account of the demo
)

// unit is a server that is killed and started again.
type unit struct {
	program.Program

	name, address string
	disk          string // the folder with a separate small disk; "": none

	mutex   sync.Mutex
	running *program.Server // nil while it is down
	memory  []sample
}

type sample struct {
	at    time.Duration // since the load began
	bytes int64
}

func (u *unit) start(ctx context.Context) error {
	server, err := u.Start(ctx, anySearch, readyTime)
	if err != nil {
		return err
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.running = server
	return nil
}

func (u *unit) take() *program.Server {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	taken := u.running
	u.running = nil
	return taken
}

func (u *unit) kill() error {
	if server := u.take(); server != nil {
		return server.Kill()
	}
	return nil
}

func (u *unit) stop() error {
	if server := u.take(); server != nil {
		return server.Stop()
	}
	return nil
}

// measure notes the memory. It returns false if the server has ended on its own.
func (u *unit) measure(at time.Duration) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.running == nil {
		return true
	}
	if memory, err := u.running.Memory(); err == nil {
		u.memory = append(u.memory, sample{at, memory.Now})
	}
	return !u.running.Ended()
}

// installation is two servers on one PostgreSQL and a hub, behind a balancer, and a third server with real sessions, where
// everybody signs in.
type installation struct {
	folder  string
	corpus  *corpus.Corpus
	cluster *cluster
	hub     *hubtest.Hub
	hubAt   *httptest.Server
	front   *httptest.Server
	balance *balancer
	servers []*unit
	single  *unit
	people  *people // at the two servers
	owners  *people // of real sessions
	project string
}

func (i *installation) units() []*unit { return append([]*unit{i.single}, i.servers...) }

// open starts everything. close stops what it started, even after an error.
func (i *installation) open(ctx context.Context, binary string, accounts, entries int) error {
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

	var provider strings.Builder
	i.people, i.owners = &people{}, &people{emails: []string{realAccount}}
	for number := range accounts {
		email := fmt.Sprintf("person-%d@example.org", number)
		i.people.emails = append(i.people.emails, email)
		// No known password matches; `cairn token` makes the tokens.
		_, _ = fmt.Fprintf(&provider, "    - {email: %s, name: Bench, password_hash: \"$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde\"}\n", email)
	}
	common := "accounts: {enable: auto}\nlimits: {anonymous: {rate: 0}, additions_per_hour: 0}\nlog: {level: warn}\n"
	i.single = &unit{name: "single server", address: at(1), Program: program.Program{
		Binary: binary, Data: filepath.Join(i.folder, "single"),
		Listen: at(1), Flags: []string{"--demo", "--session-listen", at(2)},
	}}
	database := filepath.Join(i.folder, "single-database")
	i.single.Whole = common + "database_url: sqlite:" + filepath.Join(database, "cairn.db") + "\n" +
		`sessions: {jupyter: /usr/bin/jupyter-notebook, capacity: 2, memory: 512MiB, disk: 64MiB, idle: never, open_idle: never, network: none}
disk: {reserve: 64MiB}
idp:
  accounts:
` + provider.String()
	for number := range 2 {
		one := &unit{name: fmt.Sprintf("server %d", number+1), address: at(3 + 2*number), Program: program.Program{
			Binary: binary,
			Data:   filepath.Join(i.folder, fmt.Sprintf("server-%d", number+1)), Listen: at(3 + 2*number), Flags: []string{"--session-listen", at(4 + 2*number)},
		}}
		one.Whole = common + fmt.Sprintf(`public_url: %s
session_url: http://{kind}-{id}.localhost:%d
trusted_proxies: [127.0.0.1/32]
database_url: "%s"
oidc: {issuer: "http://%s/idp"}
sessions:
  limit: 10
  idle: never
  open_idle: never
  engines: [{name: hub, label: Hub, kind: jupyterhub, url: "%s", token: %s}]
`, i.front.URL, port+4, i.cluster.address(), at(1), i.hubAt.URL, i.hub.Token)
		i.servers = append(i.servers, one)
	}
	if err := os.Mkdir(database, 0o700); err != nil {
		return err
	}
	if os.Geteuid() == 0 { // then this process has its own mounts
		i.single.disk, i.servers[0].disk = database, i.servers[0].Data
		for _, one := range []*unit{i.single, i.servers[0]} {
			if err := errors.Join(os.MkdirAll(one.disk, 0o700), unix.Mount("cairn-chaos", one.disk, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", smallDisk))); err != nil {
				return fmt.Errorf("a small disk: %w", err)
			}
		}
	}
	return i.fill(ctx, entries)
}

// fill imports the catalog and starts the servers.
func (i *installation) fill(ctx context.Context, entries int) error {
	i.corpus = corpus.New(corpus.Default(entries))
	lines := filepath.Join(i.folder, "entries.jsonl")
	var content bytes.Buffer
	if err := i.corpus.Write(ctx, &content); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(&content, `{"kind":"resource","externalId":"tools","type":"REPOSITORY","name":"tools","authors":["%[1]s"],"privacy":"PUBLIC","repositoryUrl":"https://github.invalid/o/n"}
{"kind":"project","externalId":"shared","name":"Spike sorting","ownerId":"%[1]s","repository":"tools","published":true}
`, i.people.emails[0])
	if err := os.WriteFile(lines, content.Bytes(), 0o600); err != nil {
		return err
	}
	if _, err := i.servers[0].Import(ctx, lines); err != nil {
		return err
	}
	for _, one := range i.units() {
		if err := one.start(ctx); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	if err := i.renew(ctx); err != nil {
		return err
	}
	found, err := i.cluster.rows(ctx, `SELECT id FROM project WHERE external_id = 'shared'`)
	if err == nil && len(found) != 1 {
		err = errors.New("the imported project isn't there")
	}
	if err == nil {
		i.project = found[0][0]
	}
	return err
}

// renew makes tokens for everybody. They are valid for an hour.
func (i *installation) renew(ctx context.Context) error {
	output, err := i.single.Output(ctx, append([]string{"token", realAccount}, i.people.emails...)...)
	if err != nil {
		return err
	}
	tokens := strings.Fields(output)
	i.owners.renew(tokens[:1])
	i.people.renew(tokens[1:])
	return nil
}

func (i *installation) close() (err error) {
	if i.single == nil {
		return nil
	}
	for _, one := range i.units() {
		if one != nil {
			err = errors.Join(err, one.stop())
		}
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
		if one != nil && one.disk != "" {
			_ = unix.Unmount(one.disk, unix.MNT_DETACH)
		}
	}
	return err
}
