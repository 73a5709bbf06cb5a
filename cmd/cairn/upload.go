package main

import (
	"fmt"
	"os"
	"path"
	"strings"

	"cairn/internal/foundation/humanize"
	"cairn/internal/sharing/client"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func uploadCommand() *cobra.Command {
	var wanted client.Upload
	command := &cobra.Command{
		Use: "upload PATH...", Short: "Upload files or folders to any Cairn server", Args: arguments(cobra.MinimumNArgs(1)),
		Long: "Upload files or folders, and make them a notebook, a dataset or a repository that the server keeps, or a new version of one. What the\n" +
			"files say (CITATION.cff, codemeta.json, cairn.yml, README) fills the entry. An upload that was cut off goes on when you run the same\n" +
			"command again. The token needs the scope write." + clientHelp,
		Example: "  cairn upload measurements --type dataset --private\n  cairn upload measurements --to 0190b6e2-7f0a-7cc3-98c4-dc0c0c07398f --note \"Two more weeks\"",
		RunE: func(command *cobra.Command, paths []string) error {
			server, err := openClient()
			if err != nil {
				return err
			}
			wanted.Paths, wanted.Type = paths, strings.ToUpper(wanted.Type)
			if wanted.To != "" {
				wanted.To = path.Base(strings.TrimRight(wanted.To, "/"))
			}
			errors := command.ErrOrStderr()
			if term.IsTerminal(int(os.Stderr.Fd())) {
				wanted.Progress = func(done, total int64) {
					_, _ = fmt.Fprintf(errors, "\r\x1b[K%s of %s", humanize.Bytes(done), humanize.Bytes(total))
				}
			}
			made, err := server.Upload(command.Context(), wanted)
			if wanted.Progress != nil {
				_, _ = fmt.Fprintln(errors)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "%s\n", server.Page("/id/"+client.Printable(made.ResourceID)+fmt.Sprintf("/v%d", made.VersionNumber)))
			return err
		},
	}
	set := command.Flags()
	set.StringVar(&wanted.Type, "type", "", "notebook, dataset or repository (default: what fits the files)")
	set.StringVar(&wanted.Name, "name", "", "name of the entry (default: what the files say)")
	set.StringVar(&wanted.Description, "description", "", "description of the entry (default: what the files say)")
	set.StringVar(&wanted.To, "to", "", "id or address of an entry of yours that gets a new version")
	set.StringVar(&wanted.Note, "note", "", "what is new in this version")
	set.BoolVar(&wanted.Private, "private", false, "only its authors see the entry")
	return command
}
