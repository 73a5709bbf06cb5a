package config

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"
)

// TLS names the files with which both listeners speak TLS; none: they speak plain HTTP.
type TLS struct {
	CertFile string `yaml:"cert_file"` // PEM, with the intermediate certificates
	KeyFile  string `yaml:"key_file"`  // PEM
}

// Enabled reports whether the listeners speak TLS.
func (c TLS) Enabled() bool { return c.CertFile != "" || c.KeyFile != "" }

// Scheme returns the scheme of the listeners' addresses.
func (c TLS) Scheme() string {
	if c.Enabled() {
		return "https"
	}
	return "http"
}

// Load reads the files. Its fault says what is wrong with them.
func (c TLS) Load() (*tls.Certificate, error) {
	if c.CertFile == "" || c.KeyFile == "" {
		return nil, fault.New(fault.Invalid, "tls: cert_file and key_file belong together: set both, or neither where a proxy speaks https")
	}
	loaded, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if found, ok := errors.AsType[*fs.PathError](err); ok {
		key := "cert_file"
		if found.Path == c.KeyFile {
			key = "key_file"
		}
		return nil, fault.Wrap(err, fault.Invalid, "tls.%s: %s cannot be read: %s; the server's account needs to read it", key, found.Path, humanize.Reason(err))
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "tls: %s and %s aren't a certificate and its key (%s); write the certificate, followed by its intermediates, "+
			"and its key as PEM", c.CertFile, c.KeyFile, err)
	}
	return &loaded, nil
}

// faults returns what is wrong with the files, and with the addresses that they are served at.
func (c TLS) faults(addresses map[string]string) []string {
	if !c.Enabled() {
		return nil
	}
	var faults []string
	if _, err := c.Load(); err != nil {
		faults = append(faults, fault.MessageOf(err))
	}
	for key, address := range addresses {
		if address != "" && !strings.HasPrefix(address, "https:") {
			faults = append(faults, key+": "+humanize.Quote(address)+" must be https, because this server speaks TLS itself (tls.cert_file)")
		}
	}
	return faults
}
