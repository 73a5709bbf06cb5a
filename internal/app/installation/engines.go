package installation

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/front"
	"cairn/internal/sessions/engine/jupyterhub"
	"cairn/internal/sessions/engine/jupyterprogram"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/engine/vscodeprogram"
	"cairn/internal/sessions/machine/sandbox"
)

// EngineOptions are the options that an engine of any kind may need.
type EngineOptions struct {
	Config    config.Config // with the path of the data folder
	Engine    config.Engine
	DataRoot  string // of the operator's datasets; "" when there is none
	PublicURL string
	Records   engine.Records
	Web       *safehttp.Client
	Logger    *slog.Logger
}

// OpenEngine opens an engine of any kind.
func OpenEngine(options EngineOptions) (engine.Engine, error) {
	return engines[options.Engine.Kind](options)
}

// engines opens engines by their kind, which config.EngineKinds lists too.
var engines = map[string]func(EngineOptions) (engine.Engine, error){
	config.LocalKind: func(options EngineOptions) (engine.Engine, error) {
		reserve, _ := options.Config.Disk.DiskReserve()
		vscode := options.Config.Sessions.VSCodeOf(options.Engine)
		program, err := front.Program()
		if err != nil {
			return nil, err
		}
		local, err := localjupyter.New(localjupyter.Options{
			Dir: filepath.Join(options.Config.Data, "sessions", options.Engine.Name), OpenDir: filepath.Join(options.Config.SessionsFolder(), options.Engine.Name),
			FrameAncestors: options.PublicURL,
			Data:           options.Config.Data, Reserve: reserve, Limits: options.Config.Sessions.Limits(), Network: sandbox.Network(options.Config.Sessions.Network), Pip: localjupyter.Pip(options.Config.Sessions.Pip),
			R:       localjupyter.R(options.Config.Sessions.R),
			Builder: localjupyter.Builder(options.Config.Sessions.Builder), Jupyter: options.Config.Sessions.Jupyter, Terminals: options.Config.Sessions.Terminal, Program: program, SSH: options.Config.Sessions.SSH, VSCode: vscode,
			ExtensionGallery: options.Config.Sessions.Extensions == config.ExtensionGallery,
			Descriptors:      options.Config.Descriptor.Names, Web: options.Web, Logger: options.Logger,
			Versions: options.Config.Keeping.Versions.EngineVersions(filepath.Join(options.Config.Data, VersionsName, options.Engine.Name)),
		})
		if err != nil {
			return nil, err
		}
		logJupyter(options.Logger, options.Config.Sessions)
		logIsolation(options.Logger, local.Isolation())
		if err := local.AnswerFirst(); err != nil {
			options.Logger.Warn("sessions that compute may slow down answers", "error", err)
		}
		return local, nil
	},
	config.HubKind: func(options EngineOptions) (engine.Engine, error) {
		limits := options.Config.Sessions.Limits()
		clones, err := clonesFolder(options.Config.Data)
		if err != nil {
			return nil, err
		}
		return jupyterhub.New(jupyterhub.Options{
			Temporary: clones,
			URL:       options.Engine.URL, Token: options.Engine.Token, Catalog: options.PublicURL, DataRoot: options.DataRoot, Records: options.Records, Logger: options.Logger,
			VSCode: options.Config.Sessions.VSCodeOf(options.Engine), SSH: options.Config.Sessions.SSH,
			ExtensionGallery: options.Config.Sessions.Extensions == config.ExtensionGallery,
			Descriptors:      options.Config.Descriptor.Names, LaunchTimeout: config.Duration(options.Engine.LaunchTimeout), Limits: jupyterhub.Limits{Memory: limits.Memory, CPU: limits.CPU, Disk: limits.Disk},
		})
	},
}

// cloneTime is how long a private repository is on its way to a hub at most. What is older was left behind by a server that was killed.
const cloneTime = 2 * time.Hour

// clonesFolder returns the folder in which private repositories are cloned before they are sent to hubs.
func clonesFolder(data string) (string, error) {
	folder := filepath.Join(data, "cache", "private")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", DataFault(err, data)
	}
	found, err := os.ReadDir(folder)
	for _, one := range found {
		if about, statErr := one.Info(); statErr == nil && time.Since(about.ModTime()) > cloneTime {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, one.Name())))
		}
	}
	return folder, err
}

// StartupNotes returns lines about what a usable configuration leads to on this machine.
func StartupNotes(settings config.Config) []string {
	if len(settings.LocalEngines()) == 0 {
		return nil
	}
	program, warning := findJupyter(settings.Sessions)
	if warning != "" {
		return []string{"Warning: " + warning}
	}
	notes := []string{"Sessions on this server run " + program.String() + "."}
	for _, one := range settings.Sessions.Engines {
		program := settings.Sessions.VSCodeOf(one)
		if one.Kind != config.LocalKind || program == "" {
			continue
		}
		editor, err := vscodeprogram.Find(program)
		if err != nil {
			return append(notes, "Warning: "+fault.MessageOf(err)+" docs/configure.md says how to install one.")
		}
		notes = append(notes, "They can be opened in VS Code: "+editor.Name+".")
	}
	return notes
}

// findJupyter returns the Jupyter of sessions on this server, or a warning about what is missing.
func findJupyter(c config.Sessions) (found jupyterprogram.Program, warning string) {
	found, err := jupyterprogram.Find(c.Jupyter)
	switch {
	case err != nil:
		warning = fault.MessageOf(err)
	case c.Terminal && !found.Terminals:
		warning = "sessions.terminal: " + found.String() + " can't open terminals without the package terminado (on Debian python3-terminado)"
	case c.Terminal && found.Blank:
		warning = "sessions.terminal: terminal pages stay blank in " + found.String() + " of Debian, which lacks parts of it; use JupyterLab"
	}
	return found, warning
}

func logJupyter(logger *slog.Logger, config config.Sessions) {
	program, warning := findJupyter(config)
	if warning != "" {
		logger.Warn("the Jupyter of sessions", "why", warning)
		return
	}
	logger.Info("the Jupyter of sessions", "program", program.Path, "is", program.Name)
}

// logIsolation logs how sessions are isolated, and warns operators where that is less than they may expect.
func logIsolation(logger *slog.Logger, found localjupyter.Isolation) {
	level := slog.LevelInfo
	if found.Weak || found.Network.Sentence != "" || found.Open != "" {
		level = slog.LevelWarn
	}
	attributes := []slog.Attr{
		slog.String("isolation", string(found.Level)), slog.String("meaning", found.Sentence), slog.String("bounded", found.Limits),
		slog.String("network", string(found.Network.Network)), slog.String("system_calls", cmp.Or(found.Open, "filtered")),
	}
	if found.Network.Sentence != "" {
		attributes = append(attributes, slog.String("why", found.Network.Sentence))
	}
	logger.LogAttrs(context.Background(), level, "sessions on this server", attributes...)
}
