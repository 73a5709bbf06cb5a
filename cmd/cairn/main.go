// Command cairn is the whole product: the catalog with its page, its API and its session origin, the commands for
// operators, and those of a client of any server. It parses the command line; everything else is in internal/app and internal/sharing/client.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"

	"cairn/internal/app"
	"cairn/internal/app/commands"
	"cairn/internal/app/config"
	"cairn/internal/app/doctor"
	"cairn/internal/app/installation"
	"cairn/internal/app/transfer"
	"cairn/internal/foundation/fault"

	"github.com/spf13/cobra"
)

// version is set by the build.
var version = "development"

func main() {
	// Everything that this server or a command creates is its account's alone; what sessions read is opened on purpose.
	syscall.Umask(0o077)
	commands.BeSession()
	if os.Getenv("GOGC") == "" {
		tuneGarbage(new(collected))
	}
	if err := newCommand().ExecuteContext(untilSignal()); err != nil {
		if status, ok := errors.AsType[exitStatus](err); ok {
			os.Exit(int(status))
		}
		fmt.Fprintln(os.Stderr, "cairn: "+sentence(err))
		os.Exit(exitCode(err))
	}
}

// untilSignal returns a context that ends with the first SIGINT or SIGTERM; a second signal ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		received := <-signals
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		if received == syscall.SIGTERM {
			end(app.ErrTerminated)
		}
		end(nil)
	}()
	return ctx
}

// collected is garbage as soon as it's created: its finalizer runs after each collection, the only sign that one is over.
// Objects of less than 16 bytes share their memory and may never be collected.
type collected struct{ _ [16]byte }

// tuneGarbage sets GOGC after each collection. Garbage gets 64 MiB beside the live heap, but at least 30 percent: the
// search index of a large catalog is most of the memory and stays, and a small heap would be collected every few requests.
func tuneGarbage(found *collected) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(int(min(max((64<<20)*100/max(live[0].Value.Uint64(), 1), 30), 1000)))
	runtime.SetFinalizer(found, tuneGarbage)
}

// usageError marks an invalid command line.
type usageError struct{ error }

func sentence(err error) string {
	if _, ok := errors.AsType[*fault.Fault](err); ok && fault.KindOf(err) != fault.Internal {
		return fault.MessageOf(err)
	}
	return err.Error()
}

// exitCode returns 2 for errors in the command line or the configuration, else 1.
func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok || fault.KindOf(err) == fault.Invalid {
		return 2
	}
	return 1
}

// flags are the settings on the command line; they override the file and the environment.
type flags struct {
	configFile string
	config     config.Config
}

func newCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "cairn", Short: "A public science catalog whose entries you can run", SilenceErrors: true, SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, command.CommandPath())}
	})
	configCommand := &cobra.Command{Use: "config", Short: "Check the configuration, or print the site file"}
	configCommand.AddCommand(checkCommand(), siteCommand())
	accounts, entries, sessions, engines := accountsCommand(), entriesCommand(), sessionsCommand(), engineCommand()
	root.AddCommand(serveCommand(), searchCommand(), getCommand(), uploadCommand(), runCommand(), sshCommand(), serveShellCommand(), agentCommand(), tokenCommand(), importCommand(), exportCommand(), backupCommand(), restoreCommand(), passwordCommand(), healthcheckCommand(), doctorCommand(), accounts, entries, sessions, engines, configCommand, versionCommand(), licensesCommand(), documentCommand())
	for _, group := range []*cobra.Command{root, accounts, entries, sessions, engines, configCommand} { // by default the library accepts any words after these
		group.Args = func(command *cobra.Command, arguments []string) error {
			if len(arguments) > 0 {
				return usageError{fmt.Errorf("there is no command %q; see %s --help", arguments[0], command.CommandPath())}
			}
			return nil
		}
		group.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	}
	return root
}

func serveCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "serve", Short: "Serve the catalog until Ctrl-C; sessions keep running", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return app.Run(command.Context(), settings, version, command.OutOrStdout())
		},
	}
	given.addData(command)
	given.addServer(command)
	return command
}

func tokenCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "token EMAIL...", Short: "Print an access token for each account of the embedded identity provider, one per line",
		Example: "  curl -H \"Authorization: Bearer $(cairn token researcher@example.org)\" http://127.0.0.1:8080/api/v1/rf/sessions/",
		Args:    arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, arguments []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			tokens, err := commands.Tokens(settings, arguments)
			if err == nil {
				_, err = fmt.Fprintln(command.OutOrStdout(), strings.Join(tokens, "\n"))
			}
			return err
		},
	}
	given.addData(command)
	return command
}

func importCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "import FILE...", Short: "Import entries and projects into the catalog: one JSON object per line, or YAML; - reads the standard input",
		Args: arguments(cobra.MinimumNArgs(1)),
		RunE: func(command *cobra.Command, files []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			progress := os.Stderr
			if info, err := progress.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
				return transfer.Import(command.Context(), settings, files, nil)
			}
			return transfer.Import(command.Context(), settings, files, progress)
		},
	}
	given.addData(command)
	return command
}

func exportCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "export FILE", Short: "Write entries, projects, accounts, stars and sessions as lines that cairn import reads", Args: arguments(cobra.ExactArgs(1)),
		Long: "Write the catalog and what people made of it into a file, one JSON object a line, as cairn import reads them; - writes to the\n" +
			"standard output. Equal catalogs have equal files. The work of sessions isn't in it: see cairn backup.",
		RunE: func(command *cobra.Command, files []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			return transfer.Export(command.Context(), settings, files[0], command.OutOrStdout(), os.Stderr)
		},
	}
	given.addData(command)
	return command
}

func checkCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use: "check", Short: "Report everything for which serve would refuse to start; also while the server runs", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			settings, _ := given.load(command) // the check names what couldn't be read
			notes, err := doctor.CheckStart(command.Context(), settings)
			if err != nil {
				return err
			}
			for _, note := range notes {
				_, _ = fmt.Fprintln(command.OutOrStdout(), note)
			}
			for _, warning := range settings.Warnings() {
				_, _ = fmt.Fprintln(command.OutOrStdout(), "Warning: "+warning)
			}
			for _, line := range installation.StartupNotes(settings) {
				_, _ = fmt.Fprintln(command.OutOrStdout(), line)
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), "The configuration is fine.")
			return err
		},
	}
	given.addData(command)
	given.addServer(command)
	return command
}

func siteCommand() *cobra.Command {
	return &cobra.Command{
		Use: "site", Short: "Print the built-in site file, to edit and serve with --site", Args: arguments(cobra.NoArgs),
		Example: "  cairn config site > site.yaml",
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := command.OutOrStdout().Write(commands.SiteFile())
			return err
		},
	}
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(command.OutOrStdout(), "cairn "+version)
			return err
		},
	}
}

func documentCommand() *cobra.Command {
	return &cobra.Command{
		Use: "openapi", Short: "Print the OpenAPI document of the API", Args: arguments(cobra.NoArgs),
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := command.OutOrStdout().Write(app.Document())
			return err
		},
	}
}

// arguments turns wrong arguments into a usage error.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if err := check(command, arguments); err != nil {
			return usageError{fmt.Errorf("%w; see %s --help", err, command.CommandPath())}
		}
		return nil
	}
}

func (f *flags) addData(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&f.configFile, "config", "", "configuration file (YAML)")
	set.StringVar(&f.config.Data, "data", "", "folder for the database, keys and sessions (default \"data\")")
	set.StringVar(&f.config.DatabaseURL, "database-url", "", "sqlite:PATH or postgres://... (default: SQLite in the data folder)")
}

func (f *flags) addServer(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&f.config.Listen, "listen", "", "address of the page and the API (default \"127.0.0.1:8080\")")
	set.StringVar(&f.config.SessionListen, "session-listen", "", "address of the session origin (default \"127.0.0.1:8081\")")
	set.StringVar(&f.config.PublicURL, "public-url", "", "where browsers find the page (default: the listen address)")
	set.StringVar(&f.config.SessionURL, "session-url", "", "template of the session origin (default \"http://{kind}-{id}.localhost:PORT\")")
	set.StringVar(&f.config.Site, "site", "", "brand, landing page and events (YAML; default: built in)")
	set.BoolVar(&f.config.Demo, "demo", false, "demo catalog and accounts without passwords")
	set.BoolVar(&f.config.Reading.DemoAnywhere, "demo-anywhere", false, "allow --demo on an address that other machines can reach")
}

// load reads file and environment, and applies the given flags.
func (f *flags) load(command *cobra.Command) (config.Config, error) {
	settings, err := config.Load(f.configFile, os.Environ())
	set := command.Flags()
	for name, pair := range map[string][2]*string{
		"data": {&settings.Data, &f.config.Data}, "database-url": {&settings.DatabaseURL, &f.config.DatabaseURL},
		"listen": {&settings.Listen, &f.config.Listen}, "session-listen": {&settings.SessionListen, &f.config.SessionListen},
		"public-url": {&settings.PublicURL, &f.config.PublicURL}, "session-url": {&settings.SessionURL, &f.config.SessionURL},
		"site": {&settings.Site, &f.config.Site},
	} {
		if set.Changed(name) {
			*pair[0] = *pair[1]
		}
	}
	if set.Changed("demo") {
		settings.Demo = f.config.Demo
	}
	settings.Reading.DemoAnywhere = f.config.Reading.DemoAnywhere
	if err != nil && set.Lookup("listen") != nil {
		err = settings.Check() // a command that serves reports all faults at once
	}
	return settings, err
}
