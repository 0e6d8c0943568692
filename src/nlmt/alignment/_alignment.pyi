import enum

class Method(enum.Enum):
    INTERSECTION = 0
    UNION = 1
    GROW_DIAG = 2
    GROW_DIAG_FINAL_AND = 3

def symmetrise(forward: str, reverse: str, method: Method) -> str: ...
