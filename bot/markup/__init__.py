"""Text with structure: Markdown in, documents out, cut to measure or written plainly."""
