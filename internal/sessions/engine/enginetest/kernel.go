package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// Kernel is a kernel of a session with a tab on it.
type Kernel struct {
	testing.TB
	id         string
	target     engine.Target
	kernels    string // path of the server's kernels
	connection *jupyterkernel.Connection
}

// OpenKernel starts a fresh kernel of a running session's Jupyter, whose paths begin with base, as the gateway would.
func OpenKernel(t testing.TB, target engine.Target, base string) *Kernel {
	t.Helper()
	return OpenKernelOf(t, target, base, engine.Python.Name)
}

// OpenKernelOf starts a kernel by the name of its kernelspec.
func OpenKernelOf(t testing.TB, target engine.Target, base, name string) *Kernel {
	t.Helper()
	opened := &Kernel{TB: t, target: target, kernels: base + "api/kernels"}
	var about struct{ ID string }
	if err := json.Unmarshal(Send(t, target, http.MethodPost, opened.kernels, `{"name": "`+name+`"}`), &about); err != nil {
		t.Fatal(err)
	}
	opened.id = about.ID
	var err error
	opened.connection, err = jupyterapi.Server(target, base).Dial(t.Context(), opened.id)
	if err != nil {
		t.Fatal(err)
	}
	// At first the server may not hear yet what the kernel says, or take the kernel's answers to its own requests for the
	// state of a cell.
	opened.Run("pass")
	opened.await("idle", func() { opened.Run("pass") })
	return opened
}

// await calls step until the server believes that the kernel is in a state.
func (k *Kernel) await(state string, step func()) {
	k.Helper()
	for {
		var about struct {
			State string `json:"execution_state"`
		}
		if err := json.Unmarshal(Call(k, k.target, http.MethodGet, k.kernels+"/"+k.id), &about); err != nil {
			k.Fatal(err)
		}
		if about.State == state {
			return
		}
		step()
	}
}

// Work keeps the kernel busy with a cell that only waits, until Interrupt. A hidden one reports the state "starting".
func (k *Kernel) Work(hidden bool) {
	k.Helper()
	const wait = "import time; time.sleep(600)"
	if !hidden {
		k.hear(k.Execute(wait), func(kind string, _ content) bool { return kind == "execute_input" }) // an interrupt before is lost
		return
	}
	k.Execute(`get_ipython().kernel._publish_status("starting", "shell"); ` + wait)
	k.await("starting", func() { <-time.After(10 * time.Millisecond) })
}

// Execute sends a cell and returns the id by which its answers are known.
func (k *Kernel) Execute(code string) string {
	k.Helper()
	asked, err := k.connection.Ask(k.Context(), "shell", "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": false, "user_expressions": map[string]any{}, "allow_stdin": false,
		"stop_on_error": false, // after an error the kernel would for a moment drop the cells that follow, without a word
	})
	if err != nil {
		k.Fatal(err)
	}
	return asked
}

// Interrupt ends the cell and closes the tab.
func (k *Kernel) Interrupt() {
	k.Helper()
	Call(k, k.target, http.MethodPost, k.kernels+"/"+k.id+"/interrupt")
	k.Close()
}

// Close closes the tab.
func (k *Kernel) Close() { k.connection.Close() }

// Run executes a cell and returns what it printed and, when it raised, the error's name and text.
func (k *Kernel) Run(code string) string {
	k.Helper()
	var printed strings.Builder
	k.hear(k.Execute(code), func(kind string, said content) bool {
		switch kind {
		case "stream":
			printed.WriteString(said.Text)
		case "error":
			fmt.Fprintf(&printed, "%s: %s", said.Name, said.Value)
		}
		return kind == "status" && said.State == "idle"
	})
	return strings.TrimSpace(printed.String())
}

// content is of what a kernel says.
type content struct {
	Text  string
	Name  string `json:"ename"`
	Value string `json:"evalue"`
	State string `json:"execution_state"`
}

// hear passes on what the kernel says about a cell until enough reports that it was the last of interest.
func (k *Kernel) hear(asked string, enough func(kind string, said content) bool) {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), waitTimeout)
	defer cancel()
	for {
		message, err := k.connection.Read(ctx)
		var said content
		if err == nil {
			err = json.Unmarshal(message.Content, &said)
		}
		if err != nil {
			k.Fatal(err)
		}
		if message.Parent == asked && enough(message.Type, said) {
			return
		}
	}
}

// Call asks a session's server, and returns the body of its answer.
func Call(t testing.TB, target engine.Target, method, path string) []byte {
	t.Helper()
	return Send(t, target, method, path, "")
}

// Send is Call with a body.
func Send(t testing.TB, target engine.Target, method, path, content string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, target.URL.String()+path, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", target.Authorization)
	response, err := target.Transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %v\n%s", method, path, response.Status, err, body)
	}
	return body
}
