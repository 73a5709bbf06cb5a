package enginetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/machine/broker"
	"cairn/internal/sessions/machine/jupyterkernel"
)

// waitingCode works until there is a file.
const waitingCode = `import os, time
print("begun", flush=True)
while not os.path.exists("look-on.txt"):
    time.sleep(0.01)
6 * 7`

// showsNotebook checks that people who look at a session see what a cell does as it does it, and before that is in the file.
func showsNotebook(ctx context.Context, t testing.TB, server jupyterkernel.Server) {
	t.Helper()
	const file = "looked at.ipynb"
	path := "api/contents/" + url.PathEscape(file)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	modified := func() string {
		t.Helper()
		var about struct {
			Modified string `json:"last_modified"`
		}
		check(server.Call(ctx, http.MethodGet, path+"?content=0", nil, &about))
		return about.Modified
	}
	book := map[string]any{"cells": []any{
		map[string]any{"cell_type": "markdown", "id": "title", "metadata": map[string]any{}, "source": "# Looked at"},
		map[string]any{"cell_type": "code", "id": "code", "metadata": map[string]any{}, "source": waitingCode, "outputs": []any{}, "execution_count": nil},
	}, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5}
	check(server.Call(ctx, http.MethodPut, path, map[string]any{"type": "notebook", "format": "json", "content": book}, nil))
	stored := modified()
	kernel, err := server.Start(ctx, engine.Python.Name, file)
	check(err)
	tab, err := server.Dial(ctx, kernel.ID)
	check(err)
	defer tab.Close()
	_, err = tab.Info(ctx)
	check(err)
	// While a page is open, the session leaves the file to it.
	page, _, err := websocket.Dial(ctx, server.URL+"api/kernels/"+kernel.ID+"/channels?session_id=page", &websocket.DialOptions{HTTPClient: server.Client, HTTPHeader: server.Header})
	check(err)
	defer func() { _ = page.CloseNow() }()
	go func() {
		for err := error(nil); err == nil; {
			_, _, err = page.Read(ctx)
		}
	}()
	_, err = tab.Ask(ctx, "shell", "execute_request", map[string]any{"code": waitingCode, "silent": false, "store_history": true})
	check(err)
	// until looks until the notebook shows something.
	until := func(asked, what string, there func(broker.Look) bool) (look broker.Look) {
		t.Helper()
		ticks := time.NewTicker(50 * time.Millisecond)
		defer ticks.Stop()
		for {
			look = broker.Look{}
			check(server.Call(ctx, http.MethodGet, broker.LookPath+"?notebook="+url.QueryEscape(asked), nil, &look))
			if look.Notebook != nil && look.Notebook.Path == file && len(look.Notebook.Cells) == 2 && there(look) {
				return look
			}
			select {
			case <-ticks.C:
			case <-ctx.Done():
				t.Fatalf("who looks doesn't see %s: %+v", what, look)
			}
		}
	}
	shows := func(state, text string) func(broker.Look) bool {
		return func(look broker.Look) bool {
			return look.Notebook.Cells[1].State == state && strings.Contains(fmt.Sprint(look.Notebook.Cells[1].Outputs), text)
		}
	}
	look := until("", "what runs", shows(broker.LookRunning, "begun"))
	if !look.Notebook.IsBusy || look.Notebooks[0].Path != file || !look.Notebooks[0].Busy || look.Notebook.Cells[0].Source != "# Looked at" {
		t.Errorf("while it runs: %+v", look)
	}
	if now := modified(); now != stored {
		t.Errorf("the file was saved at %s, and again at %s", stored, now)
	}
	check(server.Call(ctx, http.MethodPut, "api/contents/look-on.txt", map[string]any{"type": "file", "format": "text", "content": ""}, nil))
	until(file, "its end", shows(broker.LookOK, "42"))
	until("", "its file", func(look broker.Look) bool {
		for _, one := range look.Files {
			if one.Path == "look-on.txt" && !one.IsFolder {
				err := server.Call(ctx, http.MethodGet, broker.LookPath+"?have="+look.Revision, nil, nil)
				return jupyterkernel.StatusOf(err) == http.StatusNotModified
			}
		}
		return false
	})
	check(server.End(ctx, file))
}
