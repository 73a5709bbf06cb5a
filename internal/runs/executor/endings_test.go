package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/runs/executor"
	"cairn/internal/sessions/machine/jupyterkernel"
)

func decode(t testing.TB, text json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// raises says that a cell raised an exception.
func raises(k *kernel, name, value string) {
	content := fmt.Sprintf(`{"status": "error", "ename": %q, "evalue": %q, "traceback": ["here"], "execution_count": 7}`, name, value)
	k.says("iopub", "error", content)
	k.says("shell", "execute_reply", content)
	k.idle()
}

// second does something in the second of three cells.
func second(do func(k *kernel)) func(k *kernel, number int) {
	return func(k *kernel, number int) {
		if number == 2 {
			k.prints("begun")
			do(k)
		} else {
			k.ends()
		}
	}
}

func states(executed executor.Executed) string {
	var list []string
	for _, cell := range executed.Cells {
		list = append(list, string(cell.State))
	}
	return strings.Join(list, " ")
}

// However the second cell ends the run, the kernel is ended, what was printed is kept, and the third cell isn't run.
func TestEndings(t *testing.T) {
	t.Parallel()
	interrupted := func(k *kernel) { raises(k, "KeyboardInterrupt", "") }
	for name, test := range map[string]struct {
		cells       func(k *kernel, number int)
		heeds       func(k *kernel) // says what the kernel says to an interrupt
		missing     bool
		options     executor.Options
		ending      executor.Ending
		reason      string
		outputs     string // of the second cell; empty: that it has begun
		interrupted bool   // the cell is
	}{
		"an exception": {
			cells: second(func(k *kernel) {
				raises(k, "Module\nNotFoundError", "No module named 'nest'\r\nat all"+strings.Repeat("!", 100))
			}),
			ending: executor.Raised, reason: "Cell 2 of 3 stopped with Module NotFoundError: No module named 'nest' at all!!!",
			outputs: "[stdout:\"begun\" Module\nNotFoundError(No module named 'nest'\r\nat all" + strings.Repeat("!", 100) + ")]",
		},
		"not executed": {
			cells: second(func(k *kernel) {
				k.says("shell", "execute_reply", `{"status": "aborted"}`)
				k.idle()
			}),
			ending: executor.Raised, reason: `Cell 2 of 3 wasn't executed by the kernel, which calls it "aborted".`,
		},
		"a reply that can't be read": {
			cells: second(func(k *kernel) {
				k.says("shell", "execute_reply", `{"status": 7}`)
				k.idle()
			}),
			ending: executor.Unintelligible, reason: "The kernel's reply to a cell can't be read.", interrupted: true,
		},
		"a reply that is too large": {
			cells: second(func(k *kernel) {
				k.says("shell", "execute_reply", `{"payload": "`+strings.Repeat("x", 2<<20)+`", "status": "ok"}`)
				k.idle()
			}),
			options: executor.Options{CellOutput: 1000},
			ending:  executor.Unintelligible, reason: "The kernel's reply to a cell can't be read.", interrupted: true,
		},
		"idle without a reply": {
			cells:   second((*kernel).idle),
			options: executor.Options{Grace: time.Second},
			ending:  executor.Unintelligible, reason: "The kernel is done with a cell, but didn't say how it ended.", interrupted: true,
		},
		"input isn't possible": {
			cells:  second(func(k *kernel) { raises(k, "StdinNotImplementedError", "raw_input was called") }),
			ending: executor.AskedForInput, reason: "A cell waits for somebody to type something, and nobody is there.",
			outputs: `[stdout:"begun" StdinNotImplementedError(raw_input was called)]`,
		},
		"input is asked for": {
			cells:  second(func(k *kernel) { k.says("stdin", "input_request", `{"prompt": "name: ", "password": false}`) }),
			heeds:  interrupted,
			ending: executor.AskedForInput, reason: "A cell waits for somebody to type something, and nobody is there.",
			outputs: `[stdout:"begun" KeyboardInterrupt()]`, interrupted: true,
		},
		"a long cell that can be interrupted": {
			cells:   second(func(*kernel) {}),
			heeds:   interrupted,
			options: executor.Options{CellTimeout: 5 * time.Second},
			ending:  executor.TimedOut, reason: "Cell 2 of 3 took longer than 5 seconds.",
			outputs: `[stdout:"begun" KeyboardInterrupt()]`, interrupted: true,
		},
		"a long cell that can't": {
			cells:   second(func(*kernel) {}),
			options: executor.Options{CellTimeout: 5 * time.Second, Grace: time.Second},
			ending:  executor.TimedOut, reason: "Cell 2 of 3 took longer than 5 seconds.", interrupted: true,
		},
		"a long notebook": {
			cells:   second(func(*kernel) {}),
			heeds:   interrupted,
			options: executor.Options{Timeout: 5 * time.Second},
			ending:  executor.TimedOut, reason: "The notebook took longer than 5 seconds.",
			outputs: `[stdout:"begun" KeyboardInterrupt()]`, interrupted: true,
		},
		"a kernel that is started again": {
			cells:  second(func(k *kernel) { k.answers("", "iopub", "status", `{"execution_state": "restarting"}`) }),
			ending: executor.KernelDied, reason: "The kernel's process ended: the code ended it, or it ran out of memory.",
		},
		"a kernel that is dead": {
			cells:  second(func(k *kernel) { k.answers("", "iopub", "status", `{"execution_state": "dead"}`) }),
			ending: executor.KernelDied,
		},
		"a kernel that is gone": {
			cells:   second(func(k *kernel) { _ = k.socket.CloseNow() }),
			missing: true,
			ending:  executor.KernelDied,
		},
		"a connection that is closed": {
			cells:  second(func(k *kernel) { _ = k.socket.CloseNow() }),
			ending: executor.ServerLost, reason: "The Jupyter server closed the connection to the kernel.",
		},
		"nonsense": {
			cells: second(func(k *kernel) {
				for range 101 {
					k.sends("nonsense")
				}
			}),
			heeds:  interrupted,
			ending: executor.Unintelligible, reason: "The kernel sent more than 100 messages that aren't of Jupyter's protocol.",
			outputs: `[stdout:"begun" KeyboardInterrupt()]`, interrupted: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, test.cells)
			s.interrupted, s.missing = test.heeds, test.missing
			executed := s.execute(t.Context(), code("a", "b", "c"), test.options)
			if executed.Ending != test.ending || !strings.HasPrefix(executed.Reason, test.reason) || executed.EndedAt != 1 {
				t.Errorf("%s in %d: %s", executed.Ending, executed.EndedAt, executed.Reason)
			}
			if got := states(executed); got != "ran failed not-run" {
				t.Errorf("The cells are %s", got)
			}
			want := "[]" + test.outputs + "[]"
			if test.outputs == "" {
				want = `[][stdout:"begun"][]`
			}
			if got := outputs(t, executed); got != want {
				t.Errorf("The outputs are %s, want %s", got, want)
			}
			if slices.Contains(s.calls, "interrupt") != test.interrupted {
				t.Errorf("The calls are %v", s.calls)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newScripted(t, second(func(*kernel) { cancel() }))
	s.interrupted = func(k *kernel) { raises(k, "KeyboardInterrupt", "") }
	executed := s.execute(ctx, code("a", "b", "c"), executor.Options{Timeout: time.Hour, CellTimeout: time.Hour})
	if executed.Ending != executor.Canceled || states(executed) != "ran failed not-run" || outputs(t, executed) != `[][stdout:"begun" KeyboardInterrupt()][]` {
		t.Errorf("%s: %s: %s", executed.Ending, states(executed), outputs(t, executed))
	}
	// A kernel doesn't heed an interrupt before the cell has begun.
	ctx, cancel = context.WithCancel(t.Context())
	s = newScripted(t, func(k *kernel, _ int) {
		cancel()
		k.begins()
	})
	s.late, s.interrupted = true, func(k *kernel) { raises(k, "KeyboardInterrupt", "") }
	executed = s.execute(ctx, code("a"), executor.Options{})
	if executed.Ending != executor.Canceled || outputs(t, executed) != `[KeyboardInterrupt()]` || strings.Join(s.calls, " ") != "start interrupt end" {
		t.Errorf("%s: %s: %v", executed.Ending, outputs(t, executed), s.calls)
	}
	executed, err := newScripted(t, nil).tried(ctx, code("a"), executor.Options{})
	if err != nil || executed.Ending != executor.Canceled || states(executed) != "not-run" || executed.EndedAt != -1 {
		t.Errorf("A run that was canceled before is %s: %s: %v", executed.Ending, states(executed), err)
	}
}

// A server that doesn't end its kernel in time is no reason to wait forever, nor to lose the result.
func TestSlowEnd(t *testing.T) {
	t.Parallel()
	s := newScripted(t, func(k *kernel, _ int) { k.ends() })
	s.endless = true
	if executed := s.execute(t.Context(), code("a"), executor.Options{Grace: 3 * time.Second}); executed.Ending != executor.Finished || states(executed) != "ran" {
		t.Errorf("%s: %s", executed.Ending, executed.Reason)
	}
}

func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		begins func(k *kernel)
		gone   bool
		ending executor.Ending
		reason string // empty where TestEndings asserts it
	}{
		"it dies":      {func(k *kernel) { k.answers("", "iopub", "status", `{"execution_state": "restarting"}`) }, false, executor.KernelDied, "The kernel python3 ended right after its start."},
		"it goes":      {func(k *kernel) { _ = k.socket.CloseNow() }, true, executor.KernelDied, ""},
		"it is silent": {func(*kernel) {}, false, executor.KernelSilent, "The kernel python3 didn't answer within 1.5 seconds."},
		"it has no language": {
			func(k *kernel) { k.says("shell", "kernel_info_reply", `{"status": "ok"}`) }, false, executor.Unintelligible,
			"The kernel python3 doesn't answer as Jupyter's protocol says.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil)
			s.info, s.missing = test.begins, test.gone
			options := executor.Options{}
			if name == "it is silent" {
				options.StartTimeout = 1500 * time.Millisecond
			}
			executed := s.execute(t.Context(), code("a"), options)
			if executed.Ending != test.ending || !strings.HasPrefix(executed.Reason, test.reason) || states(executed) != "not-run" || executed.EndedAt != -1 || outputs(t, executed) != "[]" {
				t.Errorf("%s: %s: %s %s", executed.Ending, executed.Reason, states(executed), outputs(t, executed))
			}
		})
	}
	for name, refuse := range map[string]string{"kernels": "/api/kernelspecs", "a start": "/api/sessions"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == refuse {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			fmt.Fprint(w, `{"default": "python3", "kernelspecs": {"python3": {}}}`)
		}))
		defer server.Close()
		_, err := executor.Execute(t.Context(), jupyterkernel.Server{URL: server.URL + "/", Client: server.Client()}, []byte(code("a")), executor.Options{})
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("A server that refuses %s: %v", name, err)
		}
	}
}

// The kernel is the one that the notebook names or, if the server has no such one, one for its language.
func TestKernels(t *testing.T) {
	t.Parallel()
	const several = `{"default": "python3", "kernelspecs": {"ir": {"spec": {"display_name": "R", "language": "R"}},
		"python3": {"spec": {"display_name": "Python 3", "language": "python"}}, "conda": {"spec": {"display_name": "Conda", "language": "python"}},
		"julia-1.9": {"spec": {"display_name": "Julia 1.9", "language": "julia"}}, "julia-1.10": {"spec": {"display_name": "Julia 1.10", "language": "julia"}}}}`
	for metadata, want := range map[string]string{
		`{}`:                                     "python3",
		`{"kernelspec": 7, "language_info": []}`: "python3",
		`{"kernelspec": {"name": "conda"}}`:      "conda",
		`{"kernelspec": {"name": "ir", "language": "python"}}`:                                                "ir",
		`{"kernelspec": {"name": "mine", "language": "python"}}`:                                              "python3",
		`{"kernelspec": {"name": "mine", "language": "Python"}}`:                                              "python3",
		`{"language_info": {"name": "julia"}}`:                                                                "julia-1.10",
		`{"kernelspec": {"name": "spikes", "display_name": "Python (spikes)"}}`:                               "python3",
		`{"kernelspec": {"name": "mine"}}`:                                                                    "python3",
		`{"kernelspec": {"name": "conda-env-lab-py", "language": null}, "language_info": {"version": "3.9"}}`: "python3",
		`{"kernelspec": {"name": "julia-1.6"}}`:                                                               "julia-1.10",
		`{"kernelspec": {"name": "matlab"}}`:                                                                  "",
		`{"kernelspec": {"name": "mine", "language": "fortran"}}`:                                             "",
		`{"language_info": {"name": "fortran"}}`:                                                              "",
	} {
		s := newScripted(t, func(k *kernel, _ int) { k.ends() })
		s.kernels = several
		executed := s.execute(t.Context(), notebook(metadata, `{"cell_type": "code", "id": "a", "metadata": {}, "source": "1", "outputs": [], "execution_count": null}`), executor.Options{})
		if s.started != want || executed.Kernel.Name != want {
			t.Errorf("For %s there is %q, %q", metadata, s.started, executed.Kernel.Name)
		}
		if want == "" {
			if executed.Ending != executor.NoKernel || states(executed) != "not-run" || !strings.HasSuffix(executed.Reason, "The server has neither, but: conda, ir, julia-1.10, julia-1.9, python3.") {
				t.Errorf("For %s: %s: %s", metadata, executed.Ending, executed.Reason)
			}
			continue
		}
		var spec, info map[string]string
		book := read(t, executed)
		decode(t, book.Metadata["kernelspec"], &spec)
		decode(t, book.Metadata["language_info"], &info)
		if spec["name"] != want || spec["display_name"] == "" || info["name"] != "python" || info["mimetype"] != "text/x-python" {
			t.Errorf("For %s it is written that %v %v", metadata, spec, info)
		}
	}
}

// Tags and metadata decide which cells are run, and which may raise.
func TestTags(t *testing.T) {
	t.Parallel()
	cell := func(metadata string) string {
		return fmt.Sprintf(`{"cell_type": "code", "id": "a", "metadata": %s, "source": ["1\n", "2"], "outputs": [{"output_type": "stream", "name": "stdout", "text": ["old"]}], "execution_count": 3}`, metadata)
	}
	for name, test := range map[string]struct {
		notebook, cell string
		state          executor.State
		ending         executor.Ending
	}{
		"none":                {`{}`, `{"tags": 7}`, executor.Failed, executor.Raised},
		"raises-exception":    {`{}`, `{"tags": ["a", "raises-exception"]}`, executor.Ran, executor.Finished},
		"in the metadata":     {`{}`, `{"raises-exception": true}`, executor.Ran, executor.Finished},
		"in the whole":        {`{"execution": {"allow_errors": true}}`, `{}`, executor.Ran, executor.Finished},
		"in the whole, short": {`{"allow_errors": true}`, `{}`, executor.Ran, executor.Finished},
		"for nbsphinx":        {`{"nbsphinx": {"allow_errors": true}}`, `{}`, executor.Ran, executor.Finished},
		"not even executed":   {`{"allow_errors": true}`, `{"tags": ["raises-exception"]}`, executor.Failed, executor.Raised},
		"not in the whole":    {`{"execution": {"allow_errors": false}}`, `{}`, executor.Failed, executor.Raised},
		"skip-execution":      {`{}`, `{"tags": ["skip-execution"]}`, executor.Skipped, executor.Finished},
	} {
		s := newScripted(t, func(k *kernel, _ int) {
			if name == "not even executed" {
				k.says("shell", "execute_reply", `{"status": "aborted"}`)
				k.idle()
				return
			}
			raises(k, "ValueError", "no")
		})
		executed := s.execute(t.Context(), notebook(test.notebook, cell(test.cell)), executor.Options{})
		book := read(t, executed)
		if test.state == executor.Skipped {
			one := book.Cells[0]
			if len(one.Outputs) != 1 || !strings.Contains(string(one.Outputs[0]), "old") || one.Count == nil || *one.Count != 3 || executed.Cells[0].Name != "" {
				t.Errorf("%s: %s", name, executed.Notebook)
			}
		} else if got := outputs(t, executed); name != "not even executed" && (got != "[ValueError(no)]" || executed.Cells[0].Name != "ValueError" || executed.Cells[0].Value != "no") {
			t.Errorf("%s: the outputs are %s, the exception is %s", name, got, executed.Cells[0].Name)
		}
		if executed.Cells[0].State != test.state || executed.Ending != test.ending {
			t.Errorf("%s: %s: %s", name, executed.Cells[0].State, executed.Ending)
		}
	}
}

func TestProgressAndMemory(t *testing.T) {
	t.Parallel()
	var progress []string
	peak := int64(0)
	s := newScripted(t, func(k *kernel, _ int) { k.ends() })
	executed := s.execute(t.Context(), code("a", " \n", "c"), executor.Options{
		Progress: func(cell, of int) { progress = append(progress, fmt.Sprintf("%d/%d", cell, of)) },
		MemoryPeak: func() int64 {
			peak++
			return 100 - peak // the group of a server that ended has none
		},
	})
	if !slices.Equal(progress, []string{"1/2", "2/2"}) || executed.MemoryPeak != 99 {
		t.Errorf("%v, %d bytes", progress, executed.MemoryPeak)
	}
	if len(executed.Cells) != 2 || executed.Cells[1].Index != 2 || executed.Cells[0].Took <= 0 || executed.Took < executed.Cells[0].Took {
		t.Errorf("%+v took %s", executed.Cells, executed.Took)
	}
	if got := outputs(t, executed); got != "[][][]" {
		t.Errorf("The outputs are %s", got)
	}
}

// A cancel in the moment in which a cell is sent doesn't cut the connection: the cell is interrupted, and says where it was.
func TestACancelWhileACellIsSent(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newScripted(t, func(k *kernel, _ int) {
		k.ends()
		_, reader, err := k.socket.Reader(t.Context()) // the next cell begins to arrive
		if err != nil {
			t.Error(err)
			return
		}
		cancel()
		var asked struct {
			Header struct {
				ID string `json:"msg_id"`
			}
		}
		if err := json.NewDecoder(reader).Decode(&asked); err != nil {
			t.Errorf("the rest of the cell: %v", err)
			return
		}
		k.asked = append(k.asked, asked.Header.ID)
		k.begins()
	})
	s.interrupted = func(k *kernel) { raises(k, "KeyboardInterrupt", "") }
	long := strings.Repeat("\x01", 1<<20) // six times as long in JSON: more than lies between two programs
	executed := s.execute(ctx, code("a", long, "c"), executor.Options{Grace: time.Minute})
	if executed.Ending != executor.Canceled || states(executed) != "ran failed not-run" || outputs(t, executed) != "[][KeyboardInterrupt()][]" {
		t.Errorf("%s: %s: %s", executed.Ending, states(executed), outputs(t, executed))
	}
}
