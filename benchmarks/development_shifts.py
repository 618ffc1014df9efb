"""Shifts of tables that doubt is developed on, none of which is judged.

Each is a table of R and rows that are later, larger, older or elsewhere. Where the
column that tells is left out, only the others can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from antireg.paper.data.natural_tables import Natural, cut_by_shift
from antireg.paper.data.split import Split

Shifted = Callable[[Any], Any]


def above(column: str, share: float) -> Shifted:
    """Return which rows are above this quantile of a column."""
    return lambda table: table[column] > table[column].quantile(share)


def below(column: str, share: float) -> Shifted:
    """Return which rows are below this quantile of a column."""
    return lambda table: table[column] < table[column].quantile(share)


def one_of(column: str, *values: object) -> Shifted:
    """Return which rows have one of these values."""
    return lambda table: table[column].isin(values)


def shift(item: str, target: str, shifted: Shifted, *drop: str) -> Natural:
    """Return a table of R, as package/name, and its shift."""
    package, name = item.split("/")
    return Natural((package, name), "see the package", target, "", shifted, drop)


AUTO, BIRTHS, CARS = "ISLR/Auto", "openintro/births14", "modeldata/car_prices"
DELIVERIES, RACE = "modeldata/deliveries", "mosaicData/TenMileRace"
HOUSES, WEATHER = "ggplot2/txhousing", "nycflights13/weather"
SHIFTS = {
    "auto-foreign": shift(AUTO, "mpg", one_of("origin", 2, 3), "origin", "name"),
    "auto-late": shift(AUTO, "mpg", above("year", 0.74), "name"),
    "auto-late-hidden": shift(AUTO, "mpg", above("year", 0.74), "name", "year"),
    "auto-light": shift(AUTO, "mpg", below("weight", 0.25), "name"),
    "births-early": shift(
        BIRTHS, "weight", lambda t: t["weeks"] < 38, "lowbirthweight", "premie"
    ),
    "births-old": shift(BIRTHS, "weight", above("mage", 0.75), "lowbirthweight"),
    "cars-mileage": shift(CARS, "Price", above("Mileage", 0.7)),
    "cars-saab": shift(CARS, "Price", one_of("Saab", 1), "Saab"),
    "chicago-late": shift(
        "modeldata/Chicago",
        "ridership",
        lambda t: t["date"].astype(str).str[:4].astype(int) > 2012,
        "date",
    ),
    "college-large": shift("ISLR/College", "Outstate", above("F.Undergrad", 0.75)),
    "college-public": shift(
        "ISLR/College", "Outstate", one_of("Private", "No"), "Private"
    ),
    "deliveries-far": shift(DELIVERIES, "time_to_delivery", above("distance", 0.75)),
    "deliveries-late": shift(DELIVERIES, "time_to_delivery", above("hour", 0.75)),
    "evaluations-large": shift(
        "openintro/evals", "score", above("cls_students", 0.75), "course_id", "prof_id"
    ),
    "fastfood-fat": shift(
        "openintro/fastfood", "calories", above("total_fat", 0.75), "cal_fat", "item"
    ),
    "houses-late": shift(HOUSES, "median", above("year", 0.7), "volume"),
    "quakes-deep": shift("datasets/quakes", "stations", above("depth", 0.7)),
    "quakes-strong": shift("datasets/quakes", "stations", above("mag", 0.75)),
    "race-old": shift(RACE, "time", above("age", 0.75), "net"),
    "race-women": shift(RACE, "time", one_of("sex", "F"), "sex", "net"),
    "salaries-old": shift(
        "modeldata/stackoverflow", "Salary", above("YearsCodedJob", 0.75)
    ),
    "scores-iq": shift("Ecdat/Griliches", "lw80", above("iq", 0.75), "lw"),
    "wages-experience": shift("Ecdat/Wages", "lwage", above("exp", 0.75)),
    "wages-learned": shift("carData/SLID", "wages", above("education", 0.75)),
    "wages-south": shift("Ecdat/Wages", "lwage", one_of("south", "yes"), "south"),
    "weather-airport": shift(
        WEATHER, "temp", one_of("origin", "LGA"), "origin", "time_hour", "year", "dewp"
    ),
}


def shifted(name: str, seed: int) -> Split:
    """Return one of these shifts."""
    return cut_by_shift(name, SHIFTS[name], seed)
