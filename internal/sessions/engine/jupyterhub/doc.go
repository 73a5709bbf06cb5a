// Package jupyterhub runs sessions on an operator's JupyterHub, by its REST API alone: each session is a named server of
// its owner, named by the session's id. The hub is the truth about what runs; what it does not keep, wishes, steps,
// reasons and the token of each session, is kept in Records, which several of our servers may share. Where the hub has
// what deploy/jupyterhub brings (the hook that copies and mounts, and the service that reads work folders), launches tell
// their steps and work can be downloaded in every state.
package jupyterhub
