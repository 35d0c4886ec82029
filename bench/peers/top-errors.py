import re

step = 1048576
size = file_stats('server.log')['size']
counts = {}
rest = ''
start = 0
while start < size:
    text = rest + read_file('server.log', {'start': start, 'length': step})
    end = text.rfind('\n') + 1 if start + step < size else len(text)
    rest = text[end:]
    for code in re.findall(r' ERROR \S+', text[:end]):
        counts[code] = counts.get(code, 0) + 1
    start += step

[{'code': code[7:], 'count': count} for code, count in sorted(counts.items(), key=lambda entry: -entry[1])[:5]]
