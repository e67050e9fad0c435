"""The rules for people."""

RULES = """
Two teams of laser-tag players fight on a square grid of floor, low cover and walls. Players alternate turns. In a
turn each of your units has three action points (AP): one AP moves it, a shot costs one AP or all of them. A hit
scores, and switches the target's laser off until it steps on a base. AP that you keep become reaction shots.

## Winning

The game is won by whoever first reaches the target score, removes all enemy units, or (alpha) gives checkmate: all
enemy lasers are off, and your units stand on every base the enemy could use. When the turn limit is reached, the
higher score wins; equal scores are a draw.

What the bases make of a map decides its mode. If both sides can use a base somewhere, it is *capture the flag*. If
only one side can, it is an *assault*: hits on the other side, the offence, remove units for good. Without any base it
is an *elimination*, and every hit removes a unit.

## Moving

One AP takes a unit as many steps as its class is fast, in all eight directions. Units cannot be walked through, and a
diagonal step may not cut the corner of a wall. In alpha, diagonal steps may only end within a circle of radius
speed - 1 around the start, which rounds off the range. Stepping up onto cover ends the movement of that AP, except for
alpha's scouts; walking along cover or down from it does not. Only the tile where the move ends matters.

## Seeing and hitting

Every tile has five points: its centre and its corners. One tile sees another if any of the 25 lines between their
points touches no wall, not even with its end or along a side. Cover, bases and units never block sight, and there is
no limit of range.

Two dice must reach the number needed:

| part | when |
| --- | --- |
| the shooter's `to_hit` | always |
| the shooter's `elevated_attack` | the shooter stands on cover |
| the target's `cover` | a neighbouring tile on a side where the shooter lies shelters the target |
| the target's `elevated_defense` | the target stands on cover |
| a penalty | it is a reaction shot |

Walls shelter; so does cover, if the target is not raised itself. The penalty of a reaction shot is `regular_penalty`
in mode `regular`, and in mode `snap` the class's `overwatch_penalty` and the rule's `snap_penalty`.

The chances for 2 and more to 12: 100, 97, 92, 83, 72, 58, 42, 28, 17, 8 and 3 %.

In alpha a shot costs all AP, except for snipers, who pay one AP a shot and fire as often as they like. In classic a
sniper that has not moved has two shots, the first for one AP; a scout pays one AP and may move on. Other units cannot
move after a shot.

## Hits and bases

A hit on a unit scores `hit_points`, switches its laser off and ends its overwatch; its AP stay. A unit without laser
can walk, see and block. When it ends a move on a base that its team can use, its laser starts charging, and is charged
at the end of your turn. A unit that is hit on a base has to step on one anew. In alpha anyone charges anywhere; in
classic only at shared and own bases. Where the rules have `base_shooting`, an enemy base is a target worth
`base_points`, and nothing happens to the base.

## Overwatch

At the end of your turn, units which have AP left, have not fired and have a charged laser go on overwatch. In alpha
(`carried`) each AP is a reaction shot, up to the class's limit. In classic (`stance`) there is one, `regular` with two
or more AP kept, `snap` with one. They last through the enemy's next turn.

When an enemy has moved (alpha: or fired), all your units on overwatch that see its tile shoot at it in a drawn order
until one hits; the others keep their shots. You cannot hold them back.

## Fog of war

With the rule `fog_of_war` you see only the enemies which one of your units sees. You are told what is legal by what
you see: a move against a unit you did not see is a *bump*, costs its AP and leads nowhere.

## Rules as data

All numbers are data: `self.game.rules` in a bot, `rules` in the options and in map files. For example
`{"max_ap": 4, "classes": {"scout": {"speed": 7}}}`.
""".strip()
