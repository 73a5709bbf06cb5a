// Package codehost reads repositories where they live: folders for the file browser, files for descriptors, READMEs and
// citations. A Host is one kind of place: GitHub (github.com or an Enterprise server, by its API and its raw files), and
// the repositories that ship with this server. Hosts chooses one by the host of an address.
//
// What a host calls private is not found here, whatever the token of this server may read. Folders and files come
// through a cache on disk and may be old while the host fails or limits us, and say so; what decides about an entry of
// the catalog (a descriptor) is read past every cache.
package codehost
