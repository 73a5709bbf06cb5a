package config

import (
	"path/filepath"
	"strings"
)

// DatabaseAddress returns where the database is; the default is a file in the data folder.
func (c Config) DatabaseAddress() string {
	if c.DatabaseURL != "" {
		return c.DatabaseURL
	}
	return "sqlite:" + filepath.Join(c.Data, "cairn.db")
}

// SingleServerParts returns what only one server on a database can have.
func (c Config) SingleServerParts() []string {
	var own []string
	if len(c.LocalEngines()) > 0 {
		own = append(own, "a local engine")
	}
	if c.OIDC.Issuer == "" {
		own = append(own, "the embedded identity provider")
	}
	return own
}

// LocalEngines returns the names of the engines whose sessions run on this server.
func (c Config) LocalEngines() []string {
	var names []string
	for _, one := range c.Sessions.Engines {
		if one.Kind == LocalKind {
			names = append(names, one.Name)
		}
	}
	return names
}

// HasDatabaseKind reports whether database_url is of a kind that there is.
func (c Config) HasDatabaseKind() bool {
	address := c.DatabaseAddress()
	return strings.HasPrefix(address, "sqlite:") || strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}
