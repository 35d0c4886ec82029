"""Counts the words of text files.

    python3 main.py README.md --top 5
"""

import argparse
import re
from collections import Counter
from pathlib import Path


def count_words(text: str) -> Counter[str]:
    """How often each word is in a text, in lower case."""
    return Counter(re.findall(r"\w+", text.lower()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Counts the words of text files.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--top", type=int, default=10, help="how many words are printed")
    options = parser.parse_args()
    words: Counter[str] = Counter()
    for file in options.files:
        words += count_words(file.read_text(encoding="utf-8"))
    for word, count in words.most_common(options.top):
        print(f"{count:8,} {word}")


if __name__ == "__main__":
    main()
