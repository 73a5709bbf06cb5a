package app

import (
	"time"

	"cairn/internal/entries/audience"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/secrets"
	"cairn/internal/people/connections"
)

// openKeys returns the keys of people's connections; nil if there are none that can be used, which the log says: everything else works.
func (p *program) openKeys() *secrets.Keys {
	path, canMake := p.config.KeyFile()
	if path == "" {
		return nil
	}
	open := secrets.Open
	if canMake {
		open = secrets.OpenOrMake
	}
	keys, err := open(path)
	if err != nil {
		p.logger.Error("people can't use their connections with code hosts", "error", err)
		return nil
	}
	return keys
}

// connectAccounts has private repositories read with the connections of people, and returns who can read what.
func (p *program) connectAccounts(hosts codeHosts) (*connections.Connections, *audience.Audience, error) {
	readers := audience.New(audience.Options{
		Hosts: hosts.Hosts, Recheck: func(repository codehost.Repository) time.Duration { return hosts.recheck[repository.Host] }, Now: time.Now, Logger: p.logger,
	})
	connected, err := connections.New(connections.NewStore(p.db), connections.Options{
		Keys: p.openKeys(), Hosts: hosts.connect, Now: time.Now, Logger: p.logger, Changed: func(accountID, _ string) { readers.Forget(accountID) },
	})
	if err == nil {
		err = hosts.Connect(hosts.private, connected)
	}
	return connected, readers, err
}
