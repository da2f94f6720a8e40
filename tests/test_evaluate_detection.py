# SPDX-License-Identifier: GPL-3.0-or-later
"""`evaluate_detection.py`: changed thresholds beside the present ones, on made-up motions and labelled captures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from poise.examples.detection.labels import NAMES
from poise.solver.core.errors import PoiseError

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import evaluate_detection  # noqa: E402
from evaluation.cases import Case, Score, captured, made_up  # noqa: E402
from evaluation.changes import FIELDS, GROUPS, AllSettings, Field, field_named, parsed, with_changes  # noqa: E402

NO_CLIPS = ["--clips", "no/such/folder", "--seeds", "1"]
DEFAULTS = AllSettings()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the script prints; it must succeed."""
    assert evaluate_detection.main([*arguments, *NO_CLIPS]) == 0
    return capsys.readouterr().out


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(made_up(seeds=1))


def test_every_made_up_truth_is_found_with_the_present_thresholds(cases: list[Case]) -> None:
    assert {group for case in cases for group in case.groups} == set(GROUPS)
    scores = {case.name: case.score(DEFAULTS) for case in cases}
    for name, score in scores.items():
        assert score.f1 > 0.9 and score.missed == 0, name
    assert evaluate_detection.mean_score(list(scores.values())).in_time > 0.95


def test_every_threshold_has_a_motion_that_depends_on_it(cases: list[Case]) -> None:
    for field in FIELDS:
        assert any(field.group in case.groups for case in cases), field.label
        assert any(case.origin in field.chosen_on for case in cases) or not any(
            motion.startswith("made-up") for motion in field.chosen_on
        ), field.label


@pytest.mark.parametrize(
    ("change", "group"),
    [
        ("rest.shortest=2", "rest"),
        ("hover_height=2", "footplants"),
        ("handplants.slow_share=0", "handplants"),
        ("extent=5", "sliding"),
        ("detection.shortest=3", "detection"),
    ],
)
def test_a_bad_change_lowers_the_score_of_its_motions_only(cases: list[Case], change: str, group: str) -> None:
    field, _ = parsed(change)
    assert field.group == group
    settings = with_changes([parsed(change)])
    differences = {case: case.score(DEFAULTS).f1 - case.score(settings).f1 for case in cases}
    assert max(differences.values()) > 0.3
    for case, difference in differences.items():
        if group not in case.groups:
            assert difference == 0.0, case.name


WITHOUT_EFFECT = {
    "rest.certain_ratio": "changes confidences only",
    "rest.median_width": "withstands outliers, of which these motions of whole characters have none",
    "rest.fast_share": "matters in captures with shuffling feet, as in 10_01",
    "rest.rest_share_of_fast": "matters in captures with shuffling feet, as in 135_04",
    "rest.apex_window": "matters in captured hops, as in 85_05",
    "footplants.hover_time": "matters in captured hops, as in 85_05",
    "footplants.contact_reach": "contacts are tested in test_contact.py",
    "footplants.hover_window": "feet that hover between two plants are tested in test_footplants.py",
    "sliding.outlier_share": "outliers at the end of a slide are tested in test_sliding.py",
    "sliding.line_preference": "no made-up line lies in a plane that is nearly as long",
    "sliding.overlap_share": "no two candidates overlap in part",
    "sliding.search_margin": "slides are found whole, and need not be extended",
    "detection.refit_growth": "saves time only",
    "detection.rounding_turn": "matters where the example has no noise at all: tested in test_noise.py",
    "detection.rounding_distance": "matters where the example has no noise at all: tested in test_noise.py",
}
"""Thresholds of which no value changes what is found in the made-up motions."""


@pytest.mark.slow
def test_every_other_threshold_changes_what_is_found(cases: list[Case]) -> None:
    found = {case.name: case.find(DEFAULTS) for case in cases}
    assert set(WITHOUT_EFFECT) < {field.label for field in FIELDS}
    factors = (0.1, 10.0, 2.0, 0.0, 0.5, 100.0)
    for field in FIELDS:
        if field.label not in WITHOUT_EFFECT:
            concerned = [case for case in cases if field.group in case.groups]
            changes = ((case, factor) for factor in factors for case in concerned)
            assert any(_differs(case, found[case.name], field, factor) for case, factor in changes), field.label


def _differs(case: Case, before: object, field: Field, factor: float) -> bool:
    try:
        settings = with_changes([(field, factor * field.default)])
    except PoiseError:
        return False
    return case.find(settings) != before


def test_scores_are_what_they_say() -> None:
    truth = {"left": [(10, 19), (40, 49)], "right": []}
    found = {"left": [(12, 21)], "right": [(80, 84)]}
    case = Case("made up", "made up", (), 100, 30.0, truth, lambda _: found)  # type: ignore[arg-type, dict-item]
    score = case.score(DEFAULTS)
    assert score.f1 == pytest.approx(2.0 * 8.0 / (15.0 + 20.0)) and score.missed == 1
    np.testing.assert_allclose(score.errors, [2.0 / 30.0, 2.0 / 30.0])
    assert score.in_time == 1.0 and score.median_error == pytest.approx(2.0 / 30.0)
    late = Score(0.5, 0, (3.0 / 30.0, 0.0))
    assert late.in_time == 0.5
    mean = evaluate_detection.mean_score([score, late])
    assert (mean.f1, mean.missed, len(mean.errors)) == (pytest.approx(0.5 * (0.5 + score.f1)), 1, 4)


def test_nothing_to_find_and_nothing_found_is_right() -> None:
    nothing = Case("nothing", "nothing", (), 10, 30.0, {}, lambda _: {})
    assert nothing.score(DEFAULTS).f1 == 1.0
    something = Case("something", "nothing", (), 10, 30.0, {}, lambda _: {"line": [(2, 5)]})
    assert something.score(DEFAULTS).f1 == 0.0


def test_changes_reach_feet_and_hands() -> None:
    settings = with_changes([parsed("rest_share=0.1"), parsed("median_width=7"), parsed("hover_height=0.05")])
    for rest in (settings.footplants.rest, settings.handplants.rest, settings.handplants.footplants.rest):
        assert rest.rest_share == 0.1 and rest.median_width == 7
    assert settings.handplants.footplants.hover_height == 0.05
    assert with_changes([]) == DEFAULTS


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("stands=0.1", "no threshold 'stands'"),
        ("slow_share=0.1", "say rest.slow_share or handplants.slow_share"),
        ("rest_share", "A change is NAME=NUMBER"),
        ("rest_share=much", "A change is NAME=NUMBER"),
        ("rest_share=-1", "rest_share of a detection must be a finite number"),
    ],
)
def test_bad_changes_are_told_in_a_sentence(capsys: pytest.CaptureFixture[str], assignment: str, told: str) -> None:
    assert evaluate_detection.main(["--set", assignment, *NO_CLIPS]) == 2
    assert told in capsys.readouterr().err
    with pytest.raises(PoiseError, match=told.replace(".", "\\.")):
        with_changes([parsed(assignment)])


def test_the_table_says_which_motions_are_held_out(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "--set", "apex_height=0.05")
    assert "rest.apex_height = 0.04: chosen on made-up cartwheels, 49_06" in printed
    assert "held out: made-up gaits, made-up walks that skate" in printed
    assert "no labelled capture is evaluated" in printed
    rows = [line for line in printed.splitlines() if line.startswith("cartwheel")]
    assert len(rows) == 4 and all("chosen on" in row for row in rows) and "1.000 > 1.000" in rows[0]
    assert "drawer" not in printed, "sliding does not depend on it"
    assert printed.count("mean of") == 2


def test_a_sweep_shows_each_value_by_role(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "--field", "sliding.extent", "--around", "0.5", "30")
    lines = [line for line in printed.splitlines() if " x) " in line]
    values = [(line.split()[0], float(line.split()[5])) for line in lines]
    assert [value for value, _ in values] == ["0.075", "0.15", "4.5"]
    assert values[2][1] < values[1][1], "nothing slides so far"


def test_without_a_change_everything_is_evaluated(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys)
    for name in ("walk that skates", "cartwheel", "drawer", "die"):
        assert name in printed


def test_the_list_has_every_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run(capsys, "--list").splitlines()
    assert len(printed) == len(FIELDS) > 70
    assert any(line.split()[:2] == ["rest.rest_share", "0.085"] and line.endswith("02_01, 09_01") for line in printed)


def test_names_are_found_with_and_without_their_group() -> None:
    assert field_named("rest_share") == field_named("rest.rest_share") == Field("rest", "rest_share")


def test_captures_are_scored_by_their_labels(mocap: Path) -> None:
    cases = list(captured(mocap))
    assert len({case.origin for case in cases}) == len(NAMES)
    (hands,) = [case for case in cases if "hands" in case.name]
    assert hands.origin == "49_06" and hands.score(DEFAULTS).f1 > 0.9
    (walk,) = [case for case in cases if case.origin == "02_01"]
    assert walk.score(DEFAULTS).f1 > 0.975 and walk.score(DEFAULTS).missed == 1
