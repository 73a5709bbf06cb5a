// Package backup measures what a backup costs those who write meanwhile, how long a restore takes, and whether a restored
// installation has everything.
package backup

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
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

type bench struct {
	folder string
	out    io.Writer

	entries, rate int
	length        time.Duration
	binary        string

	quiet, during          load.Result
	backups, restores      []time.Duration
	bytes                  int64
	afterStop, afterKill   time.Duration // until the listeners of a restarted server are open
	exported, databaseSize int64
}

// Run writes stars at a steady rate, without and with backups one after the other, and compares the slowest hundredth. Then it
// restores a backup and compares the exports of both installations. Its error says that an aim was missed or rows differ.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	flags.SetOutput(out)
	b := &bench{out: out}
	flags.StringVar(&b.binary, "binary", "bin/cairn", "the program to measure")
	flags.IntVar(&b.entries, "entries", 100_000, "how many the catalog has")
	flags.IntVar(&b.rate, "rate", 200, "writes each second")
	flags.DurationVar(&b.length, "time", 30*time.Second, "how long is measured without backups, and with some")
	results := flags.String("results", "bench/RESULTS.md", "the file that gets the results; empty for none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "cairn-backup-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b.folder = folder
	if err := b.run(ctx); err != nil {
		return err
	}
	text, met := b.results()
	_, _ = io.WriteString(out, text)
	if *results != "" {
		if err := report.WritePart(*results, "backup", text); err != nil {
			return err
		}
	}
	if !met {
		return errors.New("an aim was missed")
	}
	return nil
}

const anySearch = "/api/v1/rf/resources/public?pageSize=100"

func (b *bench) say(text string, values ...any) { _, _ = fmt.Fprintf(b.out, text+"\n", values...) }

func (b *bench) run(ctx context.Context) error {
	cairn := program.Program{Binary: b.binary, Data: filepath.Join(b.folder, "data")}
	lines := filepath.Join(b.folder, "entries.jsonl")
	if err := writeEntries(ctx, lines, b.entries); err != nil {
		return err
	}
	took, err := cairn.Import(ctx, lines)
	if err != nil {
		return err
	}
	b.say("Imported %s entries in %s", report.Whole(b.entries), report.Seconds(took))
	server, err := cairn.Start(ctx, anySearch, 5*time.Minute)
	if err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			_ = server.Stop()
		}
	}()
	token, err := cairn.Output(ctx, "token", program.Account)
	if err != nil {
		return err
	}
	targets, err := idsOf(ctx, server)
	if err != nil {
		return err
	}
	write := func(ctx context.Context, length time.Duration) (load.Result, error) {
		return steady(ctx, server.Address, token, targets, b.rate, length)
	}
	if _, err := write(ctx, 3*time.Second); err != nil { // warm
		return err
	}
	b.say("Writing %d stars a second for %s", b.rate, b.length)
	if b.quiet, err = write(ctx, b.length); err != nil {
		return err
	}
	b.say("Writing as many while backups are made")
	if err := b.withBackups(ctx, cairn, write); err != nil {
		return err
	}
	if _, err := steady(ctx, server.Address, token, targets[:1], 1, time.Second); err != nil { // a star that stays
		return err
	}
	if err := server.Stop(); err != nil {
		return err
	}
	stopped = true
	if err := b.restart(ctx, cairn); err != nil {
		return err
	}
	return b.compare(ctx, cairn)
}

// withBackups writes while one backup after the other is made.
func (b *bench) withBackups(ctx context.Context, cairn program.Program, write func(context.Context, time.Duration) (load.Result, error)) error {
	ending, end := context.WithCancel(ctx)
	defer end()
	var working sync.WaitGroup
	var failed error
	working.Go(func() {
		for number := 0; ending.Err() == nil; number++ {
			folder := filepath.Join(b.folder, fmt.Sprintf("backup-%d", number))
			began := time.Now()
			if _, err := cairn.Output(ctx, "backup", folder); err != nil {
				failed = err
				return
			}
			b.backups = append(b.backups, time.Since(began))
			failed = errors.Join(failed, os.RemoveAll(folder))
		}
	})
	var err error
	b.during, err = write(ctx, b.length)
	end()
	working.Wait()
	return errors.Join(err, failed)
}

// restart measures how soon a server listens after an orderly end and after kill -9.
func (b *bench) restart(ctx context.Context, cairn program.Program) error {
	for _, place := range []*time.Duration{&b.afterStop, &b.afterKill} {
		server, err := cairn.Start(ctx, anySearch, 5*time.Minute)
		if err != nil {
			return err
		}
		*place = server.Listened
		if place == &b.afterStop {
			err = server.Kill()
		} else {
			err = server.Stop()
		}
		if err != nil {
			return err
		}
	}
	about, err := os.Stat(filepath.Join(cairn.Data, "cairn.db"))
	if err == nil {
		b.databaseSize = about.Size()
	}
	return err
}

// compare restores a backup and compares what both installations export.
func (b *bench) compare(ctx context.Context, cairn program.Program) error {
	folder := filepath.Join(b.folder, "backup")
	if _, err := cairn.Output(ctx, "backup", folder); err != nil {
		return err
	}
	err := filepath.WalkDir(folder, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var about os.FileInfo
			if about, err = entry.Info(); err == nil {
				b.bytes += about.Size()
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	restored := program.Program{Binary: b.binary, Data: filepath.Join(b.folder, "restored")}
	began := time.Now()
	if output, err := exec.CommandContext(ctx, b.binary, "restore", folder, "--data", restored.Data).CombinedOutput(); err != nil {
		return fmt.Errorf("cairn restore: %w: %s", err, output)
	}
	b.restores = append(b.restores, time.Since(began))
	first, err := cairn.Output(ctx, "export", "-")
	if err != nil {
		return err
	}
	second, err := restored.Output(ctx, "export", "-")
	if err != nil {
		return err
	}
	if first != second {
		return errors.New("the restored installation exports something else")
	}
	if stars := strings.Count(first, `{"kind":"star"`); stars == 0 {
		return errors.New("the export has no stars")
	}
	b.exported = int64(len(first))
	return nil
}

func (b *bench) results() (text string, met bool) {
	p99 := report.Aim{
		Text:     fmt.Sprintf("p99 of %d writes a second during a backup, times that without", b.rate),
		Limit:    aim,
		Measured: float64(b.during.Quantile(0.99)) / float64(b.quiet.Quantile(0.99)),
	}
	table := report.Table{Columns: []string{"writes", "answers", "p50 ms", "p99 ms", "longest ms"}}
	for _, row := range []struct {
		name   string
		result load.Result
	}{{"without a backup", b.quiet}, {"while backups are made", b.during}} {
		table.Add(row.name, report.Whole(len(row.result.Latencies)), report.Milliseconds(row.result.Quantile(0.5)), report.Milliseconds(row.result.Quantile(0.99)),
			report.Milliseconds(row.result.Quantile(1)))
	}
	backups := load.Of(b.backups)
	text = fmt.Sprintf(`# What a backup costs

Written by `+"`make bench BENCH=backup`"+` on %s: %s entries on SQLite, %d stars written each second by requests that begin when they are due, for
%s without backups and for as long while one is made after the other.

- %s; the load generator and the backups run on the same cores

%s
%s: %s, %s.

%d backups were made meanwhile, in %s each (median) beside the writes. One is %s in plain files; restoring it took %s. The
restored installation exported the same %s, byte by byte.

A server with this database of %s listened %s ms after its start when the last one had stopped, and %s ms after when that was
killed: the whole file is checked then.
`, time.Now().UTC().Format(time.DateOnly), report.Whole(b.entries), b.rate, b.length, report.Machine(), table.String(),
		p99.Text, report.Number(p99.Measured), p99.Verdict(), len(b.backups), report.Seconds(backups.Quantile(0.5)), report.Mebibytes(b.bytes),
		report.Seconds(b.restores[0]), report.Mebibytes(b.exported), report.Mebibytes(b.databaseSize), report.Milliseconds(b.afterStop),
		report.Milliseconds(b.afterKill))
	return text, p99.Met()
}

func writeEntries(ctx context.Context, name string, count int) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(corpus.New(corpus.Default(count)).Write(ctx, file), file.Close())
}

// idsOf returns the ids of entries that everybody sees.
func idsOf(ctx context.Context, server *program.Server) ([]string, error) {
	connection := load.NewConnection(server.Address)
	defer connection.Close()
	status, body, err := connection.Do(ctx, load.Encode(http.MethodGet, server.Address, anySearch, ""))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d: %.300s", status, body)
	}
	var page struct{ Content []struct{ ID string } }
	if err == nil {
		err = json.Unmarshal(body, &page)
	}
	if err == nil && len(page.Content) == 0 {
		err = errors.New("the catalog is empty")
	}
	var ids []string
	for _, one := range page.Content {
		ids = append(ids, one.ID)
	}
	return ids, err
}

// steady stars and unstars entries at a rate, whether the last call was answered or not.
func steady(ctx context.Context, address, token string, targets []string, rate int, length time.Duration) (load.Result, error) {
	ending, done := context.WithTimeout(ctx, length)
	defer done()
	return load.Steady(ctx, ending, address, rate, func(connection *load.Connection, worker, made int) error {
		method, target := []string{http.MethodPut, http.MethodDelete}[made%2], targets[(worker+made*load.Workers)%len(targets)]
		status, body, err := connection.Do(ctx, load.Encode(method, address, "/api/v1/rf/resources/"+target+"/star", token))
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s of a star was answered %d: %.300s", method, status, body)
		}
		return err
	})
}
