// Package operators measures how soon the operators' pages are answered when an institution has very many accounts.
package operators

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"cairn/bench/load"
	"cairn/bench/program"
	"cairn/bench/report"
)

const (
	fullAccounts = 50_000 // for which the aim is defined
	aim          = 200 * time.Millisecond
	startTime    = 2 * time.Minute
	askTime      = 10 * time.Minute // for one page at most
	operator     = "operator@example.org"
	search       = "/api/v1/rf/resources/public?pageSize=1"
)

type bench struct {
	binary, results string
	accounts, asked int
	out             io.Writer
	folder          string
}

// answered is how soon a page was answered.
type answered struct {
	database, name string
	answers        load.Result
}

// Run is the sub-command. Its error says that the aim was missed or an answer was wrong.
func Run(ctx context.Context, arguments []string, out io.Writer) error {
	b := bench{out: out}
	flags := flag.NewFlagSet("operators", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&b.binary, "binary", "bin/cairn", "the program to measure")
	flags.StringVar(&b.results, "results", "", "file in which the part about operators is replaced, such as bench/RESULTS.md")
	flags.IntVar(&b.accounts, "accounts", fullAccounts, "how many there are")
	flags.IntVar(&b.asked, "asked", 100, "how often each page is asked for")
	postgres := flags.Bool("postgres", true, "measure PostgreSQL too")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.asked < 1 || b.accounts < 1000 {
		return errors.New("give flags only, and at least 1,000 accounts; see --help")
	}
	if *postgres && program.Postgres() == "" {
		return program.WithPostgres(ctx, "operators", arguments, out)
	}
	began := time.Now()
	version, err := program.Program{Binary: b.binary}.Version(ctx)
	if err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp("", "cairn-operators-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	databases := []database{sqliteOf(filepath.Join(b.folder, "sqlite"))}
	if *postgres {
		made, err := newPostgres(ctx)
		if err != nil {
			return err
		}
		databases = append(databases, made)
	}
	var all []answered
	for _, one := range databases {
		found, err := b.measure(ctx, one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		all = append(all, found...)
	}
	text, missed := b.report(all, version, time.Since(began))
	if _, err := fmt.Fprint(out, "\n", text); err != nil {
		return err
	}
	if b.results != "" {
		if err := report.WritePart(b.results, "operators", text); err != nil {
			return err
		}
	}
	if missed {
		return errors.New("the aim was missed")
	}
	return nil
}

// program returns a server whose accounts operators enable one by one.
func (b *bench) program(on database) program.Program {
	name := "sqlite"
	if on.config != "" {
		name = "postgres"
	}
	return program.Program{Binary: b.binary, Data: filepath.Join(b.folder, name), Config: on.config, Whole: `limits: {anonymous: {rate: 0}}
idp:
  accounts:
    - {email: ` + operator + `, name: Olga, password_hash: "$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcde"}
accounts: {enable: manual}
sessions: {engines: [{name: bench, kind: local}], capacity: 1}
runs: {every: never}
`}
}

// measure fills a database and asks for every page.
func (b *bench) measure(ctx context.Context, on database) ([]answered, error) {
	server := b.program(on)
	if _, err := server.Output(ctx, "accounts", "promote", operator); err != nil {
		return nil, err
	}
	_, _ = fmt.Fprintf(b.out, "adding %d accounts to %s\n", b.accounts, on.name)
	if err := on.fill(ctx, b.accounts); err != nil {
		return nil, err
	}
	running, err := server.Start(ctx, search, startTime)
	if err != nil {
		return nil, err
	}
	defer func() { _ = running.Stop() }()
	token, err := server.Output(ctx, "token", operator)
	if err != nil {
		return nil, err
	}
	waiting := b.accounts - b.accounts/grantedEvery
	sessions := b.accounts * sessionsEach
	last := fmt.Sprintf("person-%d@", b.accounts-1)
	var all []answered
	for _, page := range []struct {
		name, path string
		total      int // of a list; -1: it isn't one
	}{
		{"overview", "/operator/overview", -1},
		{"health", "/operator/health", -1},
		{"own account, with the number that waits", "/accounts/me", -1},
		{"accounts, first page", "/accounts", b.accounts + 1},
		{"accounts that wait, last page", fmt.Sprintf("/accounts?waiting=true&pageNumber=%d", (waiting-1)/100), waiting},
		{"accounts, searched by e-mail", "/accounts?search=" + last, 1},
		{"accounts, searched by name", "/accounts?search=Number+77", -1},
		{"sessions, first page", "/operator/sessions", sessions},
		{"sessions, last page", fmt.Sprintf("/operator/sessions?pageNumber=%d", sessions/100-1), sessions},
		{"sessions that run", "/operator/sessions?live=true", 0},
		{"sessions, searched by owner", "/operator/sessions?q=" + last, sessionsEach},
		{"failed sessions", "/operator/sessions?status=ERROR", sessions / failedEvery},
		{"audit, first page", "/operator/audit", -1},
		{"audit of one account", "/operator/audit?actor=" + last + "institution.example", recordsEach},
	} {
		request := load.Request{Bytes: load.Encode(http.MethodGet, running.Address, "/api/v1/rf"+page.path, token), Check: check(page.total)}
		found, err := load.Run(ctx, load.Plan{Address: running.Address, Requests: []load.Request{request}, Clients: 1, Time: askTime, Limit: b.asked})
		if err = errors.Join(err, found.FirstErr); err != nil {
			return nil, fmt.Errorf("%s: %w", page.name, err)
		}
		_, _ = fmt.Fprintf(b.out, "%s: %s: p50 %s, p99 %s\n", on.name, page.name, found.Quantile(0.5).Round(time.Millisecond), found.Quantile(0.99).Round(time.Millisecond))
		all = append(all, answered{on.name, page.name, found})
	}
	return all, nil
}

// check checks the status and the total of a list, unless that is below 0.
func check(total int) func(status int, body []byte, _ bool) error {
	return func(status int, body []byte, _ bool) error {
		var page struct{ TotalElements int }
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			return errors.Join(fmt.Errorf("it was answered %d: %.300s", status, body), err)
		}
		if total >= 0 && page.TotalElements != total {
			return fmt.Errorf("%d elements, want %d", page.TotalElements, total)
		}
		return nil
	}
}

// report returns the results, and whether the aim was missed.
func (b *bench) report(all []answered, version string, took time.Duration) (text string, missed bool) {
	table := report.Table{Columns: []string{"page", "database", "p50 ms", "p99 ms", "verdict"}}
	for _, one := range all {
		half, most := one.answers.Quantile(0.5), one.answers.Quantile(0.99)
		verdict := report.Aim{Text: one.name, Limit: aim.Seconds() * 1000, Measured: most.Seconds() * 1000, Format: func(value float64) string { return report.Number(value) + " ms" }}
		table.Add(one.name, one.database, report.Milliseconds(half), report.Milliseconds(most), verdict.Verdict())
		missed = missed || !verdict.Met()
	}
	return fmt.Sprintf("# How soon operators' pages answer\n\nWritten by `make bench BENCH=operators ARGS=\"--results bench/RESULTS.md\"` on %s in %s; `bin/bench operators --help` lists the flags.\n\n"+
		"- %s\n- Cairn %s; whoever asks is on the same machine, one client, %s times each\n- %s accounts, of which one in %d is enabled and the others wait, with %s sessions and %s records of the audit\n\n"+
		"The aim is a p99 of at most %s for each page.\n\n%s",
		time.Now().UTC().Format(time.DateOnly), report.Seconds(took), report.Machine(), version, report.Whole(b.asked), report.Whole(b.accounts), grantedEvery,
		report.Whole(b.accounts*sessionsEach), report.Whole(b.accounts*recordsEach), aim, table.String()), missed
}
