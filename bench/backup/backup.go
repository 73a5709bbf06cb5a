// Package backup measures what a backup costs those who write meanwhile, how long a restore takes, and whether a restored
// installation has everything.
package backup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cairn/bench/corpus"
	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

// aim is how many times as long the slowest hundredth of writes may take while a backup is made.
const aim = 2

const workers = 32 // connections that write

type bench struct {
	*report.Setup

	cairn         program.Program
	entries, rate int
	length        time.Duration
	address       string // of the server
	token         string
	targets       []string // ids of entries

	quiet, during        []time.Duration
	backups              []time.Duration
	bytes, exported      int64
	restored             time.Duration
	afterStop, afterKill time.Duration // until the listeners of a restarted server are open
}

// Run writes stars at a steady rate, without and with backups one after the other, and compares the slowest hundredth. Then it
// restores a backup and compares the exports of both installations. Its error says that an aim was missed or rows differ.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	return report.Run(ctx, "backup", "bench/RESULTS.md", arguments, out, func(flags *flag.FlagSet) report.Measure {
		b := &bench{}
		flags.IntVar(&b.entries, "entries", 100_000, "how many the catalog has")
		flags.IntVar(&b.rate, "rate", 200, "writes each second")
		flags.DurationVar(&b.length, "time", 30*time.Second, "how long is measured without backups, and with some")
		return func(ctx context.Context, with *report.Setup) (report.Part, error) {
			b.Setup = with
			b.cairn = program.Program{Binary: with.Binary, Data: filepath.Join(with.Folder, "data")}
			for _, phase := range []func(context.Context) error{b.fill, b.beside, b.restart, b.compare} {
				if err := phase(ctx); err != nil {
					return report.Part{}, err
				}
			}
			return b.results(), nil
		}
	})
}

func (b *bench) fill(ctx context.Context) error {
	took, err := b.cairn.Import(ctx, func(file io.Writer) error { return corpus.New(corpus.Default(b.entries)).Write(ctx, file) })
	b.Say("Imported %s entries in %s", report.Whole(b.entries), report.Seconds(took))
	return err
}

// beside writes without backups, and with some.
func (b *bench) beside(ctx context.Context) (err error) {
	server, err := b.cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	who, err := b.cairn.Person(ctx, server, program.Account)
	if err != nil {
		return err
	}
	b.address, b.token = server.Address, who.Token()
	var page struct{ Content []struct{ ID string } }
	if err := who.Call(ctx, http.MethodGet, strings.TrimPrefix(program.AnySearch, program.API), nil, &page); err != nil {
		return err
	}
	for _, one := range page.Content {
		b.targets = append(b.targets, one.ID)
	}
	if _, err := b.write(ctx, 3*time.Second); err != nil { // warm
		return err
	}
	b.Say("Writing %d stars a second for %s", b.rate, b.length)
	if b.quiet, err = b.write(ctx, b.length); err != nil {
		return err
	}
	b.Say("Writing as many while backups are made")
	ending, end := context.WithCancel(ctx)
	var working sync.WaitGroup
	var failed error
	working.Go(func() {
		for folder := filepath.Join(b.Folder, "one"); ending.Err() == nil && failed == nil; {
			began := time.Now()
			_, failed = b.cairn.Output(ctx, "backup", folder)
			b.backups = append(b.backups, time.Since(began))
			failed = errors.Join(failed, os.RemoveAll(folder))
		}
	})
	b.during, err = b.write(ctx, b.length)
	end()
	working.Wait()
	return errors.Join(err, failed, who.Call(ctx, http.MethodPut, "/resources/"+b.targets[0]+"/star", nil, nil)) // a star that stays
}

// write stars and unstars entries at the rate, whether the last call was answered or not, as people do. A time is from when a
// call was due.
func (b *bench) write(ctx context.Context, length time.Duration) (times []time.Duration, err error) {
	ending, end := context.WithTimeout(ctx, length)
	defer end()
	var mu sync.Mutex
	connections, made := make([]*load.Connection, workers), make([]int, workers)
	for worker := range connections {
		connections[worker] = load.NewConnection(b.address)
		defer connections[worker].Close()
	}
	load.Every(ending, float64(b.rate), workers, func(worker int, due time.Time) {
		method, target := []string{http.MethodPut, http.MethodDelete}[made[worker]%2], b.targets[(worker+made[worker]*workers)%len(b.targets)]
		made[worker]++
		status, body, failed := connections[worker].Do(ctx, load.Encode(method, b.address, program.API+"/resources/"+target+"/star", b.token))
		if failed == nil && status != http.StatusOK {
			failed = fmt.Errorf("%s of a star was answered %d: %.300s", method, status, body)
		}
		mu.Lock()
		defer mu.Unlock()
		times, err = append(times, time.Since(due)), errors.Join(err, failed)
	})
	return times, err
}

// restart measures how soon a server listens after an orderly end and after kill -9.
func (b *bench) restart(ctx context.Context) error {
	server, err := b.cairn.Start(ctx, program.AnySearch)
	if err != nil {
		return err
	}
	b.afterStop = server.Listened
	if err := server.Kill(); err != nil {
		return err
	}
	if server, err = b.cairn.Start(ctx, program.AnySearch); err != nil {
		return err
	}
	b.afterKill = server.Listened
	return server.Stop()
}

// compare restores a backup and compares what both installations export.
func (b *bench) compare(ctx context.Context) error {
	folder := filepath.Join(b.Folder, "backup")
	_, err := b.cairn.Output(ctx, "backup", folder)
	if err != nil {
		return err
	}
	if b.bytes, err = report.SizeOf(folder); err != nil {
		return err
	}
	first, err := b.cairn.Output(ctx, "export", "-")
	if err != nil {
		return err
	}
	var second string
	b.restored, second, err = b.cairn.Restored(ctx, folder, filepath.Join(b.Folder, "restored"))
	b.exported = int64(len(first))
	switch {
	case err != nil:
		return err
	case first != second:
		return errors.New("the restored installation exports something else")
	case !strings.Contains(first, `{"kind":"star"`):
		return errors.New("the export has no stars")
	}
	return nil
}

func (b *bench) results() report.Part {
	table := report.Table{Columns: []string{"writes", "answers", "p50 ms", "p99 ms", "longest ms"}}
	table.Add(append([]string{"without a backup", report.Whole(len(b.quiet))}, report.Quantiles(b.quiet, 0.5, 0.99, 1)...)...)
	table.Add(append([]string{"while backups are made", report.Whole(len(b.during))}, report.Quantiles(b.during, 0.5, 0.99, 1)...)...)
	size, _ := report.SizeOf(filepath.Join(b.cairn.Data, "cairn.db"))
	return report.Part{
		Name: "backup", Title: "What a backup costs",
		About: []string{fmt.Sprintf("%s entries on SQLite, %d stars written each second by requests that begin when they are due, for %s without backups and for as long while one is made after the other",
			report.Whole(b.entries), b.rate, b.length)},
		Aims: []report.Aim{{
			Text: fmt.Sprintf("p99 of %d writes a second during a backup, times that without", b.rate), Limit: aim,
			Measured: float64(report.Quantile(b.during, 0.99)) / float64(report.Quantile(b.quiet, 0.99)),
		}},
		Text: fmt.Sprintf(`%s
%d backups were made meanwhile, in %s each (median). One is %s in plain files; restoring it took %s. The restored installation
exported the same %s, byte by byte.

A server with this database of %s listened %s ms after its start when the last one had stopped, and %s ms after when that was
killed: the whole file is checked then.`, table.String(), len(b.backups), report.Seconds(report.Quantile(b.backups, 0.5)), report.Mebibytes(b.bytes),
			report.Seconds(b.restored), report.Mebibytes(b.exported), report.Mebibytes(size), report.Milliseconds(b.afterStop), report.Milliseconds(b.afterKill)),
	}
}
