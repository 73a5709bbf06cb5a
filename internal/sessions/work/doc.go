// Package work is what sessions leave behind, and what people do with it: downloads of the work folder, and the versions of work
// that engines keep, which can be looked into, compared and brought back.
//
//	GET  /sessions/{id}/work.zip, POST /sessions/{id}/work-link
//	GET  /sessions/{id}/versions, POST the same
//	GET  /sessions/{id}/versions/{version}/files, file, diff, and {version}.zip
//	POST /sessions/{id}/versions/{version}/restore, link
//
// The versions themselves belong to the engines. The package holds only how many downloads and comparisons are under way, so
// that a server makes a bounded number of each. It may import sessions, sizes and the contract of engines.
package work
