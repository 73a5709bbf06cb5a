package app

import (
	"path/filepath"
	"strings"
)

// databaseAddress returns where the database is; the default is a file in the data folder.
func (c Config) databaseAddress() string {
	if c.DatabaseURL != "" {
		return c.DatabaseURL
	}
	return "sqlite:" + filepath.Join(c.Data, "cairn.db")
}

// unshared returns what only one server on a database can have.
func (c Config) unshared() []string {
	var own []string
	if len(c.localEngines()) > 0 {
		own = append(own, "a local engine")
	}
	if c.OIDC.Issuer == "" {
		own = append(own, "the embedded identity provider")
	}
	return own
}

// localEngines returns the names of the engines whose sessions run on this server.
func (c Config) localEngines() []string {
	var names []string
	for _, one := range c.Sessions.Engines {
		if one.Kind == localKind {
			names = append(names, one.Name)
		}
	}
	return names
}

// hasDatabaseKind reports whether database_url is of a kind that there is.
func (c Config) hasDatabaseKind() bool {
	address := c.databaseAddress()
	return strings.HasPrefix(address, "sqlite:") || strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}
