package jupyterkernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Kernels returns the names of the server's kernels by their languages, in order: of several for a language, the server's default is the
// first.
func (s Server) Kernels(ctx context.Context) (names map[string][]string, err error) {
	var found struct {
		Default string
		Kernels map[string]struct{ Spec struct{ Language string } } `json:"kernelspecs"`
	}
	if err := s.Call(ctx, http.MethodGet, "api/kernelspecs", nil, &found); err != nil {
		return nil, err
	}
	names = map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(found.Kernels)) {
		language := found.Kernels[name].Spec.Language
		if name == found.Default {
			names[language] = slices.Insert(names[language], 0, name)
		} else {
			names[language] = append(names[language], name)
		}
	}
	return names, nil
}

// Run has a kernel of its own run code, and returns what that prints. The kernel is started for a path that no file needs to have, and ends
// with the call. An exception of the code is an error.
func (s Server) Run(ctx context.Context, name, path, code string) (printed string, err error) {
	kernel, err := s.Start(ctx, name, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.End(context.WithoutCancel(ctx), path)) }()
	connection, err := s.Dial(ctx, kernel.ID)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	connection.Limit = answerLimit
	if _, err := connection.Info(ctx); err != nil { // it hears nothing before it has answered this
		return "", err
	}
	id, err := connection.Ask(ctx, "shell", "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": false, "allow_stdin": false, "stop_on_error": true, "user_expressions": map[string]any{},
	})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for {
		message, err := connection.Read(ctx)
		switch {
		case errors.Is(err, ErrMalformed):
			continue
		case err != nil:
			return "", err
		case message.Died():
			return "", ErrDied
		case message.Parent != id:
			continue
		case message.State() == "idle":
			return text.String(), nil
		}
		var said struct{ Name, Text, Ename, Evalue string }
		_ = json.Unmarshal(message.Content, &said)
		switch message.Type {
		case "stream":
			if said.Name == "stdout" && text.Len() < answerLimit {
				text.WriteString(said.Text)
			}
		case "error":
			return "", fmt.Errorf("%s: %s", said.Ename, said.Evalue)
		}
	}
}
