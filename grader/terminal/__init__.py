"""What the people who grade and are graded see in a terminal."""
