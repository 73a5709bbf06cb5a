package catalog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/report"
	"cairn/bench/rivals"
)

// rivalFigures are about one alternative.
type rivalFigures struct {
	name    string
	built   time.Duration // 0 when an earlier run did
	size    int64
	classes map[corpus.Class]rivals.Figures
	like    rivals.Figures // SQLite: parts of names without trigrams
}

// limits keep classes that take seconds from taking the night.
func (b *bench) limits() rivals.Limits {
	return rivals.Limits{Count: 500, Time: b.time, One: 6 * b.time}
}

// compare measures the alternatives one after the other, when the server is gone.
func (b *bench) compare(ctx context.Context) error {
	known := map[string]func(context.Context) error{"sqlite": b.compareSQLite, "postgres": b.comparePostgres}
	for name := range strings.SplitSeq(b.rivals, ",") {
		if name == "" {
			continue
		}
		if err := known[name](ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) compareSQLite(ctx context.Context) (err error) {
	path := filepath.Join(b.cache, "fts5-"+rivals.SQLiteDigest()+".db")
	figures := &b.found.sqlite
	if _, err := os.Stat(path); err != nil {
		b.say("Building the tables of SQLite FTS5")
		began := time.Now()
		if err := rivals.BuildSQLite(ctx, path, b.entries); err != nil {
			return err
		}
		figures.built = time.Since(began)
		b.say("Built in %s", report.Seconds(figures.built))
	}
	rival, err := rivals.OpenSQLite(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rival.Close()) }()
	version, err := rival.Version(ctx)
	if err != nil {
		return err
	}
	figures.name = "SQLite " + version + " (modernc.org/sqlite " + report.Module("modernc.org/sqlite") + ")"
	if figures.size, err = rival.Size(ctx); err != nil {
		return err
	}
	if err := b.rivalClasses(ctx, "SQLite FTS5", rival, figures); err != nil {
		return err
	}
	rival.Like = true
	figures.like, err = rivals.Measure(ctx, rival, b.entries.Queries(corpus.Substring, classQueries), b.limits())
	b.say("SQLite LIKE  %-18s  %s", corpus.Substring, figuresText(figures.like.Result))
	return err
}

func (b *bench) rivalClasses(ctx context.Context, name string, rival rivals.Rival, figures *rivalFigures) error {
	figures.classes = map[corpus.Class]rivals.Figures{}
	for _, one := range corpus.Classes {
		measured, err := rivals.Measure(ctx, rival, b.entries.Queries(one.Class, classQueries), b.limits())
		if err != nil {
			return fmt.Errorf("%s: %w", one.Class, err)
		}
		b.say("%-11s  %-18s  %s  (%d)", name, one.Class, figuresText(measured.Result), len(measured.Latencies))
		figures.classes[one.Class] = measured
	}
	return nil
}

// comparePostgres measures a server of its own, which is gone afterwards.
func (b *bench) comparePostgres(ctx context.Context) (err error) {
	figures := &b.found.postgres
	address, stop, err := startPostgres(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	rival, err := rivals.OpenPostgres(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rival.Close(context.WithoutCancel(ctx))) }()
	b.say("Building the tables of PostgreSQL")
	began := time.Now()
	if err := rival.Fill(ctx, b.entries); err != nil {
		return err
	}
	figures.built = time.Since(began)
	b.say("Built in %s", report.Seconds(figures.built))
	version, err := rival.Version(ctx)
	if err != nil {
		return err
	}
	figures.name = "PostgreSQL " + version
	if figures.size, err = rival.Size(ctx); err != nil {
		return err
	}
	return b.rivalClasses(ctx, "PostgreSQL", rival, figures)
}

// startPostgres starts a server that lives until stop, or until this process ends in whatever way: what keeps it is a
// pipe from here.
func startPostgres(ctx context.Context) (address string, stop func() error, err error) {
	command := exec.CommandContext(ctx, "scripts/with-postgres.sh", "sh", "-c", `echo "$CAIRN_TEST_POSTGRES"; cat >/dev/null`)
	command.Env = append(os.Environ(), "CAIRN_POSTGRES_PARENT=/tmp", "CAIRN_POSTGRES_OPTIONS="+rivals.PostgresOptions)
	command.Stderr = os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = time.Minute
	input, err := command.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(input.Close(), command.Wait()) }
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("it did not start: %w", err), stop())
	}
	return strings.TrimSpace(line), stop, nil
}
