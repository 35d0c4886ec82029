"""The answers to the basic questions, computed from the files alone: python3 truth_basics.py FOLDER prints them as JSON, by question.

It shares nothing with the scripts that made the files and their answers: another language, other parsers, other data.
"""

import csv
import gzip
import json
import mailbox
import math
import os
import re
import sqlite3
import struct
import sys
import xml.etree.ElementTree as xml
import zlib
from collections import Counter, defaultdict
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def text(name):
    with open(path(name), encoding="utf-8", newline="") as file:
        return file.read()


def rank(values, share):
    return sorted(values)[math.ceil(share * len(values)) - 1]


def top(counter, count):
    return [[key, value] for key, value in sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:count]]


def rounded(value, digits=2):
    return float(Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def log():
    lines = text("app.log").splitlines()
    levels, codes, hours, users, took = Counter(), Counter(), Counter(), set(), defaultdict(list)
    times, auth, traces, failed = [], [], 0, False
    for line in lines:
        if line.startswith("    at "):
            traces += failed
            failed = False
            continue
        stamp, level, rest = line.split(None, 2)
        levels[level] += 1
        times.append(datetime.fromisoformat(stamp.replace("Z", "+00:00")))
        service = rest[1 : rest.index("]")]
        took[service].append(int(rest.rsplit("took=", 1)[1][:-2]))
        failed = level == "ERROR"
        if failed:
            code = rest.split("] ", 1)[1].split(":")[0]
            codes[code] += 1
            hours[stamp[:13]] += 1
            users.add(re.search(r"user=(\w+)", rest).group(1))
            if code == "E_AUTH":
                auth.append(stamp)
    gaps = (round((after - before).total_seconds() * 1000) for before, after in zip(times, times[1:]))
    return {
        "log-lines": len(lines),
        "log-levels": levels,
        "log-top-codes": top(codes, 3),
        "log-p95": {service: rank(values, 0.95) for service, values in took.items()},
        "log-gap": max(gaps),
        "log-users": len(users),
        "log-hours": top(hours, 1)[0],
        "log-traces": traces,
        "log-first": [auth[0], auth[-1]],
    }


def access():
    pattern = re.compile(r'(\S+) \S+ \S+ \[(.+?)\] "(\S+) (\S+) \S+" (\d+) (\S+) "[^"]*" "([^"]*)"')
    rows = [pattern.fullmatch(line).groups() for line in text("access.log").splitlines()]
    sent = defaultdict(int)
    for row in rows:
        sent[row[3].split("?")[0]] += 0 if row[5] == "-" else int(row[5])
    return {
        "access-status": Counter(row[4] for row in rows),
        "access-top-ips": top(Counter(row[0] for row in rows), 5),
        "access-bytes": sum(sent.values()),
        "access-errors": rounded(Decimal(100 * sum(row[4] >= "500" for row in rows)) / len(rows)),
        "access-slowest-path": top(sent, 1)[0],
        "access-bots": len({row[0] for row in rows if "Googlebot" in row[6]}),
        "access-post-404": sum(row[2] == "POST" and row[3].startswith("/api/") and row[4] == "404" for row in rows),
        "access-minute": max(Counter(row[1][:17] for row in rows).values()),
    }


def orders():
    with open(path("orders.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(path("customers.json"), encoding="utf-8") as file:
        customers = {str(customer["id"]): customer for customer in json.load(file)}
    by_region, by_tier, by_customer, prices = (defaultdict(Decimal), defaultdict(Decimal), defaultdict(Decimal), defaultdict(list))
    for row in rows:
        spent = Decimal(row["unit_price"]) * int(row["quantity"])
        by_region[row["region"]] += spent
        by_customer[row["customer_id"]] += spent
        by_tier[customers[row["customer_id"]]["tier"]] += spent
        prices[row["region"]].append(Decimal(row["unit_price"]))
    counts = Counter(row["customer_id"] for row in rows)
    spenders = sorted(by_customer, key=lambda one: -by_customer[one])[:3]
    return {
        "orders-count": len(rows),
        "orders-revenue": {region: float(value) for region, value in by_region.items()},
        "orders-p90": {region: float(rank(values, Decimal("0.9"))) for region, values in prices.items()},
        "orders-newlines": sum("\n" in row["note"] for row in rows),
        "orders-coupons": Counter(row["coupon"] for row in rows if row["coupon"]),
        "orders-best-month": top(Counter(row["ordered_on"][:7] for row in rows), 1)[0],
        "orders-tier": {tier: float(value) for tier, value in by_tier.items()},
        "orders-top-customers": [customers[one]["name"] for one in spenders],
        "orders-none": sum(counts[one] < 70 for one in customers),
        "orders-average": rounded(Decimal(sum(int(row["quantity"]) for row in rows)) / len(rows), 3),
        "orders-days": len({row["ordered_on"] for row in rows}),
    }


def events():
    good, broken = [], 0
    for line in text("events.ndjson").splitlines():
        try:
            good.append(json.loads(line))
        except ValueError:
            broken += 1
    buyers, values = defaultdict(set), defaultdict(int)
    for event in good:
        values[event["user"]["id"]] += round((event["value"] or 0) * 100)
        if event["type"] == "purchase":
            buyers[event["user"]["country"]].add(event["user"]["id"])
    nothing = [event for event in good if event["value"] is None]
    return {
        "events-broken": broken,
        "events-types": Counter(event["type"] for event in good),
        "events-countries": {country: len(users) for country, users in buyers.items()},
        "events-vip": sum(event["tags"].count("vip") >= 2 for event in good),
        "events-median": rank([e["value"] for e in good if e["type"] == "click" and e["value"] is not None], 0.5),
        "events-top-users": [user for user, _ in top(values, 3)],
        "events-null": [len(nothing), sum(len(event["tags"]) for event in nothing)],
    }


def catalog():
    value = json.loads(text("catalog.json"))
    products = [(category["name"], product) for category in value["categories"] for product in category["products"]]
    reviews = [review for _, product in products for review in product["reviews"]]
    euro = [(p["price"]["amount"], -at, p["sku"]) for at, (_, p) in enumerate(products) if p["price"]["currency"] == "EUR"]
    return {
        "catalog-products": len(products),
        "catalog-by-category": Counter(name for name, _ in products),
        "catalog-out-of-stock": sum(product["stock"] == 0 for _, product in products),
        "catalog-dearest": [max(euro)[2], max(euro)[0]],
        "catalog-stars": rounded(Decimal(sum(review["stars"] for review in reviews)) / len(reviews), 3),
        "catalog-setting": value["settings"]["locale"],
        "catalog-reviewer": top(Counter(review["by"] for review in reviews), 1)[0],
        "catalog-weight": Counter(p["attributes"]["color"] for _, p in products if "weight" not in p["attributes"]),
    }


def project():
    configs, hosts = {}, 0
    for name in sorted(os.listdir(path("project/config"))):
        section, found = None, {}
        for line in text(f"project/config/{name}").splitlines():
            line = re.sub(r"(?:^|\s)[;#].*", "", line).strip()
            if line.startswith("["):
                section = line[1:-1]
            elif "=" in line:
                key, value = (part.strip() for part in line.split("=", 1))
                found[section, key] = value
                hosts += section == "database" and key.startswith("host")
        configs[name[:-4]] = found
    ports = Counter(int(found["server", "port"]) for found in configs.values())
    modules, folders, functions, both, notes, lengths = set(), Counter(), 0, 0, Counter(), Counter()
    for parent, _, names in os.walk(path("project/src")):
        for name in names:
            full = os.path.join(parent, name)
            short = os.path.relpath(full, path("project")).replace(os.sep, "/")
            body = text(os.path.relpath(full, folder))
            folders[short.split("/")[1]] += 1
            declared = re.findall(r"^((?:export )?(?:async )?)function ", body, re.M)
            functions += len(declared)
            both += declared.count("export async ")
            notes[short] += len(re.findall(r"// NOTE\(", body))
            lengths[short] = body.count("\n")
            modules.update(re.findall(r"^import \* as (\w+)", body, re.M))
    return {
        "config-ports": sorted(port for port, count in ports.items() if count > 1),
        "config-tls": sorted(name for name, found in configs.items() if found["server", "tls"] == "off"),
        "config-levels": Counter(found["log", "level"] for found in configs.values()),
        "config-timeout": top({name: int(found["database", "timeout_ms"]) for name, found in configs.items()}, 1)[0],
        "config-hosts": hosts,
        "source-files": folders,
        "source-functions": functions,
        "source-async": both,
        "source-notes": top(notes, 3),
        "source-imports": len(modules),
        "source-longest": top(lengths, 1)[0],
    }


def mail():
    messages = list(mailbox.mbox(path("mail.mbox")))
    subjects = [re.sub(r"\r?\n\s", " ", message["Subject"]) for message in messages]
    return {
        "mail-count": len(messages),
        "mail-senders": Counter(message["From"] for message in messages),
        "mail-replies": sum(subject.startswith("Re: ") for subject in subjects),
        "mail-recipients": sum(len(message["To"].split(",")) == 3 for message in messages),
        "mail-months": top(Counter(message["Date"].split()[1] for message in messages), 1)[0],
        "mail-subjects": len(set(subjects)),
        "mail-attachments": sum(m["From"] == "ann@example.org" and "X-Attachment" in m for m in messages),
    }


def feed():
    items = xml.parse(path("feed.xml")).getroot().findall("item")
    stock = defaultdict(int)
    for item in items:
        stock[item.get("lang")] += int(item.findtext("stock", "0"))
    tags = [[tag.text for tag in item.iter("tag")] for item in items]
    return {
        "feed-items": len(items),
        "feed-langs": Counter(item.get("lang") for item in items),
        "feed-average": rounded(sum(Decimal(item.findtext("price")) for item in items) / len(items)),
        "feed-tags": Counter(tag for some in tags for tag in some),
        "feed-no-stock": sum(item.find("stock") is None for item in items),
        "feed-titles": Counter(item.findtext("title") for item in items),
        "feed-stock": top(stock, 1)[0],
        "feed-tagged": sum(len(set(some)) >= 2 for some in tags),
    }


def dump():
    shop = sqlite3.connect(":memory:")
    shop.executescript(text("dump.sql"))
    one = lambda sql: shop.execute(sql).fetchone()
    joined = "from payments p join accounts a on a.id = p.account_id"
    total, count = one("select sum(cents), count(*) from payments")
    return {
        "dump-rows": {table: one(f"select count(*) from {table}")[0] for table in ("accounts", "payments")},
        "dump-plans": dict(shop.execute("select plan, count(*) from accounts where deleted = 0 group by plan")),
        "dump-total": total,
        "dump-notes": one("select count(*) from payments where note is not null")[0],
        "dump-by-plan": dict(shop.execute(f"select plan, sum(cents) {joined} group by plan")),
        "dump-top": list(one(f"select name, sum(cents) {joined} group by a.id order by 2 desc")),
        "dump-average": rounded(Decimal(total) / count),
    }


def har():
    entries = json.loads(text("session.har"))["log"]["entries"]
    sizes = defaultdict(int)
    for entry in entries:
        sizes[entry["response"]["content"]["mimeType"]] += entry["response"]["content"]["size"]
    return {
        "har-entries": len(entries),
        "har-hosts": Counter(entry["request"]["url"].split("/")[2] for entry in entries),
        "har-slow": sum(entry["time"] > 2500 for entry in entries),
        "har-size": sizes,
        "har-wait": rank([entry["timings"]["wait"] for entry in entries], 0.99),
        "har-failed": top(Counter(e["request"]["url"] for e in entries if e["response"]["status"] >= 400), 1)[0],
    }


def records():
    with open(path("records.bin"), "rb") as file:
        magic, count = struct.unpack("<4sI", file.read(8))
        rows = list(struct.iter_unpack("<HHi", file.read()))
    assert magic == b"RECS"
    return {
        "records-count": count,
        "records-kinds": Counter(str(kind) for _, kind, _ in rows),
        "records-sum": sum(value for _, kind, value in rows if kind == 2),
    }


def packed():
    with gzip.open(path("requests.csv.gz"), "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with gzip.open(path("old.log.gz"), "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    times = defaultdict(list)
    for row in rows:
        times[row["region"]].append(int(row["ms"]))
    took = Counter(int(line.rsplit(" ", 1)[1]) for line in lines)
    return {
        "packed-rows": len(rows),
        "packed-p95": {region: rank(values, 0.95) for region, values in times.items()},
        "packed-failed": Counter(row["region"] for row in rows if row["ok"] == "false"),
        "packed-errors": sum("ERROR" in line for line in lines),
        "packed-slowest": [max(took), took[max(took)]],
    }


def report():
    with open(path("report.pdf"), "rb") as file:
        bytes_ = file.read()
    streams = [zlib.decompress(part) for part in re.findall(rb"stream\n(.*?)\nendstream", bytes_, re.S)]
    shown = " ".join(part.decode() for stream in streams for part in re.findall(rb"\((.*?)\) Tj", stream))
    return {
        "pdf-pages": len(re.findall(rb"/Type /Page\b(?!s)", bytes_)),
        "pdf-invoices": len(re.findall(r"INV-\d+", shown)),
        "pdf-total": sum(int(total) for total in re.findall(r"total (\d+) EUR", shown)),
    }


answers = {}
for part in (log, access, orders, events, catalog, project, mail, feed, dump, har, records, packed, report):
    answers.update(part())
json.dump(answers, sys.stdout, default=lambda value: str(value))
