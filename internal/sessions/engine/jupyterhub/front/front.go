// Package front is the server of a hub's session. It starts Jupyter's beside it, passes on to it what the hub's proxy sends, and serves
// below a path of its own what Jupyter's server can't: VS Code, and SSH. It runs in the box, or pod, of the session, with its account and
// as its user's code does. Requests for these must carry a token that, according to the hub, may use this server.
package front

import (
	"context"
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
	"cairn/internal/sessions/machine/boxssh"

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
}

// Arguments returns the words before the command of Jupyter's server that start the front with these options; Main reads them.
func (o Options) Arguments() []string {
	words := []string{Command, "--vscode=" + o.VSCode}
	for name, on := range map[string]bool{"--gallery": o.Gallery, "--ssh": o.SSH} {
		if on {
			words = append(words, name)
		}
	}
	return append(words, "--")
}

// Main is Run with what Arguments returned, without the command itself, and Jupyter's command after it.
func Main(arguments []string) (status int, err error) {
	var options Options
	flags := flag.NewFlagSet(Command, flag.ContinueOnError)
	flags.StringVar(&options.VSCode, "vscode", "", "a code-server")
	flags.BoolVar(&options.Gallery, "gallery", false, "whether it has its gallery of extensions")
	flags.BoolVar(&options.SSH, "ssh", false, "whether SSH is served")
	if err := flags.Parse(arguments); err != nil {
		return 0, err
	}
	if options.Jupyter = flags.Args(); len(options.Jupyter) == 0 {
		return 0, errors.New("there is no command of Jupyter's server")
	}
	return Run(options)
}

// front is the server of one session.
type front struct {
	options Options
	prefix  string // the path of the session's server, with a slash at both ends
	jupyter *url.URL
	access  *access
	editor  *editor
}

// Run serves until Jupyter's server ends, and returns its exit status. The hub's variables say where it listens.
func Run(options Options) (status int, err error) {
	runtime.LockOSThread() // Jupyter ends with this thread, which started it
	service, err := url.Parse(os.Getenv("JUPYTERHUB_SERVICE_URL"))
	if err != nil || service.Port() == "" {
		return 0, fmt.Errorf("JUPYTERHUB_SERVICE_URL is %q, which isn't an address of a hub's server: %w", os.Getenv("JUPYTERHUB_SERVICE_URL"), err)
	}
	prefix, err := url.PathUnescape(os.Getenv("JUPYTERHUB_SERVICE_PREFIX"))
	if err != nil {
		return 0, err
	}
	port, err := freeports.Find(context.Background(), 1)
	if err != nil {
		return 0, err
	}
	inner := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	server := exec.Command(options.Jupyter[0], options.Jupyter[1:]...)
	moved := *service
	moved.Host = inner
	server.Env = append(os.Environ(), "JUPYTERHUB_SERVICE_URL="+moved.String())
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := server.Start(); err != nil {
		return 0, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case one := <-signals:
				_ = server.Process.Signal(one)
			case <-ended:
				return
			}
		}
	}()
	f := &front{
		options: options, prefix: prefix, jupyter: &url.URL{Scheme: "http", Host: inner},
		access: newAccess(os.Getenv("JUPYTERHUB_API_URL"), os.Getenv("JUPYTERHUB_USER"), os.Getenv("JUPYTERHUB_SERVER_NAME")),
		editor: newEditor(options.VSCode, options.Gallery),
	}
	go f.serve(service.Host, port, ended)
	err = server.Wait()
	close(ended)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		if killed, ok := failed.Sys().(syscall.WaitStatus); ok && killed.Signaled() {
			return 128 + int(killed.Signal()), nil
		}
		return failed.ExitCode(), nil
	}
	return 0, err
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

// serve listens once Jupyter does at its port: from then on the hub considers the session started.
func (f *front) serve(address string, port int, ended <-chan struct{}) {
	for !isOwn(port) {
		select {
		case <-ended:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	server := &http.Server{Addr: address, Handler: f, ReadHeaderTimeout: time.Minute}
	if err := server.ListenAndServe(); err != nil {
		fmt.Fprintln(os.Stderr, "The session can't be reached:", err)
		os.Exit(1)
	}
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own, mine := strings.CutPrefix(r.URL.Path, f.prefix)
	switch {
	case !mine || !strings.HasPrefix(own, "cairn/"):
		f.passOn(w, r)
	case !f.access.admits(r):
		http.Error(w, "This address is for the catalog that started the session.", http.StatusForbidden)
	case own == ShellPath && f.options.SSH:
		f.shell(w, r)
	case own == StartPath && r.Method == http.MethodPost && f.options.VSCode != "":
		f.editor.serveStart(w, r)
	case strings.HasPrefix(own, EditorPath) && f.options.VSCode != "":
		f.editor.serve(w, r, strings.TrimSuffix(f.prefix+EditorPath, "/"))
	default:
		http.NotFound(w, r)
	}
}

// passOn passes a request on to Jupyter, which knows its proxies by their headers.
func (f *front) passOn(w http.ResponseWriter, r *http.Request) {
	proxy := httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(request *httputil.ProxyRequest) {
		request.Out.URL.Scheme, request.Out.URL.Host, request.Out.Host = f.jupyter.Scheme, f.jupyter.Host, request.In.Host
		for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port"} {
			if values, there := request.In.Header[name]; there {
				request.Out.Header[name] = slices.Clone(values)
			}
		}
	}}
	proxy.ServeHTTP(w, r)
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
