// Package projects manages projects: exactly one repository with datasets. A project belongs to its owner; everybody
// may start a published one. Sessions of projects are up to package sessions.
package projects
