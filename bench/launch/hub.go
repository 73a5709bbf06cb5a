package launch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cairn/internal/freeports"
)

const (
	hubProgram = "/usr/bin/jupyterhub"
	hubToken   = "the-token-of-the-benchmark"
	hubUser    = "bench"
)

// hubConfig is a hub with its own spawner, which starts a Jupyter for each user as its own account.
const hubConfig = `import os
port, folder = int(os.environ["BENCH_PORT"]), os.environ["BENCH_FOLDER"]
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = folder + "/{username}"
c.Spawner.environment = {"PYTHONDONTWRITEBYTECODE": "1"}
c.Spawner.args = ["--allow-root"]
c.JupyterHub.authenticator_class = "null"
c.JupyterHub.services = [{"name": "bench", "api_token": "` + hubToken + `"}]
c.JupyterHub.load_roles = [{"name": "bench", "services": ["bench"], "scopes": ["admin:users", "admin:servers", "access:servers"]}]
c.JupyterHub.db_url = f"sqlite:///{folder}/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = f"{folder}/cookie_secret"
c.ConfigurableHTTPProxy.pid_file = f"{folder}/proxy.pid"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.command = ["/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "/usr/bin/configurable-http-proxy"]
c.JupyterHub.bind_url = f"http://127.0.0.1:{port}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 2}"
`

// spawns measures a hub's own spawn: from the request until the notebook can be used through the hub's proxy.
func spawns(ctx context.Context, folder string, rounds int) (found []Usable, lacking string, err error) {
	if !installed(hubProgram) {
		return nil, "JupyterHub isn't installed", nil
	}
	ctx, cancel := context.WithTimeout(ctx, waitTime)
	defer cancel()
	folder = filepath.Join(folder, "hub")
	content, err := os.ReadFile(source)
	if err != nil {
		return nil, "", err
	}
	file := filepath.Join(folder, hubUser, notebook)
	err = errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(filepath.Join(folder, "config.py"), []byte(hubConfig), 0o600))
	if err == nil {
		err = os.WriteFile(file, content, 0o600) //nolint:gosec // a folder of ours
	}
	port, portErr := freeports.Find(ctx, 3)
	if err = errors.Join(err, portErr); err != nil {
		return nil, "", err
	}
	log, err := os.Create(filepath.Join(folder, "hub.log"))
	if err != nil {
		return nil, "", err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, hubProgram, "-f", filepath.Join(folder, "config.py"))
	command.Dir = folder
	command.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + folder, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "JUPYTER_NO_CONFIG=1",
		"BENCH_PORT=" + strconv.Itoa(port), "BENCH_FOLDER=" + folder,
	}
	command.Stdout, command.Stderr = log, log
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopTime
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := command.Start(); err != nil {
		return nil, "", err
	}
	defer func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it ends its proxy and its users' servers
		_ = command.Wait()
	}()
	hub := jupyter{
		client: clientTo("tcp", "127.0.0.1:"+strconv.Itoa(port)), base: "http://127.0.0.1:" + strconv.Itoa(port), header: http.Header{"Authorization": {"token " + hubToken}},
	}
	found, err = hub.spawns(ctx, rounds)
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		err = fmt.Errorf("JupyterHub: %w\n%s", err, said[max(0, len(said)-2000):])
	}
	return found, "", err
}

func (j jupyter) spawns(ctx context.Context, rounds int) (found []Usable, err error) {
	ours := j.base + "/hub/api/users/" + hubUser
	if err := j.await(ctx, http.MethodGet, j.base+"/hub/api/users", http.StatusOK); err != nil {
		return nil, err
	}
	if err := j.await(ctx, http.MethodPost, ours, http.StatusCreated); err != nil {
		return nil, err
	}
	server := j
	server.base = j.base + "/user/" + hubUser
	for range rounds {
		began := time.Now()
		_, status, body, err := j.send(ctx, http.MethodPost, ours+"/server", struct{}{})
		if err != nil || status/100 != 2 {
			return found, errors.Join(fmt.Errorf("the spawn was answered %d: %s", status, body), err)
		}
		if status == http.StatusAccepted { // the progress ends when the server is ready
			if _, _, _, err := j.get(ctx, ours+"/server/progress"); err != nil {
				return found, err
			}
		}
		if err := server.await(ctx, http.MethodGet, server.base+"/notebooks/"+notebook, http.StatusOK); err != nil {
			return found, err
		}
		one := Usable{Page: time.Since(began)}
		if err := server.useKernel(ctx); err != nil {
			return found, err
		}
		one.Kernel = time.Since(began)
		found = append(found, one)
		if err := j.await(ctx, http.MethodDelete, ours+"/server", http.StatusNoContent); err != nil {
			return found, err
		}
	}
	return found, nil
}

// await repeats a request until it is answered with a status.
func (j jupyter) await(ctx context.Context, method, address string, wanted int) error {
	ticks := time.NewTicker(askEvery)
	defer ticks.Stop()
	for {
		from, status, body, err := j.send(ctx, method, address, nil)
		if err == nil && status == wanted && strings.HasPrefix(from, address) {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return fmt.Errorf("%s %s: %d %.300s: %w", method, address, status, body, errors.Join(err, ctx.Err()))
		}
	}
}
