"""Lesson quizzes in the terminal; needs the standard library, ``exam.variants``, ``exam.scoring`` and the grader."""
