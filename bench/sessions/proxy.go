package sessions

import (
	"bytes"
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/report"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

const (
	shareAim = 0.9 // of the rate at which Jupyter answers directly
	roundAim = 300 // microseconds added to a round trip over a WebSocket
	rounds   = 8   // direct and proxied alternate, because the machine has other work too
	trips    = 300 // round trips in each round
	waitTime = 2 * time.Minute
)

// way is how requests reach a session's Jupyter.
type way struct {
	name    string
	address string // for load
	client  *http.Client
	base    string // scheme, host, and the session's path
	header  http.Header
}

// RunProxy compares a real Jupyter reached directly, over its socket, with the same one through the session origin. Its
// error says that an aim was missed.
func RunProxy(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("proxy", flag.ContinueOnError)
	flags.SetOutput(out)
	binary := flags.String("binary", "bin/cairn", "the program to measure")
	clients := flags.Int("clients", 4, "how many ask at the same time")
	length := flags.Duration("time", 3*time.Second, "how long each of the rounds takes")
	results := flags.String("results", "", "the file whose part the report replaces; empty: none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-proxy-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "cairn.yaml")
	if err := os.WriteFile(file, []byte("runs: {every: never}\n"), 0o600); err != nil { // a run of an entry would take a core
		return err
	}
	server, err := start(ctx, *binary, folder, "--demo", "--config", file)
	if err != nil {
		return err
	}
	defer server.stop()
	session, err := server.runSession(ctx, *binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, session.remove()) }()
	direct, proxied, err := session.ways(ctx)
	if err != nil {
		return err
	}

	ways := []way{direct, proxied}
	if _, err := os.Stat(nginxProgram); err == nil {
		other, stop, err := throughNginx(ctx, folder, direct)
		if err != nil {
			return err
		}
		defer stop()
		ways = append(ways, other)
	}
	page, err := direct.ofPage(ctx, session.opens)
	if err != nil {
		return err
	}
	smallest := []string{"api/contents?content=0"}
	ofPage, perSecond, trip := make([][]float64, len(ways)), make([][]float64, len(ways)), make([][]float64, len(ways))
	var spent []float64 // of the server's processor time for a request through it, in seconds
	for range rounds {
		for i, one := range ways {
			count, err := one.ask(ctx, page, *clients, *length)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			ofPage[i] = append(ofPage[i], float64(count)/length.Seconds())
			before := server.processor()
			if count, err = one.ask(ctx, smallest, *clients, *length); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			perSecond[i] = append(perSecond[i], float64(count)/length.Seconds())
			if one.name == proxied.name {
				spent = append(spent, (server.processor()-before).Seconds()/float64(max(1, count)))
			}
			took, err := one.trips(ctx, session.kernel)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			trip[i] = append(trip[i], took.Seconds())
		}
	}
	microseconds := func(value float64) string { return report.Number(value) + " µs" }
	table := report.Table{Columns: []string{"way", "requests of a page/s", "smallest requests/s", "round trip of a WebSocket"}}
	for i, one := range ways {
		table.Add(one.name, report.Number(median(ofPage[i])), report.Number(median(perSecond[i])), microseconds(1e6*median(trip[i])))
	}
	return publish(out, *results, part{
		name: "proxy", title: "What the way through the session origin costs",
		about: []string{fmt.Sprintf("a real Jupyter in a session of the demo, asked by %d clients at once, directly over its socket, through Cairn and, if it is installed, through an nginx that checks nothing, in turn", *clients)},
		table: table,
		aims: []report.Aim{
			{Text: "requests of a page through Cairn, times those directly", Limit: shareAim, Measured: median(ofPage[1]) / median(ofPage[0]), AtLeast: true, Format: report.Number},
			{Text: "smallest requests through Cairn, times those directly", Limit: shareAim, Measured: median(perSecond[1]) / median(perSecond[0]), AtLeast: true, Format: report.Number},
			{Text: "added to a round trip", Limit: roundAim, Measured: 1e6 * (median(trip[1]) - median(trip[0])), Format: microseconds},
		},
		notes: fmt.Sprintf("The requests of a page are the first %d of a browser that shows a notebook: the page, the scripts and styles that its HTML includes, and calls "+
			"of Jupyter's API. The smallest is what Jupyter answers soonest, so a proxy shows most there: each takes %s of Cairn's processor time, most of it in the "+
			"kernel and in Go's HTTP client and server. Whoever asks, the proxy and Jupyter share the cores of this machine: what a proxy needs is missing elsewhere.",
			len(page), microseconds(1e6*median(spent))),
	})
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// runningSession is a session of the demo's project.
type runningSession struct {
	user

	id, kernel string
	opens      string // its notebook
}

func (s *server) runSession(ctx context.Context, binary string) (*runningSession, error) {
	token, err := s.output(ctx, binary, "token", "researcher@example.org")
	if err != nil {
		return nil, err
	}
	session := &runningSession{user: user{server: s, token: lasting(strings.TrimSpace(token))}}
	return session, session.start(ctx, "bench")
}

// start starts a session of the demo's project under a name and waits until it runs.
func (s *runningSession) start(ctx context.Context, name string) error {
	var projects []struct{ ID string }
	if err := s.call(ctx, http.MethodGet, "/projects/", &projects); err != nil || len(projects) == 0 {
		return errors.Join(errors.New("the demo has no project"), err)
	}
	var started struct{ SessionID string }
	if err := s.call(ctx, http.MethodGet, "/hub/start/project/"+projects[0].ID+"?sessionName="+name, &started); err != nil {
		return err
	}
	s.id = started.SessionID
	for deadline := time.Now().Add(waitTime); ; {
		var now struct{ Status, StatusReason string }
		if err := s.call(ctx, http.MethodGet, "/sessions/"+s.id, &now); err != nil {
			return err
		}
		switch {
		case now.Status == "RUNNING":
			return nil
		case now.Status != "CREATED" || time.Now().After(deadline):
			return fmt.Errorf("the session is %s: %s", now.Status, now.StatusReason)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// remove deletes the session for ever, even when the benchmark was stopped.
func (s *runningSession) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), waitTime)
	defer cancel()
	var done bool
	return s.call(ctx, http.MethodDelete, "/sessions/"+s.id+"?now=true", &done)
}

// ways opens both ways into the session, and a kernel in it.
func (s *runningSession) ways(ctx context.Context) (direct, proxied way, err error) {
	record := struct{ Token, Opens string }{}
	content, err := os.ReadFile(filepath.Join(s.server.data, "sessions", "local", s.id, "record.json"))
	if err == nil {
		err = json.Unmarshal(content, &record)
	}
	if err != nil {
		return direct, proxied, err
	}
	s.opens = record.Opens
	parsed := uuid.MustParse(s.id)
	short := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(parsed[:]))
	var sockets []string
	for _, folder := range []string{"/run", os.TempDir()} {
		found, _ := filepath.Glob(filepath.Join(folder, "cairn-*", short, "j.sock"))
		sockets = append(sockets, found...)
	}
	if len(sockets) == 0 {
		return direct, proxied, errors.New("the session's socket is not where it used to be")
	}
	direct = way{name: "directly", address: sockets[0], base: "http://127.0.0.1/s/" + s.id, client: clientTo("unix", sockets[0]), header: http.Header{"Authorization": {"token " + record.Token}}}

	if proxied, err = s.enter(ctx); err != nil {
		return direct, proxied, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, direct.base+"/api/kernels", bytes.NewReader([]byte("{}")))
	if err != nil {
		return direct, proxied, err
	}
	request.Header = direct.header.Clone()
	answer, err := direct.client.Do(request)
	if err != nil {
		return direct, proxied, err
	}
	defer answer.Body.Close()
	var kernel struct{ ID string }
	err = json.NewDecoder(answer.Body).Decode(&kernel)
	s.kernel = kernel.ID
	return direct, proxied, err
}

// enter opens the way through the session origin, as a browser does.
func (s *runningSession) enter(ctx context.Context) (proxied way, err error) {
	var entry struct{ RedirectURL string }
	if err := s.call(ctx, http.MethodGet, "/hub/resume/session/"+s.id, &entry); err != nil {
		return proxied, err
	}
	origin, _, _ := strings.Cut(entry.RedirectURL, "/.cairn/")
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	proxied = way{name: "through the proxy", address: "127.0.0.1:" + port, base: origin + "/s/" + s.id, client: clientTo("tcp", "127.0.0.1:"+port)}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, entry.RedirectURL, http.NoBody)
	if err != nil {
		return proxied, err
	}
	answer, err := proxied.client.Do(request)
	if err != nil {
		return proxied, err
	}
	_ = answer.Body.Close()
	cookie, _, _ := strings.Cut(answer.Header.Get("Set-Cookie"), ";")
	proxied.header = http.Header{"Cookie": {cookie}, "Origin": {origin}}

	return proxied, nil
}

func clientTo(network, address string) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}},
	}
}

// included matches what a page of Jupyter includes.
var included = regexp.MustCompile(`(?:src|href)="/s/[0-9a-f-]+/((?:static|custom)/[^"]+)"`)

// ofPage returns the first requests of a browser that shows a notebook, below the session's path: the page, what its HTML
// includes, and calls of the API.
func (w way) ofPage(ctx context.Context, notebook string) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/notebooks/"+notebook, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header = w.header
	answer, err := w.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	all := []string{"notebooks/" + notebook}
	for _, found := range included.FindAllStringSubmatch(string(body), -1) {
		all = append(all, html.UnescapeString(found[1]))
	}
	if len(all) < 10 {
		return nil, fmt.Errorf("the page of %s includes only %q", notebook, all)
	}
	return append(all, "api/contents/"+notebook+"?type=notebook", "api/contents/"+notebook+"/checkpoints", "api/kernelspecs", "api/sessions",
		"api/config/notebook", "api/config/common"), nil
}

// ask counts how often Jupyter answers within a time, to requests in turn.
func (w way) ask(ctx context.Context, paths []string, clients int, length time.Duration) (count int, err error) {
	plan := load.Plan{Address: w.address, Clients: clients, Time: length}
	for _, path := range paths {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base+"/"+path, http.NoBody)
		if err != nil {
			return 0, err
		}
		request.Header = w.header.Clone()
		request.Header.Del("Origin") // browsers send it with websockets and changes
		var encoded bytes.Buffer
		if err := request.Write(&encoded); err != nil {
			return 0, err
		}
		plan.Requests = append(plan.Requests, load.Request{Bytes: encoded.Bytes(), Check: func(status int, _ []byte, _ bool) error {
			if status != http.StatusOK {
				return fmt.Errorf("%s was answered %d", path, status)
			}
			return nil
		}})
	}
	found, err := load.Run(ctx, plan)
	return len(found.Latencies), errors.Join(err, found.FirstErr)
}

// trips returns the median time of a ping over a kernel's WebSocket, answered by Jupyter itself.
func (w way) trips(ctx context.Context, kernel string) (time.Duration, error) {
	connection, _, err := websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(w.base, "http", "ws", 1)+"/api/kernels/"+kernel+"/channels",
		&websocket.DialOptions{HTTPClient: w.client, HTTPHeader: w.header})
	if err != nil {
		return 0, err
	}
	defer func() { _ = connection.CloseNow() }()
	reading, end := context.WithCancel(ctx)
	defer end()
	go func() { // messages from the kernel are read, or no pong would arrive
		for {
			if _, _, err := connection.Read(reading); err != nil {
				return
			}
		}
	}()
	times := make([]float64, trips)
	for i := range times {
		began := time.Now()
		if err := connection.Ping(ctx); err != nil {
			return 0, err
		}
		times[i] = time.Since(began).Seconds()
	}
	return time.Duration(median(times) * float64(time.Second)), nil
}
