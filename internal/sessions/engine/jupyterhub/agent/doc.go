// Package agent does for a hub what the local engine does for its own machine, where the folders of the hub's sessions are: it
// copies repositories, gets datasets, makes environments, keeps versions of work, packs and deletes it, with the same packages.
// What runs in sessions is started by the hub.
//
// Each session has a folder below the root, named by its id, with its folders "work" and "home" and the agent's record. What sessions
// share is beside them, in folders whose names begin with a dot. The server and the hub's hook call the agent as agentapi describes.
// Sessions go on while the agent is away; what changed meanwhile is saved when it is back.
package agent
