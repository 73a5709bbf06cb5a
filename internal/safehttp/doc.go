// Package safehttp is the one HTTP client for addresses that users give. It goes to the public internet alone: each
// connection's IP address is looked at when it is dialed, after the name was resolved, on every redirect hop too, so
// neither a redirect nor a name that changes its address leads into a private network. What is read is limited in bytes
// and time; cookies, credentials in addresses and proxies of the environment are not used (a proxy would dial for us and
// look at nothing). Faults carry sentences for the person who gave the address. Which IP addresses are public is the
// knowledge of code.dny.dev/ssrf, which is generated from the registries of IANA.
//
// Read takes small answers into memory (header images, calls of a code host, whose status and headers the caller looks
// at), Download writes large files to disk and reports progress, Get leaves the reading to the caller.
package safehttp
