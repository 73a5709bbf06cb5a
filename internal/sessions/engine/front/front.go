// Package front is the server of a session. It starts Jupyter's beside it, passes requests on to it, and does what Jupyter's server can't:
// it holds the connections to kernels (package broker), and serves VS Code and SSH on hubs. It runs in the box, or pod, of the session,
// with its account and as its user's code does. Requests for these must carry the token of the session, or on a hub one that, according
// to the hub, may use this server.
package front

import (
	"context"
	"crypto/subtle"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/boxssh"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"

	"github.com/coder/websocket"
)

// Command is the command of this program that is the front.
const Command = "serve-session"

// Paths below that of the session's server.
const (
	EditorPath = "cairn/vscode/" // VS Code; its pages have relative addresses
	StartPath  = "cairn/editor"  // POST: Start, and answers 204 once VS Code answers
	ShellPath  = "cairn/ssh"     // a websocket: each binary message is a part of the stream of bytes of SSH
)

// Start is the body of POST StartPath.
type Start struct {
	Session string `json:"session"`
	Open    string `json:"open"` // the file that VS Code opens; "": none
}

// Options say what is served besides Jupyter.
type Options struct {
	Jupyter []string // the command of its server
	VSCode  string   // the path of a code-server; "": there is none
	Gallery bool     // of extensions for VS Code
	SSH     bool

	// Without a hub, whose variables say this otherwise:
	Socket string // at which it listens; "": there is a hub
	Behind string // at which Jupyter listens
	Base   string // the path of the session's server, with a slash at both ends
}

// Arguments returns the words before the command of Jupyter's server that start the front with these options; Main reads them.
func (o Options) Arguments() []string {
	words := []string{Command, "--vscode=" + o.VSCode}
	if o.Socket != "" {
		words = append(words, "--socket="+o.Socket, "--behind="+o.Behind, "--base="+o.Base)
	}
	for name, on := range map[string]bool{"--gallery": o.Gallery, "--ssh": o.SSH} {
		if on {
			words = append(words, name)
		}
	}
	return append(words, "--")
}

// mayBe reports whether Be was called.
var mayBe bool

// Be is what the main function of a program calls first: if the program was started as Command, it is the front of a session and exits
// with it. From then on, Program names this program.
func Be() {
	mayBe = true
	if len(os.Args) < 2 || os.Args[1] != Command {
		return
	}
	status, err := Main(os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// Program returns the path of this program, if it can be started as Command; else "".
func Program() (string, error) {
	if !mayBe {
		return "", nil
	}
	return os.Executable()
}

// Main is Run with what Arguments returned, without the command itself, and Jupyter's command after it.
func Main(arguments []string) (status int, err error) {
	var options Options
	flags := flag.NewFlagSet(Command, flag.ContinueOnError)
	flags.StringVar(&options.VSCode, "vscode", "", "a code-server")
	flags.BoolVar(&options.Gallery, "gallery", false, "whether it has its gallery of extensions")
	flags.BoolVar(&options.SSH, "ssh", false, "whether SSH is served")
	flags.StringVar(&options.Socket, "socket", "", "where it listens without a hub")
	flags.StringVar(&options.Behind, "behind", "", "where Jupyter listens without a hub")
	flags.StringVar(&options.Base, "base", "", "the path of the session's server without a hub")
	if err := flags.Parse(arguments); err != nil {
		return 0, err
	}
	if options.Jupyter = flags.Args(); len(options.Jupyter) == 0 {
		return 0, errors.New("the command that starts Jupyter is missing")
	}
	return Run(options)
}

// front is the server of one session.
type front struct {
	options Options
	way     way
	proxy   *httputil.ReverseProxy
	editor  *editor
	broker  *broker.Broker
	server  *http.Server

	together *together
}

// way is how the front is reached, and reaches Jupyter.
type way struct {
	network, address string            // at which it listens
	prefix           string            // the path of the session's server, with a slash at both ends
	jupyter          *url.URL          // of Jupyter's server
	transport        http.RoundTripper // to it
	token            string            // that it accepts
	isThere          func() bool       // reports whether it listens
	admits           func(*http.Request) bool
}

// newFront returns a front that is reached in a way.
func newFront(options Options, used way) *front {
	f := &front{options: options, way: used, editor: newEditor(options.VSCode, options.Gallery), together: newTogether()}
	f.server = &http.Server{Handler: f, ReadHeaderTimeout: time.Minute}
	f.proxy = &httputil.ReverseProxy{FlushInterval: -1, Transport: used.transport, Rewrite: f.rewrite, ModifyResponse: f.noteSave}
	f.broker = broker.New(broker.Options{
		Server: jupyterkernel.NewServer(used.jupyter.JoinPath(used.prefix), "token "+used.token, used.transport), ProcessorTime: processorTime,
		Folder: ".", Datasets: engine.DataFolder, // every engine starts the front in the root folder of Jupyter
	})
	return f
}

// alone returns the way without a hub: over sockets, for the token of the session.
func (o Options) alone() way {
	token := os.Getenv("JUPYTER_TOKEN")
	dial := func(ctx context.Context) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "unix", o.Behind) }
	return way{
		network: "unix", address: o.Socket, prefix: o.Base, jupyter: &url.URL{Scheme: "http", Host: "127.0.0.1"}, token: token,
		transport: &http.Transport{
			DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
			MaxIdleConnsPerHost: connectionsKept, IdleConnTimeout: time.Minute,
		},
		isThere: func() bool {
			connection, err := dial(context.Background())
			return err == nil && connection.Close() == nil
		},
		admits: func(r *http.Request) bool {
			return token != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("token "+token)) == 1
		},
	}
}

// connectionsKept is how many connections to Jupyter are kept for the next requests.
const connectionsKept = 16

// onHub returns the way on a hub, whose variables say where the front listens, and those that make Jupyter listen elsewhere.
func onHub() (used way, variables []string, err error) {
	service, err := url.Parse(os.Getenv("JUPYTERHUB_SERVICE_URL"))
	if err != nil || service.Port() == "" {
		return used, nil, fmt.Errorf("JUPYTERHUB_SERVICE_URL is %q, which isn't an address of a hub's server: %w", os.Getenv("JUPYTERHUB_SERVICE_URL"), err)
	}
	prefix, err := url.PathUnescape(os.Getenv("JUPYTERHUB_SERVICE_PREFIX"))
	if err != nil {
		return used, nil, err
	}
	port, err := freeports.Find(context.Background(), 1)
	if err != nil {
		return used, nil, err
	}
	moved := *service
	moved.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	access := newAccess(os.Getenv("JUPYTERHUB_API_URL"), os.Getenv("JUPYTERHUB_USER"), os.Getenv("JUPYTERHUB_SERVER_NAME"))
	return way{
		network: "tcp", address: service.Host, prefix: prefix, jupyter: &url.URL{Scheme: "http", Host: moved.Host}, token: os.Getenv("JUPYTERHUB_API_TOKEN"),
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: connectionsKept, IdleConnTimeout: time.Minute},
		isThere:   func() bool { return isOwn(port) }, admits: access.admits,
	}, []string{"JUPYTERHUB_SERVICE_URL=" + moved.String()}, nil
}

// Run serves until Jupyter's server ends, and returns its exit status.
func Run(options Options) (status int, err error) {
	runtime.LockOSThread() // Jupyter ends with this thread, which started it
	used, variables := options.alone(), []string(nil)
	if options.Socket == "" {
		if used, variables, err = onHub(); err != nil {
			return 0, err
		}
	}
	server := exec.Command(options.Jupyter[0], options.Jupyter[1:]...)
	server.Env = append(os.Environ(), variables...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := server.Start(); err != nil {
		return 0, err
	}
	f := newFront(options, used)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case one := <-signals:
				f.finish()
				_ = server.Process.Signal(one)
			case <-ended:
				return
			}
		}
	}()
	go f.serve(ended)
	err = server.Wait()
	close(ended)
	f.endAnswers()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		if killed, ok := failed.Sys().(syscall.WaitStatus); ok && killed.Signaled() {
			return 128 + int(killed.Signal()), nil
		}
		return failed.ExitCode(), nil
	}
	return 0, err
}

// answerTime is how long answers that Jupyter has given, such as that it ends, may take to reach whoever asked.
const answerTime = time.Second

// endAnswers returns once they have.
func (f *front) endAnswers() {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_ = f.server.Shutdown(ctx) // what takes longer ends with this process
}

// finishTime is how long the outputs of notebooks may take to be written before Jupyter ends.
const finishTime = 3 * time.Second

// finish writes what kernels have said and no page has saved.
func (f *front) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), finishTime)
	defer cancel()
	written := make(chan error, 1)
	go func() { written <- f.broker.Close(ctx) }()
	var err error
	select {
	case err = <-written:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Outputs couldn't be written into their notebook:", err)
	}
}

// isOwn reports whether what listens at a port of the loopback address belongs to this account: sessions on a hub's machine share it.
func isOwn(port int) bool {
	content, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) { // as in proc(5): a number, the two addresses, the state, and the account as the eighth
		words := strings.Fields(line)
		if len(words) > 7 && words[1] == fmt.Sprintf("0100007F:%04X", port) && words[3] == "0A" {
			return words[7] == strconv.Itoa(os.Getuid())
		}
	}
	return false
}

// serve listens once Jupyter does: from then on the session is considered started.
func (f *front) serve(ended <-chan struct{}) {
	for !f.way.isThere() {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), f.way.network, f.way.address)
	if err == nil {
		err = f.server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return // Jupyter has ended
	}
	fmt.Fprintln(os.Stderr, "The session can't be reached:", err)
	os.Exit(1)
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own, mine := strings.CutPrefix(r.URL.Path, f.way.prefix)
	if !mine || !strings.HasPrefix(own, "cairn/") {
		f.serveJupyter(w, r, own, mine)
		return
	}
	switch {
	case !f.way.admits(r):
		http.Error(w, "This address is for the catalog that started the session.", http.StatusForbidden)
	case own == ShellPath && f.options.SSH:
		f.shell(w, r)
	case own == broker.FinishPath:
		f.serveFinish(w, r)
	case own == broker.LookPath:
		f.serveLook(w, r)
	case own == StartPath && r.Method == http.MethodPost && f.options.VSCode != "":
		f.editor.serveStart(w, r)
	case strings.HasPrefix(own, EditorPath) && f.options.VSCode != "":
		f.editor.serve(w, r, strings.TrimSuffix(f.way.prefix+EditorPath, "/"))
	default:
		http.NotFound(w, r)
	}
}

// shell answers with the SSH of the session, which belongs to the connection.
func (f *front) shell(w http.ResponseWriter, r *http.Request) {
	socket, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // no browser has the token
	if err != nil {
		return // it has answered
	}
	folder, err := os.Getwd()
	if err != nil {
		_ = socket.Close(websocket.StatusInternalError, "no folder")
		return
	}
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	boxssh.Options{Folder: folder, Shell: shell, Environment: environment()}.Serve(websocket.NetConn(r.Context(), socket, websocket.MessageBinary))
}

// environment returns the variables of what people start beside Jupyter: without those that open the hub.
func environment() []string {
	return slices.DeleteFunc(boxssh.Environment(os.Environ()), func(one string) bool { return strings.HasPrefix(one, "JUPYTERHUB_") })
}
