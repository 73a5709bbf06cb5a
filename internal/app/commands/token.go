package commands

import (
	"log/slog"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/fault"
	"cairn/internal/people/idp"
)

// tokenLifetime is long enough for a session at the command line.
const tokenLifetime = time.Hour

// Token returns an access token for an account of the embedded identity provider of the server that uses, or last used,
// the configured data folder.
func Token(settings config.Config, email string) (string, error) {
	tokens, err := Tokens(settings, []string{email})
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// Tokens is Token for many accounts.
func Tokens(settings config.Config, emails []string) ([]string, error) {
	if settings.OIDC.Issuer != "" {
		return nil, fault.New(fault.Invalid, "Tokens can be made only for the embedded identity provider; ask %s for yours.", settings.OIDC.Issuer)
	}
	left, err := installation.ReadIssuer(settings.Data)
	if err != nil {
		return nil, err
	}
	settings.Demo = left.Demo
	provider, err := idp.New(settings.ProviderOptions(left.Issuer, left.PublicURL, slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	tokens := make([]string, len(emails))
	for i, email := range emails {
		if tokens[i], err = provider.AccessToken(email, tokenLifetime); err != nil {
			return nil, err
		}
	}
	return tokens, nil
}
