"""What all pages share: the templates, their macros, the style sheet, and what a browser may do with a page."""
