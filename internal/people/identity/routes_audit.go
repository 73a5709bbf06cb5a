package identity

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"cairn/internal/foundation/audit"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// AuditPage is a page of records.
type AuditPage struct {
	Content       []audit.AuditRecord `json:"content"`
	TotalElements int                 `json:"totalElements"`
	Number        int                 `json:"number"`
	Size          int                 `json:"size"`
}

type auditPageOutput struct{ Body AuditPage }

// PageInput says which page is wanted. The name is exported because huma ignores other parts of inputs.
type PageInput struct {
	PageNumber int `query:"pageNumber" minimum:"0" maximum:"1000000" default:"0"`
	PageSize   int `query:"pageSize" minimum:"1" maximum:"100" default:"50"`
}

const ndjson = "application/x-ndjson"

// auditRoutes registers the operations that read the audit.
func (s *Service) auditRoutes(api *httpapi.API) {
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-activity", Method: http.MethodGet, Path: "/account/activity", Tags: []string{"Accounts"},
		Summary: "What concerns the caller, newest first",
		Description: "What they changed, and what others changed in their account, entries and sessions. Names of the caller's own things are shown; " +
			"addresses of others aren't, nor which operator it was.",
	}, func(ctx context.Context, input *PageInput) (*auditPageOutput, error) {
		caller, _ := From(ctx)
		found, total, err := s.audit().Activity(ctx, audit.Actor{AccountID: caller.AccountID, Email: caller.Email}, input.PageNumber*input.PageSize, input.PageSize)
		return &auditPageOutput{Body: AuditPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-audit", Method: http.MethodGet, Path: "/operator/audit", Tags: []string{"Operators"},
		Summary: "Who changed what, newest first",
		Description: "For operators. With format=ndjson, or Accept: application/x-ndjson, all records that match as lines of JSON, oldest first; if the connection " +
			"is cut before the end, the list isn't complete.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: httpapi.Schema[AuditPage](api)}, ndjson: {Schema: httpapi.Schema[audit.AuditRecord](api)},
		}}},
	}, s.handleAudit)
}

func (s *Service) audit() *audit.Store { return audit.NewStore(s.store.db) }

func (s *Service) handleAudit(ctx context.Context, input *struct {
	PageInput

	Actor  string `query:"actor" maxLength:"254" doc:"The id, e-mail address or name of an account, exactly; or command"`
	Object string `query:"object" maxLength:"254" doc:"The id or name of an object, or the e-mail address of an account, exactly"`
	Action string `query:"action" maxLength:"100" example:"entry.edit"`
	From   string `query:"from" maxLength:"40" doc:"A date (2026-03-01) or a time (2026-03-01T12:00:00Z)"`
	To     string `query:"to" maxLength:"40" doc:"The same; a date is included, a time isn't"`
	Format string `query:"format" enum:"json,ndjson" doc:"ndjson: everything, for programs"`
	Accept string `header:"Accept" hidden:"true"`
},
) (*huma.StreamResponse, error) {
	if _, err := RequireOperator(ctx, "Only operators can read the audit."); err != nil {
		return nil, err
	}
	query := audit.Query{Actor: strings.TrimSpace(input.Actor), Object: strings.TrimSpace(input.Object), Action: audit.Action(input.Action)}
	if query.Action != "" && !slices.Contains(audit.Actions, query.Action) {
		return nil, fault.InvalidField("query.action", "There is no action %s. Write one such as %s.", fault.Quote(input.Action), audit.EditEntry)
	}
	var err error
	if query.From, err = parseMoment("query.from", input.From, 0); err != nil {
		return nil, err
	}
	if query.To, err = parseMoment("query.to", input.To, 1); err != nil {
		return nil, err
	}
	if input.Format == "ndjson" || (input.Format == "" && strings.Contains(input.Accept, ndjson)) {
		return &huma.StreamResponse{Body: func(answer huma.Context) { s.exportAudit(answer, query) }}, nil
	}
	found, total, err := s.audit().Find(ctx, query, input.PageNumber*input.PageSize, input.PageSize)
	if err != nil {
		return nil, err
	}
	page, err := json.Marshal(AuditPage{Content: found, TotalElements: total, Number: input.PageNumber, Size: input.PageSize})
	return &huma.StreamResponse{Body: func(answer huma.Context) {
		answer.SetHeader("Content-Type", "application/json")
		_, _ = answer.BodyWriter().Write(page)
	}}, err
}

// exportAudit streams records. Nobody should mistake a part for the whole, so a failure cuts the connection.
func (s *Service) exportAudit(answer huma.Context, query audit.Query) {
	request, writer := humachi.Unwrap(answer)
	writer.Header().Set("Content-Type", ndjson)
	writer.Header().Set("Content-Disposition", `attachment; filename="audit.ndjson"`)
	patient := httpapi.NewPatientWriter(writer, httpapi.Patience)
	lines := json.NewEncoder(patient)
	if err := s.audit().ForEachRecord(request.Context(), query, func(record audit.AuditRecord) error { return lines.Encode(record) }); err != nil {
		panic(http.ErrAbortHandler)
	}
	patient.Done()
}

// parseMoment parses a date or a time; a date is the beginning of its day, or of that so many days later.
func parseMoment(location, text string, later int) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.AddDate(0, 0, later), nil
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil || moment.Year() < 1 || moment.Year() > 9999 {
		return time.Time{}, fault.InvalidField(location, "%s isn't a time. Write a date like 2026-03-01 or a time like 2026-03-01T12:00:00Z.", fault.Quote(text))
	}
	return moment, nil
}
