package safehttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"time"

	"cairn/internal/foundation/humanize"

	"cairn/internal/foundation/fault"

	"code.dny.dev/ssrf"
)

// exchange is a request in progress, until its body is closed.
type exchange struct {
	host      string
	caller    context.Context //nolint:containedctx // to find out whose end it was
	limited   context.Context //nolint:containedctx // its cause says which limit was exceeded
	stall     *time.Timer
	stallTime time.Duration
	end       func()
}

func (e *exchange) close() {
	e.stall.Stop()
	e.end()
}

// explain turns a network error into a fault about the host, and returns the caller's own cancellation unchanged.
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
	// One message for both: strangers must not learn whether a name exists inside a private network.
	case errors.Is(err, ssrf.ErrProhibitedIP), isName && unknown.IsNotFound:
		return fault.Wrap(err, fault.Invalid, "%s can't be reached on the public internet: the name is unknown, or it belongs to a private network.", host)
	case isName:
		return fault.Wrap(err, fault.Unavailable, "The address of %s can't be looked up at the moment.", host)
	case badCertificate, badRecord, badAlert, badName:
		return fault.Wrap(err, fault.BadUpstream, "%s can't be trusted: its certificate isn't valid.", host)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.BadUpstream, "%s closed the connection in the middle of its answer.", host)
	default:
		return fault.Wrap(err, fault.BadUpstream, "%s can't be reached, or its answer can't be read.", host)
	}
}

func late(host string, limit time.Duration) *fault.Fault {
	return fault.New(fault.Unavailable, "%s takes too long: the limit is %s.", shown(host), limit)
}

func tooLarge(host string, limit int64) *fault.Fault {
	return fault.New(fault.TooLarge, "What %s sends is too large: the limit is %s.", shown(host), humanize.Bytes(limit))
}

// body counts the bytes really read, whatever the header said, and limits the time for each part.
type body struct {
	*exchange

	source io.ReadCloser
	limit  int64
	count  int64
}

func (b *body) Read(part []byte) (int, error) {
	b.stall.Reset(b.stallTime)
	count, err := b.source.Read(part)
	b.stall.Stop() // the time that the caller takes isn't the source's fault
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
