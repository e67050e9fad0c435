"""A match as values: what is to be played, under which rules of play, and how it ended.

The values go through the whole house: a schedule makes `MatchSpec`s (`spec`), the queue makes a `Job` of one (`job`),
with the settings that all matches of a contest share (`settings`), a process plays it, and a `MatchResult` comes back
(`result`). All are frozen; their documents are the JSON of match processes, journals and replays, so a field that is
renamed here needs a reader of the old name there.

* `spec`: one match of a schedule. Its id is a hash of its content, so that equal matches are known as equal everywhere.
* `limits` and `isolation`: what a bot may use, what happens if it fails, and how it is kept apart.
* `ending` and `void`: how a match ends for a player, and when it does not count.
* `position`: a match that starts in the middle of a game.
* `stack`: the error of a program, found in what it printed.
* `lookup`: games by name, and errors for users.

Nothing here reads a clock, a file or a socket: a seed, a path or a time is passed in. The room imports `arena.game`,
`arena.errors` and nothing else of Arena.
"""
