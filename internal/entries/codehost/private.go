package codehost

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/gitclient"

	lru "github.com/hashicorp/golang-lru/v2"
)

// PrivateHost is how repositories of a host are read that not everybody can read: with the connection of the account that reads.
type PrivateHost struct {
	Connection string // the name of the connection
	// Open returns the host as an account sees it, with its token. refused is called when the host doesn't take the token.
	Open  func(account, token string, refused func()) Host
	Login func(token string) gitclient.Login
	Git   gitclient.Options
}

// Tokens are the tokens of accounts for code hosts.
type Tokens interface {
	// Token returns the token of an account's connection; NotConnected without one that works.
	Token(ctx context.Context, accountID, connection string) (string, error)
	// Refused notes that the host doesn't take a token any more.
	Refused(ctx context.Context, accountID, connection, token string)
}

// connected is what Hosts need for private repositories. The zero value reads none.
type connected struct {
	hosts  map[string]PrivateHost // by the host of addresses
	tokens Tokens
	opened *lru.Cache[string, Host] // by account, connection and the digest of the token
}

// openedMost is how many hosts stay open, each with what one account may still ask.
const openedMost = 1_000

// Connect has private repositories of these hosts, by the hosts of addresses, read with the tokens of accounts. It is called before the first
// use.
func (h *Hosts) Connect(hosts map[string]PrivateHost, tokens Tokens) error {
	opened, err := lru.New[string, Host](openedMost)
	h.connected = connected{hosts, tokens, opened}
	return err
}

// Connection returns the name of the connection with which private repositories of a host are read; "" if there is none.
func (h *Hosts) Connection(repository Repository) string {
	return h.connected.hosts[repository.Host].Connection
}

type readerKey struct{}

// ReadAs has calls read as an account with its connection, instead of what everybody can read. What they return is for that account alone.
func ReadAs(ctx context.Context, accountID string) context.Context {
	return AskedBy(context.WithValue(ctx, readerKey{}, accountID), accountID)
}

// IsPrivate reports whether a context is one of ReadAs: what is read in it isn't for everybody.
func IsPrivate(ctx context.Context) bool {
	_, isPrivate := readerOf(ctx)
	return isPrivate
}

func readerOf(ctx context.Context) (accountID string, isPrivate bool) {
	accountID, isPrivate = ctx.Value(readerKey{}).(string)
	return accountID, isPrivate
}

// token returns how a repository is read as an account, and the account's token. NotConnected without a connection.
func (c connected) token(ctx context.Context, accountID string, repository Repository) (PrivateHost, string, error) {
	host, known := c.hosts[repository.Host]
	if !known || accountID == "" {
		return PrivateHost{}, "", fault.New(fault.NotConnected, "Private repositories on %s can't be read here.", repository.Host)
	}
	token, err := c.tokens.Token(ctx, accountID, host.Connection)
	return host, token, err
}

// host returns the host of a repository as an account sees it.
func (c connected) host(ctx context.Context, accountID string, repository Repository) (Host, error) {
	host, token, err := c.token(ctx, accountID, repository)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(token))
	key := strings.Join([]string{accountID, host.Connection, hex.EncodeToString(sum[:])}, "\n")
	if opened, ok := c.opened.Get(key); ok {
		return opened, nil
	}
	opened := host.Open(accountID, token, func() { c.tokens.Refused(context.WithoutCancel(ctx), accountID, host.Connection, token) })
	c.opened.Add(key, opened)
	return opened, nil
}

// prober is a host that can be asked whether code is readable now.
type prober interface {
	readable(ctx context.Context, repository Repository) (About, error)
}

// Readable asks the host of a repository whether an account can read its code now, and what it is. NotFound if it can't, NotConnected without a
// connection, another fault if the host can't be asked.
func (h *Hosts) Readable(ctx context.Context, accountID string, repository Repository) (About, error) {
	host, err := h.connected.host(ctx, accountID, repository)
	if err != nil {
		return About{}, err
	}
	asks, ok := host.(prober)
	if !ok {
		return About{}, fault.New(fault.Internal, "%s can't be asked who reads what", repository.Host)
	}
	ctx, cancel := context.WithTimeout(ReadAs(ctx, accountID), callTime)
	defer cancel()
	return asks.readable(ctx, repository)
}

// readable implements prober. A repository that answers may still hide its code, so a folder is asked for as well.
func (h reader) readable(ctx context.Context, repository Repository) (About, error) {
	known, err := h.service.about(ctx, repository, 0)
	if err != nil {
		return About{}, err
	}
	hidden := fault.New(fault.NotFound, "%s doesn't show you the code of %s.", h.service.name(repository), known.Repository)
	if known.Branch == "" { // GitLab names none to guests of a project, and an empty repository has none
		return About{}, hidden
	}
	if _, _, err = h.service.tree(known, known.Branch, 0).folder(ctx, ""); err != nil {
		return About{}, orAbsent(err, hidden)
	}
	return known.About, nil
}

// CloneAs clones all branches of a repository into a folder, with what an account can read, and returns the path of the bare clone. Its
// configuration names neither the host nor the account. NotFound if the account can't read it, TooLarge if it has more than so many bytes.
func (h *Hosts) CloneAs(ctx context.Context, accountID string, repository Repository, address, folder string, most int64) (path string, err error) {
	host, token, err := h.connected.token(ctx, accountID, repository)
	if err != nil {
		return "", err
	}
	options, login := host.Git, host.Login(token)
	options.Limit = most
	opened, err := gitclient.Open(options, folder, gitclient.Source{Address: address, Login: &login})
	if err != nil {
		return "", err
	}
	defer opened.Close()
	return opened.Mirror(ctx)
}
