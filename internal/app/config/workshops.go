package config

import (
	"strings"

	"cairn/internal/foundation/humanize"
	"cairn/internal/people/identity"
)

// Workshops says who may prepare workshops.
type Workshops struct {
	Hosts []string `yaml:"hosts"` // e-mail addresses, or domains of addresses; operators may too
}

// hosts returns them in the form in which addresses are compared.
func (c Workshops) hosts() (hosts []string) {
	for _, one := range c.Hosts {
		hosts = append(hosts, identity.NormalizeEmail(one))
	}
	return hosts
}

// faults returns what is wrong with the configuration of workshops.
func (c Workshops) faults() (faults []string) {
	for i, one := range c.hosts() {
		address := one
		if !strings.Contains(one, "@") {
			address = "host@" + one
		}
		if !identity.ValidEmail(address) {
			faults = append(faults, "workshops.hosts: "+humanize.Quote(c.Hosts[i])+" is neither an e-mail address nor the domain of some")
		}
	}
	return faults
}

// PlaceBytes returns the memory that one place of the capacity stands for.
func (c Sessions) PlaceBytes() int64 { return memoryOf("/") / int64(c.TotalCapacity()) }
