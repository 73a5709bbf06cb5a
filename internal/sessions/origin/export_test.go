package origin

import (
	"context"
	"net"
	"net/http"
	"time"

	"cairn/internal/foundation/sqldb"
	"cairn/internal/people/identity"
	"cairn/internal/sessions"
	"cairn/internal/sessions/diagnosis"
)

// What pages and scripts are answered.
type (
	LaunchState = launchState
	PageState   = pageState
	RunState    = runState
	PageLink    = pageLink
)

const (
	TicketKind, CookieKind, WorkKind = ticketKind, cookieKind, workKind

	TicketLifetime        = ticketLifetime
	KeepAlive             = keepAlive
	ForeignText           = foreignText
	StreamsPerCookie      = streamsPerCookie
	ContentSecurityPolicy = contentSecurityPolicy
)

var (
	SessionScript, SessionStyle, PageStyle = sessionScript, sessionStyle, pageStyle

	Digest       = digest
	InsidePath   = insidePath
	QueuedStep   = queuedStep
	WithoutToken = withoutToken
)

// CauseOf is causeOf without the contact of operators.
func CauseOf(session sessions.Session, parts []diagnosis.LogPart) (help sessions.Help, known bool) {
	said := causeOf(session, parts, "")
	if said == nil {
		return help, false
	}
	return said.Help, true
}

// Grant is what a secret stands for.
type Grant struct{ SessionID, AccountID, Login string }

func exported(found accessGrant) Grant {
	return Grant{SessionID: found.sessionID, AccountID: found.accountID, Login: found.login}
}

// Secrets are the stored secrets.
type Secrets struct{ store *accessStore }

// NewSecrets returns those in a database.
func NewSecrets(db *sqldb.DB) Secrets { return Secrets{&accessStore{db: db}} }

// Issue is issue.
func (s Secrets) Issue(ctx context.Context, kind string, to Grant) (string, error) {
	return s.store.issue(ctx, kind, accessGrant{sessionID: to.SessionID, accountID: to.AccountID, login: to.Login})
}

// Redeem is redeem.
func (s Secrets) Redeem(ctx context.Context, kind, ticket, sessionID string) (Grant, error) {
	found, err := s.store.redeem(ctx, kind, ticket, sessionID)
	return exported(found), err
}

// Cookie is cookie.
func (s Secrets) Cookie(ctx context.Context, secret, sessionID string, now time.Time) (Grant, error) {
	found, err := s.store.cookie(ctx, secret, sessionID, now)
	return exported(found), err
}

// Renew is renew.
func (s Secrets) Renew(ctx context.Context, secret string) error { return s.store.renew(ctx, secret) }

// Revoke is revoke.
func (s Secrets) Revoke(ctx context.Context, caller identity.Caller) error {
	return s.store.revoke(ctx, caller)
}

// SetTimes sets how long a checked cookie is trusted, and how long a connection may outlive a right.
func (g *Gateway) SetTimes(grant, recheck time.Duration) {
	g.access.grantTime, g.access.recheckTime = grant, recheck
}

// ForgetGrants has every cookie checked again.
func (g *Gateway) ForgetGrants() { g.access.grants.Forget() }

// Watched returns how many rights of open connections are watched.
func (g *Gateway) Watched() int {
	g.access.mu.Lock()
	defer g.access.mu.Unlock()
	return len(g.access.watched)
}

// NotFound answers that there is nothing at an address.
func (g *Gateway) NotFound(w http.ResponseWriter) { g.pages.notFound(w) }

// Home is the page from which a session was started.
func (g *Gateway) Home(session sessions.Session) string { return g.home(session).URL }

// CookieName is the name of a session's cookie.
func (g *Gateway) CookieName(id string) string { return g.cookieName(id) }

// AddSocket adds an open websocket to a browser.
func (s *Sockets) AddSocket(browser net.Conn) {
	s.open[&socket{Conn: browser, left: make(chan struct{})}] = true
}

// OpenShell is openShell.
func (g *Gateway) OpenShell(ctx context.Context, id string) (ShellWay, error) {
	return g.openShell(ctx, id)
}

// ShellWay is a way to the SSH server of a session.
type ShellWay = shellWay
