// Package safehttp is the HTTP client for all addresses that users supply. It only reaches the public internet: the IP
// address of each connection is checked when it is dialed, after the name was resolved, also on every redirect, so
// neither a redirect nor a name that changes its address leads into a private network. Responses are limited in bytes
// and time. Cookies, credentials in addresses and proxies from the environment aren't used (a proxy would dial for us
// without any check). Faults have messages for the person who supplied the address. code.dny.dev/ssrf, generated from
// IANA's registries, knows which IP addresses are public.
//
// Read reads small responses into memory (header images, calls of a code host, whose status and headers the caller
// needs), Download writes large files to disk and reports progress, Get leaves reading to the caller.
package safehttp
