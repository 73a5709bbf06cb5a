// Package datasets puts datasets into sessions. Those of this server are mounted read-only, or copied where nothing can be
// mounted; those from elsewhere are fetched once into a cache that all sessions share, and unpacked if they are archives, which
// are hostile.
package datasets
