// Package codehost reads repositories on code hosts: folders for the file browser, files for descriptors, READMEs and
// citations. Hosts picks a Host by the host of an address: GitHub, GitLab, Gitea (or Forgejo), each through its API, the repositories that ship
// with this server, and Git for everything else, from shallow clones. reader.go has what they share, and a service what differs.
//
// What a host keeps private is not found, whatever this server's token may read. Folders and files come through a cache
// on disk, and may be old (and say so) while the host fails or limits us. Files that decide about an entry of the
// catalog (descriptors) bypass every cache.
package codehost
