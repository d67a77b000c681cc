"""Size caps: what decays in a code base like this one is the one big file."""

from tests.architecture import source_tree

MODULE_LINES = 400
FUNCTION_LINES = 60
TEMPLATE_LINES = 200
POSITIONAL_PARAMETERS = 3
GIVEN_BY_FRAMEWORK = {"self", "cls", "request"}
# Signatures that Django and pytest dictate.
DICTATED = {"__init__", "__exit__", "allow_relation", "save_model", "formfield_for_foreignkey"}


def positional(function: source_tree.Function) -> int:
    """Count the positional parameters that the author chose."""
    given = [*function.args.posonlyargs, *function.args.args]
    return sum(argument.arg not in GIVEN_BY_FRAMEWORK for argument in given)


def test_there_is_something_to_measure() -> None:
    assert len(source_tree.modules()) > 30


def test_modules_stay_small() -> None:
    sizes = {path: source_tree.text_of(path).count("\n") for path in source_tree.modules()}

    assert {str(path): size for path, size in sizes.items() if size > MODULE_LINES} == {}


def test_templates_stay_small() -> None:
    sizes = {path: source_tree.text_of(path).count("\n") for path in source_tree.templates()}

    assert {str(path): size for path, size in sizes.items() if size > TEMPLATE_LINES} == {}


def test_functions_stay_short() -> None:
    long = {
        f"{path}:{name}": size
        for path in source_tree.modules()
        for name, function in source_tree.functions(path)
        if (size := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_LINES
    }

    assert long == {}


def test_functions_take_few_positional_parameters() -> None:
    many = {
        f"{path}:{name}": positional(function)
        for path in source_tree.modules()
        for name, function in source_tree.functions(path)
        if positional(function) > POSITIONAL_PARAMETERS and function.name not in DICTATED
    }

    assert many == {}
