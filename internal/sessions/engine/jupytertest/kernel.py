"""A kernel that reads messages of Jupyter from its input and writes messages to its output, one a line."""

import json
import os
import queue
import signal
import sys
import threading
import types

said, heard = os.fdopen(os.dup(1), "w"), os.fdopen(os.dup(0))
os.dup2(2, 1)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
writing, waiting = threading.Lock(), queue.SimpleQueue()
executing = interrupted = False  # a cell runs; one that is about to run is to end at once
message = None  # the one that is being answered


def say(parent, channel, kind, **content):
    with writing:
        said.write(json.dumps({"channel": channel, "msg_type": kind, "parent_header": parent["header"], "content": content}) + "\n")
        said.flush()


class Output:
    def __init__(self, parent):
        self.parent = parent

    def write(self, text):
        say(self.parent, "iopub", "stream", name="stdout", text=text)

    def flush(self):
        pass


def publish_status(state, _):
    say(message, "iopub", "status", execution_state=state)


# What cells of IPython know.
kernel = types.SimpleNamespace(_publish_status=publish_status)
names = {"__name__": "__main__", "get_ipython": lambda: types.SimpleNamespace(kernel=kernel)}


def execute():
    global executing
    code = message["content"]["code"]
    say(message, "iopub", "execute_input", code=code, execution_count=1)
    sys.stdout = Output(message)
    try:
        executing = True
        if interrupted:
            raise KeyboardInterrupt
        exec(compile(code, "<cell>", "exec"), names)
        executing = False
        return {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}
    except BaseException as error:
        executing = False
        raised = {"ename": type(error).__name__, "evalue": str(error), "traceback": []}
        say(message, "iopub", "error", **raised)
        return {"status": "error", "execution_count": 1, "user_expressions": {}, "payload": [], **raised}


def answer(asked):
    """Answers as ipykernel does: whatever is asked, on whichever channel, makes the kernel busy and then idle."""
    kind, channel = asked["header"]["msg_type"], asked["channel"]
    say(asked, "iopub", "status", execution_state="busy")
    if kind == "kernel_info_request":
        say(asked, channel, "kernel_info_reply", status="ok", protocol_version="5.3", implementation="stand-in")
    elif kind == "execute_request":
        say(asked, channel, "execute_reply", **execute())
    say(asked, "iopub", "status", execution_state="idle")


def listen():
    for line in heard:
        asked = json.loads(line)
        if asked["channel"] == "control":
            answer(asked)  # also while a cell runs
        else:
            waiting.put(asked)
    os._exit(0)


def interrupt(*_):
    global interrupted
    interrupted = True
    if executing:
        raise KeyboardInterrupt


signal.signal(signal.SIGINT, interrupt)
threading.Thread(target=listen, daemon=True).start()
while True:
    message = waiting.get()
    interrupted = False
    answer(message)
