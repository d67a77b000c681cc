"""What a run took and gave, in the words and figures its pages show."""

from dataclasses import dataclass

from knowledge.queries.runs import ReadRun

UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a run. ``note`` says how it is meant."""

    label: str
    value: str
    note: str = ""


def setting_of(run: ReadRun) -> str:
    """Say in a few words which engine ran, and how."""
    parts = [run.engine, run.model]
    if run.predict_model and run.predict_model not in run.model:
        parts.append(f"predicting with {run.predict_model}")
    if not run.expects:
        parts.append("prediction off")
    return ", ".join(part for part in parts if part)


def figures_of(run: ReadRun) -> tuple[Figure, ...]:
    """List what a run gave and took, the same figures in the same order for every run."""
    usage, yielded = run.usage, run.yielded
    confirmed = sum(one.outcome == "confirmed" for one in run.expected)
    otherwise = sum(one.outcome == "said_otherwise" for one in run.expected)
    return (
        Figure(
            "Extraction rate",
            "none was read" if yielded.rate is None else f"{100 * yielded.rate:.0f} %",
            f"{yielded.yielding} of {yielded.messages} messages of the subject",
        ),
        Figure("Predictions", str(len(run.expected)), _outcomes(confirmed, otherwise)),
        Figure("Said as expected", str(len(run.covered)), "passages, so not extracted"),
        Figure("Candidates", str(len(run.candidates))),
        Figure("Let pass by the gates", str(len(run.found))),
        Figure("Set aside", str(len(run.candidates) - len(run.found))),
        Figure("Tokens", _tokens(run), _of_tokens(run)),
        Figure(
            "Cost",
            _cost(run),
            "" if usage.cost is None else "in the currency of the prices that were set",
        ),
        Figure("Time", UNKNOWN if run.duration_ms is None else f"{run.duration_ms / 1000:.1f} s"),
    )


def _outcomes(confirmed: int, otherwise: int) -> str:
    return f"{confirmed} confirmed, {otherwise} said otherwise"


def _tokens(run: ReadRun) -> str:
    return f"{run.usage.tokens:,}" if run.usage.calls else "none"


def _of_tokens(run: ReadRun) -> str:
    usage = run.usage
    if not usage.calls:
        return "no model was called"
    told = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"
    if usage.is_estimated:
        told += ", estimated in part"
    if usage.earlier_tokens:
        told += f"; {usage.earlier_tokens:,} before, by attempts that failed"
    return told


def _cost(run: ReadRun) -> str:
    if not run.usage.calls:
        return "none"
    return UNKNOWN if run.usage.cost is None else f"{run.usage.cost:.4f}"
