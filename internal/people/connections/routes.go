package connections

import (
	"context"
	"net/http"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// ConnectionPage is all services with the caller's connections.
type ConnectionPage struct {
	Content       []ConnectedHost `json:"content" nullable:"false"`
	TotalElements int             `json:"totalElements"`
	Number        int             `json:"number"`
	Size          int             `json:"size"`
}

// ConnectionRequest says how an account is connected. With nothing in it, the browser is to be sent to the service.
type ConnectionRequest struct {
	Token string `json:"token,omitempty" doc:"A personal token from the service, with as few rights as it takes: it is encrypted, and never shown again"`
	Code  string `json:"code,omitempty" doc:"With which the service sent the browser back"`
	State string `json:"state,omitempty" doc:"The same"`
}

// BegunConnection says where a browser is to be sent.
type BegunConnection struct {
	URL string `json:"url" format:"uri" doc:"It comes back to /account/connected with code and state"`
}

// RemovedConnection says what is left of a connection.
type RemovedConnection struct {
	Revoked bool `json:"revoked" doc:"false: what was granted may still be valid at the service, where its owner can take it back"`
}

type (
	connectionPageOutput struct{ Body ConnectionPage }
	connectionOutput     struct {
		CacheControl string `header:"Cache-Control"`
		Body         Connection
	}
	begunOutput struct {
		Status       int
		CacheControl string `header:"Cache-Control"`
		Body         any
	}
	removedOutput struct{ Body RemovedConnection }
)

// Routes registers the operations on the caller's connections. None of them accepts an access token of this server.
func (c *Connections) Routes(api *httpapi.API) {
	tags := []string{"Accounts"}
	const noStore = "no-store"
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "list-connections", Method: http.MethodGet, Path: "/account/connections", Tags: tags,
		Summary: "The services that the caller's account can be connected with, and its connections", Description: "Without tokens: those are shown to nobody.",
	}, func(ctx context.Context, _ *struct{}) (*connectionPageOutput, error) {
		found, err := c.List(ctx)
		return &connectionPageOutput{Body: ConnectionPage{Content: found, TotalElements: len(found), Size: len(found)}}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "connect-account", Method: http.MethodPost, Path: "/account/connections/{host}", Tags: tags, DefaultStatus: http.StatusCreated,
		Summary: "Connect an account at a service",
		Description: "For enabled accounts. With token, or with the code and state that a browser came back with: 201 and the connection, with what it really grants; it is " +
			"forgotten after ten minutes unless it is kept. Without a body: 200 and the address to send the browser to (OAuth 2 with PKCE).",
		Responses: map[string]*huma.Response{
			"200": {Description: "Where to send the browser", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[BegunConnection](api)}}},
			"201": {Description: "A connection that waits to be kept", Content: map[string]*huma.MediaType{"application/json": {Schema: httpapi.Schema[Connection](api)}}},
		},
	}, func(ctx context.Context, input *struct {
		Host string `path:"host"`
		Body *ConnectionRequest
	},
	) (*begunOutput, error) {
		asked := ConnectionRequest{}
		if input.Body != nil {
			asked = *input.Body
		}
		output := &begunOutput{Status: http.StatusCreated, CacheControl: noStore}
		switch {
		case asked.Token != "":
			added, err := c.AddToken(ctx, input.Host, asked.Token)
			output.Body = added
			return output, err
		case asked.Code != "" && asked.State != "":
			added, err := c.Finish(ctx, input.Host, asked.Code, asked.State)
			output.Body = added
			return output, err
		case asked.Code != "" || asked.State != "":
			return nil, fault.InvalidField("body.code", "A code and its state are needed together.")
		}
		address, err := c.Begin(ctx, input.Host)
		output.Status, output.Body = http.StatusOK, BegunConnection{URL: address}
		return output, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "keep-connection", Method: http.MethodPut, Path: "/account/connections/{host}", Tags: tags,
		Summary: "Keep a connection", Description: "After its rights were shown. It takes the place of an earlier one. 404 if none waits, also because ten minutes have passed.",
	}, func(ctx context.Context, input *struct {
		Host string `path:"host"`
		Body struct {
			Keep bool `json:"keep" enum:"true"`
		}
	},
	) (*connectionOutput, error) {
		kept, err := c.Keep(ctx, input.Host)
		return &connectionOutput{CacheControl: noStore, Body: kept}, err
	})
	httpapi.Register(api, httpapi.SignedIn, huma.Operation{
		OperationID: "delete-connection", Method: http.MethodDelete, Path: "/account/connections/{host}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Disconnect an account", Description: "Also one that waits to be kept. What came by OAuth is revoked at the service, if it has a call for that; a pasted token is only forgotten.",
	}, func(ctx context.Context, input *struct {
		Host string `path:"host"`
	},
	) (*removedOutput, error) {
		revoked, err := c.Remove(ctx, input.Host)
		return &removedOutput{Body: RemovedConnection{Revoked: revoked}}, err
	})
}
