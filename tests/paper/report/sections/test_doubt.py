"""The sections on doubt say how tables were chosen, and what is missing."""

import re

from antireg.paper.report.sections import doubt


def words(markup) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", markup).split())


def test_the_summary_counts_every_goal(full, empty):
    numbers = re.findall(r"<td>(\d+)</td>", doubt.summary(full))
    assert sum(map(int, numbers)) == 2 * (16 + 6) + 2 + 4
    assert "At most 5,000 rows of each kind are scored" in words(doubt.summary(empty))


def test_the_better_base_is_named_only_if_both_were_measured(full, empty):
    assert "doubt on DE is the better one in" in words(doubt.summary(full))
    assert "the better one" not in words(doubt.summary(empty))


def test_citycam_has_each_task_by_defaults_raw_and_by_hours(full):
    text = doubt.citycam(full)
    assert text.count("<table>") == 3 * 4
    assert "missing" not in text


def test_the_choice_of_tables_is_told(full, empty):
    text = words(doubt.tables(full))
    assert "settled by what the columns mean" in text
    assert "Four candidates were left out" in text
    assert "houses built after 2000" in text
    assert "The best single detector" not in words(doubt.tables(empty))


def test_missing_numbers_are_marked(empty):
    for section in (doubt.citycam, doubt.detection, doubt.gaps, doubt.tables):
        assert 'class="absent">missing<' in section(empty)
