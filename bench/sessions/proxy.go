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
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"

	"github.com/coder/websocket"
	"github.com/google/uuid"
)

const (
	shareAim = 0.9 // of the rate at which Jupyter answers directly
	roundAim = 300 // microseconds added to a round trip over a WebSocket
	rounds   = 8   // direct and proxied alternate, because the machine has other work too
	trips    = 300 // round trips in each round
)

// way is how requests reach a session's Jupyter, and what was measured on it in each round.
type way struct {
	program.Way

	name                    string
	ofPage, perSecond, trip []float64 // requests and requests a second, and microseconds
}

// RunProxy compares a real Jupyter reached directly, over its socket, with the same one through the session origin. Its
// error says that an aim was missed.
func RunProxy(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "proxy", "", arguments, out, func(flags *flag.FlagSet) report.Measure {
		clients := flags.Int("clients", 4, "how many ask at the same time")
		length := flags.Duration("time", 3*time.Second, "how long each of the rounds takes")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			return proxy(ctx, with, *clients, *length)
		}
	})
}

func proxy(ctx context.Context, with *report.Setup, clients int, length time.Duration) (part report.Part, err error) {
	cairn := program.Program{ // a run of an entry would take a core
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"},
		Config: program.Config(nil, "runs: {every: never}\nsessions: {jupyter: "+program.Jupyter+"}\n"),
	}
	server, err := cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return part, err
	}
	defer func() { _ = server.Stop() }()
	who, err := cairn.Person(ctx, server, program.Researcher)
	if err != nil {
		return part, err
	}
	repository, err := who.Repository(ctx, program.Demo)
	if err != nil {
		return part, err
	}
	id, proxied, err := who.Open(ctx, repository)
	if id != "" {
		defer func() { err = errors.Join(err, who.Delete(ctx, id)) }()
	}
	if err != nil {
		return part, err
	}
	direct, err := directly(cairn.Data, id)
	if err != nil {
		return part, err
	}
	ways := []*way{{Way: direct, name: "directly"}, {Way: proxied, name: "through Cairn"}}
	if _, err := os.Stat(nginxProgram); err == nil {
		other, stop, err := throughNginx(ctx, with.Folder, direct)
		if err != nil {
			return part, err
		}
		defer stop()
		ways = append(ways, &way{Way: other, name: "through nginx"})
	}
	page, err := pageRequests(ctx, direct)
	if err != nil {
		return part, err
	}
	kernel, connection, err := direct.Kernel(ctx)
	if err != nil {
		return part, err
	}
	connection.Close()
	var spent []float64 // of the server's processor time for a request through it, in microseconds
	for range rounds {
		for _, one := range ways {
			used, err := one.measure(ctx, server, page, kernel, clients, length)
			if err != nil {
				return part, fmt.Errorf("%s: %w", one.name, err)
			}
			if one == ways[1] {
				spent = append(spent, used)
			}
		}
	}
	median := func(values []float64) float64 { return report.Quantile(values, 0.5) }
	table := report.Table{Columns: []string{"way", "requests of a page/s", "smallest requests/s", "round trip of a WebSocket, µs"}}
	for _, one := range ways {
		table.Add(one.name, report.Number(median(one.ofPage)), report.Number(median(one.perSecond)), report.Number(median(one.trip)))
	}
	beside := func(ours, theirs []float64) float64 { return median(ours) / median(theirs) }
	return report.Part{
		Name: "proxy", Title: "What the way through the session origin costs",
		About: []string{
			fmt.Sprintf("a real Jupyter in a session of the demo, asked by %d clients at once, directly over its socket, through Cairn and, if it is installed, through an nginx that checks nothing, in turn", clients),
			fmt.Sprintf("the requests of a page are the first %d of a browser that shows a notebook; the smallest is what Jupyter answers soonest, and takes %s µs of Cairn's processor time", len(page), report.Number(median(spent))),
		},
		Text: table.String(),
		Aims: []report.Aim{
			{Text: "requests of a page through Cairn, times those directly", Limit: shareAim, Measured: beside(ways[1].ofPage, ways[0].ofPage), AtLeast: true},
			{Text: "smallest requests through Cairn, times those directly", Limit: shareAim, Measured: beside(ways[1].perSecond, ways[0].perSecond), AtLeast: true},
			{Text: "added to a round trip", Limit: roundAim, Measured: median(ways[1].trip) - median(ways[0].trip), Unit: "µs"},
		},
	}, nil
}

// measure is one round. It returns the server's processor time for a smallest request, in microseconds.
func (w *way) measure(ctx context.Context, server *program.Server, page []string, kernel string, clients int, length time.Duration) (spent float64, err error) {
	count, err := w.ask(ctx, page, clients, length)
	if err != nil {
		return 0, err
	}
	w.ofPage = append(w.ofPage, float64(count)/length.Seconds())
	before := server.Processor()
	if count, err = w.ask(ctx, []string{"api/contents?content=0"}, clients, length); err != nil {
		return 0, err
	}
	spent = float64((server.Processor() - before).Microseconds()) / float64(max(1, count))
	w.perSecond = append(w.perSecond, float64(count)/length.Seconds())
	took, err := w.trips(ctx, kernel)
	w.trip = append(w.trip, float64(took)/1e3)
	return spent, err
}

// shortID is how folders and cgroups of a session are named.
func shortID(id string) string {
	parsed := uuid.MustParse(id)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(parsed[:]))
}

// directly returns the way over the socket of a session's Jupyter.
func directly(data, id string) (program.Way, error) {
	var record struct{ Token string }
	content, err := os.ReadFile(filepath.Join(data, "sessions", "local", id, "record.json"))
	if err := errors.Join(err, json.Unmarshal(content, &record)); err != nil {
		return program.Way{}, err
	}
	for _, folder := range []string{"/run", os.TempDir()} {
		if found, _ := filepath.Glob(filepath.Join(folder, "cairn-*", shortID(id), "j.sock")); len(found) > 0 {
			way := program.To(found[0])
			way.Base = "http://127.0.0.1/s/" + id
			way.Header.Set("Authorization", "token "+record.Token)
			return way, nil
		}
	}
	return program.Way{}, errors.New("the session's socket is not where it used to be")
}

// included matches what a page of Jupyter includes.
var included = regexp.MustCompile(`(?:src|href)="/s/[0-9a-f-]+/((?:static|custom)/[^"]+)"`)

// pageRequests returns the first requests of a browser that shows a notebook, below the session's path: the page, what its HTML
// includes, and calls of the API.
func pageRequests(ctx context.Context, direct program.Way) ([]string, error) {
	all := []string{"notebooks/" + program.Notebook}
	_, body, err := direct.Get(ctx, direct.Base+"/"+all[0])
	if err != nil {
		return nil, err
	}
	for _, found := range included.FindAllStringSubmatch(string(body), -1) {
		all = append(all, html.UnescapeString(found[1]))
	}
	if len(all) < 10 {
		return nil, fmt.Errorf("the page includes only %q", all)
	}
	contents := "api/contents/" + program.Notebook
	return append(all, contents+"?type=notebook", contents+"/checkpoints", "api/kernelspecs", "api/sessions", "api/config/notebook", "api/config/common"), nil
}

// ask counts how often Jupyter answers within a time, to requests in turn.
func (w *way) ask(ctx context.Context, paths []string, clients int, length time.Duration) (count int, err error) {
	plan := load.Plan{Address: w.Address, Clients: clients, Time: length}
	for _, path := range paths {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Base+"/"+path, http.NoBody)
		if err != nil {
			return 0, err
		}
		request.Header = w.Header.Clone()
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
func (w *way) trips(ctx context.Context, kernel string) (time.Duration, error) {
	connection, _, err := websocket.Dial( //nolint:bodyclose // the library closes it
		ctx, strings.Replace(w.Base, "http", "ws", 1)+"/api/kernels/"+kernel+"/channels",
		&websocket.DialOptions{HTTPClient: w.Client, HTTPHeader: w.Header})
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
	times := make([]time.Duration, trips)
	for i := range times {
		began := time.Now()
		if err := connection.Ping(ctx); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	return report.Quantile(times, 0.5), nil
}
