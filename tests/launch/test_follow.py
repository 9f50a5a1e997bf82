"""Following a log."""

from merlin.launch.follow import Follower


def test_whole_lines_once_each(tmp_path):
    path = tmp_path / "console.log"
    follower = Follower(path)
    assert follower.lines() == []
    with open(path, "a") as file:
        for text, lines in [("one\ntw", ["one"]), ("", []), ("o\nthree\n", ["two", "three"]), ("é\n", ["é"])]:
            file.write(text)
            file.flush()
            assert follower.lines() == lines


def test_what_was_there_before_is_not_told_again(tmp_path):
    path = tmp_path / "console.log"
    path.write_text("old\n")
    follower = Follower(path)
    with open(path, "a") as file:
        file.write("new\n")
    assert follower.lines() == ["new"]
