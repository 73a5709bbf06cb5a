package config

import (
	"slices"

	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
	"cairn/internal/sessions/shares"
	"cairn/internal/sessions/wiring"
)

// Settings returns them as sessions need them.
func (c Sharing) Settings() wiring.Sharing {
	settings := wiring.Sharing{Links: shares.LinkPolicy(c.Links)}
	for _, email := range c.HelpDesk {
		settings.HelpDesk = append(settings.HelpDesk, identity.NormalizeEmail(email))
	}
	return settings
}

// faults returns what is wrong with the configuration of sharing.
func (c Sharing) faults() (faults []string) {
	if !slices.Contains([]shares.LinkPolicy{shares.LinksForSignedIn, shares.LinksForAnyone, shares.LinksForNobody}, shares.LinkPolicy(c.Links)) {
		faults = append(faults, "sharing.links: "+humanize.Quote(c.Links)+" must be signed_in, anyone or none")
	}
	for _, email := range c.HelpDesk {
		if !identity.ValidEmail(identity.NormalizeEmail(email)) {
			faults = append(faults, "sharing.helpdesk: "+humanize.Quote(email)+" isn't an e-mail address")
		}
	}
	return faults
}
