package httpapi

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is the body of every error answer: RFC 9457 with a message for people and the request id.
type Problem struct {
	Type      string         `json:"type" doc:"Kind of problem; always about:blank" example:"about:blank"`
	Title     string         `json:"title" doc:"The status in words" example:"Unprocessable Entity"`
	Status    int            `json:"status" doc:"HTTP status" example:"422"`
	Code      fault.Code     `json:"code" doc:"What is wrong, for programs; new codes may come"`
	Detail    string         `json:"detail" doc:"What is wrong and what to do; the words may change"`
	Message   string         `json:"message" doc:"The same text as detail, fit to be shown to a person"`
	Errors    []ProblemField `json:"errors" doc:"The invalid values, if any"`
	Link      string         `json:"link,omitempty" doc:"The page of this server that leads on, such as that of an entry that is there already"`
	RequestID string         `json:"requestId" doc:"Tell this to the operators when asking for help"`

	RetryAfter int        `json:"retryAfter,omitempty" doc:"In how many seconds to send the call again; the same as the header Retry-After"`
	OpensAt    *time.Time `json:"opensAt,omitempty" doc:"When a workshop opens"`
	Progress   *float64   `json:"progress,omitempty" minimum:"0" maximum:"1" doc:"How far something under way is"`
	Missing    []string   `json:"missing,omitempty" doc:"Ids of the datasets that aren't available"`

	Draft *fault.FileDraft `json:"draft,omitempty" doc:"The caller's descriptor, with the lines to add or change"`

	headers http.Header
}

// ProblemField is one invalid value of a request.
type ProblemField struct {
	Location string `json:"location" doc:"The field: where the value stands, or where one is missing" example:"body.people[1].orcid"`
	Message  string `json:"message" doc:"What is wrong with it, and what it must be" example:"people[1].orcid is required."`
}

// TransformSchema lists the codes in the document.
func (Problem) TransformSchema(_ huma.Registry, schema *huma.Schema) *huma.Schema {
	for _, row := range fault.Codes {
		schema.Properties["code"].Enum = append(schema.Properties["code"].Enum, row.Code)
	}
	return schema
}

// Error returns the public text.
func (p *Problem) Error() string { return p.Detail }

// GetStatus returns the status for huma.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType returns application/problem+json.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders returns the headers of the answer.
func (p *Problem) GetHeaders() http.Header { return p.headers }

var statusOf = map[fault.Kind]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.WrongMethod:     http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.Misdirected:     http.StatusMisdirectedRequest,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.WrongMedia:      http.StatusUnsupportedMediaType,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.BadUpstream:     http.StatusBadGateway,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// StatusAbandoned is the status in the log for a request whose client left before the answer.
const StatusAbandoned = 499

// StatusOf returns the HTTP status for an error; ctx is that of the request.
func StatusOf(ctx context.Context, err error) int {
	switch {
	case errors.Is(err, context.Canceled) && Abandoned(ctx):
		return StatusAbandoned
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return statusOf[fault.KindOf(err)]
}

// Abandoned reports whether the client of a request is gone.
func Abandoned(ctx context.Context) bool { return errors.Is(context.Cause(ctx), context.Canceled) }

// newProblem turns any error into its answer, without the cause.
func newProblem(ctx context.Context, err error) *Problem {
	problem := problemOf(StatusOf(ctx, err), fault.MessageOf(err), RequestID(ctx))
	if found, ok := errors.AsType[*fault.Fault](err); ok {
		if statusOf[found.Kind] == problem.Status {
			problem.Code = found.Code
		}
		problem.Link, problem.Progress, problem.Missing = found.Link, found.Progress, found.Missing
		problem.Draft = found.Draft
		if !found.OpensAt.IsZero() {
			problem.OpensAt = new(found.OpensAt.UTC())
		}
		for _, field := range found.Fields {
			problem.Errors = append(problem.Errors, ProblemField{Location: field.Location, Message: field.Message})
		}
		problem.RetryAfter = retryAfter(err)
	}
	switch problem.Status {
	case http.StatusUnauthorized:
		problem.headers.Set("WWW-Authenticate", `Bearer realm="cairn"`)
	case http.StatusServiceUnavailable:
		if problem.RetryAfter == 0 {
			problem.RetryAfter = 5
		}
	}
	if problem.RetryAfter > 0 {
		problem.headers.Set("Retry-After", strconv.Itoa(problem.RetryAfter))
	}
	return problem
}

// retryAfter returns after how many seconds to retry; 0 when unknown.
func retryAfter(err error) int {
	if found, ok := errors.AsType[*fault.Fault](err); ok {
		return int(math.Ceil(found.RetryAfter.Seconds()))
	}
	return 0
}

// SetRetryAfter sets the header on an answer that isn't a problem document, if the error says when to retry.
func SetRetryAfter(header http.Header, err error) {
	if seconds := retryAfter(err); seconds > 0 {
		header.Set("Retry-After", strconv.Itoa(seconds))
	}
}

func problemOf(status int, message, requestID string) *Problem {
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Code: codeOf(status), Detail: message, Message: message,
		Errors: []ProblemField{}, RequestID: requestID, headers: http.Header{},
	}
}

// codeOf returns the code for a problem that is only known by its status.
func codeOf(status int) fault.Code {
	for _, row := range fault.Codes {
		if statusOf[row.Kind] == status {
			return row.Code
		}
	}
	if status < http.StatusInternalServerError {
		return codeOf(http.StatusBadRequest)
	}
	return codeOf(http.StatusInternalServerError)
}

// installProblem makes huma return its own errors (unreadable bodies, values against the schema) as our problems, and
// arrays in the document non-nullable. The library only offers these package variables for that.
var installProblem = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true // encoding/json accepts "Name" for "name", which the schema doesn't mention
	installSentences()
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, causes ...error) huma.StatusError {
		if ctx == nil {
			return problemOf(status, message, "")
		}
		if status == http.StatusInternalServerError && message == "cannot read request body" {
			status = http.StatusBadRequest // the client sent a body that breaks off; the library would blame us
		}
		problem := problemOf(status, refusal(ctx.Operation(), status), RequestID(ctx.Context()))
		var sentences []string
		for _, cause := range causes {
			detailer, ok := cause.(huma.ErrorDetailer)
			if !ok {
				continue // other causes may contain what callers must not see
			}
			field := refusedField(ctx.Operation(), status, detailer.ErrorDetail())
			problem.Errors = append(problem.Errors, field)
			sentences = append(sentences, field.Message)
		}
		if len(sentences) > 0 {
			problem.Detail = strings.Join(sentences, " ")
			problem.Message = problem.Detail
		}
		return problem
	}
	huma.NewError = func(status int, message string, causes ...error) huma.StatusError {
		return huma.NewErrorWithContext(nil, status, message, causes...)
	}
})
