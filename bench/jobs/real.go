package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"cairn/bench/program"
	"cairn/bench/report"
)

// runJupyter looks at what a real Jupyter does: which limits of output it has in a session, and how fast it sends what its kernels print.
func (o options) runJupyter(ctx context.Context, with *report.Setup, found *figures) error {
	cairn := program.Program{
		Binary: with.Binary, Data: filepath.Join(with.Folder, "data"), Flags: []string{"--demo"},
		Config: program.Config(nil, "runs: {every: never}\nsessions: {jupyter: "+program.Jupyter+"}\n"),
	}
	err := cairn.Serve(ctx, func(who, _ program.Person) error {
		repository, err := who.Repository(ctx, program.Demo)
		if err != nil {
			return err
		}
		id, _, err := who.Open(ctx, repository)
		if err == nil {
			found.limits, err = limitsOf(id)
		}
		if id != "" {
			err = errors.Join(err, who.Delete(ctx, id))
		}
		return err
	})
	if err != nil {
		return err
	}
	for number, printer := range printers {
		folder := filepath.Join(with.Folder, fmt.Sprint("jupyter-", number))
		b, err := start(ctx, with.Binary, folder, func(socket string) []string {
			return append([]string{
				program.Jupyter, "--no-browser", "--allow-root", "--KernelManager.transport=ipc", "--NotebookApp.sock=" + socket,
				"--NotebookApp.base_url=" + basePath, "--NotebookApp.notebook_dir=" + folder,
			}, found.limits...)
		})
		if err != nil {
			return err
		}
		rate, err := o.measureJupyter(ctx, b, printer.python, printer.size)
		b.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", printer.name, err)
		}
		found.jupyter = append(found.jupyter, rate)
	}
	return nil
}

// measureJupyter returns how many MB/s a page gets from a kernel of a real Jupyter that prints without end, in messages with so many bytes
// of output, or in large ones.
func (o options) measureJupyter(ctx context.Context, b *box, code string, size int) (rate float64, err error) {
	kernel, connection, err := b.direct.Kernel(ctx)
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	if _, err := connection.Info(ctx); err != nil {
		return 0, err
	}
	connection.Close()
	p, err := open(ctx, b.direct, kernel)
	if err != nil {
		return 0, err
	}
	defer p.close()
	if err := p.begin(ctx, code); err != nil {
		return 0, err
	}
	began := time.Now()
	read, err := p.read(ctx, o.stream)
	if err == nil && read.ended {
		err = errors.New("the real Jupyter has hung up")
	}
	printed := float64(read.messages * size)
	if size == 0 {
		printed = float64(read.bytes) // the rest of a message hardly counts
	}
	return printed / 1e6 / time.Since(began).Seconds(), err
}

// limitsOf returns the arguments of a session's Jupyter that are about limits of output.
func limitsOf(session string) (limits []string, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended
		if !strings.Contains(string(text), session) {
			continue
		}
		if limits = limitsIn(string(text)); len(limits) > 0 {
			return limits, err
		}
	}
	return nil, errors.Join(err, errors.New("no process of the session has arguments about limits of output"))
}

// limitsIn returns those of a command, whose words end with a zero byte.
func limitsIn(command string) (limits []string) {
	for word := range strings.SplitSeq(command, "\x00") {
		if name, _, _ := strings.Cut(word, "="); strings.HasSuffix(name, "rate_limit") || strings.HasSuffix(name, "limit_rate") {
			limits = append(limits, word)
		}
	}
	return limits
}
