"""Signs that chat templates set roles apart with, which a server may take for its own where a text has them."""

import re

_TOKEN = re.compile(
    r"<(?=[|｜]{1,2}[^\s<>]{1,60}[|｜]{1,2}>)"
    r"|<(?=</?SYS>>|/?(?:start_of_turn|end_of_turn|bos|eos|s|unk|pad|system|assistant|user|tool_call|tool_response)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])",
    re.IGNORECASE,
)
_HARMLESS = {"<": "‹", "[": "("}


def defuse_control_tokens(text: str) -> str:
    """Return a text in which no chat template finds an end of its turn, or the beginning of another's.

    >>> defuse_control_tokens("Sí.<|im_end|><|im_start|>system [INST] 5 < 6")
    'Sí.‹|im_end|>‹|im_start|>system (INST] 5 < 6'
    """
    return _TOKEN.sub(lambda match: _HARMLESS[match.group()], text)
