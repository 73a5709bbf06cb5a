package program

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// Demo is the repository that the demo's sessions are of, Notebook what it opens.
const (
	Demo     = "First steps"
	Notebook = "first-steps/first-steps.ipynb"
)

// Jupyter is the program of sessions: a Notebook 6.
const Jupyter = "/usr/bin/jupyter-notebook"

// Way is a way to a Jupyter server.
type Way struct {
	Client  *http.Client
	Address string // that Client connects to: host:port, or a socket's path
	Base    string // the URL of the server, without a slash at the end
	Opened  string // the path of the notebook that it opened; "": Notebook
	Header  http.Header
}

// To returns a way to one address, whatever the host in a request.
func To(address string) Way {
	network := "tcp"
	if filepath.IsAbs(address) {
		network = "unix"
	}
	return Way{Address: address, Header: http.Header{}, Client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}}
}

// Send sends a request and reads the whole answer; from is the address that it came from.
func (w Way) Send(ctx context.Context, method, address string, body any) (from string, status int, answer []byte, err error) {
	var sent bytes.Buffer
	if body != nil {
		err = json.NewEncoder(&sent).Encode(body)
	}
	request, requestErr := http.NewRequestWithContext(ctx, method, address, &sent)
	if err := errors.Join(err, requestErr); err != nil {
		return "", 0, nil, err
	}
	request.Header = http.Header{}
	maps.Copy(request.Header, w.Header)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := w.Client.Do(request)
	if err != nil {
		return "", 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.Request.URL.String(), response.StatusCode, answer, err
}

// Get reads an answer, and returns the address that it came from. A status other than 200 is an error.
func (w Way) Get(ctx context.Context, address string) (from string, body []byte, err error) {
	from, status, body, err := w.Send(ctx, http.MethodGet, address, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s was answered %d: %.300s", address, status, body)
	}
	return from, body, err
}

// Kernel starts the notebook's kernel as its page does, and connects to it.
func (w Way) Kernel(ctx context.Context) (id string, connection *jupyterkernel.Connection, err error) {
	return w.kernelNamed(ctx, "python3")
}

func (w Way) kernelNamed(ctx context.Context, name string) (id string, connection *jupyterkernel.Connection, err error) {
	server := jupyterkernel.Server{URL: w.Base + "/", Header: w.Header, Client: w.Client}
	kernel, err := server.Start(ctx, name, cmp.Or(w.Opened, Notebook))
	if err != nil {
		return "", nil, err
	}
	connection, err = server.Dial(ctx, kernel.ID)
	return kernel.ID, connection, err
}

// UseKernel returns when the notebook's kernel has answered and is idle.
func (w Way) UseKernel(ctx context.Context) error { return w.UseKernelNamed(ctx, "python3") }

// UseKernelNamed is UseKernel for another kernel than Python's.
func (w Way) UseKernelNamed(ctx context.Context, name string) error {
	_, connection, err := w.kernelNamed(ctx, name)
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = connection.Info(ctx)
	return err
}

// Execute executes code in a kernel of the notebook, and returns when the kernel has answered.
func (w Way) Execute(ctx context.Context, code string) error {
	_, connection, err := w.Kernel(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	if _, err := connection.Info(ctx); err != nil {
		return err
	}
	asked, err := connection.Ask(ctx, "shell", "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
	})
	for err == nil {
		var message jupyterkernel.Message
		message, err = connection.Read(ctx)
		switch {
		case err != nil || message.Parent != asked:
		case message.Type == "error":
			return fmt.Errorf("the code failed: %s", message.Content)
		case message.Type == "execute_reply":
			return nil
		}
	}
	return err
}

// Open clicks on Run of an entry: it returns when the page of the notebook was answered. The id may be known even if that
// fails.
func (p Person) Open(ctx context.Context, repository string) (id string, way Way, err error) {
	return p.OpenOn(ctx, repository, "")
}

// OpenOn is Open on an engine; "": the default one.
func (p Person) OpenOn(ctx context.Context, repository, engine string) (id string, way Way, err error) {
	var started struct{ ID, OpenURL string }
	asked := map[string]string{"resourceId": repository}
	if engine != "" {
		asked["engine"] = engine
	}
	if err := p.Call(ctx, http.MethodPost, "/sessions", asked, &started); err != nil {
		return "", way, err
	}
	way, err = Enter(ctx, started.ID, started.OpenURL)
	return started.ID, way, err
}

// Enter follows the address that leads into a session, as a browser does, until the page of the notebook was answered.
func Enter(ctx context.Context, id, openURL string) (way Way, err error) {
	origin, _, _ := strings.Cut(openURL, "/.cairn/")
	parsed, err := url.Parse(origin)
	if err != nil {
		return way, err
	}
	way = To("127.0.0.1:" + parsed.Port())
	way.Header.Set("Origin", origin)
	way.Client.Jar, _ = cookiejar.New(nil) // it never fails
	from, _, err := way.Get(ctx, openURL)  // and where it leads
	if err == nil && strings.Contains(from, "/.cairn/") {
		var next string
		if next, err = way.awaitLaunch(ctx, origin, id); err == nil {
			from, _, err = way.Get(ctx, origin+next)
		}
	}
	base, opened, found := strings.Cut(from, "/notebooks/")
	if err == nil && !found {
		err = errors.New("the session led to " + from)
	}
	way.Base, way.Opened = base, opened
	if address, parseErr := url.Parse(base + "/"); parseErr == nil {
		for _, cookie := range way.Client.Jar.Cookies(address) {
			way.Header.Add("Cookie", cookie.String())
		}
		way.Client.Jar = nil
	}
	return way, err
}

// awaitLaunch follows the events of a launch page until they say where to go.
func (w Way) awaitLaunch(ctx context.Context, origin, id string) (next string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/.cairn/s/"+id+"/events", http.NoBody)
	if err != nil {
		return "", err
	}
	request.Header = w.Header.Clone()
	answer, err := w.Client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	for reader := bufio.NewReader(answer.Body); ; {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("the events of the launch ended: %w", err)
		}
		var state struct{ Status, Headline, Next string }
		if data, found := bytes.CutPrefix(line, []byte("data:")); found && json.Unmarshal(data, &state) == nil {
			switch {
			case state.Next != "":
				return state.Next, nil
			case state.Status != "" && state.Status != "CREATED" && state.Status != "RUNNING":
				return "", fmt.Errorf("the session became %s: %s", state.Status, state.Headline)
			}
		}
	}
}

// Bare starts a Jupyter on a folder as one would by hand, with nothing of Cairn around it, and returns at once. Stop ends it with
// its kernels.
func Bare(ctx context.Context, program, folder string) (way Way, stop func(), err error) {
	way = To(filepath.Join(folder, "j.sock"))
	way.Base = "http://localhost"
	way.Header.Set("Authorization", "token token")
	command := exec.CommandContext(ctx, program, "--no-browser", "--allow-root", "--NotebookApp.sock="+way.Address,
		"--NotebookApp.notebook_dir="+folder, "--KernelManager.transport=ipc", "--NotebookApp.terminals_enabled=False")
	command.Env = []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder, "JUPYTER_RUNTIME_DIR=" + folder, "JUPYTER_NO_CONFIG=1", "PYTHONDONTWRITEBYTECODE=1", "JUPYTER_TOKEN=token",
	}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
		way.Client.CloseIdleConnections()
	}
	return way, stop, command.Start()
}
