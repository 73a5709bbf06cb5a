// Package serving answers requests on listeners and does work in the background until it is told to end. Then it ends in an order in
// which no request is lost: first it isn't ready anymore, then streams, requests and websockets end, and the work comes last.
package serving
