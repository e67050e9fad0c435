"""What a recorded match and a game say: play the record again, check rules and bots, explain a loss."""
