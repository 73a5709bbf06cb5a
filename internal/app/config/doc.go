// Package config is what operators set: its keys and their defaults, reading them from a file and the environment, and the rules
// that a usable configuration follows. Everything that is wrong with one is reported at once. It opens nothing that it names
// except the site file and the certificate.
package config
