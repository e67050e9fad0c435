"""Text that comes from outside, or goes to a terminal, a page or a shell.

Coming in (`reading`, `toml_files`): a file can be of any size, or a device without end, and in any encoding; a number
can have any form. Going out (`printable`, `terminal`): a name or a line of a bot can hold characters that control a
terminal, or look like another name. So what others wrote is limited where it is read, and escaped where it is shown. In
between it stays as it is, so that nothing is escaped twice or never.
"""
