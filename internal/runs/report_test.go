package runs

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"cairn/internal/runs/executor"
)

// A report says of every cell how long it took and what became of it, and a run in which cell it ended early.
func TestReportsSayWhichCellsRan(t *testing.T) {
	t.Parallel()
	type cell struct {
		state executor.State
		took  time.Duration
	}
	ran, failed, skipped, never := executor.Ran, executor.Failed, executor.Skipped, executor.NotRun
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		for what, c := range map[string]struct {
			ending   executor.Ending
			executed []cell
			want     RunCells
			report   string
		}{
			"all": {
				executor.Finished,
				[]cell{{ran, 1500 * time.Millisecond}, {ran, 2 * time.Microsecond}},
				RunCells{Total: 2, Ran: 2, Same: 2},
				`[{"state":"ran","seconds":1.5},{"state":"ran","seconds":0.000002}]`,
			},
			"until its time was over": {
				executor.TimedOut,
				[]cell{{ran, time.Second}, {skipped, 0}, {failed, 10 * time.Minute}, {never, 0}, {never, 0}},
				RunCells{Total: 5, Ran: 1, Stopped: 3, Same: 1, Differs: 1, Missed: 3},
				`[{"state":"ran","seconds":1},{"state":"skipped","seconds":0},{"state":"failed","seconds":600},{"state":"not-run","seconds":0},{"state":"not-run","seconds":0}]`,
			},
			"until its kernel died": {
				executor.KernelDied, []cell{{failed, time.Second}}, RunCells{Total: 1, Stopped: 1, Same: 1}, `[{"state":"failed","seconds":1}]`,
			},
			"no kernel": {
				executor.NoKernel, []cell{{never, 0}, {never, 0}}, RunCells{Total: 2, Missed: 2}, `[{"state":"not-run","seconds":0},{"state":"not-run","seconds":0}]`,
			},
		} {
			w.kernels(func(_ context.Context, source []byte, _ executor.Options) executor.Executed {
				executed := executor.Executed{Ending: c.ending, EndedAt: -1}
				var texts []string
				for i, one := range c.executed {
					executed.Cells = append(executed.Cells, executor.Cell{Index: i, State: one.state, Took: one.took})
					text := "1\n"
					switch {
					case one.state == failed && c.ending == executor.TimedOut:
						executed.EndedAt, text = i, "other\n"
					case one.state == failed:
						executed.EndedAt = i
					case one.state != ran:
						text = ""
					}
					texts = append(texts, text)
				}
				executed.Notebook = []byte(notebook(texts...))
				for i, one := range c.executed {
					if one.state == never || one.state == skipped {
						executed.Notebook = []byte(strings.Replace(string(executed.Notebook), `"execution_count":`+strconv.Itoa(i+1)+`,`, `"execution_count":null,`, 1))
					}
				}
				return executed
			})
			texts := make([]string, len(c.executed))
			for i := range texts {
				texts[i] = "1\n"
			}
			w.batch.files = map[string]string{"first.ipynb": notebook(texts...)}
			w.clock.advance(25 * time.Hour)
			run := w.run("")
			if run.Cells != c.want {
				t.Errorf("%s: %+v", what, run.Cells)
			}
			content, err := w.left(run, comparisonName)
			if err != nil || !strings.Contains(string(content), `"executed":`+c.report) {
				t.Errorf("%s: the report is %s, %v", what, content, err)
			}
		}
	})
}
