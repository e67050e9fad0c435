from derelict import AI, Choice, Tile, Unit

FACINGS = ["North", "East", "South", "West"]


class Warden(AI):
    """Its marines watch the ways to them. Its aliens gather out of sight, and attack all at once."""

    def run_turn(self) -> None:
        """Make one choice. The kit calls this again while there is a choice."""
        self.look_around()
        value = self.reaction if self.decision != "turn" else self.marine if self.plays_marines else self.alien
        max(self.game.choices, key=value).take()

    def look_around(self) -> None:
        game = self.game
        self.views = {marine: set(marine.visible_tiles) for marine in game.marines}
        self.seen = set().union(*self.views.values())
        self.to_aliens = game.threat_map()
        self.to_marines = game.distances(game.marines)
        self.covers: dict[Tile, list[int]] = {}
        if not self.plays_marines:
            beside = [tile for marine in game.marines for tile in marine.tile.neighbors if tile.is_corridor]
            blind = [tile for tile in beside if tile not in self.seen and (tile.unit is None or tile.unit.is_active)]
            self.to_prey = game.distances(blind or game.marines)
            self.attacks = self.is_time()

    # Marines: shoot, and end each activation on overwatch, where they see most of the ways to the squad.

    def marine(self, choice: Choice) -> float:
        unit, left = self.game.active, self.game.ap - choice.cost
        match choice.type:
            case "activate" if choice.ap:
                return 10 - self.to_aliens.get(choice.tile, 99) / 100
            case "unjam":
                return 95
            case "shoot" if isinstance(choice.target, Unit):  # not a door; overwatch needs 2 points
                again = self.game.last_shot_target == choice.target.id
                return (70 if left >= 2 or unit.distance_to(choice.target) <= 2 else 20) + 5 * again
            case "assault" if isinstance(choice.target, Unit):
                return 30
            case "overwatch" if not unit.overwatch:
                return 40
            case "move" if not unit.overwatch and self.is_calm():
                gain = max(self.covers_from(choice.tile)) - max(self.covers_from(unit.tile))
                return 60 + gain if gain > 0 else -1
            case "turn_left" | "turn_right" if not unit.overwatch and self.game.ap >= 3:
                covers, now = self.covers_from(unit.tile), FACINGS.index(unit.facing)
                best = max(range(4), key=lambda facing: (covers[facing], facing == now))
                return 50 if best != now and (choice.type == "turn_left") == ((best - now) % 4 == 3) else -1
        return 0 if choice.type == "pass" else -1

    def is_calm(self) -> bool:
        """Return whether no enemy can attack in its next turn."""
        return min(self.to_aliens.get(marine.tile, 99) for marine in self.game.marines) > 8

    def covers_from(self, tile: Tile) -> list[int]:
        """Count for each facing the tiles near the squad that the marine would see; twice those that no other sees."""
        if tile not in self.covers:
            others = set().union(*(view for marine, view in self.views.items() if not marine.is_active))
            near = {one for one, steps in self.to_marines.items() if steps <= 6} - {tile}
            views = [near.intersection(self.game.tiles_seen_from(tile, facing)) for facing in FACINGS]
            self.covers[tile] = [len(view) + len(view - others) for view in views]
        return self.covers[tile]

    # Aliens: come near without being seen, wait for the others, then attack from where no marine looks.

    def is_time(self) -> bool:
        """Return whether all are near, or it is late, or the attack has begun."""
        contacts = len(self.game.aliens) + len(self.game.blips)
        ready = sum(self.to_prey.get(alien.tile, 99) <= 9 for alien in self.game.aliens)
        late = self.game.turn >= self.options["turn_limit"] - 2
        return late or ready == contacts or any(self.beside(alien) for alien in self.game.aliens)

    def alien(self, choice: Choice) -> float:
        unit = self.game.active
        here = self.to_prey.get(unit.tile, 99) if unit else 99
        there = self.to_prey.get(choice.tile, 99) if choice.tile else 99
        match choice.type:
            case "activate":
                return 10 - there / 100
            case "assault" if isinstance(choice.target, Unit):
                return 200
            case "reveal" if here <= 9:
                return 19
            case "move" if there < here and not self.beside(unit):
                exposed = choice.tile in self.seen
                return 20 + here - there - 0.3 * exposed if self.attacks or not exposed else -1
            case "door" if choice.to == "open" and there < here and (self.attacks or unit.is_blip):
                return 22
            case "turn_left" | "turn_right" if self.beside(unit):
                wanted = FACINGS.index(unit.tile.direction_to(self.beside(unit)[0]))
                quarters = (wanted - FACINGS.index(unit.facing)) % 4
                return 150 if quarters and (choice.type == "turn_left") == (quarters == 3) else -1
        return 0 if choice.type == "pass" else -1

    def beside(self, alien: Unit) -> list[Unit]:
        """Return the marines that it can attack, after a turn."""
        return [one for one in self.game.marines if abs(one.x - alien.x) + abs(one.y - alien.y) == 1]

    # Small decisions: roll again if the roll was lost, face the attacker, place contacts near (or far from) marines.

    def reaction(self, choice: Choice) -> float:
        decision = self.game.decision
        match choice.type:
            case "reroll" if decision.kind == "command_reroll":
                return 1 if decision.rolled <= 3 else -1
            case "reroll":
                return 1 if decision.marine_dice[0] < decision.alien_dice[0] else -1
            case "face" | "unjam":
                return 1
            case "deploy" | "move" | "activate":
                steps = self.to_marines.get(choice.tile, 99)
                return 1 + (steps if self.plays_marines else -steps) / 100
        return 0
