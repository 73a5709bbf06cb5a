package commands

import (
	"log/slog"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/fault"
	"cairn/internal/idp"
)

// tokenLifetime is long enough for a session at the command line.
const tokenLifetime = time.Hour

// Token returns an access token for an account of the embedded identity provider of the server that uses, or last used,
// the configured data folder.
func Token(config config.Config, email string) (string, error) {
	tokens, err := Tokens(config, []string{email})
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// Tokens is Token for many accounts.
func Tokens(config config.Config, emails []string) ([]string, error) {
	if config.OIDC.Issuer != "" {
		return nil, fault.New(fault.Invalid, "Tokens can be made only for the embedded identity provider; ask %s for yours.", config.OIDC.Issuer)
	}
	left, err := installation.ReadIssuer(config.Data)
	if err != nil {
		return nil, err
	}
	config.Demo = left.Demo
	provider, err := idp.New(config.ProviderOptions(left.Issuer, left.PublicURL, slog.New(slog.DiscardHandler)))
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
