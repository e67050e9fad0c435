"""The rules for people."""

RULES = """\
# Derelict

Marines (player 0) against aliens (player 1) in the corridors of a wrecked ship. The aliens win when no marine is left.
The marines win when an objective of the mission burns, or when the alien side is wiped out. The turn limit ends every
other game: as a rule in favour of the aliens where there is an objective, and of the marines where there is none.

## The list

At every moment exactly one player has a decision, and the complete list of what he may choose. Anything else is
refused. Mostly it is the decision `turn` of the side whose turn it is; but dice to be rolled again, a jam to be cleared
at once, or aliens to be placed are decisions too, and some of them are the other player's.

## Activation

In its turn a side activates its units one after the other; who is left is spent for this turn. A marine has 4 action
points, an alien 6, a blip 6.

| | marine | alien | blip |
|---|---|---|---|
| step forward, also diagonally | 1 | 1 | 1 |
| step backward | 2 | 2 | 1 |
| step sideways | - | 1 | 1 |
| turn by 90 degrees | 1 | 1, or 0 after a move | 0 |
| open or close a door in front | 1 | 1 | 1 |
| assault what is straight ahead | 1 | 1 | - |
| shoot (bolter, cannon) | 1, or 0 after a move or turn | - | - |
| shoot (flamer: a whole section) | 2 | - | - |
| overwatch, guard | 2 | - | - |
| clear a jam | 1 | - | - |
| reveal a blip | - | - | 6 |

## Sight

A marine sees what is in front of him, the diagonals included, where a line is clear both ways. Walls, units, closed
doors and fire block it. Blips may not step into sight or next to a marine.

## Blips

A blip stands for one to three aliens; only the alien player knows. In the ruleset full a blip that comes into sight is
turned over at once: its first alien stands there, the alien player turns it, and the marine player places the others
around it. The alien player may also reveal a blip that has all its action points, and places the others himself.

## Shooting and overwatch

A bolter rolls two dice and hits with a 6, with each further shot at the same target in the same activation with a 5. A
cannon rolls three, and needs one less. A marine on overwatch shoots at an alien after each of its moves, turns, doors
and assaults in his sight; two equal dice of a bolter jam it.

## Assault

The marine rolls one die, the alien three; the higher best die wins, and the loser is destroyed. Who is attacked from
the side or from behind and is not beaten may turn to the attacker, who comes to no harm. A marine on guard may roll
again. Sergeants, hammers and claws are better at it while they face the alien.

## Fire, command points, reinforcements (ruleset full)

A flamer sets a whole section on fire: each unit there is destroyed on a 2 or more; nobody steps in or sees through it
until the next marine turn. Command points, a die each turn, are action points for the active marine, or clear a jam at
once. New blips appear on lurk cells and come in by the nearest free entry cell.

## Matches

A match is two games on the same mission with sides swapped. If each side wins one, more counts: a win of the marines
1000, each marine left 10, each turn that was left 1.
"""
