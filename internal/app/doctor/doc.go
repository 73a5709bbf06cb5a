// Package doctor looks for what is wrong with an installation: Run prints all of it for operators, CheckStart finds what a start
// would refuse, and ServerChecks are those for a server that runs. Nothing here changes anything.
package doctor
