package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/discovery"
	"cairn/internal/app/installation"
	"cairn/internal/app/serving"
	"cairn/internal/entries/archives"
	"cairn/internal/foundation/humanize"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/operations/metrics"
	"cairn/internal/people/idp"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sizes"
	"cairn/internal/site"
	"cairn/internal/site/demo"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// program is a server with everything open.
type program struct {
	config  config.Config
	version string
	logger  *slog.Logger
	site    *site.Live

	publicURL  string
	sessionURL string // template
	address    origin.AddressTemplate
	issuer     string

	certificate *certificate // nil: the listeners speak plain HTTP

	metrics   *metrics.Metrics
	tasks     tasks
	db        *sqldb.DB
	engines   []sizes.Engine
	kinds     sessionKinds
	discovery *discovery.Discovery
	records   *archives.Recent
	provider  *idp.Provider // nil unless it is the embedded one
	close     []func() error
}

// Run serves until ctx ends, then lets requests finish and leaves the sessions running. If it ended with ErrTerminated,
// the server takes requests for the time of shutdown.notice before. Run prints the addresses to out once it answers.
func Run(ctx context.Context, settings config.Config, version string, out io.Writer) (err error) {
	given, err := takeListeners(activation.Files(true))
	if err != nil {
		return err
	}
	defer given.close() // the server closes them first
	settings = listeningOn(settings, given)
	if err := settings.Check(); err != nil {
		return err
	}
	p := &program{config: settings.WithDemoDefaults(), version: version, logger: settings.Log.NewLogger(os.Stderr)}
	p.metrics = newMetrics(p.config, version)
	defer func() {
		for _, closeOne := range slices.Backward(p.close) {
			err = errors.Join(err, closeOne())
		}
	}()
	for _, warning := range settings.Warnings() {
		p.logger.WarnContext(ctx, "the configuration allows what may not be meant", "warning", warning)
	}
	hangups := make(chan os.Signal, 1)
	if settings.Site != "" || os.Getenv(managerSocket) != "" { // before the file is read: a signal must neither end the server nor be missed
		signal.Notify(hangups, syscall.SIGHUP)
		defer signal.Stop(hangups)
	}
	if p.site, err = site.Open(settings.Site); err != nil {
		return err
	}
	if p.config.Data, err = installation.PrepareData(settings.Data); err != nil {
		return err
	}
	if err := config.Fault(installation.FileFaults(p.config.Data)); err != nil {
		return err
	}
	unlock, err := installation.LockData(ctx, p.config.Data)
	if err != nil {
		return err
	}
	p.close = append(p.close, unlock)
	if err := installation.RestrictAccess(p.config); err != nil {
		return err
	}
	if err := p.openTLS(ctx); err != nil {
		return err
	}
	page, sessionListener, err := p.listen(ctx, given)
	if err != nil {
		return err
	}
	metricsListener, err := p.listenForMetrics(ctx)
	if err != nil {
		return err
	}
	handler, gateway, d, err := p.connect(ctx)
	if err != nil {
		return err
	}
	d.Handlers = map[net.Listener]http.Handler{
		page: onlyHTTPS(p.publicURL, handler), sessionListener: onlyHTTPS(config.ExampleOf(p.sessionURL), gateway),
	}
	d.Background = append(d.Background, func(ctx context.Context) { p.reloadSite(ctx, hangups) },
		func(ctx context.Context) { p.serveMetrics(ctx, metricsListener) })
	return p.serve(ctx, d, out)
}

// serve does its duties until ctx ends or a listener fails, and then ends in order.
func (p *program) serve(ctx context.Context, d serving.Duties, out io.Writer) error {
	options := serving.Options{
		Logger: p.logger, Observer: p.metrics, TrustedProxies: config.Prefixes(p.config.TrustedProxies),
		Ready: func() {
			p.announce(out)
			p.notifyManager(ctx, daemon.SdNotifyReady)
			if strings.HasPrefix(p.publicURL, "https:") && p.certificate == nil && len(p.config.TrustedProxies) == 0 {
				p.logger.WarnContext(ctx, "trusted_proxies is empty, but something in front of this server speaks https: everyone "+
					"who comes through it counts as one address, in the log too, and calls without sign-in have a limit together")
			}
		},
		Stopping: func() time.Duration {
			p.notifyManager(ctx, daemon.SdNotifyStopping)
			return p.shutdownNotice(ctx)
		},
	}
	if p.certificate != nil {
		options.TLS = p.certificate.config()
	}
	return serving.Run(ctx, d, options)
}

// ErrTerminated is the cause with which the context of Run ends when the server is to be replaced or moved, as SIGTERM
// says: whoever sends it requests learns of that first. After any other end, such as Ctrl-C, nobody waits for a notice.
var ErrTerminated = errors.New("the server was told to end")

// managerSocket is the variable with which systemd asks to be told what the server does (Type=notify). Its units also
// have a reload that sends SIGHUP, whether or not there is a site file.
const managerSocket = "NOTIFY_SOCKET"

// notifyManager tells systemd, if it asks for that, that the server answers or that it ends.
func (p *program) notifyManager(ctx context.Context, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		p.logger.WarnContext(ctx, "systemd can't be told what this server does: it will end the server when TimeoutStartSec has passed", "state", state, "reason", humanize.Reason(err))
	}
}

// shutdownNotice returns how long to take requests after ctx has ended: in the demo, where people wait for the end, not at all.
func (p *program) shutdownNotice(ctx context.Context) time.Duration {
	if p.config.Demo || !errors.Is(context.Cause(ctx), ErrTerminated) {
		return 0
	}
	notice, _ := p.config.Shutdown.NoticeTime()
	return notice
}

// announce prints all addresses.
func (p *program) announce(out io.Writer) {
	_, _ = fmt.Fprintf(out, "Cairn is at %s\nSessions at %s\n", p.publicURL, p.sessionURL)
	if !p.config.Demo || p.config.OIDC.Issuer != "" {
		return
	}
	_, _ = fmt.Fprintln(out, "\nDemo accounts (choose one when you sign in; no password):")
	for _, account := range demo.Accounts() {
		note := ""
		switch {
		case account.Operator:
			note = "operator"
		case !account.Enabled:
			note = "not enabled yet"
		case account.Email == demo.ProjectOwner:
			note = "owns the demo project"
		}
		_, _ = fmt.Fprintf(out, "  %-26s %s\n", account.Email, note)
	}
	_, _ = fmt.Fprintln(out, "\nCtrl-C stops the server. Sessions keep running, and the next start finds them again.")
}
