"""A bot's files before anything of it runs: list, limit and hash them, unpack an archive, read the manifest.

All of this is untrusted. Arena's own process lists and copies files; whatever must be parsed (Python, TOML, zip, tar)
goes to `child`, a process with 256 MiB, 5 s and no rights to write, because small files can crash compilers and
unpackers, or grow without end in them. `child_process` starts it, and `parser` caches its answers by content. `archive`
writes what it sends, and checks each name again. `files` says which files belong to a bot, and makes the content hash,
which is the bot's identity in contests and replays. `manifest` is `bot.toml`.
"""
