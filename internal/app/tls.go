package app

import (
	"context"
	"crypto/tls"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync"

	"cairn/internal/app/config"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
)

// certificate is read again for the next connection after its files have changed. Files that can't be used leave the former
// certificate in force.
type certificate struct {
	files  config.TLS
	logger *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	read    [2]fs.FileInfo // what the files were when they were last read
}

func openCertificate(files config.TLS, logger *slog.Logger) (*certificate, error) {
	c := &certificate{files: files, logger: logger}
	c.read = c.stat()
	var err error
	c.current, err = files.Load()
	return c, err
}

func (c *certificate) stat() (found [2]fs.FileInfo) {
	for i, name := range []string{c.files.CertFile, c.files.KeyFile} {
		if about, err := os.Stat(name); err == nil {
			found[i] = about
		}
	}
	return found
}

// config returns the settings of a listener.
func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
}

func (c *certificate) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.stat()
	if sameFile(c.read[0], now[0]) && sameFile(c.read[1], now[1]) {
		return c.current, nil
	}
	c.read = now
	loaded, err := c.files.Load()
	if err != nil {
		c.logger.ErrorContext(hello.Context(), "the new certificate can't be used; the former one stays in force", "why", fault.MessageOf(err))
		return c.current, nil
	}
	c.current = loaded
	c.logger.InfoContext(hello.Context(), "read the new certificate", "file", c.files.CertFile, "expires", loaded.Leaf.NotAfter)
	return c.current, nil
}

// sameFile reports whether a file is as it was before; nil stands for one that can't be found.
func sameFile(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}

// httpsForAYear tells browsers to come back by https alone.
const httpsForAYear = "max-age=31536000"

// onlyHTTPS adds to all answers of a listener that its address is https. Loopback names are left out: browsers would
// ask every other program of the machine for https as well.
func onlyHTTPS(address string, next http.Handler) http.Handler {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" || httpapi.IsLoopback(parsed.Hostname()) {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", httpsForAYear)
		next.ServeHTTP(w, r)
	})
}

// openTLS reads the certificate, if there is one.
func (p *program) openTLS(ctx context.Context) (err error) {
	if !p.config.TLS.Enabled() {
		return nil
	}
	if p.certificate, err = openCertificate(p.config.TLS, p.logger); err != nil {
		return err
	}
	p.logger.InfoContext(ctx, "both listeners speak TLS", "file", p.config.TLS.CertFile, "expires", p.certificate.current.Leaf.NotAfter)
	return nil
}
