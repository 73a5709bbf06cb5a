package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"cairn/internal/foundation/safehttp"
	"cairn/internal/sessions/engine/localjupyter"
	"cairn/internal/sessions/files/environments"
	"cairn/internal/sessions/files/folders"
	"cairn/internal/sessions/files/history"
)

// Settings reads the options that a hub gives its service in the environment, and the address to listen at. docs/jupyterhub.md explains
// them.
func Settings(get func(name string) string) (options Options, address string, err error) {
	var wrong []error
	number := func(name, standard string) int64 {
		value, err := strconv.ParseInt(cmp.Or(get(name), standard), 10, 64)
		if err != nil || value < 0 {
			wrong = append(wrong, fmt.Errorf("%s must be a number of bytes, not %q", name, get(name)))
		}
		return value
	}
	lasting := func(name, standard string) time.Duration {
		value, err := time.ParseDuration(cmp.Or(get(name), standard))
		if err != nil || value <= 0 {
			wrong = append(wrong, fmt.Errorf("%s must be a duration such as 60s, not %q", name, get(name)))
		}
		return value
	}
	var allowed []netip.Prefix
	for _, text := range strings.Fields(get("CAIRN_ALLOW")) {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("CAIRN_ALLOW must be networks such as 10.0.0.0/8, not %q", text))
		}
		allowed = append(allowed, prefix)
	}
	options = Options{
		Root: get("CAIRN_ROOT"), Token: get("CAIRN_TOKEN"), DataRoot: get("CAIRN_DATA_ROOT"),
		DatasetBytes: number("CAIRN_DATASET_BYTES", strconv.Itoa(20<<30)), CacheBytes: number("CAIRN_KEPT_BYTES", strconv.Itoa(100<<30)),
		Versions: history.Versions{
			Dir: get("CAIRN_VERSIONS"), Every: lasting("CAIRN_VERSIONS_EVERY", "60s"), Quota: number("CAIRN_VERSIONS_QUOTA", "0"), FileLimit: number("CAIRN_VERSIONS_FILE", strconv.Itoa(1<<30)),
		},
		NoRuns:    get("CAIRN_RUNS") == "off",
		RunLimits: localjupyter.Limits{Memory: number("CAIRN_MEMORY", "0"), Disk: number("CAIRN_DISK", "0")},
		Interval:  lasting("CAIRN_AGENT_LOOK", "10s"),
		Web:       safehttp.New(safehttp.Options{UserAgent: "Cairn's hub", AllowHTTP: true, Allowed: allowed}),
		Pip:       environments.Pip{IndexURL: get("CAIRN_PIP_INDEX_URL")}, R: environments.R{Repository: get("CAIRN_R_REPOSITORY")},
	}
	if options.CacheBytes == 0 {
		options.CacheBytes = math.MaxInt64
	}
	service, err := url.Parse(get("JUPYTERHUB_SERVICE_URL"))
	if err != nil || service.Port() == "" {
		wrong = append(wrong, errors.New("JUPYTERHUB_SERVICE_URL, which the hub gives its services, must be an address with a port"))
	} else {
		address = net.JoinHostPort(cmp.Or(get("CAIRN_LISTEN"), service.Hostname()), service.Port())
	}
	return options, address, errors.Join(wrong...)
}

// Serve serves the agent until the context ends, or the hub that started it has.
func Serve(ctx context.Context, release string, logger *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if hub := os.Getenv("CAIRN_HUB_PID"); hub != "" {
		go awaitEnd(ctx, hub, cancel)
	}
	options, address, err := Settings(os.Getenv)
	if err != nil {
		return err
	}
	options.Release, options.Logger = release, logger
	unlock, err := lock(ctx, options.Root)
	if err != nil {
		return err
	}
	defer unlock()
	listener, err := listen(ctx, address)
	if err != nil {
		return err
	}
	opened, err := New(options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	logger.Info("the agent of the hub's sessions is open", "root", options.Root, "address", address, "isolation", string(opened.sandbox.Level()))
	server := &http.Server{Handler: opened.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, opened.Close())
}

// awaitEnd calls end when the process that started this one has ended, however that was: the next hub starts its own agent.
func awaitEnd(ctx context.Context, hub string, end func()) {
	ticks := time.NewTicker(200 * time.Millisecond)
	defer ticks.Stop()
	for strconv.Itoa(os.Getppid()) == hub {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
	}
	end()
}

// patience is how long an agent waits for the one before it, which may be completing a version.
const patience = time.Minute

// retry tries until it works, the context ends, or patience does.
func retry(ctx context.Context, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func listen(ctx context.Context, address string) (listener net.Listener, err error) {
	err = retry(ctx, func() error {
		listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		return err
	})
	return listener, err
}

// lockName is the file below the root that an agent locks, so that there is one at a time, also on several machines with one volume.
const lockName = ".agent.lock"

// lock makes this process the only agent of a folder.
func lock(ctx context.Context, root string) (unlock func(), err error) {
	if err := folders.Make(root, folders.Passable); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(root, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := retry(ctx, func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		return nil, fmt.Errorf("another agent uses %s: %w", root, errors.Join(err, file.Close()))
	}
	return func() { _ = file.Close() }, nil
}
