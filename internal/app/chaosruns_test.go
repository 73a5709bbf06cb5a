package app_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cairn/internal/runs"
)

// runKills is how often something is killed.
const runKills = 100

// runTime is how long a run may take to get on: very long, because it has the lowest weight on a machine that may be busy.
const runTime = 10 * time.Minute

// TestThoroughKillsEndRunsOnce kills the real server, and in turn the box, the Jupyter and the kernel of a run, at random moments while
// runs are under way. Each run must end, stay as it ended, and be clean only if it was executed; in the end nothing may be
// left of any. CHAOS_SEED repeats a test's choices.
func TestThoroughKillsEndRunsOnce(t *testing.T) {
	seed, err := strconv.ParseInt(os.Getenv("CHAOS_SEED"), 10, 64)
	if err != nil {
		seed = time.Now().UnixNano()
	}
	t.Logf("seed %d (CHAOS_SEED repeats it), %d kills", seed, runKills)
	c := newRunsChaos(t)
	c.random = rand.New(rand.NewPCG(uint64(seed), 1))
	c.settings = []string{"CAIRN_RUNS_PER_DAY=100000"}
	c.serve()
	c.prepare("kills", chaosNotebook, "even.ipynb", "odd.ipynb")
	for kill := range runKills {
		c.keepBusy()
		what := []string{"server", "box", "server", "Jupyter", "server", "kernel"}[kill%6]
		if what == "server" {
			for range c.random.IntN(150) { // until the random moment
				c.look()
			}
			c.kill()
			c.serve()
		} else {
			c.killProcess(what)
		}
		if c.killed[what]++; what == "kernel" { // now and then one that isn't disturbed comes through
			known := len(c.ended)
			c.eventually("two runs end", func() bool { c.keepBusy(); return len(c.ended) > known+1 })
		}
	}
	c.settle()
	t.Logf("killed: %v; runs: %v", c.killed, c.counts())
	if c.counts()[string(runs.Clean)] == 0 {
		t.Error("no run came through, so nothing was tested")
	}
	c.stop()
	c.lookForLeftovers()
}

// bombNotebook starts processes until it can't start another one, which none of them stops trying.
const bombNotebook = `{"cells": [
 {"cell_type": "code", "id": "bomb", "metadata": {}, "execution_count": 1, "outputs": [{"output_type": "stream", "name": "stdout", "text": "survived\n"}],
  "source": "import os\nfor attempt in range(100_000):\n    os.fork()\nprint('survived')"}
], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`

// A notebook that is a fork bomb ends in words, nothing of it stays, and the next run is none the worse for it.
func TestThoroughForkBombsEndInWords(t *testing.T) {
	c := newRunsChaos(t)
	c.settings = []string{"CAIRN_RUNS_TIMEOUT=1m"}
	c.serve()
	c.prepare("bombs", bombNotebook, "bomb.ipynb")
	c.startRun("bomb.ipynb", "bombs")
	c.settle()
	for _, run := range c.ended {
		if run.Verdict != runs.Fails && run.Verdict != runs.Needs || run.Reason == "" {
			t.Errorf("the bomb ended as %s: %q", run.Verdict, run.Reason)
		}
		t.Logf("the bomb: %s, %s", run.Verdict, run.Reason)
	}
	c.prepare("kills", chaosNotebook, "even.ipynb")
	c.startRun("even.ipynb", "kills")
	c.settle()
	if c.counts()[string(runs.Clean)] != 1 {
		t.Errorf("the next run: %v", c.counts())
	}
	c.stop()
	c.lookForLeftovers()
}

func newRunsChaos(t *testing.T) *runsChaos {
	t.Helper()
	return &runsChaos{victim: newVictim(t), ended: map[string]runs.Run{}, tokens: map[string]string{}, killed: map[string]int{}}
}

// runsChaos is a victim and what is known of its runs.
type runsChaos struct {
	*victim

	random  *rand.Rand
	entry   string
	started int
	ended   map[string]runs.Run
	tokens  map[string]string // which run printed it
	killed  map[string]int
}

// The notebook prints a text that no other execution prints, waits, and prints the text that its author stored if the same
// kernel is still there.
const chaosNotebook = `{"cells": [
 {"cell_type": "code", "id": "token", "metadata": {}, "execution_count": 1, "outputs": [], "source": "import os, time\ntoken = os.urandom(16).hex()\nprint('token', token)"},
 {"cell_type": "code", "id": "wait", "metadata": {}, "execution_count": 2, "outputs": [], "source": "time.sleep(1)"},
 {"cell_type": "code", "id": "end", "metadata": {}, "execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "executed 32\n"}],
  "source": "print('executed', len(token))"}
], "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
`

// prepare adds a branch with a notebook, under some names, to the demo's repository.
func (c *runsChaos) prepare(branch, notebook string, files ...string) {
	c.t.Helper()
	var stream bytes.Buffer
	fmt.Fprintf(&stream, "blob\nmark :1\ndata %d\n%s\n", len(notebook), notebook)
	fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Kills <kills@example.org> 1767225600 +0000\ndata 5\nKills\nfrom refs/heads/main^0\n", branch)
	for _, file := range files {
		fmt.Fprintf(&stream, "M 100644 :1 %s\n", file)
	}
	stream.WriteString("done\n")
	command := exec.CommandContext(c.t.Context(), "git", "-C", filepath.Join(c.data, "demo", "git", "first-steps.git"), "fast-import", "--quiet", "--done")
	command.Stdin = &stream
	if output, err := command.CombinedOutput(); err != nil {
		c.t.Fatalf("git: %v: %s", err, output)
	}
	var found []struct{ ID string }
	c.read("/resources/search?type=REPOSITORY&name=First+steps", &found)
	if len(found) == 0 {
		c.t.Fatal("the demo has no repository")
	}
	c.entry = found[0].ID
}

func (c *runsChaos) read(path string, answer any) {
	c.t.Helper()
	status, body := c.call(http.MethodGet, path, "", "")
	if err := json.Unmarshal(body, answer); err != nil || status != http.StatusOK {
		c.t.Fatalf("%s: %d %.300s\n%s", path, status, body, c.log())
	}
}

// keepBusy starts a run unless two are under way.
func (c *runsChaos) keepBusy() {
	c.t.Helper()
	for len(c.look()) < 2 {
		c.startRun([]string{"even.ipynb", "odd.ipynb"}[c.started%2], "kills")
	}
}

func (c *runsChaos) startRun(file, ref string) {
	c.t.Helper()
	status, body := c.call(http.MethodPost, "/resources/"+c.entry+"/runs", `{"file":"`+file+`","ref":"`+ref+`"}`, "")
	if status != http.StatusAccepted {
		c.t.Fatalf("start a run: %d %s", status, body)
	}
	c.started++
}

// look reads all runs, and compares those that have ended with what they were when that was seen first. It returns the others.
func (c *runsChaos) look() (live []runs.Run) {
	c.t.Helper()
	for number := 0; ; number++ {
		var page runs.RunPage
		c.read(fmt.Sprintf("/resources/public/%s/runs?pageSize=100&pageNumber=%d", c.entry, number), &page)
		for _, run := range page.Content {
			known, seen := c.ended[run.ID]
			switch {
			case run.State == runs.Queued || run.State == runs.Running:
				live = append(live, run)
				if seen {
					c.t.Errorf("a run that was %s %s is %s", known.State, known.Verdict, run.State)
				}
			case !seen:
				c.ended[run.ID] = run
				c.checkEnd(run)
			case run.State != known.State || run.Verdict != known.Verdict || !run.EndedAt.Equal(*known.EndedAt):
				c.t.Errorf("a run ended as %s %s at %s and as %s %s at %s", known.State, known.Verdict, known.EndedAt, run.State, run.Verdict, run.EndedAt)
			}
		}
		if (number+1)*100 >= page.TotalElements {
			return live
		}
	}
}

// checkEnd checks how a run ended: in words unless it is clean, and then with outputs of its own execution.
func (c *runsChaos) checkEnd(run runs.Run) {
	c.t.Helper()
	if run.EndedAt == nil || (run.Verdict == "") != (run.State == runs.Stopped) || (run.Verdict != runs.Clean && run.Reason == "") {
		c.t.Errorf("a run ended as %+v", run)
	}
	if run.Verdict != runs.Clean {
		return
	}
	var executed struct {
		Cells []struct {
			Outputs []struct{ Text json.RawMessage }
		}
	}
	c.read("/resources/public/"+c.entry+"/runs/"+run.ID+"/notebook", &executed)
	var printed strings.Builder
	for _, cell := range executed.Cells {
		for _, output := range cell.Outputs {
			printed.Write(output.Text)
		}
	}
	_, token, found := strings.Cut(printed.String(), "token ")
	if !found || len(token) < 32 || !strings.Contains(token, "executed 32") {
		c.t.Errorf("a clean run printed %s", printed.String())
		return
	}
	if other := c.tokens[token[:32]]; other != "" {
		c.t.Errorf("runs %s and %s share an execution", other, run.ID)
	}
	c.tokens[token[:32]] = run.ID
}

// killProcess kills the outermost process of a run's box, its Jupyter or its kernel, as soon as there is one.
func (c *runsChaos) killProcess(what string) {
	c.t.Helper()
	c.eventually("there is a "+what+" of a run", func() bool {
		c.keepBusy()
		for _, pids := range c.processes() {
			slices.Sort(pids)
			for _, pid := range pids {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				arguments := append(strings.Split(string(line), "\x00"), "", "", "")
				kernel, jupyter := arguments[2] == "ipykernel_launcher", strings.HasSuffix(arguments[1], "/jupyter-notebook")
				if what == "box" || (what == "kernel" && kernel) || (what == "Jupyter" && jupyter) {
					return syscall.Kill(pid, syscall.SIGKILL) == nil
				}
			}
		}
		return false
	})
}

func (c *runsChaos) eventually(what string, holds func() bool) {
	c.t.Helper()
	for late := time.After(runTime); !holds(); {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-late:
			c.t.Fatalf("never happened: %s; under way are %v, and %v run\n%s", what, names(c.look()), c.processes(), c.log())
		}
	}
}

// names says of runs what they are.
func names(all []runs.Run) (names []string) {
	for _, run := range all {
		names = append(names, fmt.Sprintf("%s of %s: %s, %d of %d cells", run.ID, run.File, run.State, run.Cells.Ran, run.Cells.Total))
	}
	return names
}

// settle waits until every run has ended, and nothing of any is there.
func (c *runsChaos) settle() {
	c.t.Helper()
	c.eventually("all runs have ended", func() bool { return len(c.look()) == 0 })
	c.eventually("their processes are gone", func() bool { return len(c.processes()) == 0 })
	if len(c.ended) != c.started {
		c.t.Errorf("%d runs were started, and %d have ended", c.started, len(c.ended))
	}
}

func (c *runsChaos) counts() map[string]int {
	counts := map[string]int{}
	for _, run := range c.ended {
		counts[string(run.State)+" "+string(run.Verdict)]++
		counts[string(run.Verdict)]++
	}
	return counts
}

// lookForLeftovers looks for places and folders of sessions after the server's end.
func (c *runsChaos) lookForLeftovers() {
	c.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(c.data, "cairn.db"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	var places int
	if err := db.QueryRowContext(c.t.Context(), `SELECT count(*) FROM batch_place`).Scan(&places); err != nil || places > 0 {
		c.t.Errorf("%d places are taken (%v)", places, err)
	}
	for _, root := range []string{filepath.Join(c.data, "sessions"), c.data + "-sessions"} {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if _, isRun := c.ended[filepath.Base(path)]; err == nil && isRun {
				c.t.Errorf("%s is left", path)
			}
			return nil
		})
	}
	if left := c.processes(); len(left) > 0 {
		c.t.Errorf("processes are left: %v", left)
	}
}
