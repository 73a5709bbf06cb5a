// Package fault is the product's error type. A fault has a kind, which maps to an HTTP status or an exit code, a code
// for programs, a message for people, field details, and a cause for the operators' log only.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Kind says what went wrong from the caller's point of view. The HTTP API maps each kind to one status.
type Kind int

// The kinds, with their HTTP statuses.
const (
	Internal        Kind = iota // 500: a bug or a broken part of this server; logged as an error
	Malformed                   // 400: the request can't be parsed
	Unauthenticated             // 401: a token is needed, and is missing or bad
	Forbidden                   // 403: known and visible, but not allowed
	NotFound                    // 404: absent, or invisible to the caller, which looks the same
	WrongMethod                 // 405: the path doesn't have this method
	Conflict                    // 409: the state of the object doesn't allow it
	Gone                        // 410: it was here, and is over for good
	TooLarge                    // 413: over a size limit
	WrongMedia                  // 415: a body of a type that isn't accepted here
	Misdirected                 // 421: the request names a host that isn't this server's
	Invalid                     // 422: a value breaks a rule
	TooMany                     // 429: over a rate limit
	BadUpstream                 // 502: another system's answer is invalid
	Unavailable                 // 503: another system, or a part of this one, can't answer now
)

// Field is one invalid value. Location is written as in the request: "query.type", "body.name", "line 3: tags".
type Field struct {
	Location string
	Message  string
	Ask      string // what a form says instead of Message when the value is missing; may be empty
}

// Fault is an error with a public message.
type Fault struct {
	Kind       Kind
	Code       Code          // for programs
	Message    string        // a complete sentence for people, which may change at any time
	Fields     []Field       // the invalid values
	Link       string        // a page of this server that helps further; may be empty
	RetryAfter time.Duration // for TooMany and Unavailable; 0 when unknown
	Limit      string        // for TooMany: the name of the limit, for those who count; may be empty
	Progress   *float64      // progress of ongoing work, from 0 to 1; nil when unknown
	OpensAt    time.Time     // when it begins; the zero time: unknown, or it has
	Missing    []string      // ids of the datasets that can't be fetched
	Draft      *FileDraft    // the caller's file with the lines to add or change; nil if there is none
	Cause      error         // never shown to callers
}

// FileDraft is a file of the caller's as it should be changed or created.
type FileDraft struct {
	File     string          `json:"file" doc:"Its name" example:"cairn.yml"`
	Branch   string          `json:"branch"`
	Host     string          `json:"host,omitempty" doc:"What people call the code host"`
	Address  string          `json:"address,omitempty" doc:"Where it is edited or created at the code host, if that is known"`
	New      bool            `json:"new" doc:"The file doesn't exist yet"`
	Complete bool            `json:"complete" doc:"With these changes the file is valid; otherwise lines remain that only a person can fix"`
	Lines    []FileDraftLine `json:"lines"`
}

// FileDraftLine is a line of a draft.
type FileDraftLine struct {
	Text string `json:"text"`
	Mark string `json:"mark" enum:"same,added,removed,wrong" doc:"wrong: a person must change it"`
}

// Error returns the public message, a colon and the cause; it is for logs.
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

// Wrap returns a fault that keeps its cause for the log.
func Wrap(cause error, class Class, format string, arguments ...any) *Fault {
	made := New(class, format, arguments...)
	made.Cause = cause
	return made
}

// InvalidField returns an Invalid fault about one value; the message is also the fault's own.
func InvalidField(location, format string, arguments ...any) *Fault {
	made := New(Invalid, format, arguments...)
	made.Fields = []Field{{Location: location, Message: made.Message}}
	return made
}

// InvalidFields returns an Invalid fault about all invalid fields of a form; its message names each of them.
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

// MessageOf returns the public message of the first fault in the chain. Other errors may contain secrets or paths, so
// people read a general sentence instead.
func MessageOf(err error) string {
	if found, ok := errors.AsType[*Fault](err); ok {
		return found.Message
	}
	return "Something went wrong on the server. Try again. If it happens again, tell the operators the request id."
}

// Quote quotes a value for a message, shortened, without characters that would change the message around it.
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
