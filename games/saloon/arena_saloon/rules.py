"""The rules for people."""

RULES = """\
# Saloon

Two gangs share one saloon. Play pianos: each play is a point. When no piano is left, when the turns are over, or when
the trailing player can no longer catch up, more points win; then more kills; then a coin.

## A turn

You may give any number of commands, one after the other; then you end the turn. The turns of both players count.

- **Call in** one cowboy per turn: a Sharpshooter, a Bartender or a Brawler, at most two living ones of each job. He
  lands on the floor next to your young gun, can be commanded at once, and crushes whatever stands there.
- **Move** each cowboy once, to one of the four neighbouring tiles. Cowboys, furnishings and the balcony block;
  bottles do not, but stepping on one means drinking it.
- **Play** a piano next to a cowboy: a point for you, 1 damage to the piano. Each piano once per turn.
- **Act** with a cowboy. After playing or acting he is busy: 1 own turn, a Bartender 5 turns after a throw. The busy
  may move.

## The jobs

- **Sharpshooters** gain 1 focus at the end of each own turn in which they did nothing at all. A shot goes as many
  tiles as they have focus and does 4 damage to every cowboy and furnishing on the line, friend or foe. Shooting,
  moving, getting drunk, and a drunk who bumps into them cost all focus; playing does not.
- **Bartenders** throw a bottle on a neighbouring tile, from where it flies one tile at the end of every turn, or
  empty it over a cowboy who stands there. You choose the direction in which the drunk will stagger.
- **Brawlers** do 1 damage to every cowboy and furnishing next to them at the end of each own turn, even when drunk
  or asleep. They cannot act.

## Drunk

Whoever a bottle hits cannot be commanded and staggers one tile at the end of each own turn, five times. Running
against a furnishing or the balcony costs 1 health; running against a cowboy costs that one his focus. Each hit makes
the gang of the one who was hit rowdier; at 8 hits all its cowboys fall asleep for 8 own turns. Those called in later
stay awake.

## The end of a turn

In this order: the current player's cowboys stagger, sober up, gain focus or punch, one after the other; all bottles
fly, and break on what they meet or on each other; hazards do 1 damage to everybody who stands on one; the dead and
the destroyed leave; the young gun goes one step clockwise.

A cowboy has 10 health, a piano 48, other furnishings 16. All numbers are options of the game.
"""
