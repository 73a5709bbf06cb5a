package jupytertest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// The names of the stand-in; the second one makes it one for JupyterLab.
const (
	programName = "jupyter-stand-in"
	labName     = "jupyter-lab"
)

// Install puts this program into a folder, where it is a stand-in for jupyter-notebook, and returns its path; beside it,
// jupyter-lab is one for JupyterLab. Its TestMain must call Serve first of all.
func Install(folder string) (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(own)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, programName)
	return path, errors.Join(os.WriteFile(path, content, 0o755), os.Link(path, filepath.Join(folder, labName)))
}

// Serve serves and ends as jupyter-notebook does if this program was started in its place; else it returns.
func Serve() {
	if name := filepath.Base(os.Args[0]); name != programName && name != labName {
		return
	}
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve understands the options and variables that the local engine sets.
func serve(arguments []string) error {
	flags := flag.NewFlagSet(programName, flag.ContinueOnError)
	base := flags.String("ServerApp.base_url", "/", "")
	folder := flags.String("ServerApp.root_dir", ".", "")
	socket := flags.String("ServerApp.sock", "", "")
	root := flags.Bool("allow-root", false, "")
	ignored := []string{"KernelManager.transport", "KernelRestarter.time_to_dead", "ZMQChannelsWebsocketConnection.limit_rate", "NotebookApp.base_url", "NotebookApp.notebook_dir", "NotebookApp.sock"}
	for _, class := range []string{"NotebookApp.", "ServerApp."} {
		ignored = append(ignored, class+"iopub_data_rate_limit", class+"iopub_msg_rate_limit")
		ignored = append(ignored, class+"allow_remote_access", class+"terminals_enabled", class+"terminado_settings", class+"quit_button", class+"tornado_settings")
	}
	for _, name := range ignored {
		flags.String(name, "", "")
	}
	flags.Bool("no-browser", false, "")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if os.Geteuid() == 0 && !*root {
		return fmt.Errorf("running as root is not recommended. Use --allow-root to bypass")
	}
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		return err
	}
	token := os.Getenv("JUPYTER_TOKEN")
	fmt.Fprintf(os.Stderr, "The stand-in for Jupyter is running at http+unix://%s%s?token=%s\n", *socket, *base, token)
	ended := make(chan struct{})
	server := New(Options{
		Base: *base, Token: token, Folder: *folder, Python: registered, Ended: func() { close(ended) },
	})
	failed := make(chan error, 1)
	go func() { failed <- http.Serve(listener, server) }()
	select {
	case err := <-failed:
		return err
	case <-ended:
		return nil
	}
}

// registered is the Python of the kernel that the engine registered, started as Jupyter would start it.
func registered(arguments ...string) *exec.Cmd {
	var found struct {
		Arguments []string          `json:"argv"`
		More      map[string]string `json:"env"`
	}
	content, err := os.ReadFile(filepath.Join(os.Getenv("JUPYTER_PATH"), "kernels/python3/kernel.json"))
	if err == nil {
		err = json.Unmarshal(content, &found)
	}
	python := slices.Index(found.Arguments, "-m")
	if err != nil || python < 1 {
		return exec.Command("/usr/bin/python3", arguments...)
	}
	command := exec.Command(found.Arguments[0], append(found.Arguments[1:python], arguments...)...)
	command.Env = os.Environ()
	for name, value := range found.More {
		command.Env = append(command.Env, name+"="+value)
	}
	return command
}
