// Package fault is the one error type of the product. A fault has a kind, which the edges map to a status or an exit
// code, a code for programs, a message for people, field details, and a cause that is for the operator's log alone.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Kind says what went wrong in the words of the caller. The HTTP edge maps each kind to one status.
type Kind int

// The kinds, with the HTTP status that the edge answers.
const (
	Internal        Kind = iota // 500: a defect or a broken part of this server; logged as an error
	Malformed                   // 400: the request cannot be read
	Unauthenticated             // 401: no token or a bad one where one is needed
	Forbidden                   // 403: known and visible, but not allowed
	NotFound                    // 404: absent, or not visible to the caller; the two look the same
	WrongMethod                 // 405: the address has no such method
	Conflict                    // 409: the state of the object does not allow it
	TooLarge                    // 413: over a size limit
	WrongMedia                  // 415: a body of a type that is not read here
	Invalid                     // 422: a value breaks a rule
	TooMany                     // 429: over a rate limit
	BadUpstream                 // 502: another system answered nonsense
	Unavailable                 // 503: another system, or a part of this one, cannot answer now
)

// Field is one invalid value. Location is written as in the request: "query.type", "body.name", "line 3: tags".
type Field struct {
	Location string
	Message  string
	Ask      string // what a form says instead of Message when the value is missing: "Give a name."; may be empty
}

// Fault is an error with a public message.
type Fault struct {
	Kind       Kind
	Code       Code          // what a program goes by
	Message    string        // a whole sentence for a person, which may change at any time
	Fields     []Field       // the invalid values, one each
	Link       string        // the page of this server that leads on, if there is one
	RetryAfter time.Duration // for TooMany and Unavailable; 0 when unknown
	Progress   *float64      // how far something under way is, from 0 to 1; nil when that is not known
	Missing    []string      // ids of the datasets that cannot be had
	Cause      error         // never shown to callers
}

// Error returns the public message, and the cause behind a colon; it is meant for logs.
func (f *Fault) Error() string {
	if f.Cause != nil {
		return f.Message + ": " + f.Cause.Error()
	}
	return f.Message
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// New returns a fault of a code, or of a kind's own code, with a public message.
func New(class Class, format string, arguments ...any) *Fault {
	kind, code := class.class()
	return &Fault{Kind: kind, Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// Wrap creates a fault that keeps its cause for the log.
func Wrap(cause error, class Class, format string, arguments ...any) *Fault {
	made := New(class, format, arguments...)
	made.Cause = cause
	return made
}

// InvalidField creates an Invalid fault about one value; the message is also the fault's own.
func InvalidField(location, format string, arguments ...any) *Fault {
	made := New(Invalid, format, arguments...)
	made.Fields = []Field{{Location: location, Message: made.Message}}
	return made
}

// InvalidFields creates an Invalid fault of all faults of a form; its message names each field.
func InvalidFields(fields []Field) *Fault {
	sentences := make([]string, len(fields))
	for i, field := range fields {
		name := field.Location[strings.IndexByte(field.Location, '.')+1:]
		sentences[i] = name + ": " + field.Message
	}
	made := New(Invalid, "%s", strings.Join(sentences, "; "))
	made.Fields = fields
	return made
}

// KindOf returns the kind of the first fault in the chain; any other error is Internal.
func KindOf(err error) Kind {
	if found, ok := errors.AsType[*Fault](err); ok {
		return found.Kind
	}
	return Internal
}

// MessageOf returns the public message of the first fault in the chain. Other errors have none: their text may hold
// secrets or paths, so a person reads a general sentence instead.
func MessageOf(err error) string {
	if found, ok := errors.AsType[*Fault](err); ok {
		return found.Message
	}
	return "Something went wrong on our side. Try again; if it persists, tell the operators the request id."
}

// Quote shows a value in a message, shortened, without what would change the message around it.
func Quote(value string) string {
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(value, "\uFFFD"))
	if runes := []rune(value); len(runes) > 60 {
		value = string(runes[:60]) + "…"
	}
	return "\"" + value + "\""
}
