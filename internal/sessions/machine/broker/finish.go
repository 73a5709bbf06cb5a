package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"cairn/internal/sessions/machine/jupyterkernel"
)

// FinishRequest asks for the rest of a notebook to be executed in its kernel.
type FinishRequest struct {
	ID       string    `json:"id"` // unique; a request that is made twice is carried out once
	File     string    `json:"file"`
	From     *Place    `json:"from,omitempty"`   // the first cell; nil: the next with code after the last one that has begun
	Digest   string    `json:"digest,omitempty"` // SHA-256 of the file in hexadecimal; "": whatever it is
	Deadline time.Time `json:"deadline"`
}

// FinishState is what is known of a request.
type FinishState struct {
	ID       string    `json:"id"`
	File     string    `json:"file"`
	Running  bool      `json:"running"`
	Code     string    `json:"code,omitempty"`   // how it ended: "" when every cell was executed, or one of the FinishCodes
	Reason   string    `json:"reason,omitempty"` // in words, of the kernel where that has some
	Total    int       `json:"total"`            // cells with code
	Done     int       `json:"done"`
	At       *int      `json:"at,omitempty"`       // the index of the cell that runs
	FailedAt *int      `json:"failedAt,omitempty"` // the index of the cell that failed
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended,omitzero"`
	Beside   string    `json:"beside,omitempty"` // the file that has the outputs, because others have changed the notebook

	ProcessorSeconds float64 `json:"processorSeconds,omitempty"` // that the session has used since it began
}

// The codes of FinishState.
const (
	FinishFailed   = "cell_failed"
	FinishInput    = "asked_for_input"
	FinishLost     = "kernel_died"
	FinishDeadline = "deadline"
	FinishCanceled = "canceled"
	FinishUnsaved  = "not_saved"
)

// The reasons for which a request is refused.
var (
	ErrBusy     = errors.New("this file is being executed already")
	ErrChanged  = errors.New("the file has changed")
	ErrNoKernel = errors.New("the notebook has no kernel")
	ErrNoFile   = errors.New("there is no such notebook")
	ErrNoCell   = errors.New("the notebook has no such cell, or nothing to execute from there on")
)

// finish is the execution of the rest of a notebook.
type finish struct {
	kernel *kernel
	cells  []step
	cancel context.CancelCauseFunc
	used   time.Duration // by the session before it began
	state  FinishState   // protected by the broker's mu
}

// step is one cell that is executed.
type step struct {
	place    Place
	code     string
	mayRaise bool
}

// why is the cause of the end of a finish.
type why struct{ code, reason string }

func (w why) Error() string { return w.code + ": " + w.reason }

// finishSession is the name that these requests have as a page.
const finishSession = jupyterkernel.SessionPrefix + "finish"

// Finish begins to execute the rest of a notebook, which goes on without a page.
func (b *Broker) Finish(ctx context.Context, asked FinishRequest) (FinishState, error) {
	b.mu.Lock()
	for _, known := range b.finishes {
		if known.state.ID == asked.ID {
			defer b.mu.Unlock()
			return known.state, nil
		}
	}
	b.mu.Unlock()
	k, err := b.kernelOf(ctx, asked.File)
	if err != nil {
		return FinishState{}, err
	}
	steps, total, before, err := b.rest(ctx, k, asked)
	if err != nil {
		return FinishState{}, err
	}
	if err := k.connect(ctx); err != nil {
		return FinishState{}, err
	}
	k.mu.Lock()
	writes := k.writes
	k.mu.Unlock()
	k.noteFile(ctx, writes)
	running, cancel := context.WithCancelCause(b.ctx)
	made := &finish{kernel: k, cells: steps, cancel: cancel, used: b.used(), state: FinishState{
		ID: asked.ID, File: asked.File, Running: true, Total: total, Done: before, Began: b.now(),
	}}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, known := range b.finishes {
		switch {
		case known.state.ID == asked.ID: // asked for twice at once
			cancel(nil)
			return known.state, nil
		case known.state.Running && known.state.File == asked.File:
			cancel(nil)
			return FinishState{}, ErrBusy
		}
	}
	b.finishes = append(slices.DeleteFunc(b.finishes, func(one *finish) bool { return !one.state.Running && len(b.finishes) >= finishesKept }), made)
	begun := b.begin(func() {
		within, stop := context.WithDeadlineCause(running, asked.Deadline, why{FinishDeadline, ""})
		defer cancel(nil)
		defer stop()
		made.end(b, made.run(within, b))
	})
	if !begun {
		cancel(nil)
		return FinishState{}, errClosing
	}
	return made.state, nil
}

// finishesKept is how many that have ended are remembered.
const finishesKept = 20

// Finishes returns what is known of the requests, the oldest first.
func (b *Broker) Finishes() []FinishState {
	b.mu.Lock()
	defer b.mu.Unlock()
	states := make([]FinishState, 0, len(b.finishes))
	for _, one := range b.finishes {
		states = append(states, one.state)
	}
	return states
}

// CancelFinish ends a request; its kernel is interrupted.
func (b *Broker) CancelFinish(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range b.finishes {
		if one.state.ID == id {
			one.cancel(why{FinishCanceled, ""})
		}
	}
}

// kernelOf returns the kernel of a notebook.
func (b *Broker) kernelOf(ctx context.Context, file string) (*kernel, error) {
	var open []struct {
		Path   string
		Kernel struct{ ID string }
	}
	if err := b.server.Call(ctx, http.MethodGet, "api/sessions", nil, &open); err != nil {
		return nil, err
	}
	for _, one := range open {
		if one.Path == file && one.Kernel.ID != "" {
			return b.kernel(one.Kernel.ID), nil
		}
	}
	return nil, ErrNoKernel
}

// rest reads the cells of a notebook that are to be executed. It returns how many have code in all, and how many of them are before.
func (b *Broker) rest(ctx context.Context, k *kernel, asked FinishRequest) (steps []step, total, before int, err error) {
	var text struct{ Content string }
	err = b.files.Call(ctx, http.MethodGet, contentsPath(asked.File)+"?type=file&format=text&content=1", nil, &text)
	switch {
	case jupyterkernel.StatusOf(err) == http.StatusNotFound:
		return nil, 0, 0, ErrNoFile
	case err != nil:
		return nil, 0, 0, err
	}
	if digest := sha256.Sum256([]byte(text.Content)); asked.Digest != "" && !strings.EqualFold(asked.Digest, hex.EncodeToString(digest[:])) {
		return nil, 0, 0, ErrChanged
	}
	var book struct {
		Cells []struct {
			Kind     string `json:"cell_type"`
			ID       string
			Source   any
			Metadata struct{ Tags []string }
		}
	}
	if err := json.Unmarshal([]byte(text.Content), &book); err != nil {
		return nil, 0, 0, fmt.Errorf("%w: %w", ErrNoFile, err)
	}
	var all []step
	for index, one := range book.Cells {
		code := textOf(one.Source)
		if one.Kind != "code" || strings.TrimSpace(code) == "" || slices.Contains(one.Metadata.Tags, "skip-execution") {
			continue
		}
		all = append(all, step{Place{one.ID, index}, code, slices.Contains(one.Metadata.Tags, "raises-exception")})
	}
	if before = k.first(all, asked.From); before < 0 || before >= len(all) {
		return nil, 0, 0, ErrNoCell
	}
	return all[before:], len(all), before, nil
}

// first returns the index of the step with which the rest begins; -1 if there is none.
func (k *kernel) first(all []step, from *Place) int {
	switch {
	case from != nil && from.ID != "":
		return slices.IndexFunc(all, func(one step) bool { return one.place.ID == from.ID })
	case from != nil:
		return slices.IndexFunc(all, func(one step) bool { return one.place.Index >= from.Index })
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	last := k.latest
	if last == nil {
		return 0
	}
	index := -1
	for at, one := range all {
		if last.place != nil && last.place.ID != "" && last.place.ID == one.place.ID {
			return at + 1
		}
		if one.code == last.code && (index < 0 || last.place != nil && distance(one.place.Index, last.place.Index) < distance(all[index].place.Index, last.place.Index)) {
			index = at
		}
	}
	return index + 1
}

// run executes the cells one after the other. After each, its outputs are in the file.
func (f *finish) run(ctx context.Context, b *Broker) error {
	for number, one := range f.cells {
		f.note(b, func(state *FinishState) { state.At = &one.place.Index })
		if err := f.execute(ctx, b, number, one); err != nil {
			return err
		}
		f.note(b, func(state *FinishState) { state.Done++ })
	}
	return nil
}

func (f *finish) execute(ctx context.Context, b *Broker, number int, one step) error {
	k := f.kernel
	x := &execution{id: fmt.Sprintf("%s-%d", f.state.ID, number), code: one.code, place: &one.place, changed: make(chan struct{}, 1)}
	k.mu.Lock()
	k.add(x)
	k.mu.Unlock()
	if err := k.sendOn(ctx, x.request()); err != nil {
		return why{FinishLost, "The kernel can't be reached."}
	}
	wrong := f.await(ctx, x)
	saving, stop := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer stop()
	if err := k.save(saving); err != nil && wrong == nil {
		wrong = why{FinishUnsaved, "The outputs couldn't be written into the file."}
	}
	f.note(b, func(state *FinishState) { state.Beside = k.beside() })
	if failed, ok := errors.AsType[why](wrong); ok && failed.code == FinishFailed && one.mayRaise {
		return nil
	}
	return wrong
}

// await waits until an execution has ended well. If it can't, the kernel is interrupted.
func (f *finish) await(ctx context.Context, x *execution) error {
	for {
		f.kernel.mu.Lock()
		done, waits, status, reason := x.done(), x.waits != nil, x.status, x.failure()
		f.kernel.mu.Unlock()
		switch {
		case done && status == "ok":
			return nil
		case done && status == "lost":
			return why{FinishLost, "The kernel ended."}
		case done && strings.HasPrefix(reason, noInput): // so ipykernel refuses, which is told that nobody can answer; others wait
			return why{FinishInput, waitsForInput}
		case done:
			return why{FinishFailed, reason}
		case waits:
			f.interrupt(x)
			return why{FinishInput, waitsForInput}
		}
		select {
		case <-x.changed:
		case <-time.After(checkEvery): // code can delete kernels, too
			f.kernel.broker.Check(ctx)
		case <-ctx.Done():
			f.interrupt(x)
			return context.Cause(ctx)
		}
	}
}

// waitsForInput is what is said of a cell that asks for input.
const waitsForInput = "A cell waits for somebody to type something."

// noInput is the name of the exception of ipykernel for input() where nobody can answer.
const noInput = "StdinNotImplementedError"

const (
	saveTime   = 30 * time.Second // for the outputs of one cell
	checkEvery = 10 * time.Second // that the kernel is still there
)

// interruptTime is how long an interrupted cell has to say where it was.
const interruptTime = 10 * time.Second

// interrupt interrupts the kernel, and waits a while for the end of an execution. The kernel's first cells may still be another page's.
func (f *finish) interrupt(x *execution) {
	ctx, cancel := context.WithTimeout(f.kernel.broker.ctx, interruptTime)
	defer cancel()
	_ = f.kernel.broker.server.Interrupt(ctx, jupyterkernel.Kernel{ID: f.kernel.id})
	for {
		f.kernel.mu.Lock()
		done := x.done()
		f.kernel.mu.Unlock()
		if done {
			return
		}
		select {
		case <-x.changed:
		case <-ctx.Done():
			return
		}
	}
}

func (f *finish) note(b *Broker, change func(*FinishState)) {
	used := b.used()
	b.mu.Lock()
	defer b.mu.Unlock()
	f.state.ProcessorSeconds = max(0, (used - f.used).Seconds())
	change(&f.state)
}

// end records how it ended.
func (f *finish) end(b *Broker, err error) {
	f.kernel.mu.Lock()
	if !f.kernel.isWatched() {
		f.kernel.leaveLater()
	}
	f.kernel.mu.Unlock()
	f.note(b, func(state *FinishState) {
		state.Running, state.Ended = false, b.now()
		if err == nil {
			state.At = nil
			return
		}
		state.Code, state.Reason = FinishLost, err.Error()
		if known, ok := errors.AsType[why](err); ok {
			state.Code, state.Reason = known.code, known.reason
		}
		state.FailedAt, state.At = state.At, nil
	})
}

// request is the message that asks for an execution.
func (x *execution) request() *message {
	m := &message{Channel: "shell", header: header{ID: x.id, Type: "execute_request", Session: finishSession}}
	m.Header, _ = json.Marshal(map[string]string{ // maps of texts always can be
		"msg_id": x.id, "msg_type": m.header.Type, "session": finishSession, "username": "", "version": "5.3", "date": time.Now().UTC().Format(time.RFC3339Nano),
	})
	m.Content, _ = json.Marshal(map[string]any{
		"code": x.code, "silent": false, "store_history": true, "user_expressions": map[string]any{}, "allow_stdin": false, "stop_on_error": true,
	})
	m.fill()
	return m
}

// failure says in words how a cell failed.
func (x *execution) failure() string {
	for _, one := range slices.Backward(x.cell.outputs) {
		if one.kind == "error" {
			name, _ := one.fields["ename"].(string)
			value, _ := one.fields["evalue"].(string)
			return beginning(strings.TrimSuffix(name+": "+value, ": "), 300)
		}
	}
	return "The kernel didn't execute it."
}

// beside returns the copy that has the outputs; "" if the notebook itself has.
func (k *kernel) beside() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.notebook.beside
}
