"""QTI 2.1: TAO, OpenOlat, Blackboard and others."""

from __future__ import annotations

from exam.export import qti
from exam.export.qti import capability
from exam.variants import VariantSet

__all__ = ["POOLS", "SUFFIX", "capability", "write"]

SUFFIX = ".zip"
POOLS = True

DIALECT = qti.Dialect(
    namespace="http://www.imsglobal.org/xsd/imsqti_v2p1",
    templates="http://www.imsglobal.org/question/qti_v2p1/rptemplates",
    suffix="",
    item_type="imsqti_item_xmlv2p1",
    test_type="imsqti_test_xmlv2p1",
    schema=("QTIv2.1 Package", "1.0.0"),
    content_namespace="http://www.imsglobal.org/xsd/imscp_v1p1",
    kebab=False,
)


def write(quiz: VariantSet) -> bytes:
    """The package."""
    return qti.write(quiz, DIALECT)
