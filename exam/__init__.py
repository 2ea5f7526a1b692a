"""From the item bank to quizzes and exams."""
