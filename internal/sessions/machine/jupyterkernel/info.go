package jupyterkernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Info is what a kernel says about its language.
type Info struct {
	Name, Version string // of the language, such as "python" and "3.11.2"

	// Whole is the object that notebooks keep in their metadata as language_info.
	Whole json.RawMessage
}

// ErrDied says that a kernel's process ended on its own.
var ErrDied = errors.New("the kernel died")

// Info asks a kernel about itself on a fresh connection, and returns once it has answered and is idle: then everything that
// it says arrives.
func (c *Connection) Info(ctx context.Context) (Info, error) {
	asked, err := c.Ask(ctx, "shell", "kernel_info_request", map[string]any{})
	if err != nil {
		return Info{}, err
	}
	var info Info
	for answered, idle := false, false; !answered || !idle; {
		message, err := c.Read(ctx)
		switch {
		case errors.Is(err, ErrMalformed):
			continue
		case err != nil:
			return Info{}, err
		case message.Died():
			return Info{}, ErrDied
		case message.Parent != asked:
			continue
		case message.Type == "kernel_info_reply":
			answered = true
			if info, err = infoOf(message.Content); err != nil {
				return Info{}, err
			}
		}
		idle = idle || message.State() == "idle"
	}
	return info, nil
}

func infoOf(content json.RawMessage) (Info, error) {
	var reply struct {
		Language json.RawMessage `json:"language_info"`
	}
	if err := json.Unmarshal(content, &reply); err != nil {
		return Info{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	info := Info{Whole: reply.Language}
	if err := json.Unmarshal(reply.Language, &info); err != nil || info.Name == "" {
		return Info{}, fmt.Errorf("%w: the kernel doesn't say its language", ErrMalformed)
	}
	return info, nil
}
