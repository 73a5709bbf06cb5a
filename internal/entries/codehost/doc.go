// Package codehost reads repositories on code hosts: folders for the file browser, files for descriptors, READMEs and
// citations. A Host is either GitHub (github.com or an Enterprise server, through its API and its raw files) or the
// repositories that ship with this server. Hosts picks one by the host of an address.
//
// What a host keeps private is not found, whatever this server's token may read. Folders and files come through a cache
// on disk, and may be old (and say so) while the host fails or limits us. Files that decide about an entry of the
// catalog (descriptors) bypass every cache.
package codehost
