package app

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/operations/metrics"

	"golang.org/x/sys/unix"
)

func newMetrics(settings config.Config, version string) *metrics.Metrics {
	known := metrics.Known{Version: version, Go: runtime.Version(), Tasks: slices.Sorted(maps.Keys(taskDeadlines))}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range built.Settings {
			if setting.Key == "vcs.revision" {
				known.Commit = setting.Value
			}
		}
	}
	if _, commit, found := strings.Cut(version, "-g"); found && known.Commit == "" { // as git describe writes it
		known.Commit, _, _ = strings.Cut(commit, "-")
	}
	known.Engines = settings.EngineNames()
	return metrics.New(known)
}

// taskDone returns what work in the background calls after each success.
func (p *program) taskDone(name string) func() {
	return func() {
		p.metrics.TaskSucceeded(name)
		p.tasks.succeeded(name)
	}
}

// registerMetrics lets the metrics ask for the state of the server.
func (p *program) registerMetrics(parts features, health *httpapi.Health) {
	p.metrics.Watch(metrics.State{
		Pools: func() (pools []metrics.Pool) {
			for name, pool := range p.db.Pools() {
				pools = append(pools, metrics.Pool{Name: name, InUse: pool.InUse, Idle: pool.Idle, Waited: pool.WaitDuration})
			}
			return pools
		},
		Busy:  p.db.Lost,
		Index: parts.entries.IndexState,
		Sessions: func(ctx context.Context) (counts []metrics.Sessions, err error) {
			found, err := parts.sessions.Store.Counts(ctx)
			for _, one := range found {
				state := strings.ToLower(one.State)
				if state == "created" {
					state = "starting"
				}
				counts = append(counts, metrics.Sessions{Engine: one.Engine, State: state, Count: one.Count})
			}
			return counts, err
		},
		Connections: parts.sessions.Connections,
		Disks:       p.disks,
		Backup: func() (time.Time, int64) {
			last, _ := installation.ReadBackup(p.config.Data)
			return last.At, last.Bytes
		},
		Checks: health.Checks,
	}, p.config.EngineNames())
}

// disks returns the disks of the data folder and of sessions, each once.
func (p *program) disks() (found []metrics.Disk) {
	var seen []unix.Fsid
	for _, folder := range []struct{ name, path string }{{"data", p.config.Data}, {"sessions", p.config.SessionsFolder()}} {
		var about unix.Statfs_t
		if unix.Statfs(installation.NearestFolder(folder.path), &about) != nil || slices.Contains(seen, about.Fsid) {
			continue
		}
		seen = append(seen, about.Fsid)
		block := about.Bsize
		found = append(found, metrics.Disk{Name: folder.name, Free: int64(about.Bavail) * block, Size: int64(about.Blocks) * block})
	}
	return found
}

// listenForMetrics opens the listener of the metrics; nil if there is none.
func (p *program) listenForMetrics(ctx context.Context) (net.Listener, error) {
	wanted, ok := p.config.MetricsListener()
	if !ok {
		return nil, nil
	}
	opened, err := installation.Listen(ctx, wanted)
	if err != nil {
		return nil, err
	}
	p.close = append(p.close, func() error { _ = opened.Close(); return nil }) // the server closes it first
	if path, local := strings.CutPrefix(wanted.Address, config.UnixPrefix); local {
		err = os.Chmod(path, 0o660) //nolint:gosec // for a collector in the group of the server's account
	}
	return opened, err
}

// serveMetrics answers on the listener of the metrics until ctx ends, which is after all else has ended.
func (p *program) serveMetrics(ctx context.Context, on net.Listener) {
	if on == nil {
		return
	}
	server := &http.Server{Handler: p.metricsHandler(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer ended()
	if err := server.Serve(on); err != nil && !errors.Is(err, http.ErrServerClosed) {
		p.logger.ErrorContext(ctx, "metrics can't be read anymore", "error", err)
	}
}

// metricsHandler serves the metrics, and the profiles if the configuration wants them.
func (p *program) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", p.metrics.Handler())
	if p.config.Metrics.Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return mux
}
