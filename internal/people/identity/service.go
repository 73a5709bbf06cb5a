package identity

import (
	"context"
	"slices"
	"strings"
)

// Policy says who is enabled without an operator's decision.
type Policy struct {
	Auto    bool     // everybody
	Domains []string // e-mails of these domains, compared whole and in lower case
	Hosts   []string // e-mails or domains of the enabled people who may prepare workshops, in lower case
}

// Service identifies callers and manages their accounts.
type Service struct {
	store    *Store
	verifier *Verifier
	policy   Policy
}

// NewService returns a service.
func NewService(store *Store, verifier *Verifier, policy Policy) *Service {
	return &Service{store: store, verifier: verifier, policy: policy}
}

// Identify returns the account of an access token of the provider or of ours, and creates it for a new subject. It returns Unauthenticated for a
// bad token, Unavailable while the provider doesn't answer.
func (s *Service) Identify(ctx context.Context, token string) (Caller, error) {
	if isToken(token) {
		return s.identifyToken(ctx, token)
	}
	said, err := s.verifier.verify(ctx, token)
	if err != nil {
		return Caller{}, err
	}
	if err := s.refuseEnded(ctx, said); err != nil {
		return Caller{}, err
	}
	email := ""
	if s.verifier.options.TrustEmail || said.EmailVerified == true || said.EmailVerified == "true" {
		email = NormalizeEmail(said.Email)
	}
	if !ValidEmail(email) {
		email = ""
	}
	name := strings.ReplaceAll(said.Name, "\x00", "")
	var account Account
	if said.Email == "" { // neither the token nor userinfo names one
		account, err = s.store.SeeWithoutEmail(ctx, said.Issuer, said.Subject, name)
	} else {
		account, err = s.store.See(ctx, said.Issuer, said.Subject, email, name)
	}
	if err == nil {
		err = s.store.MarkSeen(ctx, account.ID)
	}
	if err != nil {
		return Caller{}, err
	}
	caller := s.caller(account)
	caller.Login, caller.signIn = said.SessionID, said.signIn()
	return caller, nil
}

// Account returns the current account with an id; NotFound when there is none.
func (s *Service) Account(ctx context.Context, id string) (Caller, error) {
	account, err := s.store.Account(ctx, id)
	if err != nil {
		return Caller{}, err
	}
	return s.caller(account), nil
}

func (s *Service) caller(account Account) Caller {
	if !account.GuestUntil.IsZero() {
		return Caller{
			AccountID: account.ID, Email: account.Email, Name: account.Name, SeenAt: account.SeenAt, Guest: true,
			Enabled: !account.disabled() && s.store.db.Now().Before(account.GuestUntil), Disabled: account.disabled(),
		}
	}
	return Caller{
		AccountID: account.ID, Email: account.Email, Name: account.Name, SeenAt: account.SeenAt,
		Enabled: s.policy.enabled(account), Disabled: account.disabled(), Operator: s.policy.enabled(account) && account.Grant != nil && account.Grant.Operator(),
	}
}

// disabled reports whether an operator disabled an account.
func (a Account) disabled() bool { return a.DisabledAs != "" || (a.Grant != nil && !a.Grant.Enabled) }

// enabled reports whether an account is enabled: an operator's decision comes before the policy, also one about a former
// e-mail of a disabled account; without a verified e-mail only "auto" enables.
func (p Policy) enabled(account Account) bool {
	if account.disabled() {
		return false
	}
	if account.Grant != nil || p.Auto {
		return true
	}
	_, domain, found := strings.Cut(account.Email, "@")
	return found && slices.Contains(p.Domains, domain)
}

// MayHost reports whether somebody may prepare workshops: enabled people whom operators named, and operators.
func (s *Service) MayHost(caller Caller) bool {
	if !caller.Enabled || caller.Guest || caller.Email == "" {
		return false
	}
	_, domain, _ := strings.Cut(caller.Email, "@")
	return caller.Operator || slices.Contains(s.policy.Hosts, caller.Email) || slices.Contains(s.policy.Hosts, domain)
}
