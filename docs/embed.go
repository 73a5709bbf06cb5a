// Package docs contains the documents that the server shows to its users as /help.
package docs

import "embed"

// Help has the documents for scientists. The user's guide is guide.md; it leads to the others.
//
//go:embed guide.md descriptor.md environments.md workshops.md
var Help embed.FS
