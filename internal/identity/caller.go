package identity

import (
	"context"
	"regexp"
	"strings"

	"cairn/internal/fault"

	"golang.org/x/text/unicode/norm"
)

// Caller is the account behind a request.
type Caller struct {
	AccountID string
	Email     string // normalised; "" when the provider does not vouch for it
	Name      string
	Login     string // what the provider calls this sign-in (sid), or ""
	Enabled   bool   // may start sessions
	Operator  bool
}

type callerKey struct{}

// With puts the caller of a request into its context.
func With(ctx context.Context, caller Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// From gives the caller of a request; false for anonymous ones.
func From(ctx context.Context) (Caller, bool) {
	caller, ok := ctx.Value(callerKey{}).(Caller)
	return caller, ok
}

// Email is the caller's verified e-mail, or "" for anonymous ones.
func Email(ctx context.Context) string {
	caller, _ := From(ctx)
	return caller.Email
}

// Require gives the caller of an operation on something of their own: Unauthenticated for anonymous requests,
// Forbidden when the provider does not vouch for the e-mail that rights hang on.
func Require(ctx context.Context) (Caller, error) {
	caller, ok := From(ctx)
	if !ok {
		return Caller{}, fault.New(fault.Unauthenticated, "Sign in first: this needs an account.")
	}
	if caller.Email == "" {
		return Caller{}, fault.New(fault.EmailUnverified, "Your identity provider gives no verified e-mail address for you. "+
			"Verify your address there and sign in again.")
	}
	return caller, nil
}

// RequireEmail is Require for calls that name their user by e-mail: Forbidden for anybody else.
func RequireEmail(ctx context.Context, email string) (Caller, error) {
	caller, err := Require(ctx)
	if err == nil && NormalizeEmail(email) != caller.Email {
		err = fault.New(fault.Forbidden, "You can ask for your own (%s) only.", caller.Email)
	}
	return caller, err
}

// NormalizeEmail is the one form in which e-mails are stored and compared: NFKC, lower case, no blanks around.
func NormalizeEmail(email string) string {
	lower := strings.ToLower(norm.NFKC.String(email))
	return strings.TrimSpace(norm.NFKC.String(lower)) // lower case can have a shorter form, and NFKC can make blanks
}

var emailPattern = regexp.MustCompile(`^[^@\s\pC\pZ,;<>"()]+@[^@\s\pC\pZ,;<>"()]+$`)

// ValidEmail tells whether a normalised text looks like an e-mail address of at most 254 bytes (RFC 5321, 4.5.3.1).
func ValidEmail(email string) bool { return len(email) <= 254 && emailPattern.MatchString(email) }
