package installation

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"cairn/internal/app/config"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
)

// WithTrialEngine opens an engine in a folder that is removed afterwards, apart from the server's.
func WithTrialEngine(settings config.Config, chosen config.Engine, work func(engine.Engine) error) (err error) {
	folder, err := os.MkdirTemp("", "cairn-engine-check-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o711); err != nil { //nolint:gosec // without bubblewrap the account of the trial session enters it
		return err
	}
	settings.Data, settings.Sessions.Folder = filepath.Join(folder, "data"), filepath.Join(folder, "sessions")
	logger := config.Log{Level: "error", Format: "text"}.NewLogger(io.Discard)
	opened, err := OpenEngine(EngineOptions{
		Config: settings, Engine: chosen, PublicURL: "http://localhost", Records: engine.NewMemory(), Logger: logger,
		Web: safehttp.New(safehttp.Options{UserAgent: "Cairn", AllowHTTP: true, Allowed: settings.Outgoing.Prefixes()}),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return work(opened)
}

// Diagnose has an engine report about itself. Its error says what to fix.
func Diagnose(ctx context.Context, opened engine.Engine, tell func(string)) error {
	if thorough, ok := opened.(interface {
		Diagnose(ctx context.Context, tell func(text string)) error
	}); ok {
		if err := thorough.Diagnose(ctx, tell); err != nil {
			return err
		}
	}
	return opened.Check(ctx)
}
