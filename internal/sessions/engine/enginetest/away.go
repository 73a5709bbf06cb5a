package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/jupyterapi"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// countingCode prints for about a second after its page has gone.
const countingCode = `import time
for at in range(100):
    print(at, flush=True)
    time.sleep(0.01)
"done"`

// KeepsOutputs checks that what a cell prints while no page is open is in its notebook afterwards, and what people see who look. The paths of the session's server begin
// with base.
func KeepsOutputs(t testing.TB, target engine.Target, base string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	const file = "away.ipynb"
	server := jupyterapi.Server(target, base)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cell := map[string]any{"cell_type": "code", "id": "one", "metadata": map[string]any{}, "source": countingCode, "outputs": []any{}, "execution_count": nil}
	book := map[string]any{"cells": []any{cell}, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5}
	check(server.Call(ctx, http.MethodPut, "api/contents/"+file, map[string]any{"type": "notebook", "format": "json", "content": book}, nil))
	kernel, err := server.Start(ctx, engine.Python.Name, file)
	check(err)
	tab, err := server.Dial(ctx, kernel.ID)
	check(err)
	_, err = tab.Info(ctx)
	check(err)
	asked, err := tab.Ask(ctx, "shell", "execute_request", map[string]any{"code": countingCode, "silent": false, "store_history": true})
	check(err)
	for begun := false; !begun; {
		message, err := tab.Read(ctx)
		check(err)
		begun = message.Type == "execute_input" && message.Parent == asked
	}
	tab.Close()
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	for {
		var model struct {
			Content struct {
				Cells []struct {
					Outputs []struct {
						Text json.RawMessage
						Data map[string]json.RawMessage
					}
				}
			}
		}
		check(server.Call(ctx, http.MethodGet, "api/contents/"+file, nil, &model))
		outputs := model.Content.Cells[0].Outputs
		if len(outputs) == 2 {
			var text string
			check(json.Unmarshal(outputs[0].Text, &text))
			if lines := strings.Fields(text); len(lines) != 100 || lines[0] != "0" || lines[99] != "99" || string(outputs[1].Data["text/plain"]) != `"'done'"` {
				t.Errorf("the notebook has %q and %s", text, outputs[1].Data)
			}
			finishesNotebook(ctx, t, server, file)
			showsNotebook(ctx, t, server)
			check(server.End(ctx, file))
			return
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			t.Fatalf("the notebook has %+v", outputs)
		}
	}
}

// finishesNotebook checks that a session executes the rest of a notebook whose first cell has been executed, once each cell.
func finishesNotebook(ctx context.Context, t testing.TB, server jupyterkernel.Server, file string) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	cells := []any{}
	for at, code := range []string{countingCode, "counted = 1", "counted += 1\nprint(counted)", "1/0", "never = 1"} {
		cells = append(cells, map[string]any{"cell_type": "code", "id": fmt.Sprint("cell-", at), "metadata": map[string]any{}, "source": code, "outputs": []any{}, "execution_count": nil})
	}
	book := map[string]any{"cells": cells, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5}
	check(server.Call(ctx, http.MethodPut, "api/contents/"+file, map[string]any{"type": "notebook", "format": "json", "content": book}, nil))
	asked := broker.FinishRequest{ID: "finish", File: file, Deadline: time.Now().Add(time.Hour)}
	check(server.Call(ctx, http.MethodPost, broker.FinishPath, asked, nil))
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	for {
		var states []broker.FinishState
		check(server.Call(ctx, http.MethodGet, broker.FinishPath, nil, &states))
		if len(states) != 1 {
			t.Fatalf("the session knows %+v", states)
		}
		if state := states[0]; !state.Running {
			if state.Code != broker.FinishFailed || state.Reason != "ZeroDivisionError: division by zero" || state.Done != 3 || state.Total != 5 || state.FailedAt == nil || *state.FailedAt != 3 {
				t.Errorf("it ends as %+v", state)
			}
			break
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			t.Fatalf("it is at %+v", states)
		}
	}
	var text struct{ Content string }
	check(server.Call(ctx, http.MethodGet, "api/contents/"+file+"?type=file&format=text", nil, &text))
	if !strings.Contains(text.Content, `"2\n"`) || !strings.Contains(text.Content, "ZeroDivisionError") {
		t.Errorf("the notebook is %s", text.Content)
	}
}
