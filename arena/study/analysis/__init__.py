"""Explain a recorded match: causes of endings, win probabilities, and the turns that decided the match."""
