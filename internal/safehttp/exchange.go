package safehttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"cairn/internal/fault"

	"code.dny.dev/ssrf"
)

// exchange is a request under way, until its body is closed.
type exchange struct {
	host      string
	caller    context.Context //nolint:containedctx // to tell whose end it was
	limited   context.Context //nolint:containedctx // its cause says which limit it met
	stall     *time.Timer
	stallTime time.Duration
	end       func()
}

func (e *exchange) close() {
	e.stall.Stop()
	e.end()
}

// explain turns an error of the network into a fault about the host, and leaves the caller's own ending as it is.
func (e *exchange) explain(err error) error {
	if e.caller.Err() != nil {
		return e.caller.Err()
	}
	if limit, ok := errors.AsType[*fault.Fault](context.Cause(e.limited)); ok {
		return limit
	}
	if found, ok := errors.AsType[*fault.Fault](err); ok {
		return found
	}
	host := shown(e.host)
	unknown, isName := errors.AsType[*net.DNSError](err)
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, badRecord := errors.AsType[tls.RecordHeaderError](err)
	_, badAlert := errors.AsType[tls.AlertError](err)
	_, badName := errors.AsType[x509.HostnameError](err)
	switch {
	// One sentence for both: whether a name exists inside a private network is nobody's business.
	case errors.Is(err, ssrf.ErrProhibitedIP), isName && unknown.IsNotFound:
		return fault.Wrap(err, fault.Invalid, "%s cannot be reached on the public internet: the name is unknown, or it belongs to a private network.", host)
	case isName:
		return fault.Wrap(err, fault.Unavailable, "The address of %s cannot be looked up at the moment.", host)
	case badCertificate, badRecord, badAlert, badName:
		return fault.Wrap(err, fault.BadUpstream, "%s offers no connection that can be trusted: its certificate is not in order.", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.BadUpstream, "%s broke off in the middle of its answer.", host)
	default:
		return fault.Wrap(err, fault.BadUpstream, "%s cannot be reached, or its answer cannot be read.", host)
	}
}

func late(host string, limit time.Duration) *fault.Fault {
	return fault.New(fault.Unavailable, "%s takes too long: it had %s.", shown(host), limit)
}

func tooLarge(host string, limit int64) *fault.Fault {
	return fault.New(fault.TooLarge, "What %s sends is too large: %s may be.", shown(host), sizeText(limit))
}

func sizeText(bytes int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= unit.size {
			return fmt.Sprintf("%.4g %s", float64(bytes)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// body counts what is really read, whatever the header said, and lets no part of it take forever.
type body struct {
	*exchange

	source io.ReadCloser
	limit  int64
	count  int64
}

func (b *body) Read(part []byte) (int, error) {
	b.stall.Reset(b.stallTime)
	count, err := b.source.Read(part)
	b.stall.Stop() // how long the caller takes with it is not the source's fault
	b.count += int64(count)
	if excess := b.count - b.limit; excess > 0 {
		return max(0, count-int(excess)), tooLarge(b.host, b.limit)
	}
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		err = b.explain(err)
	}
	return count, err
}

func (b *body) Close() error {
	defer b.close()
	return b.source.Close()
}
