package app

import (
	"context"
	"net"
	"strings"

	"cairn/internal/app/config"
	"cairn/internal/app/installation"
	"cairn/internal/foundation/humanize"
	"cairn/internal/sessions/origin"
)

// listen opens both listeners, unless they are given, and sets the addresses at which people find them.
func (p *program) listen(ctx context.Context, given givenListeners) (page, session net.Listener, err error) {
	opened := []net.Listener{given.page, given.session}
	for i, one := range p.config.Listeners() {
		if opened[i] != nil {
			continue
		}
		listener, err := installation.Listen(ctx, one)
		if err != nil {
			return nil, nil, err
		}
		p.close = append(p.close, func() error { _ = listener.Close(); return nil }) // the server closes it first
		opened[i] = listener
	}
	page, session = opened[0], opened[1]
	p.publicURL = p.config.PublicAddress(page.Addr().String())
	p.sessionURL = p.config.SessionAddress(session.Addr().String())
	p.address, err = origin.ParseAddressTemplate(p.sessionURL, humanize.Host(p.publicURL))
	if err != nil {
		return nil, nil, err
	}
	p.issuer = strings.TrimSuffix(p.config.OIDC.Issuer, "/")
	if p.issuer == "" {
		p.issuer = p.publicURL + config.EmbeddedProviderPath
	}
	return page, session, nil
}
