// Package badge draws the badges of entries: small pictures for READMEs and web pages elsewhere, and the same as JSON for
// shields.io. They exist for public entries only and look the same to everybody. The page offers them in its share
// dialog (web/src/ui/ShareDialog.tsx).
package badge
