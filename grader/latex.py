"""Simple mathematics of a handout as plain text, for a terminal."""

from __future__ import annotations

import re
from collections import deque

_PAIRS = r"""
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ
    lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω lceil ⌈ rceil ⌉ lfloor ⌊
    rfloor ⌋ langle ⟨ rangle ⟩ times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ oplus ⊕ otimes ⊗ odot ⊙
    le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ ll ≪ gg ≫ propto ∝ to → rightarrow →
    leftarrow ← mapsto ↦ Rightarrow ⇒ implies ⇒ iff ⇔ infty ∞ partial ∂ nabla ∇ sum Σ prod Π int ∫
    in ∈ notin ∉ subset ⊂ cup ∪ cap ∩ land ∧ lor ∨ ldots … dots … cdots … ell ℓ mid | vert | lvert |
    rvert | Vert ‖ lVert ‖ rVert ‖ | ‖ top ⊤ prime ′ degree °
"""
_SYMBOLS = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))
_NOTHING = {"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "limits", "displaystyle", "!"}
_SPACES = {"quad", "qquad", ",", ";", ":", " ", "\\"}
_TEXTS = {"text", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb", "texttt", "boldsymbol", "bm"}
_SUPERSCRIPTS = dict(zip("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-", "₀₁₂₃₄₅₆₇₈₉₊₋", strict=True))
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_JOINT = "\ue000"  # stands at both ends of a word such as "log": a space if letters would touch, else nothing
_FACTOR = "\ue001"  # stands after a fraction: a product sign if a factor follows, else nothing


def plain(source: str) -> str:
    r"""Mathematics as text: ``\lceil \log_2 p \rceil`` becomes ``⌈log₂ p⌉``.

    What the small table here does not know stays readable: an unknown command becomes its name.
    """
    text = _sequence(deque(_TOKEN.findall(source)))
    text = re.sub(rf"{_FACTOR}\s*(?=[A-Za-z](?![A-Za-z])|[0-9Α-ω(⌈⌊])", "·", text).replace(_FACTOR, "")
    text = re.sub(f"(?<=[A-Za-z0-9Α-ω)⌉⌋]){_JOINT}+(?=[A-Za-z0-9Α-ω])", " ", text).replace(_JOINT, "")
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"(?<=[⌈⌊(]) | (?=[⌉⌋),])", "", text)


def _sequence(tokens: deque[str]) -> str:
    """Everything up to the brace that closes, or to the end."""
    text = ""
    while tokens:
        token = tokens.popleft()
        if token == "}":
            break
        text += _one(token, tokens)
    return text


def _one(token: str, tokens: deque[str]) -> str:
    """A token, with the arguments that it takes from those after it."""
    if token == "{":
        return _sequence(tokens)
    if token == "^":
        return _script("^", _argument(tokens), _SUPERSCRIPTS)
    if token == "_":
        return _script("_", _argument(tokens), _SUBSCRIPTS)
    if token == "~":
        return " "
    if token.startswith("\\") and len(token) > 1:
        return _command(token[1:], tokens)
    return token


def _command(name: str, tokens: deque[str]) -> str:
    if name in ("frac", "tfrac", "dfrac"):
        over, under = _argument(tokens), _argument(tokens)
        return f"{_bracketed(over, '+- /')}/{_bracketed(under, '+- /·×0123456789')}{_FACTOR}"
    if name == "sqrt":
        return "√" + _bracketed(_argument(tokens), "+- /·×")
    if name in _TEXTS:
        return _argument(tokens)
    if name in _SPACES:
        return " "
    if name in _NOTHING:
        return ""
    if name == "operatorname":
        name = _argument(tokens)
    elif name in ("bmod", "mod"):
        return " mod "
    symbol = _SYMBOLS.get(name)
    return symbol or (f"{_JOINT}{name}{_JOINT}" if name.isalpha() else name)


def _argument(tokens: deque[str]) -> str:
    while tokens and tokens[0].isspace():
        tokens.popleft()
    return _one(tokens.popleft(), tokens) if tokens and tokens[0] != "}" else ""


def _script(mark: str, content: str, raised: dict[str, str]) -> str:
    content = _bare(content)
    if all(each in raised for each in content):
        return "".join(raised[each] for each in content)
    return mark + (content if re.fullmatch(r"\w+|.", content) else f"({content})")


def _bracketed(content: str, splitters: str) -> str:
    """A part of a fraction, in parentheses if it would fall apart without them.

    That is, if one of the splitters stands outside any brackets in it.
    """
    content, depth = content.strip().removesuffix(_FACTOR), 0
    if _bare(content).isdecimal():
        return content
    for each in content:
        depth += (each in "([⌈⌊") - (each in ")]⌉⌋")
        if depth == 0 and each in splitters:
            return f"({content})"
    return content


def _bare(content: str) -> str:
    return content.replace(_JOINT, "").replace(_FACTOR, "").strip()
