"""A lesson's quiz as one page that needs no network: practice, with feedback and new numbers on demand."""

from exam.render.page.build import page

__all__ = ["page"]
