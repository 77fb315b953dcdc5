from state.run import add_usage, add_warnings


def usage(turn, calls, **stages):
    return {"turn": turn, "model_calls": calls, "tokens": {"input": calls, "output": 1}, "stages": stages}


def test_usage_of_one_turn_adds_up():
    total = add_usage(usage(1, 1, answer=2.0), usage(1, 2, answer=3.5, verify=1.0))
    assert total == {
        "turn": 1,
        "model_calls": 3,
        "tokens": {"input": 3, "output": 2},
        "stages": {"answer": 5.5, "verify": 1.0},
    }


def test_a_later_turn_starts_anew_and_an_earlier_one_is_ignored():
    assert add_usage(usage(1, 5, answer=1.0), usage(2, 1)) == usage(2, 1)
    assert add_usage(usage(2, 1), usage(1, 5)) == usage(2, 1)
    assert add_usage(None, usage(1, 1)) == usage(1, 1)


def test_inputs_are_not_changed():
    total, delta = usage(1, 1, answer=1.0), usage(1, 1, answer=1.0)
    add_usage(total, delta)
    assert total == delta == usage(1, 1, answer=1.0)


def test_warnings_add_up_each_once_and_in_order():
    before = ["a", "b"]
    assert add_warnings(before, ["c", "a"]) == ["a", "b", "c"]
    assert before == ["a", "b"]
