"""Six years worked out by hand, month by month, that the program of `france.py` has to find."""

from fractions import Fraction

from france import Month, Year, compute, to_cents

# Names of the columns below, as `read` finds them in a computed month.
COLUMNS = {
    "pay": lambda month: month["brut_total"],
    "sum": lambda month: month["cumul_brut"],
    "ceilings": lambda month: month["cumul_plafond"],
    "ceiling": lambda month: month["plafond_securite_sociale"],
    "t1": lambda month: month["tranche_1"],
    "t2": lambda month: month["tranche_2"],
    "cet": lambda month: month["assiette_cet"],
    "exempt": lambda month: month["heures_exonerees"],
    "smic": lambda month: month["smic_mois"],
    "health": lambda month: month["lignes_patronales"]["maladie_patronale"],
    "family": lambda month: month["lignes_patronales"]["famille"],
    "coefficient": lambda month: month["coefficient_reduction"],
    "so_far": lambda month: month["reduction_cumulee"],
    "reduction": lambda month: month["lignes_patronales"]["reduction_generale"],
    "employee": lambda month: month["cotisations_salariales"],
    "net": lambda month: month["net"],
    "taxable": lambda month: month["net_imposable"],
    "tax": lambda month: month["impot_preleve"],
    "employer": lambda month: month["charges_patronales"],
    "cost": lambda month: month["cout_employeur"],
}


def months(pays, bonuses=None, **others):
    """Months of a list of pays, and of bonuses by their place in it."""
    return [
        Month(Fraction(pay), Fraction((bonuses or {}).get(place, 0)), **{name: values.get(place) if isinstance(values, dict) else values for name, values in others.items()})
        for place, pay in enumerate(pays, start=1)
    ]


DAYS = {1: 16, 8: 10}
FULL = {1: Fraction(3100), 8: Fraction(3100)}

# A year, its columns, then its rows: the number of a month, or `year` for the sums; `-` where nothing is summed.
WORKED = [
    (
        Year(2026, months([2600] * 12, {12: 2600}, withholding="neutre")),
        "pay sum coefficient so_far reduction employee net taxable tax employer cost",
        """
        1 2600 2600 0.1536 399.36 -399.36 541.85 2058.15 2132.23 74.63 715.94 3315.94
        2 2600 5200 0.1536 798.72 -399.36 541.85 2058.15 2132.23 74.63 715.94 3315.94
        5 2600 13000 0.1536 1996.80 -399.36 541.85 2058.15 2132.23 74.63 715.94 3315.94
        11 2600 28600 0.1536 4392.96 -399.36 541.85 2058.15 2132.23 74.63 715.94 3315.94
        12 5200 33800 0.1212 4096.56 296.40 1083.69 4116.31 4264.47 588.50 2526.99 7726.99
        year 33800 - - - -4096.56 7044.04 26755.96 27719 1409.43 10402.33 44202.33
        """,
    ),
    (
        Year(2026, months([3800] * 12, {5: 3000, 12: 1500}), executive=True, headcount=120, health_employer=Fraction(40), health_employee=Fraction(30)),
        "pay sum ceilings t1 t2 cet coefficient reduction employee net taxable employer",
        """
        1 3800 3800 4005 3800 0 0 0.0469 -178.22 826.72 2973.28 3122.71 1607.36
        2 3800 7600 8010 3800 0 0 0.0469 -178.22 826.72 2973.28 3122.71 1607.36
        3 3800 11400 12015 3800 0 0 0.0469 -178.22 826.72 2973.28 3122.71 1607.36
        4 3800 15200 16020 3800 0 0 0.0469 -178.22 826.72 2973.28 3122.71 1607.36
        5 6800 22000 20025 4825 1975 22000 0.0296 61.68 1459.95 5340.05 5574.96 3237.23
        6 3800 25800 24030 4005 -205 3800 0.0316 -164.08 834.48 2965.52 3114.95 1632.79
        7 3800 29600 28035 4005 -205 3800 0.0333 -170.40 834.48 2965.52 3114.95 1626.47
        8 3800 33400 32040 4005 -205 3800 0.0346 -169.96 834.48 2965.52 3114.95 1626.91
        9 3800 37200 36045 4005 -205 3800 0.0357 -172.40 834.48 2965.52 3114.95 1624.47
        10 3800 41000 40050 4005 -205 3800 0.0367 -176.66 834.48 2965.52 3114.95 1620.21
        11 3800 44800 44055 4005 -205 3800 0.0375 -175.30 834.48 2965.52 3114.95 1621.57
        12 5300 50100 48060 4005 1295 5300 0.0346 -53.46 1131.69 4168.31 4360.48 2410.19
        year 50100 - - 48060 2040 50100 - -1733.46 10905.40 39194.60 41115.98 21829.28
        """,
    ),
    (
        Year(2025, months([2100] * 12, {3: 300, 6: 300, 9: 300, 12: 300}), headcount=30),
        "pay coefficient so_far reduction employee net employer",
        """
        1 2100 0.1985 416.85 -416.85 437.64 1662.36 329.62
        2 2100 0.1985 833.70 -416.85 437.64 1662.36 329.62
        3 2400 0.1652 1090.32 -256.62 500.16 1899.84 596.48
        4 2100 0.1733 1507.71 -417.39 437.64 1662.36 329.08
        5 2100 0.1984 416.64 -416.64 437.64 1662.36 328.78
        6 2400 0.1497 673.65 -257.01 500.16 1899.84 594.89
        7 2100 0.1652 1090.32 -416.67 437.64 1662.36 328.75
        8 2100 0.1732 1506.84 -416.52 437.64 1662.36 328.90
        9 2400 0.1589 1763.79 -256.95 500.16 1899.84 594.95
        10 2100 0.1652 2180.64 -416.85 437.64 1662.36 328.57
        11 2100 0.1697 2596.41 -415.77 437.64 1662.36 329.65
        12 2400 0.1612 2853.24 -256.83 500.16 1899.84 595.07
        year 26400 - - -4360.95 5501.76 20898.24 5014.36
        """,
    ),
    (
        Year(2025, months([2100] * 12, {3: 300, 6: 300, 9: 300, 12: 300}), headcount=30, change="moyenne"),
        "pay reduction",
        "year 26400 -4361.28",
    ),
    (
        Year(2024, months([4250] * 12, {6: 2500}), headcount=60),
        "pay sum t2 health family employee net employer",
        """
        1 4250 4250 386 297.50 146.63 887.07 3362.93 1553.69
        5 4250 21250 386 297.50 146.63 887.07 3362.93 1553.69
        6 6750 28000 2886 2152.50 232.88 1381.83 5368.17 4147.84
        7 4250 32250 386 552.50 146.63 887.07 3362.93 1810.82
        12 4250 53500 386 552.50 146.63 887.07 3362.93 1810.82
        year 53500 - 7132 6955 1845.81 11139.60 42360.40 22781.21
        """,
    ),
    (
        Year(2026, months([3900] * 12, overtime=Fraction(25)), headcount=15),
        "pay t2 exempt coefficient reduction employee net taxable employer",
        """
        1 4703.57 698.57 803.57 0.0383 -180.15 887.91 3815.66 3199.79 1830.41
        2 4703.57 698.57 803.57 0.0383 -180.14 887.91 3815.66 3199.79 1830.42
        3 4703.57 698.57 803.57 0.0383 -180.15 887.91 3815.66 3199.79 1830.41
        10 4703.57 698.57 803.57 0.0383 -180.15 887.91 3815.66 3199.79 1830.41
        11 4703.57 698.57 1.30 0.0383 -180.14 887.91 3815.66 3948.46 1830.42
        12 4703.57 698.57 0 0.0383 -180.15 887.92 3815.65 3949.67 1830.41
        year 56442.84 8382.84 8037 - -2161.76 10654.93 45787.91 39896.03 21964.96
        """,
    ),
    (
        Year(2026, months([1600, 3100, 3100, 3100, 3100, 3100, 3100, 1000], {8: 1850}, days=DAYS, full_pay=FULL, withholding="neutre"), first=3, headcount=20, settlement="annuelle", leaves=True),
        "pay ceiling t1 smic coefficient reduction employee net taxable tax employer cost",
        """
        3 1600 2067.10 1600 940.92 0.0902 -144.32 333.45 1266.55 1312.14 0 549.22 2149.22
        4 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        5 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        6 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        7 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        8 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        9 3100 4005 3100 1823.03 0.0902 -279.62 646.05 2453.95 2542.28 134.74 1064.11 4164.11
        10 2850 1291.94 2850 588.08 0.0691 229.28 593.95 2256.05 2337.25 123.87 1464.67 4314.67
        year 23050 27389.03 23050 - - -1592.76 4803.70 18246.30 18903.07 932.31 8398.55 31448.55
        """,
    ),
]


def differences():
    """How many amounts were checked, and a line for each that differs."""
    checked, found = 0, []
    for year, columns, rows in WORKED:
        computed = compute(year)
        for row in rows.split("\n"):
            cells = row.split()
            if not cells:
                continue
            for column, cell in zip(columns.split(), cells[1:], strict=True):
                if cell == "-":
                    continue
                read = COLUMNS[column]
                value = sum(map(read, computed)) if cells[0] == "year" else read(next(month for month in computed if month["mois"] == int(cells[0])))
                places = 4 if column == "coefficient" else 2
                checked += 1
                if to_cents(value, places) != Fraction(cell):
                    found.append(f"{year.year}, {cells[0]}, {column}: {float(value):.6f} instead of {cell}")
    return checked, found


if __name__ == "__main__":
    checked, found = differences()
    print("\n".join(found))
    print(f"{len(WORKED)} worked years, {checked} amounts checked, {len(found)} differ")
    raise SystemExit(bool(found) or not checked)
