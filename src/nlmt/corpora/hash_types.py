"""Published hashes of files, as configuration keys hold them."""

from typing import Annotated, TypeAlias

from pydantic import Field

Sha256: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Sha1: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{40}$")]
Md5: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
