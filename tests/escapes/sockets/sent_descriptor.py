"""Answers the question that is being asked itself, and sends the grader a descriptor along with the answer.

guard: seccomp
"""

import array
import json
import os
import socket
import sys


def question():
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["request"]["n"]


def attack():
    try:
        grader = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, fileno=os.dup(3))
        answer = json.dumps({"n": question(), "v": "escaped: it was sent"}).encode()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
        grader.sendmsg([len(answer).to_bytes(4, "big") + answer], rights)
    except PermissionError:
        return "held"
    return "escaped"
