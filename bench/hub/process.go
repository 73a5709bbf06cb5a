package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"cairn/internal/foundation/freeports"
)

// Where Debian has it, and what this repository has it do.
const (
	jupyterhub    = "/usr/bin/jupyterhub"
	configuration = "deploy/jupyterhub/jupyterhub_config.py"
)

// process is a JupyterHub.
type process struct {
	url, tokenFile string

	command *exec.Cmd
	log     *os.File
	ended   chan struct{} // closed then
}

// start starts a hub with everything below a folder, and waits until it answers.
func start(ctx context.Context, binary, folder string) (*process, error) {
	port, err := freeports.Find(ctx, 4)
	if err != nil {
		return nil, err
	}
	config, configErr := filepath.Abs(configuration)
	cairn, cairnErr := filepath.Abs(binary)
	state, root := filepath.Join(folder, "state"), filepath.Join(folder, "root")
	p := &process{url: fmt.Sprintf("http://127.0.0.1:%d", port), tokenFile: filepath.Join(folder, "token"), ended: make(chan struct{})}
	if err := errors.Join(configErr, cairnErr, os.MkdirAll(state, 0o755), os.MkdirAll(root, 0o755), // accounts of sessions pass through them
		os.WriteFile(p.tokenFile, []byte("the-token-of-the-benchmarks-service"), 0o600)); err != nil {
		return nil, err
	}
	if p.log, err = os.Create(filepath.Join(folder, "hub.log")); err != nil {
		return nil, err
	}
	p.command = exec.CommandContext(context.WithoutCancel(ctx), jupyterhub, "-f", config)
	p.command.Dir, p.command.Stdout, p.command.Stderr = state, p.log, p.log
	p.command.Env = []string{
		"PATH=/usr/bin:/bin", "HOME=" + folder, "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1", "CAIRN_HUB_TOKEN_FILE=" + p.tokenFile,
		"CONFIGPROXY_AUTH_TOKEN=the-token-of-the-proxy", "CAIRN_ROOT=" + root, "CAIRN_HUB_STATE=" + state, fmt.Sprintf("CAIRN_HUB_PORT=%d", port),
		"CAIRN_ALLOW=127.0.0.0/8", "CAIRN_PROGRAM=" + cairn,
	}
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // its log says why
	}()
	if err := awaitHub(ctx, p.url, p.hasEnded); err != nil {
		_ = p.stop()
		text, _ := os.ReadFile(p.log.Name())
		return nil, fmt.Errorf("%w\n%s", err, text[max(0, len(text)-2000):])
	}
	return p, nil
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// stop ends the hub, its proxy and its agent. Sessions would outlive it, so they are deleted before.
func (p *process) stop() error {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(time.Minute, func() { _ = p.command.Process.Kill() })
	defer kill.Stop()
	<-p.ended
	return p.log.Close()
}
