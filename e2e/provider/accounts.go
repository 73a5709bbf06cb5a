package main

import "time"

// account is somebody who can sign in here.
type account struct {
	subject  string
	email    string
	verified bool
	name     string
}

// accounts by e-mail, which is all that the login page asks for.
var accounts = map[string]account{
	"ada@institution.example":    {"person-0001", "ada@institution.example", true, "Ada Abel"},
	"bob@institution.example":    {"person-0002", "bob@institution.example", true, "Bob Born"},
	"eve@institution.example":    {"person-0003", "eve@institution.example", false, "Eve Echo"},
	"noname@institution.example": {"person-0004", "noname@institution.example", true, ""},
	"guest@elsewhere.example":    {"person-0005", "guest@elsewhere.example", true, "Gil Guest"},
}

// claims are what this provider says of an account, in the words of OpenID.
func (a account) claims() map[string]any {
	said := map[string]any{"email": a.email, "email_verified": a.verified}
	if a.name != "" {
		said["name"] = a.name
	}
	return said
}

// login is somebody's session at the provider: the cookie's value is its key in provider.logins.
type login struct {
	account account
	sid     string
	at      time.Time
}
