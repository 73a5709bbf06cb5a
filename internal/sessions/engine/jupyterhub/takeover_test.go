package jupyterhub_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/freeports"
	"cairn/internal/sessions/engine/jupyterhub/agentapi"
)

// Two machines mount one volume: here, two agents with mounts of their own have one folder. One works at a time, and the other takes
// over with all versions when the first is killed.
func TestASecondAgentOfAVolumeTakesOver(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	volume, other := filepath.Join(folder, "volume"), filepath.Join(folder, "other")
	for _, one := range []string{volume, other} {
		if err := os.Mkdir(one, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := exec.CommandContext(t.Context(), "unshare", "--mount", "mount", "--bind", volume, other).CombinedOutput(); err != nil {
		t.Logf("The kernel forbids mounts of one's own, so the second agent has the same path: %v %s", err, text)
		other = volume
	}
	port, err := freeports.Find(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	first := startAgent(t, volume, volume, port)
	if !first.opened() {
		t.Fatal("the first agent ended")
	}
	second := startAgent(t, volume, other, port+1)
	if _, err := ask(t, port, http.MethodPut, "/phase", `{"owner": "ann@example.org", "phase": "running", "launch": 1}`); err != nil {
		t.Fatal(err)
	}
	if text, err := ask(t, port, http.MethodPost, "/versions", `{"name": "Before"}`); err != nil {
		t.Fatal(text, err)
	}
	second.awaitsLock()
	if _, err := ask(t, port+1, http.MethodGet, "/versions?most=1", ""); err == nil {
		t.Error("both agents answer")
	}
	if err := first.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !second.opened() {
		t.Fatal("the second agent ended")
	}
	if text, err := ask(t, port+1, http.MethodGet, "/versions?most=1", ""); err != nil || !strings.Contains(text, `"Name":"Before"`) {
		t.Errorf("the versions are %s, %v", text, err)
	}
}

const takenOver = "0195a000-0000-7000-8000-000000000001"

type startedAgent struct {
	*testing.T

	command *exec.Cmd
	lines   *bufio.Scanner // of its log
}

// startAgent starts an agent that sees the volume at another path, with a session's folder in it.
func startAgent(t *testing.T, volume, at string, port int) *startedAgent {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(volume, "root", takenOver, "work")
	if err := os.MkdirAll(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "mine.txt"), []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	a := &startedAgent{T: t, command: exec.CommandContext(t.Context(), program, "agent")}
	if at != volume {
		a.command = exec.CommandContext(t.Context(), "unshare", "--mount", "sh", "-c", `mount --bind "$1" "$2" && exec "$0" agent`, program, volume, at)
	}
	a.command.Env = append(os.Environ(), "CAIRN_ROOT="+filepath.Join(at, "root"), "CAIRN_TOKEN="+takenOver, "CAIRN_RUNS=off",
		fmt.Sprintf("JUPYTERHUB_SERVICE_URL=http://127.0.0.1:%d", port))
	output, err := a.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.lines = bufio.NewScanner(output)
	if err := a.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = a.command.Process.Kill()
		_ = a.command.Wait()
	})
	return a
}

// opened waits until the agent says that it's open; false if it ends before.
func (a *startedAgent) opened() bool {
	for a.lines.Scan() {
		a.Log(a.lines.Text())
		if strings.Contains(a.lines.Text(), "is open") {
			return true
		}
	}
	return false
}

// awaitsLock waits until the agent has the file open that it waits to lock.
func (a *startedAgent) awaitsLock() {
	a.Helper()
	late := time.After(time.Minute)
	for {
		open, _ := filepath.Glob("/proc/" + strconv.Itoa(a.command.Process.Pid) + "/fd/*")
		for _, one := range open {
			if target, _ := os.Readlink(one); strings.HasSuffix(target, "/.agent.lock") {
				return
			}
		}
		select {
		case <-late:
			a.Fatal("the second agent doesn't wait")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ask calls an agent about the session; its error is also any status but 2xx.
func ask(t *testing.T, port int, method, path, body string) (string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s%s%s", port, agentapi.Path, takenOver, path), strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "token "+takenOver)
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var text strings.Builder
	if _, err := bufio.NewReader(answer.Body).WriteTo(&text); err != nil {
		return "", err
	}
	if answer.StatusCode/100 != 2 {
		return text.String(), fmt.Errorf("%s", answer.Status)
	}
	return text.String(), nil
}
