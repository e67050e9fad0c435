"""Show a contest to an audience: a playlist of steps, and results that are released as they are shown.

The data goes one way. The journal of the contest has results and steps (`fold` reads these). From what organizers see,
`playlist` makes all steps of the evening; one is shown. `scenes` makes what a screen shows, from what everybody
sees and from the step; `playhead` says how far a match is that is shown, from the times of the steps alone. `pages` and
`acts` serve all that. So after a kill everything is where it was, and nobody is told a result before its step.

What must not happen: a scene says something that follows from a result which no step has released. Only `playlist` and
`playhead` read what organizers see; of a match that is shown, `scenes` gets no more than its players and what has
happened up to the playhead.
"""
