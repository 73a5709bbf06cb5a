// Package connections keeps the accounts at other services, such as code hosts, that people have connected with theirs.
//
// Tokens are stored encrypted, with keys that aren't in the database (package secrets), and leave this package only as the result of
// Service.Token. They are in no error, log, record or answer.
package connections
