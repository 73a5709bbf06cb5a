package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// execution is that of one cell.
type execution struct {
	cell    *cell
	id      string // of the request
	begun   bool   // an interrupt before is lost
	times   map[string]string
	replied bool
	idle    bool
	reply   reply
}

// iopubLimitCode makes a kernel of IPython keep 100,000 messages for a server that is slow. By default it silently drops what comes
// after 1,000; other kernels are taken as they are. It leaves no name and no number behind.
const iopubLimitCode = `try: get_ipython().kernel.iopub_thread.schedule(lambda: get_ipython().kernel.iopub_thread.socket.set_hwm(100_000))
except Exception: pass`

// raiseIOPubLimit returns when the kernel has raised its limit.
func (r *run) raiseIOPubLimit(ctx context.Context) error {
	ctx, cancel := within(ctx, r.options.StartTimeout, stopped(KernelSilent, "The kernel didn't answer within %s.", humanize.Duration(r.options.StartTimeout)))
	defer cancel()
	x := &execution{cell: &cell{source: iopubLimitCode}, times: map[string]string{}}
	if err := r.send(ctx, x, true); err != nil {
		return err
	}
	return r.collect(ctx, x, false)
}

// send sends a cell to the kernel. Silent cells get no execution count and report no events.
func (r *run) send(ctx context.Context, x *execution, silent bool) (err error) {
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.options.Grace) // an end of ctx would close the connection
	defer cancel()
	x.id, err = r.connection.Ask(sending, "shell", "execute_request", map[string]any{
		"code": x.cell.source, "silent": silent, "store_history": !silent, "user_expressions": map[string]any{}, "allow_stdin": false,
		"stop_on_error": false, // nothing waits behind a cell; after an error the kernel would for a moment drop the next one
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return r.lost()
	}
	return nil
}

// reply is what the kernel says of a cell that has ended.
type reply struct {
	Status string
	Name   string `json:"ename"`
	Value  string `json:"evalue"`
}

// execute executes a cell. Its error says that the run ends there.
func (r *run) execute(ctx context.Context, at int) error {
	cell, record := r.book.code[at], &r.result.Cells[at]
	if cell.skip {
		record.State = Skipped
		return nil
	}
	r.options.Progress(at+1, len(r.book.code))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	began := time.Now()
	x := &execution{cell: cell, times: map[string]string{}}
	err := r.executeWithin(ctx, x, at)
	record.Took, record.State = time.Since(began), Ran
	record.Name, record.Value = x.reply.Name, cutText(x.reply.Value, 4<<10)
	r.result.MemoryPeak = max(r.result.MemoryPeak, r.options.MemoryPeak())
	times, wrong := json.Marshal(x.times)
	cell.metadata["execution"] = times
	allowed := x.reply.Status == "error" && (cell.mayRaise || r.book.allowErrors)
	if err == nil && x.reply.Status != "ok" && !allowed {
		err = x.raised(at, len(r.book.code))
	}
	if err != nil {
		record.State = Failed
	}
	return errors.Join(err, wrong)
}

// executeWithin sends a cell to the kernel, and returns when it has ended. One that has to end early is interrupted, and
// has a while to say where it was.
func (r *run) executeWithin(ctx context.Context, x *execution, at int) error {
	if err := r.send(ctx, x, false); err != nil {
		return err
	}
	limit := r.options.CellTimeout
	executing, cancel := within(ctx, limit, stopped(TimedOut, "Cell %d of %d took longer than %s.", at+1, len(r.book.code), humanize.Duration(limit)))
	defer cancel()
	err := r.collect(executing, x, false)
	if why, _ := errors.AsType[stop](err); err == nil || why.ending == KernelDied || why.ending == KernelSilent || why.ending == ServerLost {
		return err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.options.Grace)
	defer cancel()
	if x.begun {
		_ = r.server.Interrupt(ending, r.kernel)
	}
	_ = r.collect(ending, x, true)
	return err
}

// collect takes what the kernel says about a cell until it has replied and is idle: the two come over different channels,
// either first. When the run is ending, the cell is interrupted as soon as it has begun and again while it is silent, since
// code can miss an interrupt; and only its end matters.
func (r *run) collect(ctx context.Context, x *execution, ending bool) error {
	for !x.replied || !x.idle {
		silence := time.Duration(0)
		switch {
		case x.replied: // a busy machine takes a while to pass on what it printed
			silence = 3 * r.options.Grace
		case x.idle:
			silence = r.options.Grace
		case ending:
			silence = r.options.Grace / 5
		}
		message, err := r.next(ctx, silence)
		if errors.Is(err, errSilent) {
			switch {
			case x.replied:
				return nil
			case x.idle:
				return stopped(Unintelligible, "The kernel is done with a cell, but didn't say how it ended.")
			}
			_ = r.server.Interrupt(ctx, r.kernel)
			continue
		}
		if err != nil {
			return err
		}
		if message.Parent != x.id {
			continue // of a cell before, or of nobody's
		}
		hadBegun := x.begun
		err = r.take(x, message)
		if ending && x.begun && !hadBegun {
			_ = r.server.Interrupt(ctx, r.kernel)
		}
		if errors.Is(err, jupyterkernel.ErrMalformed) {
			err = r.malformed()
		}
		if err != nil && !ending {
			return err
		}
	}
	return nil
}

// take changes the cell as a message says.
func (r *run) take(x *execution, message jupyterkernel.Message) error {
	switch {
	case message.Type == "execute_reply" && (message.Channel == "shell" || message.Cut): // code can send others over iopub
		x.note("shell.execute_reply", message)
		x.replied = true
		if json.Unmarshal(message.Content, &x.reply) != nil || x.reply.Status == "" {
			return stopped(Unintelligible, "The kernel's reply to a cell can't be read.")
		}
		return x.number(message)
	case message.Cut:
		x.cell.cut = true
		return nil
	}
	switch message.Type {
	case "execute_input":
		x.begun = true
		x.note("iopub.execute_input", message)
		return x.number(message)
	case "status":
		state := message.State()
		x.idle = x.idle || state == "idle"
		if state == "idle" || state == "busy" {
			x.note("iopub.status."+state, message)
		}
	case "stream", "display_data", "execute_result", "error", "update_display_data", "clear_output":
		return r.outputs.apply(x.cell, message)
	case "input_request":
		return asksForInput
	}
	return nil
}

var asksForInput = stopped(AskedForInput, "A cell waits for somebody to type something, and nobody is there.")

// note records when the kernel sent a message, as nbclient does.
func (x *execution) note(what string, message jupyterkernel.Message) {
	at := message.Date
	if at.IsZero() {
		at = time.Now()
	}
	x.times[what] = at.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// number takes over the number of the execution.
func (x *execution) number(message jupyterkernel.Message) error {
	var said struct {
		Count *int `json:"execution_count"`
	}
	if err := json.Unmarshal(message.Content, &said); err != nil {
		return fmt.Errorf("%w: %w", jupyterkernel.ErrMalformed, err)
	}
	if said.Count != nil && *said.Count >= 0 {
		x.cell.count = fmt.Append(nil, *said.Count)
	}
	return nil
}

// raised is the end of a run in a cell that didn't end well.
func (x *execution) raised(at, of int) error {
	if x.reply.Name == "StdinNotImplementedError" {
		return asksForInput
	}
	if x.reply.Status != "error" {
		return stopped(Raised, "Cell %d of %d wasn't executed by the kernel, which calls it %s.", at+1, of, fault.Quote(x.reply.Status))
	}
	sentence := fmt.Sprintf("Cell %d of %d stopped with %s", at+1, of, plain(x.reply.Name))
	if x.reply.Value != "" {
		sentence += ": " + plain(x.reply.Value)
	}
	return stopped(Raised, "%s.", sentence)
}

// plain returns the beginning of a text of the kernel's, on one line.
func plain(text string) string {
	quoted := fault.Quote(strings.Join(strings.Fields(text), " "))
	return quoted[1 : len(quoted)-1]
}
