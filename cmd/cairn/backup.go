package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"cairn/internal/app/commands"

	"github.com/spf13/cobra"
)

func backupCommand() *cobra.Command {
	var given flags
	var passphraseFile string
	var hubs bool
	command := &cobra.Command{
		Use: "backup FOLDER", Short: "Back up the database, the work of sessions and the keys; also while the server runs", Args: arguments(cobra.ExactArgs(1)),
		Long: "Back up the database, the work of the sessions on this machine, the site file, and the configuration without secrets into a\n" +
			"folder that is empty or doesn't exist. The server may run meanwhile. Keys are included with --passphrase-file only, encrypted.",
		RunE: func(command *cobra.Command, folders []string) error {
			settings, err := given.load(command)
			if err != nil {
				return err
			}
			passphrase, err := readPassphrase(passphraseFile)
			if err != nil {
				return err
			}
			stepBack()
			return commands.Backup(command.Context(), settings, given.configFile, folders[0], passphrase, version, hubs, command.OutOrStdout())
		},
	}
	given.addData(command)
	command.Flags().BoolVar(&hubs, "hub-histories", false, "take the saved versions of work on hubs along")
	addPassphrase(command, &passphraseFile)
	return command
}

func restoreCommand() *cobra.Command {
	var data, databaseURL, passphraseFile string
	command := &cobra.Command{
		Use: "restore FOLDER", Short: "Make an installation from a backup, in a new data folder", Args: arguments(cobra.ExactArgs(1)),
		Long: "Make an installation from a backup: a data folder that is empty or doesn't exist, and an empty database, which may be of another\n" +
			"kind than the one that was backed up. Every file of the backup is verified before anything is written.",
		RunE: func(command *cobra.Command, folders []string) error {
			if data == "" {
				return usageError{errors.New("name the new data folder with --data; see cairn restore --help")}
			}
			passphrase, err := readPassphrase(passphraseFile)
			if err != nil {
				return err
			}
			return commands.Restore(command.Context(), folders[0], data, databaseURL, passphrase, command.OutOrStdout())
		},
	}
	set := command.Flags()
	set.StringVar(&data, "data", "", "the new data folder")
	set.StringVar(&databaseURL, "database-url", "", "sqlite:PATH or postgres://... (default: SQLite in the data folder)")
	addPassphrase(command, &passphraseFile)
	return command
}

// stepBack lets everybody else use the processors first, and takes one of them at most: a backup isn't in a hurry, and people
// wait for the server beside it. Linux has a priority for each thread, which those that it creates inherit; what can't be changed
// stays.
func stepBack() {
	const later = 19 // on the scale from -20 to 19
	runtime.GOMAXPROCS(1)
	threads, _ := filepath.Glob("/proc/self/task/*")
	for _, thread := range threads {
		if id, err := strconv.Atoi(filepath.Base(thread)); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, later)
		}
	}
}

func addPassphrase(command *cobra.Command, name *string) {
	command.Flags().StringVar(name, "passphrase-file", "", "file whose first line encrypts the keys")
}

// readPassphrase returns the first line of a file; "" without a file.
func readPassphrase(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return "", usageError{fmt.Errorf("the passphrase can't be read: %w", err)}
	}
	line, _, _ := strings.Cut(string(content), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", usageError{fmt.Errorf("the first line of %s is empty; write a passphrase there", name)}
	}
	return line, nil
}
