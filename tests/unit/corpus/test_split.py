"""The split is decided by ids alone, and what is published of test cases says nothing."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from pytest_reviewbench.corpus.split import first_split, later_split, public_entries

IDS = st.sets(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True), max_size=30)


def test_a_first_split_by_hand() -> None:
    # sha256: b 3e23…, d 18ac…, a ca97…, c 2e7d…, e 3f79…, f 252f…
    assert first_split(["a", "b", "c", "d", "e", "f"]) == {
        "d": "train", "f": "train", "c": "test", "b": "test", "e": "test", "a": "test",
    }  # fmt: skip
    assert first_split(["a", "b"]) == {"a": "test", "b": "test"}
    assert first_split([]) == {}


@given(IDS, IDS)
def test_a_third_is_train_and_so_is_what_is_public(ids: set[str], public: set[str]) -> None:
    split = first_split(sorted(ids, reverse=True), public & ids)
    assert split == first_split(sorted(ids), public & ids)
    assert set(split) == ids
    assert all(split[case] == "train" for case in public & ids)
    plain = first_split(ids)
    assert list(plain.values()).count("train") == len(ids) // 3
    assert all(split[case] == "train" for case, side in plain.items() if side == "train")


def test_a_case_given_twice_is_one_case() -> None:
    assert first_split(["a", "a", "b", "b"]) == first_split(["a", "b"])


def test_a_later_case_goes_where_its_hash_says() -> None:
    for case in ("py-0001", "py-0002", "js-0003", "x"):
        third = int(hashlib.sha256(case.encode()).hexdigest(), 16) % 3 == 0
        assert later_split(case) == ("train" if third else "test")
    sides = [later_split(f"py-{n}") for n in range(900)]
    assert 240 < sides.count("train") < 360


def test_public_entries_hide_what_test_cases_are_and_keep_the_rest() -> None:
    entries: list[dict[str, object]] = [
        {"id": "py-2", "split": "test", "fix_sha": "f", "intro_sha": "i", "lang": "python"},
        {"id": "py-1", "split": "train", "fix_sha": "f", "note": 1},
    ]
    hashed = "test-" + hashlib.sha256(b"test:py-2").hexdigest()[:10]
    assert public_entries(entries) == [
        {"id": "py-1", "split": "train", "fix_sha": "f", "note": 1},
        {"id": hashed, "split": "test", "lang": "python"},
    ]
    assert entries[0]["id"] == "py-2"


@given(IDS)
def test_the_order_of_public_entries_says_nothing(ids: set[str]) -> None:
    entries = [{"id": case, "split": later_split(case)} for case in ids]
    published = public_entries(entries)
    assert published == public_entries(entries[::-1])
    assert [entry["split"] for entry in published] == sorted((e["split"] for e in published), reverse=True)
    assert sum(entry["id"].startswith("test-") for entry in published if entry["split"] == "test") == sum(
        entry["split"] == "test" for entry in entries
    )
