package sessions

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"cairn/internal/freeports"
)

const (
	realHubToken  = "the-token-of-the-bench"
	realHubConfig = "deploy/jupyterhub/jupyterhub_config.py"
	realHubProxy  = "the-token-of-the-proxy"
	launchPoll    = 50 * time.Millisecond // between two looks at a launch
	launchLimit   = 3 * time.Minute
)

// realHub is a JupyterHub with the repository's configuration.
type realHub struct {
	folder, url string
	command     *exec.Cmd
}

// startRealHub starts a hub below a folder and waits until it answers.
func startRealHub(ctx context.Context, folder string) (*realHub, error) {
	port, err := freeports.Find(ctx, 4)
	if err != nil {
		return nil, err
	}
	configuration, err := filepath.Abs(realHubConfig)
	for _, name := range []string{"root", "state"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(folder, name), 0o711))
	}
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "hub.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	h := &realHub{folder: folder, url: "http://127.0.0.1:" + strconv.Itoa(port)}
	h.command = exec.CommandContext(ctx, "/usr/bin/jupyterhub", "-f", configuration)
	h.command.Dir = filepath.Join(folder, "state")
	h.command.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + folder, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "CAIRN_HUB_TOKEN=" + realHubToken,
		"CONFIGPROXY_AUTH_TOKEN=" + realHubProxy, "CAIRN_ROOT=" + folder + "/root", "CAIRN_HUB_STATE=" + folder + "/state",
		"CAIRN_DATA_ROOT=" + folder + "/data", "CAIRN_HUB_PORT=" + strconv.Itoa(port), "CAIRN_ALLOW=127.0.0.0/8",
	}
	h.command.Stdout, h.command.Stderr = log, log
	h.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := h.command.Start(); err != nil {
		return nil, err
	}
	err = h.await(ctx, func() (bool, error) {
		status, _, err := h.ask(ctx, http.MethodGet, "/hub/api/user", nil)
		return err == nil && status == http.StatusOK, nil
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		err = fmt.Errorf("the hub doesn't answer: %w\n%s", err, said[max(0, len(said)-2000):])
		h.stop()
	}
	return h, err
}

// stop ends the hub, its proxy and its services.
func (h *realHub) stop() {
	_ = syscall.Kill(-h.command.Process.Pid, syscall.SIGKILL)
	_ = h.command.Wait()
	proxy, _ := os.ReadFile(filepath.Join(h.folder, "state", "proxy.pid"))
	if pid, err := strconv.Atoi(strings.TrimSpace(string(proxy))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func (h *realHub) ask(ctx context.Context, method, path string, send any) (int, []byte, error) {
	var body io.Reader = http.NoBody
	if send != nil {
		text, err := json.Marshal(send)
		if err != nil {
			return 0, nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, h.url+path, body)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "token "+realHubToken)
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// await repeats a look until it finds what it waits for.
func (h *realHub) await(ctx context.Context, look func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, launchLimit)
	defer cancel()
	ticks := time.NewTicker(launchPoll)
	defer ticks.Stop()
	for {
		if found, err := look(); found || err != nil {
			return err
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// own lets the hub itself start a server, in the sandbox of a session but with nothing in it, and returns how long that takes.
func (h *realHub) own(ctx context.Context, owner string) (took time.Duration, err error) {
	id := uuid.New()
	permit, err := json.Marshal(map[string]any{
		"session": id.String(), "owner": owner, "launch": 1, "until": time.Now().Add(time.Minute).Unix(), "repository": map[string]string{}, "datasets": []string{},
	})
	if err != nil {
		return 0, err
	}
	key := hmac.New(sha256.New, []byte(realHubToken))
	key.Write([]byte("cairn grant 1"))
	signature := hmac.New(sha256.New, key.Sum(nil))
	signature.Write(permit)
	user := "/hub/api/users/" + url.PathEscape(owner)
	name := "s" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(id[:]))
	if _, _, err := h.ask(ctx, http.MethodPost, user, nil); err != nil {
		return 0, err
	}
	began := time.Now()
	status, said, err := h.ask(ctx, http.MethodPost, user+"/servers/"+name, map[string]string{"cairn": string(permit), "signature": hex.EncodeToString(signature.Sum(nil))})
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("the hub answers %d to a start: %.300s", status, said)
	}
	if err != nil {
		return 0, err
	}
	err = h.await(ctx, func() (bool, error) {
		var model struct {
			Servers map[string]struct {
				Ready   bool
				Pending *string
			}
		}
		_, said, err := h.ask(ctx, http.MethodGet, user, nil)
		if err == nil {
			err = json.Unmarshal(said, &model)
		}
		one, known := model.Servers[name]
		if err == nil && (!known || !one.Ready && one.Pending == nil) {
			err = fmt.Errorf("the hub's own start failed: %.300s", said)
		}
		return one.Ready, err
	})
	took = time.Since(began)
	_, _, stopped := h.ask(ctx, http.MethodDelete, user+"/servers/"+name, map[string]bool{"remove": true})
	return took, errors.Join(err, stopped)
}

// launch runs a session of the demo's project and returns how long it takes until it runs; then it deletes it.
func (u *user) launch(ctx context.Context, h *realHub) (took time.Duration, err error) {
	project, err := u.projectOf(ctx, "first")
	if err != nil {
		return 0, err
	}
	var session struct{ SessionID, Status, StatusReason string }
	began := time.Now()
	if err := u.call(ctx, http.MethodGet, "/hub/start/project/"+project+"?sessionName=Launch", &session); err != nil {
		return 0, err
	}
	err = h.await(ctx, func() (bool, error) {
		var list []struct{ Status, StatusReason string }
		if err := u.call(ctx, http.MethodGet, "/sessions/", &list); err != nil {
			return false, err
		}
		if len(list) != 1 || slices.Contains([]string{"FAILED", "FINISHED", "TERMINATED"}, list[0].Status) {
			return false, fmt.Errorf("the session didn't start: %v", list)
		}
		return list[0].Status == "RUNNING", nil
	})
	took = time.Since(began)
	var gone any
	return took, errors.Join(err, u.call(ctx, http.MethodDelete, "/sessions/"+session.SessionID, &gone))
}

// launches measures launches through a real hub and the hub's own starts, in turn, so many together each time. It returns
// the times of both.
func launches(ctx context.Context, binary, folder string, count, together int) (ours, own []time.Duration, err error) {
	hub, err := startRealHub(ctx, filepath.Join(folder, "realhub"))
	if err != nil {
		return nil, nil, err
	}
	defer hub.stop()
	file, err := configFile(folder, together, fmt.Sprintf(`{engines: [{name: hub, label: Hub, kind: jupyterhub, url: "%s", token: %s}]}`, hub.url, realHubToken))
	if err != nil {
		return nil, nil, err
	}
	server, err := start(ctx, binary, filepath.Join(folder, "demo"), "--config", file, "--demo")
	if err != nil {
		return nil, nil, err
	}
	defer server.stop()
	if err := errors.Join(server.enrol(ctx, binary, file, together), os.Symlink(filepath.Join(server.data, "demo", "datasets"), hub.folder+"/data")); err != nil {
		return nil, nil, err
	}
	var mutex sync.Mutex
	for done := 0; done < count; done += together {
		for _, kind := range []func(i int) (time.Duration, error){
			func(i int) (time.Duration, error) { return hub.own(ctx, fmt.Sprintf("own-%d@example.org", i)) },
			func(i int) (time.Duration, error) { return server.users[i].launch(ctx, hub) },
		} {
			var all sync.WaitGroup
			var times []time.Duration
			for i := range min(together, count-done) {
				all.Go(func() {
					took, failed := kind(i)
					mutex.Lock()
					defer mutex.Unlock()
					times, err = append(times, took), errors.Join(err, failed)
				})
			}
			all.Wait()
			if err != nil {
				return nil, nil, err
			}
			if len(own) == len(ours) {
				own = append(own, times...)
			} else {
				ours = append(ours, times...)
			}
		}
	}
	return ours, own, nil
}
