package app

import (
	"log/slog"
	"path/filepath"

	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/localjupyter"
)

const localKind = "local"

// engineOptions are what engines of every kind may need.
type engineOptions struct {
	config    EngineConfig
	data      string // the data folder
	publicURL string
	logger    *slog.Logger
}

// engines is the registry: a new kind of engine is one row here.
var engines = map[string]func(engineOptions) (engine.Engine, error){
	localKind: func(options engineOptions) (engine.Engine, error) {
		local, err := localjupyter.New(localjupyter.Options{
			Dir: filepath.Join(options.data, "sessions", options.config.Name), FrameAncestors: options.publicURL, Logger: options.logger,
		})
		if err != nil {
			return nil, err
		}
		options.logger.Info("sessions on this server", "isolation", local.Isolation())
		return local, nil
	},
}
