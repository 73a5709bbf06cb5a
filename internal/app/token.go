package app

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"cairn/internal/fault"
	"cairn/internal/idp"
)

// issuerFile records, for `cairn token`, the addresses of the server with this data folder.
const issuerFile = "issuer.json"

type leftIssuer struct {
	Issuer    string `json:"issuer"`
	PublicURL string `json:"publicUrl"`
	Demo      bool   `json:"demo"`
}

func leaveIssuer(config Config, issuer, publicURL string) error {
	content, err := json.Marshal(leftIssuer{Issuer: issuer, PublicURL: publicURL, Demo: config.Demo})
	if err != nil {
		return err
	}
	path := filepath.Join(config.Data, issuerFile)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// tokenLifetime is long enough for a session at the command line.
const tokenLifetime = time.Hour

// Token returns an access token for an account of the embedded identity provider of the server that uses, or last used,
// the configured data folder.
func Token(config Config, email string) (string, error) {
	tokens, err := Tokens(config, []string{email})
	if err != nil {
		return "", err
	}
	return tokens[0], nil
}

// Tokens is Token for many accounts.
func Tokens(config Config, emails []string) ([]string, error) {
	if config.OIDC.Issuer != "" {
		return nil, fault.New(fault.Invalid, "Tokens can be made only for the embedded identity provider; ask %s for yours.", config.OIDC.Issuer)
	}
	path := filepath.Join(config.Data, issuerFile)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.NotFound, "No server has used the data folder %s yet. Start one with cairn serve, or choose "+
			"its folder with --data.", config.Data)
	}
	var left leftIssuer
	if err := json.Unmarshal(content, &left); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s is damaged; start the server once to replace it.", path)
	}
	config.Demo = left.Demo
	provider, err := idp.New(providerOptions(config, left.Issuer, left.PublicURL, slog.New(slog.DiscardHandler)))
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
