"""What a pod's status and events say about a session, in words that people read. It reads fields only, and knows nothing of the
hub. Pods and events are as the API server of Kubernetes writes them."""

SESSION = "notebook"  # KubeSpawner's name of the container
EVICTED, FAULT, MEMORY, TIME = "evicted", "server_fault", "memory", "time"  # codes of causes, as of internal/sessions/diagnosis

# Reasons for which a container will never start, however long one waits.
HOPELESS = ("InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError")
PULLS = 3  # tries to fetch an image before a launch is given up

# What a pod's condition DisruptionTarget, its status or its last event gives as the reason for its end.
TAKEN = {
    "EvictionByEvictionAPI": "its machine is being emptied, as for maintenance",
    "PreemptionByScheduler": "the cluster needed its place for something more important",
    "Preempted": "the cluster needed its place for something more important",
    "Preempting": "the cluster needed its place for something more important",
    "DeletionByTaintManager": "its machine failed or was taken out of service",
    "TaintManagerEviction": "its machine failed or was taken out of service",
    "ScaleDown": "its machine isn't needed any more",
    "DeletionByPodGC": "its machine is gone",
    "NodeLost": "its machine is gone",
    "NodeNotReady": "its machine doesn't answer",
    "NodeShutdown": "its machine was shut down",
    "Terminated": "its machine was shut down",
    "TerminationByKubelet": "its machine was short of memory or disk space, or was shut down",
    "Evicted": "its machine was short of memory or disk space",
    "OutOfmemory": "its machine hadn't enough memory left",
    "OutOfcpu": "its machine hadn't enough processors left",
}
KEPT = "Its files are kept: start it again."
DELETED = f"The session's pod was deleted on the cluster. {KEPT}"


def uid(pod):
    return pod["metadata"].get("uid")


def status_of(pod, name, kind="containerStatuses"):
    """Returns the state of a container, {} if there is none yet."""
    return next((one.get("state") or {} for one in pod["status"].get(kind) or [] if one["name"] == name), {})


def states(pod, but=""):
    """Returns the states of a pod's containers in the order in which they start, without one."""
    found = (pod["status"].get("initContainerStatuses") or []) + (pod["status"].get("containerStatuses") or [])
    return [one.get("state") or {} for one in found if one["name"] != but]


def over(pod):
    return pod["status"].get("phase") in ("Failed", "Succeeded")


def beyond(memory):
    """Returns what is more than a pod's limit, whose number of bytes an earlier hub may have set."""
    if not memory:
        return "more memory than it may"
    return "more than its " + (f"{memory / (1 << 30):.3g} GiB" if memory >= 1 << 30 else f"{memory >> 20} MiB") + " of memory"


def short(text):
    return " ".join(str(text or "").split())[:300].rstrip(". ")


def taken(pod, events=()):
    """Returns why the cluster took a pod away, and what it says about that; None if it didn't. Events count only once the pod is
    gone: one may have outlived them."""
    status = pod["status"] if pod else {}
    target = [one for one in status.get("conditions") or [] if one.get("type") == "DisruptionTarget" and one.get("status") == "True"]
    said = [(one.get("reason"), one.get("message")) for one in target]
    # The kubelet names a shortage in the status, which says more than its condition.
    said = [(status.get("reason"), status.get("message")), *said] + [(one.get("reason"), one.get("message")) for one in reversed(list(events))]
    return next(((reason, short(message)) for reason, message in said if reason in TAKEN), None)


def evicted(reason, message):
    why = f"The cluster ended this session because {TAKEN[reason]}"
    return f"{why} ({message}). {KEPT}" if message else f"{why}. {KEPT}"


def ending(pod, events, memory):
    """Returns how a session's pod ended: the exit status of Jupyter, why, and the code of the cause; "" where the status says it
    all. The pod is as it was seen last, None if it never was; the events are those of one that is gone."""
    if why := taken(pod, events):
        return 137, evicted(*why), EVICTED
    ended = status_of(pod, SESSION).get("terminated") if pod else None
    if ended and ended.get("reason") == "OOMKilled":
        return 137, f"The session was ended because it used {beyond(memory)}. {KEPT}", MEMORY
    if ended and not pod["metadata"].get("deletionTimestamp"):  # else it was told to end
        return ended.get("exitCode", 1), "", ""
    return 137, DELETED, EVICTED


def hindrance(pod, events, but, image, memory):
    """Returns why a pod that is starting never will, and the code; None while it may. `but` is a container that is none of it."""
    for state in states(pod, but):
        waits, ended = state.get("waiting") or {}, state.get("terminated")
        if waits.get("reason") in HOPELESS:
            return f"The session's container can't be made ({waits['reason']}: {short(waits.get('message'))}). Tell the operators.", FAULT
        if ended and ended.get("reason") == "OOMKilled":
            return f"Jupyter used {beyond(memory)} before it was ready.", MEMORY
        if lacks_program(ended):
            return f"The image {image} can't start sessions: it lacks Jupyter, or jupyterhub's part for it. Tell the operators.", FAULT
        if ended and ended.get("exitCode"):
            return f"Jupyter stopped with exit code {ended['exitCode']} before it was ready.", ""
    if over(pod):
        why = taken(pod)
        return (evicted(*why), EVICTED) if why else ("The session's pod ended before Jupyter was ready.", "")
    tries = sum(one.get("count") or 1 for one in events if one.get("reason") == "Pulling")
    if pulls(pod) and tries >= PULLS:
        return f"The image {image} can't be fetched: {short(pulls(pod))}. Tell the operators.", FAULT
    return None


def lacks_program(ended):
    return bool(ended) and (ended.get("reason") in ("StartError", "ContainerCannotRun") or ended.get("exitCode") in (126, 127))


def pulls(pod):
    """Returns what the kubelet says about an image that it can't fetch; "" if there is nothing."""
    waiting = [state.get("waiting") or {} for state in states(pod)]
    return next((one.get("message") or one["reason"] for one in waiting if one.get("reason") in ("ErrImagePull", "ImagePullBackOff")), "")


def waits_for(pod, events, image):
    """Returns what a pod that is starting waits for."""
    if pod is None:
        return "Asking the cluster for a place"
    conditions = {one.get("type"): one for one in pod["status"].get("conditions") or []}
    scheduled = conditions.get("PodScheduled") or {}
    if scheduled.get("status") != "True":
        said = short(scheduled.get("message"))
        return "Waiting for a machine of the cluster" + (f": {said}" if said else "")
    if said := pulls(pod):
        return f"The image can't be fetched yet: {short(said)}"
    last = next((one for one in reversed(events) if one.get("reason") in ("Pulling", "Pulled", "FailedMount", "FailedAttachVolume", "Created", "Started")), {})
    if last.get("reason") == "Pulling":
        return f"Fetching the image {image}"
    if last.get("reason") in ("FailedMount", "FailedAttachVolume"):
        return f"Waiting for its folders: {short(last.get('message'))}"
    return "Starting"
