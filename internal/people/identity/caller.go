package identity

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"

	"golang.org/x/text/unicode/norm"
)

// Caller is the account behind a request.
type Caller struct {
	AccountID string
	Email     string // normalized; "" unless the provider has verified it
	Name      string
	Login     string // the provider's id of this sign-in (sid), or ""
	Enabled   bool   // may start sessions
	Disabled  bool   // by an operator; accounts that wait to be enabled aren't
	Operator  bool
	Guest     bool      // of a workshop: without a provider and an address, and with little to call
	SeenAt    time.Time // when a valid token of the account was last seen; up to date from Service.Account alone

	signIn signIn       // behind the token of the request
	token  *AccessToken // that the request came with, if it is one of ours
}

// Label returns what strangers call the caller: the name, or for somebody without one what is before the @ of the address.
func (c Caller) Label() string { return LabelOf(c.Name, c.Email) }

// LabelOf is Caller.Label for a name and an e-mail address.
func LabelOf(name, email string) string {
	local, _, _ := strings.Cut(email, "@")
	return cmp.Or(name, local)
}

type callerKey struct{}

// With adds the caller of a request to its context, also as who makes its changes.
func With(ctx context.Context, caller Caller) context.Context {
	ctx = audit.As(ctx, audit.Actor{AccountID: caller.AccountID, Email: caller.Email})
	return context.WithValue(ctx, callerKey{}, caller)
}

// From returns the caller of a request; false for anonymous ones.
func From(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(Caller)
	return caller, ok
}

// Email returns the caller's verified e-mail, or "" for anonymous ones.
func Email(ctx context.Context) string {
	caller, _ := From(ctx)
	return caller.Email
}

// Require returns the caller of an operation that needs an account: Unauthenticated for anonymous requests, Forbidden
// when the provider hasn't verified the e-mail, on which rights depend.
func Require(ctx context.Context) (Caller, error) {
	caller, ok := From(ctx)
	if !ok {
		return Caller{}, fault.New(fault.Unauthenticated, "Sign in first: this needs an account.")
	}
	if caller.Email == "" {
		return Caller{}, fault.New(fault.EmailUnverified, "Your identity provider doesn't share a verified e-mail address for you. "+
			"Verify your address there and sign in again.")
	}
	return caller, nil
}

// RefuseDisabled returns AccountDisabled if an operator disabled the caller's account.
func RefuseDisabled(ctx context.Context) error {
	if caller, _ := From(ctx); caller.Disabled {
		return fault.New(fault.AccountDisabled, "An operator disabled your account, so you can't add, change or star entries.")
	}
	return nil
}

// RequireContributor is Require for operations that write entries: AccountDisabled for accounts that an operator
// disabled.
func RequireContributor(ctx context.Context) (Caller, error) {
	caller, err := Require(ctx)
	if err == nil {
		err = RefuseDisabled(ctx)
	}
	return caller, err
}

// RequireOperator is Require for operations of operators: Forbidden, with a refusal, for anybody else.
func RequireOperator(ctx context.Context, refusal string) (Caller, error) {
	caller, err := Require(ctx)
	if err == nil && !caller.Operator {
		err = fault.New(fault.Forbidden, "%s", refusal)
	}
	return caller, err
}

// RequireEmail is Require for operations that name their user by e-mail: Forbidden for anybody else.
func RequireEmail(ctx context.Context, email string) (Caller, error) {
	caller, err := Require(ctx)
	if err == nil && NormalizeEmail(email) != caller.Email {
		err = fault.New(fault.Forbidden, "You can only ask for your own (%s).", caller.Email)
	}
	return caller, err
}

// NormalizeEmail returns the form in which e-mails are stored and compared: NFKC, lower case, without surrounding
// spaces.
func NormalizeEmail(email string) string {
	lower := strings.ToLower(norm.NFKC.String(email))
	return strings.TrimSpace(norm.NFKC.String(lower)) // lower case can have a shorter form, and NFKC can produce spaces
}

var emailPattern = regexp.MustCompile(`^[^@\s\pC\pZ,;<>"()]+@[^@\s\pC\pZ,;<>"()]+$`)

// ValidEmail reports whether a normalized text looks like an e-mail address of at most 254 bytes (RFC 5321, 4.5.3.1).
func ValidEmail(email string) bool { return len(email) <= 254 && emailPattern.MatchString(email) }
