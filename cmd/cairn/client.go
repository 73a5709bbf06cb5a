package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"text/tabwriter"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"
	"cairn/internal/sharing/client"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// clientHelp ends the help of each command that calls a server.
const clientHelp = "\n\nThe server is the one at CAIRN_URL. Private entries and sessions need an access token, which you create on the page of the server, under\n" +
	"Access tokens: put it in CAIRN_TOKEN, or into a file that CAIRN_TOKEN_FILE names."

func openClient() (*client.Client, error) { return client.Open(os.Getenv, version) }

func searchCommand() *cobra.Command {
	var wanted client.Query
	var asJSON bool
	command := &cobra.Command{
		Use: "search WORD...", Short: "Find entries on any Cairn server", Args: arguments(cobra.ArbitraryArgs),
		Long:    "Find entries on any Cairn server: name, type and address of each, the best match first." + clientHelp,
		Example: "  CAIRN_URL=https://catalog.example.org cairn search membrane potential --type dataset",
		RunE: func(command *cobra.Command, words []string) error {
			if wanted.Limit < 1 || wanted.Limit > 10_000 {
				return usageError{fmt.Errorf("--limit must be 1 to 10000, not %d", wanted.Limit)}
			}
			server, err := openClient()
			if err != nil {
				return err
			}
			wanted.Text = strings.Join(words, " ")
			found, total, err := server.Search(command.Context(), wanted)
			if err != nil {
				return err
			}
			out := command.OutOrStdout()
			if asJSON {
				for _, entry := range found {
					if err := writeLine(out, entry.JSON); err != nil {
						return err
					}
				}
				return nil
			}
			table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, entry := range found {
				_, _ = fmt.Fprintf(table, "%s\t%s\t%s\n", client.Printable(entry.Name), strings.ToLower(client.Printable(entry.Type)), server.Address(entry))
			}
			if err := table.Flush(); err != nil {
				return err
			}
			switch {
			case total == 0:
				_, _ = fmt.Fprintln(command.ErrOrStderr(), "No entry matches.")
			case total > len(found):
				_, _ = fmt.Fprintf(command.ErrOrStderr(), "%d of %d entries; --limit shows more.\n", len(found), total)
			}
			return nil
		},
	}
	set := command.Flags()
	set.StringVar(&wanted.Type, "type", "", "only these types: notebook, repository, dataset, model; several with commas")
	set.StringArrayVar(&wanted.Tags, "tag", nil, "only entries with this tag; may be repeated")
	set.IntVar(&wanted.Limit, "limit", 20, "how many entries at most")
	set.BoolVar(&asJSON, "json", false, "print each entry as a line of JSON")
	return command
}

func getCommand() *cobra.Command {
	var force, asJSON bool
	command := &cobra.Command{
		Use: "get ENTRY [FOLDER]", Short: "Download a notebook or a dataset from any Cairn server", Args: arguments(cobra.RangeArgs(1, 2)),
		Long: "Download a notebook, or all files of a dataset, into a folder, by default the current one. For a repository it prints the command that clones it.\n" +
			"ENTRY is an id or the address of its page. A download that was cut off goes on where it ended when you run the same command again." + clientHelp,
		RunE: func(command *cobra.Command, words []string) error {
			server, err := openClient()
			if err != nil {
				return err
			}
			id, err := server.EntryID(words[0])
			if err != nil {
				return err
			}
			entry, err := server.Entry(command.Context(), id)
			if err != nil {
				return err
			}
			out := command.OutOrStdout()
			switch entry.Type {
			case "NOTEBOOK", "DATASET":
			case "REPOSITORY":
				if asJSON {
					text, err := json.Marshal(map[string]string{"clone": entry.RepositoryURL})
					if err != nil {
						return err
					}
					return writeLine(out, text)
				}
				_, err := fmt.Fprintf(out, "It is a repository. Clone it:\n  git clone -- %s\n", shellQuote(client.Printable(entry.RepositoryURL)))
				return err
			default:
				return fault.New(fault.Conflict, "A %s has no file to download. See %s.", strings.ToLower(client.Printable(entry.Type)), server.Address(entry))
			}
			name := "."
			if len(words) == 2 {
				name = words[1]
			}
			if err := os.MkdirAll(name, 0o777); err != nil { //nolint:gosec // as mkdir does: the person's umask decides
				return err
			}
			folder, err := os.OpenRoot(name)
			if err != nil {
				return err
			}
			defer folder.Close()
			progress := newProgress(command.ErrOrStderr())
			download := &client.Download{
				Client: server, Folder: folder, Force: force,
				Progress: func(name string, done, total int64) {
					of := ""
					if total >= 0 {
						of = " of " + humanize.Bytes(total)
					}
					progress.show(client.Printable(name) + "  " + humanize.Bytes(done) + of)
				},
				Done: func(file client.Downloaded) {
					progress.clear()
					if asJSON {
						if text, err := json.Marshal(file); err == nil {
							_ = writeLine(out, text)
						}
						return
					}
					note := ""
					switch {
					case file.Unchanged:
						note = ", already there"
					case !file.Checked:
						note = ", without a digest of the server's to check"
					}
					_, _ = fmt.Fprintf(out, "%s  %s%s\n", client.Printable(file.Path), humanize.Bytes(file.Size), note)
				},
			}
			defer progress.clear()
			if entry.Type == "NOTEBOOK" {
				err = download.Notebook(command.Context(), entry)
			} else {
				err = download.Dataset(command.Context(), entry)
			}
			if command.Context().Err() != nil {
				progress.clear()
				return fault.New(fault.Conflict, "The download was stopped. What arrived was kept: run the same command again to go on.")
			}
			return err
		},
	}
	set := command.Flags()
	set.BoolVar(&force, "force", false, "replace files that are there already")
	set.BoolVar(&asJSON, "json", false, "print each file as a line of JSON")
	return command
}

func runCommand() *cobra.Command {
	var file string
	var open, wait, asJSON, asJob bool
	var asked client.JobRequest
	command := &cobra.Command{
		Use: "run ENTRY", Short: "Start a session or a job from an entry on any Cairn server", Args: arguments(cobra.ExactArgs(1)),
		Long: "Start a session from a notebook, repository or dataset, and show the steps until it runs; the exit code is 1 if it fails. It prints the address\n" +
			"where your browser opens the session. With --job, a whole notebook is executed without a browser, with other values if you like; the command\n" +
			"prints the address of its page and shows how far it is. Ctrl-C ends the command, never the session or the job. The token needs the scope run." + clientHelp,
		Example: "  cairn run 01a226e3-26e7-7d3c-96ca-cc29277b41c2 --open\n" +
			"  cairn run 01a226e3-26e7-7d3c-96ca-cc29277b41c2 --job --param rhythm=11 --param name=north",
		RunE: func(command *cobra.Command, words []string) error {
			server, err := openClient()
			if err != nil {
				return err
			}
			id, err := server.EntryID(words[0])
			if err != nil {
				return err
			}
			if !asJob && (len(asked.Values) > 0 || asked.Deadline != "") {
				return usageError{errors.New("--param and --deadline are for jobs: add --job")}
			}
			if asJob {
				asked.Entry, asked.File = id, file
				return runJob(command, server, asked, asJSON)
			}
			session, err := server.Start(command.Context(), id, file)
			if err != nil {
				return err
			}
			out, progress := command.OutOrStdout(), newProgress(command.ErrOrStderr())
			address := server.OpenAddress(session)
			if !asJSON {
				_, _ = fmt.Fprintln(out, address)
			}
			err = server.Follow(command.Context(), session, wait, func(now client.Session) {
				if asJSON {
					_ = writeLine(out, now.JSON)
					return
				}
				progress.line(describeSession(now))
				if now.Status == "RUNNING" && open {
					openBrowser(address)
				}
			})
			if command.Context().Err() != nil {
				return fault.New(fault.Conflict, "The session goes on without this command. Open or stop it at %s.", server.Page("/sessions"))
			}
			return err
		},
	}
	set := command.Flags()
	set.StringVar(&file, "file", "", "the file of the repository that the session opens, or the job executes")
	set.BoolVar(&asJob, "job", false, "execute the whole notebook as a job, and wait until it has ended")
	set.StringArrayVar(&asked.Values, "param", nil, "with --job: NAME=VALUE of a parameter of the notebook; may be repeated")
	set.StringVar(&asked.Deadline, "deadline", "", "with --job: how long its cells may take, such as 2h30m")
	set.BoolVar(&open, "open", false, "open the session in a browser when it runs")
	set.BoolVar(&wait, "wait", false, "wait until the session has ended")
	set.BoolVar(&asJSON, "json", false, "print each state of the session as a line of JSON")
	return command
}

// runJob starts a job and follows it until it has ended.
func runJob(command *cobra.Command, server *client.Client, asked client.JobRequest, asJSON bool) error {
	job, err := server.StartJob(command.Context(), asked)
	if err != nil {
		return err
	}
	out, progress := command.OutOrStdout(), newProgress(command.ErrOrStderr())
	if !asJSON {
		_, _ = fmt.Fprintln(out, server.JobAddress(job))
	}
	err = server.FollowJob(command.Context(), job, func(now client.Job) {
		if asJSON {
			_ = writeLine(out, now.JSON)
			return
		}
		progress.line(describeJob(now))
	})
	if command.Context().Err() != nil {
		return fault.New(fault.Conflict, "The job goes on without this command. See %s.", server.JobAddress(job))
	}
	return err
}

func describeJob(job client.Job) string {
	switch job.State {
	case "QUEUED":
		return strings.TrimSpace("Waiting or starting. " + client.Printable(job.Reason))
	case "RUNNING":
		return fmt.Sprintf("Running: %d of %d cells are done", job.Cells.Done, job.Cells.Total)
	case "DONE":
		return "Done"
	}
	return "Ended: " + client.Printable(cmp.Or(job.Reason, job.State))
}

func describeSession(session client.Session) string {
	text := map[string]string{"CREATED": "Starting", "RUNNING": "Running", "FINISHED": "Finished", "TERMINATED": "Stopped", "ERROR": "Failed"}[session.Status]
	switch {
	case session.Status == "CREATED" && session.QueuePosition > 0:
		text = fmt.Sprintf("Waiting for a place, number %d in the queue", session.QueuePosition)
	case session.Status == "CREATED" && session.Step != "":
		text += ": " + client.Printable(session.Step)
	case session.Status == "RUNNING" && session.OpenNote != "":
		text += ". " + client.Printable(session.OpenNote)
	}
	return text
}

// openBrowser opens an address as the desktop does; without one, the address that was printed has to do.
func openBrowser(address string) {
	program, arguments := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, arguments = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	if opener := exec.CommandContext(context.Background(), program, arguments...); opener.Start() == nil { //nolint:gosec // the address is of the server that was asked, and no shell reads it
		go func() { _ = opener.Wait() }()
	}
}

// shellQuote returns a word for a shell.
func shellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

func writeLine(out io.Writer, text []byte) error {
	_, err := fmt.Fprintf(out, "%s\n", text)
	return err
}

// progress is a line that changes, on a terminal alone.
type progress struct {
	out      io.Writer
	terminal bool
	shown    bool
}

func newProgress(out io.Writer) *progress {
	file, ok := out.(*os.File)
	return &progress{out: out, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

func (p *progress) show(text string) {
	if p.terminal {
		_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s", text)
		p.shown = true
	}
}

func (p *progress) clear() {
	if p.shown {
		_, _ = fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// line writes a line that stays, also where there is no terminal.
func (p *progress) line(text string) {
	p.clear()
	_, _ = fmt.Fprintln(p.out, text)
}
