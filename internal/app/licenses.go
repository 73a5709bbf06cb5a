package app

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/licenses"

	"github.com/danielgtaylor/huma/v2"
)

type licensesOutput struct{ Body *licenses.Inventory }

func (p *program) licenseRoutes(api *httpapi.API) {
	load := sync.OnceValues(func() (*licenses.Inventory, error) { return licenses.Load(p.version) })
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "list-licenses", Method: http.MethodGet, Path: "/licenses", Tags: []string{"Configuration"},
		Summary: "List the components of this program and their licenses", Description: "Cairn itself comes first, then Go modules and npm packages by name.",
	}, func(context.Context, *struct{}) (*licensesOutput, error) {
		inventory, err := load()
		return &licensesOutput{Body: inventory}, err
	})
}

// serveLicenses serves what `cairn licenses` prints.
func serveLicenses(version string) http.HandlerFunc {
	load := sync.OnceValues(func() ([]byte, error) {
		var text bytes.Buffer
		err := licenses.Write(version, "", false, &text)
		return text.Bytes(), err
	})
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := load()
		if err != nil {
			http.Error(w, fault.MessageOf(err), httpapi.StatusOf(r.Context(), err))
			return
		}
		httpapi.WriteText(w, r, http.StatusOK, "text/plain; charset=utf-8", text)
	}
}
