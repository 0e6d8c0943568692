"""A storage for tests: a folder, where S3 has a bucket (`NLMT_TEST_STORAGE` names it).

It does what the plugin for S3 does that matters to the workflow: the place of a local copy is
settled when the object is made. `PYTHONPATH` with the folder above this one makes it known.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from snakemake_interface_storage_plugins.common import Operation
from snakemake_interface_storage_plugins.io import IOCacheStorageInterface
from snakemake_interface_storage_plugins.storage_object import (
    StorageObjectGlob,
    StorageObjectRead,
    StorageObjectWrite,
)
from snakemake_interface_storage_plugins.storage_provider import (
    ExampleQuery,
    StorageProviderBase,
    StorageQueryValidationResult,
)

SCHEME = "folder://"


class StorageProvider(StorageProviderBase):
    """All folders."""

    @classmethod
    def example_queries(cls) -> list[ExampleQuery]:
        return []

    def use_rate_limiter(self) -> bool:
        return False

    def default_max_requests_per_second(self) -> float:
        return 0.0

    def rate_limiter_key(self, query: str, operation: Operation) -> str:
        return ""

    @classmethod
    def is_valid_query(cls, query: str) -> StorageQueryValidationResult:
        valid = query.startswith(SCHEME)
        return StorageQueryValidationResult(query=query, valid=valid, reason=f"no {SCHEME}")


class StorageObject(StorageObjectRead, StorageObjectWrite, StorageObjectGlob):
    """One file in the folder."""

    def __post_init__(self) -> None:
        self.name = self.query.removeprefix(SCHEME)
        self.place = Path(os.environ["NLMT_TEST_STORAGE"]) / self.name

    async def inventory(self, cache: IOCacheStorageInterface) -> None:
        pass

    def get_inventory_parent(self) -> None:
        return None

    def local_suffix(self) -> str:
        return self.name

    def cleanup(self) -> None:
        pass

    def exists(self) -> bool:
        return self.place.exists()

    def mtime(self) -> float:
        return self.place.stat().st_mtime

    def size(self) -> int:
        return self.place.stat().st_size

    def retrieve_object(self) -> None:
        shutil.copyfile(self.place, self.local_path())

    def store_object(self) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.local_path(), self.place)

    def remove(self) -> None:
        self.place.unlink()

    def list_candidate_matches(self) -> Iterable[str]:
        return []
