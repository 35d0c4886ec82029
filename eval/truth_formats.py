"""The answers to the questions about formats, computed from the files alone: python3 truth_formats.py FOLDER.

It shares nothing with the scripts that made the files and their answers. Where a library is missing that Python does not
bring, "skipped" has the beginning of the questions' names, and the library.
"""

import csv
import gzip
import html.parser
import io
import json
import math
import os
import re
import sqlite3
import sys
import tarfile
import xml.etree.ElementTree as xml
import zipfile
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def text(name, encoding="utf-8"):
    with open(path(name), encoding=encoding, newline="") as file:
        return file.read()


def rank(values, share):
    return sorted(values)[math.ceil(share * len(values)) - 1]


def top(counter):
    return list(min(counter.items(), key=lambda item: (-item[1], item[0])))


def rounded(value, digits=2):
    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def day_first(value):
    return datetime.strptime(value, "%d.%m.%Y").date()


def sheet(book, number):
    """Rows of a sheet as lists of (type, text), by column."""
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    rows = []
    for row in xml.fromstring(book.read(f"xl/worksheets/sheet{number}.xml")).iter(f"{space}row"):
        cells = {}
        for cell in row.iter(f"{space}c"):
            found = cell.find(f"{space}v") if cell.get("t") != "inlineStr" else cell.find(f"{space}is/{space}t")
            cells[ord(cell.get("r")[0]) - 65] = (cell.get("t"), found.text)
        rows.append(cells)
    return rows


def workbook():
    with zipfile.ZipFile(path("sales.xlsx")) as book:
        summary, lines, goals = (sheet(book, number) for number in (1, 2, 3))
    found = {}
    for cells in lines[4:]:
        if 0 not in cells or cells[0][1] == "Total":
            continue
        kind, value = cells[1]
        day = day_first(value) if kind else date(1899, 12, 30) + timedelta(days=int(value))
        total = Decimal(0) if cells[6][0] == "e" else Decimal(cells[6][1])
        found[cells[0][1]] = (day, cells[2][1].strip().lower(), total, cells[7][1])
    quarter = defaultdict(Decimal)
    for day, region, total, status in found.values():
        if status == "paid" and day.month <= 3:
            quarter[region] += total
    goals = {cells[0][1]: Decimal(cells[1][1]) for cells in goals[2:]}
    stated = {cells[0][1]: cells[1][1] for cells in summary if 1 in cells}
    return {
        "xlsx-total": rounded(sum(total for _, _, total, _ in found.values())),
        "xlsx-regions": Counter(region for _, region, _, _ in found.values()),
        "xlsx-months": Counter(day.isoformat()[:7] for day, _, _, _ in found.values()),
        "xlsx-targets": sorted(region for region, goal in goals.items() if quarter[region.lower()] >= goal),
        "xlsx-summary": [int(stated["Lines"]), rounded(stated["Average net"], 3)],
    }


def shop():
    base = sqlite3.connect(path("shop.db"))
    rows = lambda sql: base.execute(sql).fetchall()
    base.execute("""create temp view earned as select o.*, coalesce((select sum(quantity * cents) from items i
        where i.order_id = o.id), 0) cents from orders o where status <> 'cancelled'""")
    taken = defaultdict(list)
    for status, seconds in rows("select status, shipped - placed from orders where shipped is not null"):
        taken[status].append(seconds)
    june = "strftime('%Y-%m', placed, 'unixepoch') = '2026-06'"
    ((refunded, earned),) = rows(f"""select (select sum(cents) from refunds where order_id in
        (select id from earned where {june})), (select sum(cents) from earned where {june})""")
    spenders = rows("""select sum(cents) from earned where customer_id is not null group by customer_id
        having sum(cents) > 200000""")
    return {
        "sqlite-countries": dict(rows("""select coalesce(country, 'unknown'), sum(cents) from earned
            left join customers c on c.id = customer_id group by 1""")),
        "sqlite-emails": len(rows("select 1 from customers group by lower(trim(email)) having count(*) > 1")),
        "sqlite-shipping": {status: rank(values, Decimal("0.9")) for status, values in taken.items()},
        "sqlite-refunds": rounded(Decimal(100 * (refunded or 0)) / earned),
        "sqlite-save": [len(spenders), sum(cents for cents, in spenders)],
    }


def readings():
    import pyarrow.parquet

    rows = pyarrow.parquet.read_table(path("readings.parquet")).to_pylist()
    once = {(row["station"], row["at"]): row["temperature"] for row in rows}
    known = {key: Decimal(str(value)) for key, value in once.items() if value not in (None, -999)}
    stations, days, times = defaultdict(list), defaultdict(list), defaultdict(list)
    for (station, at), value in known.items():
        stations[station].append(value)
        days[at.date()].append(value)
    for station, at in once:
        times[station].append(at)
    gaps = {}
    for station, some in times.items():
        some.sort()
        gaps[station] = int(max(after - before for before, after in zip(some, some[1:])).total_seconds()) // 60
    mean = lambda values: rounded(sum(values) / len(values))
    values = [row["temperature"] for row in rows]
    return {
        "parquet-means": {station: mean(some) for station, some in stations.items()},
        "parquet-broken": [len(rows), values.count(None), values.count(-999), len(rows) - len(once)],
        "parquet-gap": top(gaps),
        "parquet-chart": [len(days), max(mean(some) for some in days.values())],
        "parquet-save": {station: len(some) for station, some in stations.items()},
    }


def tills():
    broken, months = {}, {}
    for parent, _, names in os.walk(path("project/tills")):
        for name in names:
            opened = gzip.open if name.endswith(".gz") else open
            with opened(os.path.join(parent, name), "rt", encoding="utf-8") as file:
                lines = [line.split(",") for line in file.read().splitlines()[1:]]
            good = {fields[0]: fields for fields in lines if len(fields) == 7}
            months[name[:7]] = list(good.values())
            if name.endswith(".csv"):
                broken[name] = sum(len(fields) != 7 for fields in lines)
    plain = {month: rows for month, rows in months.items() if f"{month}.csv" in broken}
    used = [{fields[1] for fields in rows} for rows in plain.values()]
    back = Counter(fields[3] for rows in plain.values() for fields in rows if fields[5].startswith("-"))
    amount = lambda fields: Decimal(0 if fields[5] == "n/a" else fields[5])
    cards = {month: sum(int(f[4]) for f in rows if f[6].lower() == "card") for month, rows in plain.items()}
    return {
        "tills-broken": broken,
        "tills-revenue": {month: float(sum(map(amount, rows))) for month, rows in months.items()},
        "tills-closed": sorted(set.union(*used) - set.intersection(*used)),
        "tills-items": top(back),
        "tills-save": cards,
    }


def archives():
    with zipfile.ZipFile(path("backup.zip")) as backup:
        read = lambda name: backup.read(name).decode()
        errors = re.findall(r"^\S+ ERROR (\w+):", read("app/server.log"), re.M)
        plans = {int(row["id"]): row["plan"] for row in csv.DictReader(io.StringIO(read("data/users.csv"), newline=""))}
        paid = Counter()
        for line in read("data/payments.ndjson").splitlines():
            try:
                payment = json.loads(line)
            except ValueError:
                continue
            paid[plans.get(payment["user"]) or "none"] += payment["cents"]
    shares, times = {}, defaultdict(Decimal)
    with tarfile.open(path("logs.tar.gz")) as logs:
        for member in logs.getmembers():
            content = logs.extractfile(member).read().decode()
            if member.name.endswith("/error.log"):
                levels = [line.split("] [")[1].split("]")[0] for line in content.splitlines()]
                severe = sum(level in ("error", "crit") for level in levels)
                shares[member.name.split("/")[0]] = rounded(Decimal(100 * severe) / len(levels))
            else:
                for seconds, table in re.findall(r"^# Query_time: (\S+)\n.*? FROM (\w+)", content, re.M):
                    times[table] += Decimal(seconds)
    slowest, seconds = top(times)
    return {
        "zip-errors": Counter(errors),
        "zip-plans": paid,
        "tar-hosts": shares,
        "tar-slow": [slowest, float(seconds)],
    }


def deployments():
    import yaml

    some = [one for one in yaml.safe_load_all(text("deploy.yaml")) if one["kind"] == "Deployment"]
    floating, memory = [], 0
    for one in some:
        containers = one["spec"]["template"]["spec"]["containers"]
        if any(container["image"].rsplit("/", 1)[1].partition(":")[2] in ("", "latest") for container in containers):
            floating.append(one["metadata"]["name"])
        for container in containers:
            limit = container.get("resources", {}).get("limits", {}).get("memory", "0Mi")
            memory += one["spec"].get("replicas", 1) * int(limit[:-2]) * (1024 if limit.endswith("Gi") else 1)
    return {"yaml-images": sorted(floating), "yaml-memory": memory}


def services():
    import tomllib

    some = tomllib.loads(text("services.toml"))["service"]
    enabled = {one["name"] for one in some if one.get("enabled", True)}
    broken = [one["name"] for one in some if one["name"] in enabled and set(one.get("depends", [])) - enabled]
    return {"toml-depends": sorted(broken)}


def invoices():
    unpaid, lines = defaultdict(Decimal), Counter()
    for invoice in xml.parse(path("invoices.xml")).getroot():
        found = invoice.findall("line")
        lines[invoice.findtext("customer")] += len(found)
        if invoice.find("paid") is None:
            unpaid[invoice.get("currency")] += sum(int(one.get("quantity")) * Decimal(one.get("price")) for one in found)
    return {"xml-unpaid": {currency: float(value) for currency, value in unpaid.items()}, "xml-customers": top(lines)}


class Tables(html.parser.HTMLParser):
    """The rows of each table by its caption; a cell is (text, rows that it spans)."""

    def __init__(self):
        super().__init__()
        self.tables, self.caption, self.within = {}, None, None

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.caption = ""
        if tag == "tr":
            self.tables.setdefault(self.caption, []).append([])
        if tag in ("td", "th"):
            self.tables[self.caption][-1].append(["", int(dict(attributes).get("rowspan", 1))])
        if tag in ("caption", "td", "th", "sup"):
            self.within = tag

    def handle_endtag(self, tag):
        if tag in ("caption", "td", "th", "sup"):
            self.within = None

    def handle_data(self, data):
        if self.within == "caption":
            self.caption = data
        elif self.within in ("td", "th"):
            self.tables[self.caption][-1][-1][0] += data.strip()


def cities():
    tables = Tables()
    tables.feed(text("cities.html"))
    country, countries, people = None, {}, Counter()
    for row in tables.tables["Cities"][1:]:
        cells = [cell for cell, _ in row]
        if len(cells) == 3:
            country = cells.pop(0)
        countries[cells[0]] = country
        people[country] += 0 if cells[1] == "–" else int(cells[1].replace(",", ""))
    passengers = defaultdict(Decimal)
    for (_, _), (city, _), (millions, _) in tables.tables["Airports"][1:]:
        passengers[countries[city]] += Decimal(millions)
    return {
        "html-population": people,
        "html-airports": {name: float(value) for name, value in passengers.items()},
    }


def calendar():
    minutes, attending = Counter(), Counter()
    lines = re.sub(r"\r\n ", "", text("team.ics"))
    for entry in re.findall(r"BEGIN:VEVENT\r\n(.*?)END:VEVENT", lines, re.S):
        entry = re.sub(r"BEGIN:VALARM.*?END:VALARM\r\n", "", entry, flags=re.S)
        if "STATUS:CANCELLED" in entry:
            continue
        attending.update(who.lower() for who in re.findall(r"^ATTENDEE.*:(\S+@\S+)", entry, re.M))
        times = [datetime.strptime(one, "%Y%m%dT%H%M%S") for one in re.findall(r"^DT\w+.*?:(\d+T\d+)", entry, re.M)]
        length = re.search(r"^DURATION:PT(?:(\d+)H)?(?:(\d+)M)?", entry, re.M)
        category = re.search(r"^CATEGORIES:(\w+)", entry, re.M).group(1)
        if length is not None:
            minutes[category] += 60 * int(length.group(1) or 0) + int(length.group(2) or 0)
        elif times:
            minutes[category] += (times[1] - times[0]) // timedelta(minutes=1)
    return {
        "ics-hours": {category: rounded(Decimal(count) / 60) for category, count in minutes.items()},
        "ics-attendees": top(attending),
    }


def exports():
    rows = list(csv.DictReader(io.StringIO(text("kunden.csv", "cp1252"), newline=""), delimiter=";"))
    sent = csv.DictReader(io.StringIO(text("versand.csv", "utf-16"), newline=""), delimiter="\t")
    amounts, names = defaultdict(Decimal), defaultdict(list)
    for row in rows:
        names[row["PLZ"]].append(row["Name"])
        if row["Ort"]:
            amounts[row["Ort"]] += Decimal(row["Umsatz"].replace(".", "").replace(",", ".") or 0)
    late = (one for one in sent if one["Zugestellt"] and day_first(one["Zugestellt"]) > day_first(one["Zugesagt"]))
    return {
        "latin-places": {place: float(amount) for place, amount in amounts.items()},
        "latin-duplicates": top({code: len(some) - len(set(some)) for code, some in names.items()}),
        "latin-chart": Counter(row["Seit"][-4:] for row in rows),
        "utf16-late": Counter(one["Land"] for one in late),
    }


def survey():
    rows = list(csv.DictReader(io.StringIO(text("survey.csv"), newline="")))
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    ages = [int(found.group()) for row in rows if (found := re.match(r"\d+", row["age"]))]
    adults = [age for age in ages if age >= 18]
    return {
        "survey-empty": sorted(name for name, values in columns.items() if 5 * values.count("") > len(values)),
        "survey-keys": sorted(name for name, values in columns.items() if all(values) and len(set(values)) == len(rows)),
        "survey-save": [len(adults), rounded(Decimal(sum(adults)) / len(adults))],
    }


answers = {"skipped": {}}
libraries = {"parquet-": readings, "yaml-": deployments, "toml-": services}
for start, part in libraries.items():
    try:
        answers.update(part())
    except ModuleNotFoundError as error:
        answers["skipped"][start] = error.name.split(".")[0]
for part in (workbook, shop, tills, archives, invoices, cities, calendar, exports, survey):
    answers.update(part())
json.dump(answers, sys.stdout)
