"""Where OpenFisca-France 176.1.8 leaves the law, each with its article; `law.py` corrects them."""

from dataclasses import dataclass


@dataclass
class Deviation:
    name: str
    article: str
    openfisca: str
    law: str


DEVIATIONS = [
    Deviation(
        "age-of-spouses",
        "CGI 157 bis",
        "one allowance of age where both spouses qualify: two truth values are added",
        "one for each spouse who is 65 or disabled",
    ),
    Deviation(
        "age-on-31-december",
        "CGI 157 bis",
        "the age on 1 January",
        "the age on 31 December of the year of the income",
    ),
    Deviation(
        "pension-savings",
        "CGI 1417, IV, 1°, a; 163 quatervicies",
        "adds back to the reference income all that was paid, even beyond the income",
        "adds back what was deducted",
    ),
    Deviation(
        "overtime",
        "CGI 81 quater; 1417, IV, 1°",
        "no exempt overtime in the reference income",
        "adds it, less its part of the 10 %",
    ),
    Deviation(
        "expenses-of-small-wages",
        "CGI 83, 3°",
        "real expenses of a wage below the least deduction (509 euros in 2026) must exceed that",
        "they must exceed the deduction, which is then the wage itself",
    ),
    Deviation(
        "turnover",
        "CGI 50-0; 102 ter",
        "the allowance of the micro regimes stops growing at the ceiling of turnover",
        "the allowance is of the whole turnover (`/foyer` warns of the ceiling)",
    ),
    Deviation(
        "one-half-share",
        "CGI 195, 1 and 6; 197, I, 2",
        "the low ceiling of box L (1 079 in 2026) also for half shares of disability, veterans",
        "one half share for whatever reason: the better one, with its ceiling",
    ),
    Deviation(
        "widow-with-shared-children",
        "CGI 194, I; 197, I, 2",
        "no reduction of a widow whose children are all in alternate custody",
        "children in alternate custody are dependants",
    ),
    Deviation(
        "isolated-parent",
        "CGI 197, I, 2",
        "the high ceiling (4 262 in 2026) on the first two half shares, whatever they are",
        "on those of children alone, half of it for each of the first two in alternate custody",
    ),
    Deviation(
        "second-in-a-home",
        "CGI 199 quindecies",
        "the second person is inside the ceiling of the first: a misplaced bracket",
        "10 000 euros for each",
    ),
    Deviation(
        "gifts-of-2025",
        "CGI 200, 1 ter; law 2026-103",
        "75 % of 2 000 euros for all of 2025",
        "1 000 euros for gifts before 14 October 2025, which are those of `dons_75`",
    ),
    Deviation(
        "fifth-of-income",
        "CGI 200, 1",
        "a fifth of the taxable income",
        "a fifth of the net income before the allowances of age and of attached households",
    ),
    Deviation(
        "dues-with-real-expenses",
        "CGI 199 quater C",
        "a credit of union dues also to those who deduct real expenses",
        "none: the dues are part of the expenses",
    ),
    Deviation(
        "dues-of-alimony",
        "CGI 199 quater C; 79, 82, 83",
        "alimony received is left out of the income of which dues are 1 % at most",
        "it is a pension",
    ),
    Deviation(
        "home-employment",
        "CGI 199 sexdecies, 3",
        "the ceiling falls with children in alternate custody, rises with disabled persons taken"
        " in, not with declarants of 65 and attached persons",
        "1 500 euros for each child, half of it in alternate custody, each declarant of 65 and each"
        " attached person",
    ),
    Deviation(
        "smoothing",
        "CGI 223 sexies, II, 1",
        "no smoothing where an earlier income is exactly the threshold",
        "where it does not exceed the threshold",
    ),
    Deviation(
        "whole-euros",
        "CGI 1657, 1",
        "judges the thresholds of collection on cents",
        "on whole euros",
    ),
    Deviation(
        "thresholds-reached",
        "CGI 1657, 1 bis and 2",
        "61 and 12 euros are not collected",
        "less than 61, less than 12 are not",
    ),
    Deviation("small-refunds", "CGI 1965 L", "makes refunds of less than 8 euros", "makes none"),
    Deviation(
        "one-roll",
        "CGI 1657, 2; 1965 L",
        "judges 12 euros on the tax alone",
        "on tax and levies of one roll: with levies, all is collected and refunded",
    ),
    Deviation(
        "cdhr-net-tax",
        "CGI 224, III and IV",
        "counts the tax before reductions and credits",
        "the tax after them, increased by those that it lists, none of which `/foyer` has in 2025",
    ),
    Deviation(
        "cdhr-income",
        "CGI 224, II; 1417, IV, 1°, a bis",
        "the reference income with the 40 % of dividends",
        "without it",
    ),
    Deviation(
        "cdhr-dependants",
        "CGI 224, III; 196 to 196 B",
        "1 500 euros for dependants without those in alternate custody or attached",
        "for each dependant of 196 to 196 B",
    ),
    Deviation(
        "levies-and-deficits",
        "CSS L 136-6, I",
        "takes a deficit of rents off dividends and gains",
        "each income by itself",
    ),
    Deviation(
        "levies-of-furnished-lets",
        "CSS L 136-6, I, f",
        "no levies on furnished lets, unless declared as already paid",
        "levies on the income of lets that are no profession",
    ),
    Deviation(
        "csg-of-2025",
        "CSS L 136-8, I; law 2025-1403, art. 12",
        "9.2 % of CSG on gains of 2025, 10.6 % from 2026",
        "10.6 % on gains and furnished lets from the income of 2025, whose levies are on the roll",
    ),
    Deviation(
        "small-levies",
        "CGI 1600-0 C; 1657, 1 bis; CSS L 136-6, III",
        "collects levies of less than 61 euros",
        "not those of the roll",
    ),
]

NAMES = frozenset(one.name for one in DEVIATIONS)
