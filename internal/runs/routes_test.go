package runs

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"cairn/internal/foundation/httpapi"
)

// pieces is an answer that notes its largest piece.
type pieces struct {
	*httptest.ResponseRecorder

	largest int
}

func (p *pieces) Write(data []byte) (int, error) {
	p.largest = max(p.largest, len(data))
	return p.ResponseRecorder.Write(data)
}

// Whatever a run left is sent in pieces: its files may have 100 MiB, and those who download them needn't sign in.
func TestFilesOfRunsAreSentInPieces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.work(w.service)
		run := w.run("")
		api := httpapi.New(httpapi.Options{
			Authenticate: func(r *http.Request, _ bool) (context.Context, error) { return r.Context(), nil },
			SignedIn:     func(context.Context) bool { return false },
			Logger:       slog.New(slog.DiscardHandler),
		})
		w.service.Routes(api)
		get := func(name string) *pieces {
			answer := &pieces{ResponseRecorder: httptest.NewRecorder()}
			api.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(w.As(""), http.MethodGet, httpapi.Base+"/resources/public/"+run.ResourceID+"/runs/"+run.ID+"/"+name, nil))
			if answer.Code != http.StatusOK || answer.largest > 256<<10 {
				t.Errorf("%s is answered %d, in pieces of up to %d bytes", name, answer.Code, answer.largest)
			}
			return answer
		}
		large := map[string][]byte{}
		for part, name := range map[string]string{"notebook": executedName, "author": authorName, "log": logName, "comparison": comparisonName} {
			content := fmt.Appendf(nil, `{"metadata": {"kernelspec": {"display_name": "R of %s"}}, "cells": "%s"}`, part, bytes.Repeat([]byte(part), 1<<18))
			check(t, os.WriteFile(filepath.Join(w.options.Folder, run.ID, name), content, 0o600))
			if got := get(part); !bytes.Equal(got.Body.Bytes(), content) {
				t.Errorf("%s has %d bytes, not %d", part, got.Body.Len(), len(content))
			}
			large[name] = content
		}
		packed := get("crate.zip").Body.Bytes()
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		check(t, err)
		for _, one := range archive.File {
			file, err := one.Open()
			check(t, err)
			content, err := io.ReadAll(file)
			check(t, err)
			if want, kept := large[one.Name]; kept && !bytes.Equal(content, want) || !kept && !bytes.Contains(content, []byte("R of notebook")) {
				t.Errorf("%s has %d bytes in the crate", one.Name, len(content))
			}
		}
	})
}
