package jupytertest

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

const programName = "jupyter-stand-in"

// Install puts this program into a folder, where it is a stand-in for jupyter-notebook, and returns its path. Its TestMain
// must call Serve first of all.
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
	return path, os.WriteFile(path, content, 0o755)
}

// Serve serves and ends as jupyter-notebook does if this program was started in its place; else it returns.
func Serve() {
	if filepath.Base(os.Args[0]) != programName {
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
	base := flags.String("NotebookApp.base_url", "/", "")
	folder := flags.String("NotebookApp.notebook_dir", ".", "")
	socket := flags.String("NotebookApp.sock", "", "")
	root := flags.Bool("allow-root", false, "")
	for _, ignored := range []string{"NotebookApp.allow_remote_access", "NotebookApp.terminals_enabled", "NotebookApp.quit_button", "NotebookApp.tornado_settings", "KernelManager.transport"} {
		flags.String(ignored, "", "")
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
