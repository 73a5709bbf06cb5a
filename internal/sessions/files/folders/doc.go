// Package folders makes, hands over, copies and deletes folders: those of this server, which nobody else can write, and those
// of sessions, whose content is hostile. It works through os.Root and never follows a link.
package folders
