"""The pages of a contest: one application for everybody, teams and organizers. `app` is the module to begin with."""
