import unittest

from main import count_words


class CountWords(unittest.TestCase):
    def test_counts_words_in_any_case(self) -> None:
        self.assertEqual(count_words("One two, one."), {"one": 2, "two": 1})

    def test_finds_nothing_in_an_empty_text(self) -> None:
        self.assertEqual(count_words(""), {})


if __name__ == "__main__":
    unittest.main()
