// Package page serves the built page: its files, and for every other address one document with the configuration, the
// title and the first answer of the API written into it, so that a browser paints without asking again. It also serves
// what search engines read. The page itself is in web; which pages there are is in web/pages.json.
package page
