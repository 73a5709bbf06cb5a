package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"cairn/internal/foundation/fault"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

// Base is the path that every operation begins with.
const Base = "/api/v1/rf"

// Options are what the edge needs from the slices above it.
type Options struct {
	Version string
	// Authenticate puts the caller of a request into its context; a fault answers the request. Optional means that a
	// bad token is ignored.
	Authenticate func(request *http.Request, optional bool) (context.Context, error)
	// Permit returns a fault if the caller may not call an operation at all, as a guest or with a personal access token that its scope
	// refuses; nil permits all.
	Permit func(ctx context.Context, operation, scope string) error
	// Scopes are the scopes that let such tokens call an operation, by its id. Any other operation refuses them.
	Scopes map[string]string
	// SignedIn reports whether the context has a caller with an account.
	SignedIn func(ctx context.Context) bool
	// Anonymous limits the calls without a valid token from each address; nil: no limit.
	Anonymous *RateLimit
	// Now is needed with Anonymous.
	Now func() time.Time
	// AllowedOrigins may call from another page (CORS).
	AllowedOrigins []string
	// PublicURL is the page's origin, for the examples on the API's page.
	PublicURL string
	// Style precedes the own rules of the API's page, Frame returns what is around it, and Mark the product's mark and its
	// media type; both are called for each request. They make the page look like the product.
	Style  string
	Frame  func() Frame
	Mark   func() (kind string, content []byte)
	Logger *slog.Logger
}

// API is the set of operations and their document.
type API struct {
	options Options
	router  chi.Router
	huma    huma.API

	strangers strangers
	rests     []string // paths after which everything is one parameter
}

// Access says who may call an operation. The zero value is the strict one.
type Access int

// The ways into an operation. What a caller may do with an object is the slices' business.
const (
	SignedIn Access = iota // 401 without a valid token, before anything else is checked
	Public                 // everybody; a bad token is still a 401
	Open                   // everybody; a bad token is ignored
)

const accessKey = "access"

// scopeExtension is where the document names the scope of an operation.
const scopeExtension = "x-token-scope"

// New returns an API without operations.
func New(options Options) *API {
	installProblem()
	api := &API{options: options, router: chi.NewRouter()}
	api.router.Use(nameRoute, api.recoverPanics, api.allowOrigins, entityTags)
	api.router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		writeFault(w, r, fault.New(fault.NotFound, "There is no call %s. See /api/docs for the list of calls.", r.URL.Path))
	})
	api.router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		problem := newProblem(r.Context(), fault.New(fault.WrongMethod, "%s isn't supported here. See /api/docs.", r.Method))
		problem.headers.Set("Allow", strings.Join(api.methodsAt(r), ", "))
		writeProblem(w, problem)
	})

	config := huma.DefaultConfig("Cairn API", options.Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema members in answers: existing clients expect the bare shapes
	config.Info.Description = "The REST API of the catalog, its projects and its sessions. Every path answers with and without a trailing slash. " +
		"Calls without a token are limited by address: the headers say how many may come at once (RateLimit-Limit), how many are left (RateLimit-Remaining), " +
		"and in how many seconds the full quota is available again (RateLimit-Reset); an answer 429 says in Retry-After when to send the call again."
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "Access token of the identity provider, or a personal access token (cairn_pat_...) with the scope that the operation names as " + scopeExtension + "; an operation without one refuses personal access tokens"},
	}
	api.huma = humachi.New(api.router, config)
	api.huma.UseMiddleware(api.authenticate, api.requireText, api.acceptScalars)
	return api
}

// authenticate runs before an operation reads its input, so that strangers learn nothing from errors about it.
func (api *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	access, _ := ctx.Operation().Metadata[accessKey].(Access)
	request, writer := humachi.Unwrap(ctx)
	callerContext, err := api.options.Authenticate(request, access == Open)
	if err != nil || !api.options.SignedIn(callerContext) {
		if tooMany := api.limitAnonymous(writer.Header(), request); tooMany != nil {
			err = tooMany
		}
	}
	if err == nil && api.options.Permit != nil {
		err = api.options.Permit(callerContext, ctx.Operation().OperationID, api.options.Scopes[ctx.Operation().OperationID])
	}
	if err == nil && access == SignedIn && !api.options.SignedIn(callerContext) {
		err = fault.New(fault.Unauthenticated, "Sign in first: this call needs an access token.")
	}
	if err != nil {
		api.logFault(request.Context(), err)
		writeFault(writer, request, err)
		return
	}
	next(huma.WithContext(ctx, callerContext))
}

// Register adds an operation. Its handler returns faults; any other error is answered as an internal one and logged.
func Register[Input, Output any](
	api *API, access Access, operation huma.Operation, handler func(context.Context, *Input) (*Output, error),
) {
	operation.Path = Base + operation.Path
	operation.Metadata = map[string]any{accessKey: access}
	if scope := api.options.Scopes[operation.OperationID]; scope != "" {
		operation.Extensions = map[string]any{scopeExtension: scope}
	}
	if access == SignedIn {
		operation.Security = []map[string][]string{{"bearer": {}}}
	}
	huma.Register(api.huma, operation, func(ctx context.Context, input *Input) (*Output, error) {
		output, err := handler(ctx, input)
		if err != nil {
			api.logFault(ctx, err)
			return nil, newProblem(ctx, err)
		}
		return output, nil
	})
}

// RegisterRaw adds an operation that reads its request and writes its answer itself. It returns a fault instead of an answer.
func RegisterRaw(api *API, access Access, operation huma.Operation, serve func(http.ResponseWriter, *http.Request) error) {
	operation.Path = Base + operation.Path
	operation.Metadata = map[string]any{accessKey: access}
	if scope := api.options.Scopes[operation.OperationID]; scope != "" {
		operation.Extensions = map[string]any{scopeExtension: scope}
	}
	if access == SignedIn {
		operation.Security = []map[string][]string{{"bearer": {}}}
	}
	api.huma.OpenAPI().AddOperation(&operation)
	api.huma.Adapter().Handle(&operation, func(ctx huma.Context) {
		api.authenticate(ctx, func(ctx huma.Context) {
			request, writer := humachi.Unwrap(ctx)
			request = request.WithContext(ctx.Context())
			if err := serve(writer, request); err != nil {
				api.logFault(request.Context(), err)
				writeFault(writer, request, err)
			}
		})
	})
}

// Schema returns the schema of a type, for answers that an operation writes itself.
func Schema[Answer any](api *API) *huma.Schema {
	return api.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Answer](), true, "")
}

// Mount adds a plain handler beside the operations, for answers other than JSON.
func (api *API) Mount(method, path string, handler http.HandlerFunc) {
	api.router.Method(method, path, handler)
}

// Handler serves everything below /api/.
func (api *API) Handler() http.Handler {
	document := sync.OnceValue(api.Document) // when it is asked for: a server starts without it
	api.router.Get("/api/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document())
	})
	api.router.Get("/api/docs.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(api.options.Style + docsRules))
	})
	api.router.Get("/api/docs.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(docsScript)
	})
	api.router.Get("/api/mark", func(w http.ResponseWriter, _ *http.Request) {
		kind, content := api.options.Mark()
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content)
	})
	docs := sync.OnceValue(func() docsPage { return newDocsPage(api.huma.OpenAPI(), api.options.PublicURL+Base) })
	api.router.Get("/api/docs", func(w http.ResponseWriter, _ *http.Request) {
		page := docs()
		page.Frame = api.options.Frame()
		writePage(w, docsTemplate, page)
	})
	return stripTrailingSlash(api.escapeRests(api.router))
}

// methodsAt returns the methods of a path.
func (api *API) methodsAt(r *http.Request) []string {
	path := r.URL.RawPath
	if path == "" {
		path = r.URL.Path
	}
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return slices.DeleteFunc(methods, func(method string) bool {
		return !api.router.Match(chi.NewRouteContext(), method, path)
	})
}

// Document returns the OpenAPI 3.1 document, indented, ending with a line feed.
func (api *API) Document() []byte {
	document, err := json.MarshalIndent(api.huma.OpenAPI(), "", "  ")
	if err != nil {
		panic(err) // the document consists of plain values; an error is a bug that every test run shows
	}
	return append(document, '\n')
}

func (api *API) logFault(ctx context.Context, err error) {
	switch found, ok := errors.AsType[*fault.Fault](err); {
	case ok && found.Kind == fault.TooMany:
		NameLimit(ctx, found.Limit)
	case ok && found.Cause == nil && found.RetryAfter > 0: // deliberate: come back in a moment
	case ok && found.Code == fault.DatabaseUnavailable: // not a bug in this server
		LogFailure(ctx, api.options.Logger, slog.LevelWarn, err)
	case StatusOf(ctx, err) >= http.StatusInternalServerError:
		LogFailure(ctx, api.options.Logger, slog.LevelError, err)
	}
}

func writeFault(w http.ResponseWriter, r *http.Request, err error) {
	writeProblem(w, newProblem(r.Context(), err))
}

func writeProblem(w http.ResponseWriter, problem *Problem) {
	maps.Copy(w.Header(), problem.headers)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(problem.Status)
	_ = json.NewEncoder(w).Encode(problem)
}
