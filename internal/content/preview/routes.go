package preview

import "cairn/internal/foundation/httpapi"

// Routes registers the operations of all previews.
func (p Previews) Routes(api *httpapi.API) {
	p.Images.Routes(api)
	p.Files.Routes(api)
	p.Notebooks.Routes(api)
	p.Datasets.Routes(api)
}
