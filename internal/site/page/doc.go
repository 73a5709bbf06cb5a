// Package page serves the built page: its files, and for every other address one document that already contains the
// configuration, the title and the first answer of the API, so that a browser paints without further requests. It also
// serves what search engines read. The page itself is in web; web/pages.json lists the pages.
package page
