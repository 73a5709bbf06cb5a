package program

import (
	"context"
	"io"
	"os"
	"os/exec"
	"time"
)

// Postgres returns the superuser's address of a PostgreSQL server that is for benchmarks alone; "" without one.
func Postgres() string { return os.Getenv("CAIRN_TEST_POSTGRES") }

// WithPostgres runs a benchmark again in a process that has a PostgreSQL server.
func WithPostgres(ctx context.Context, benchmark string, arguments []string, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "scripts/with-postgres.sh", append([]string{self, benchmark}, arguments...)...)
	command.Stdout, command.Stderr = out, os.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 20 * time.Second
	return command.Run()
}
