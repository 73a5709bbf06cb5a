// Package projects bundles exactly one repository with datasets. A project belongs to its owner; a published one may be
// started by everybody. Sessions made from projects are the sessions slice's.
package projects
