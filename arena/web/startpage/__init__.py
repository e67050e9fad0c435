"""The page that ``arena view`` shows without a file: games, their maps and rules, and recent replays."""
