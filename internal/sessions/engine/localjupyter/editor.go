package localjupyter

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"cairn/internal/foundation/fault"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/vscodeprogram"
	"cairn/internal/sessions/files/folders"

	"golang.org/x/crypto/ssh"
)

const (
	editorSocket = "vscode.sock"
	editorTime   = 90 * time.Second // until an editor listens
	shellTime    = 10 * time.Second // until the SSH server of a session that has begun does
	commandTime  = 30 * time.Second // for a command there, whose answers the session can forge
)

// HasEditor implements engine.EditorEngine.
func (e *Engine) HasEditor() bool {
	_, err := vscodeprogram.Find(e.options.VSCode)
	return e.options.VSCode != "" && err == nil
}

// Editor implements engine.EditorEngine.
func (e *Engine) Editor(ctx context.Context, id string) (engine.Target, error) {
	client, err := e.client(id)
	if err != nil {
		return engine.Target{}, err
	}
	target := engine.Target{URL: &editorAddress, Transport: client.editor}
	if client.hasEditor(ctx) == nil {
		return target, nil
	}
	starting := e.editors.DoChan(id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), editorTime+shellTime+commandTime) // others may wait for the same
		defer cancel()
		if client.dialEditor(ctx) != nil { // else it's on its way already, started by the server of before
			if err := e.startEditor(ctx, id); err != nil {
				return nil, err
			}
		}
		if err := retry(ctx, editorTime, func() error { return client.hasEditor(ctx) }); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "VS Code doesn't start in this session. See .vscode/server.log in its home.")
		}
		return nil, nil
	})
	select {
	case started := <-starting:
		return target, started.Err
	case <-ctx.Done(): // a browser that has left
		return target, context.Cause(ctx)
	}
}

// editorAddress stands for the VS Code of a session, which its transport reaches.
var editorAddress = url.URL{Scheme: "http", Host: "127.0.0.1"}

// hasEditor returns nil if the session's VS Code answers.
func (c *client) hasEditor(ctx context.Context) error {
	if err := c.dialEditor(ctx); err != nil {
		c.edits.Store(false)
		return err
	}
	if c.edits.Load() {
		return nil
	}
	err := vscodeprogram.CheckHealth(ctx, c.editor)
	if err == nil {
		c.edits.Store(true)
	}
	return err
}

func (c *client) dialEditor(ctx context.Context) error {
	connection, err := c.dialBeside(ctx, editorSocket)
	if err == nil {
		err = connection.Close()
	}
	return err
}

// startEditor starts the VS Code of a session.
func (e *Engine) startEditor(ctx context.Context, id string) error {
	program, err := vscodeprogram.Find(e.options.VSCode)
	if err != nil {
		return err
	}
	known := e.find(id)
	if known == nil {
		return engine.ErrNotRunning
	}
	known.mu.Lock()
	folder, runtime, opens := known.folder, known.runtime, known.record.Opens
	known.mu.Unlock()
	work, home := filepath.Join(folder, folders.Work), filepath.Join(folder, folders.Home)
	if e.sandbox.Level().Mounts() {
		work, home, runtime = "/session/work", "/session/home", "/session/run"
	}
	data := filepath.Join(home, ".vscode")
	command := program.Command(vscodeprogram.Settings{Socket: filepath.Join(runtime, editorSocket), Data: data, Folder: work, Name: "Cairn"})
	return e.startBeside(ctx, id, command, vscodeprogram.Environment(e.options.ExtensionGallery), opens)
}

// startBeside starts a code-server in the box of a running session, through its SSH server, after its files were put there. What
// answers may be the session's own code: it gets nothing that it may not have, within commandTime, and of its answers only the
// status is read.
func (e *Engine) startBeside(ctx context.Context, id string, command, environment []string, opens string) error {
	var client *ssh.Client
	err := retry(ctx, shellTime, func() error { // it starts with the session's server, and may still be on its way
		connection, err := e.dialShell(ctx, id)
		if err != nil {
			return err
		}
		if err := connection.SetDeadline(time.Now().Add(commandTime)); err != nil {
			return errors.Join(err, connection.Close())
		}
		way, channels, requests, err := ssh.NewClientConn(connection, "session", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()}) //nolint:gosec // see boxssh
		if err != nil {
			return errors.Join(fault.Wrap(err, fault.Unavailable, "The session's box isn't responding. Stop the session and start it again."), connection.Close())
		}
		client = ssh.NewClient(way, channels, requests)
		return nil
	})
	if err != nil {
		return err
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		return err
	}
	defer session.Close()
	packed, err := vscodeprogram.Archive(id, opens)
	if err != nil {
		return err
	}
	words := make([]string, 0, len(command)+len(environment)+1)
	for _, one := range append(append([]string{"env"}, environment...), command...) {
		words = append(words, quoted(one))
	}
	session.Stdin = bytes.NewReader(packed)
	// What a user has set stays.
	script := `cd && mkdir -p .vscode && cd .vscode && tar -xf - && { [ -e ` + vscodeprogram.UserSettings + ` ] || { mkdir -p User && printf %s ` +
		quoted(vscodeprogram.FirstUserSettings) + ` >` + vscodeprogram.UserSettings + `; }; } && { setsid ` + strings.Join(words, " ") + ` >server.log 2>&1 </dev/null & }`
	if err := session.Run(script); err != nil {
		return fault.Wrap(err, fault.Unavailable, "VS Code can't be prepared in this session. Its disk may be full.")
	}
	return nil
}

// quoted returns a text as a word for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// retry calls a function until it succeeds, and returns its last error when the time is over.
func retry(ctx context.Context, within time.Duration, call func() error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ticks := time.NewTicker(50 * time.Millisecond)
	defer ticks.Stop()
	for {
		err := call()
		if err == nil {
			return nil
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return err
		}
	}
}
