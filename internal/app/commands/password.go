package commands

import (
	"cairn/internal/foundation/fault"
	"cairn/internal/people/idp"
)

// HashPassword returns the hash of a password that was entered twice, as idp.accounts.password_hash takes it.
func HashPassword(password, again string) (string, error) {
	switch {
	case password == "":
		return "", fault.New(fault.Invalid, "The password is empty. Enter one, and the same once more.")
	case len(password) > idp.MaxPassword:
		return "", fault.New(fault.Invalid, "The password has %d bytes; at most %d are allowed. Choose a shorter one.", len(password), idp.MaxPassword)
	case password != again:
		return "", fault.New(fault.Invalid, "The two passwords differ. Run the command again.")
	}
	return idp.HashPassword(password), nil
}
