package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/idp"
)

// CheckStart looks for everything for which a server would refuse to start here and now, and changes nothing. One Invalid fault
// names all of it. Notes say what could not be tried. While a server runs on the data folder, its ports and its lock are its
// own, so the configuration is checked for the next start.
func CheckStart(ctx context.Context, settings config.Config) (notes []string, err error) {
	faults := settings.AllFaults()
	if settings.Unreadable() {
		return nil, config.Fault(faults)
	}
	notes, found := startFaults(ctx, settings)
	return notes, config.Fault(append(faults, found...))
}

// startFaults returns what is in the way of a start although the configuration itself is fine.
func startFaults(ctx context.Context, settings config.Config) (notes, faults []string) {
	running := false
	if settings.Data != "" {
		var text string
		if settings.Data, text = resolveData(settings.Data); text != "" {
			faults = append(faults, text)
		} else {
			running = installation.IsLocked(settings.Data)
			faults = append(faults, dataFaults(ctx, settings, running)...)
		}
	}
	faults = append(faults, portFaults(ctx, settings, running)...)
	if running {
		notes = append(notes, "A server runs on the data folder "+settings.Data+", so its ports and its place at the database were not tried.")
	}
	return notes, faults
}

// resolveData returns the absolute path of the data folder, and why it can't be used.
func resolveData(folder string) (path, text string) {
	path, err := filepath.Abs(folder)
	if err == nil {
		err = installation.CheckFolder(path)
	}
	if err != nil {
		return path, fault.MessageOf(installation.DataFault(err, folder))
	}
	return path, ""
}

// databaseTime is how long a database is waited for.
const databaseTime = 15 * time.Second

// dataFaults returns why a server can't use what is in the data folder and in the database.
func dataFaults(ctx context.Context, settings config.Config, running bool) []string {
	faults := installation.FileFaults(settings.Data)
	if len(faults) > 0 {
		return faults // all that follows reads these files
	}
	if settings.OIDC.Issuer == "" {
		for _, err := range idp.CheckDir(filepath.Join(settings.Data, "idp")) {
			faults = append(faults, fault.MessageOf(err))
		}
	}
	if _, err := os.Stat(settings.Data); err != nil && settings.DatabaseURL == "" {
		return faults // the start makes both
	}
	if path, ok := strings.CutPrefix(settings.DatabaseURL, "sqlite:"); ok {
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return append(faults, fault.MessageOf(installation.DatabaseFileFault(err, path)))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, databaseTime)
	defer cancel()
	own := settings.SingleServerParts()
	_, err := sqldb.Inspect(ctx, settings.DatabaseAddress(), len(own) > 0)
	if errors.Is(err, sqldb.ErrAttached) && running {
		err = nil
	}
	if err != nil && settings.HasDatabaseKind() { // else a rule has named it
		faults = append(faults, withCause(installation.AttachFault(err, own)))
	}
	if doubt, err := sqldb.LookForDoubt(ctx, settings.DatabaseAddress()); err == nil && doubt != nil {
		faults = append(faults, fault.MessageOf(doubt.Refusal()))
	}
	return faults
}

// withCause returns a sentence and what the system or a library says about it, in one line.
func withCause(err error) string {
	text := fault.MessageOf(err)
	if cause := errors.Unwrap(err); cause != nil && !errors.Is(err, sqldb.ErrAttached) {
		text += " (" + humanize.OneLine(humanize.Reason(cause)) + ")"
	}
	return text
}

// portFaults returns why the listeners can't be opened.
func portFaults(ctx context.Context, settings config.Config, running bool) []string {
	if len(settings.ListenFaults()) > 0 {
		return nil // a rule has named them
	}
	var faults []string
	wanted := settings.Listeners()
	if one, ok := settings.MetricsListener(); ok && len(settings.MetricsFaults()) == 0 {
		wanted = append(wanted, one)
	}
	for _, one := range wanted {
		opened, err := installation.Listen(ctx, one)
		if err == nil {
			defer opened.Close() // at the end: the two must not be in each other's way
			continue
		}
		if !running || !errors.Is(err, syscall.EADDRINUSE) {
			faults = append(faults, one.Key+": "+fault.MessageOf(err))
		}
	}
	return faults
}
