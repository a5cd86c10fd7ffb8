"""From a model's words to what people are sent."""
