"""QTI 3.0."""

from __future__ import annotations

from exam.export import qti
from exam.export.qti import capability
from exam.variants import VariantSet

__all__ = ["POOLS", "SUFFIX", "capability", "write"]

SUFFIX = ".zip"
POOLS = True

DIALECT = qti.Dialect(
    namespace="http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
    templates="https://purl.imsglobal.org/spec/qti/v3p0/rptemplates",
    suffix=".xml",
    item_type="imsqti_item_xmlv3p0",
    test_type="imsqti_test_xmlv3p0",
    schema=("QTI Package", "3.0.0"),
    content_namespace="http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
    kebab=True,
)


def write(quiz: VariantSet) -> bytes:
    """The package."""
    return qti.write(quiz, DIALECT)
