"""Pinned code that is not ours: from the `source` of a case to a patch and a tree, cached outside the repo.

`materials.materialise` is the controller's one call, `materials.read_material` the workers'. The way of the
data: pins -> `fetch` (through `pypi` and `npm`) -> `cache` -> `archives` -> `leaks` -> `diff`.
"""
