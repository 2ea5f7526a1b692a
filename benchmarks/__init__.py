"""Speed, side by side with what people would use instead. Nothing here is a test."""
