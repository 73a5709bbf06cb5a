// Package httpapi is the edge of the API: the router, typed operations with their OpenAPI document, faults written as
// problem+json, request ids, limits, ETags, and the page that shows the document. It knows no slice: each registers its
// operations through Register.
package httpapi
