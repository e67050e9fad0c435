// The classes of Stroll. `arena sdk stroll --language cpp` writes this file; do not change it.
#pragma once

#include "arena.hpp"

namespace stroll {

/// The game that these classes belong to.
inline constexpr const char* GAME = "stroll";
/// The version of these classes. The referee refuses a bot whose classes are outdated.
inline constexpr const char* SCHEMA_HASH = "0123456789abcdef";

using arena::Result;
using arena::Tile;

class Game;
class Walker;
class State;

/// A race to the east side.
class Game : public arena::Object {
  public:
    /// Columns.
    std::int64_t width{};
    /// Rows.
    std::int64_t height{};
    /// All walkers.
    std::vector<const Walker*> walkers{};

    /// Return a state of the rules to search in, which agrees with what you see. The seed decides the guess at hidden
    /// information, and the dice. Without a seed, each call uses another one.
    State fork(std::optional<std::int64_t> seed = {}) const;

    /// Ends the turn.
    arena::Result<> end_turn() const;

    std::string_view class_name() const override { return "Game"; }
    void set(std::string_view field_, const arena::Value& value_, const arena::World& from_) override;
};

/// Strolls about.
class Walker : public arena::PlacedObject {
  public:
    /// The owner of the walker.
    std::int64_t owner{};
    /// The walker's mood. One of "calm", "cross".
    std::string mood{};

    /// Goes to a neighbouring tile.
    ///
    /// @param tile Where to.
    ///
    /// @return A result whose value is the Walker.
    arena::Result<Walker> walk(const arena::Tile* tile) const;

    std::string_view class_name() const override { return "Walker"; }
    void set(std::string_view field_, const arena::Value& value_, const arena::World& from_) override;
};

/// A state of the rules to search in. It is not connected to the match.
class State : public arena::State {
  public:
    State(arena::State&& state) : arena::State(std::move(state)) {}

    /// Return the game in this state: `state.game()->...`. What you cannot see is a guess. It stays as it is after later
    /// pushes. The whole state is sent for it: call this where you judge a position, not for each action.
    std::shared_ptr<const Game> game() const { return game_as<Game>(); }
    /// Return a copy. The copy cannot undo the pushes made before. `seed` is the seed of the copy's dice.
    State clone(std::int64_t seed = 0) const { return arena::State::clone(seed); }
    /// Return a state with a new guess at what a player does not see. `seed` decides the guess, and the state's dice.
    State determinize(std::int64_t player, std::int64_t seed) const { return arena::State::determinize(player, seed); }
};

inline State Game::fork(std::optional<std::int64_t> seed) const { return fork_state(seed); }

inline void Game::set(std::string_view field_, [[maybe_unused]] const arena::Value& value_,
    [[maybe_unused]] const arena::World& from_) {
    if (field_ == "width") {
        this->width = from_.convert<decltype(this->width)>(value_);
        return;
    }
    if (field_ == "height") {
        this->height = from_.convert<decltype(this->height)>(value_);
        return;
    }
    if (field_ == "walkers") {
        this->walkers = from_.convert<decltype(this->walkers)>(value_);
        return;
    }
    throw arena::WireError("bad_value", "Game has no field " + std::string(field_));
}

inline arena::Result<> Game::end_turn() const {
    return send_action<void>({
        {"type", "end_turn"},
    });
}

inline void Walker::set(std::string_view field_, [[maybe_unused]] const arena::Value& value_,
    [[maybe_unused]] const arena::World& from_) {
    if (field_ == "owner") {
        this->owner = from_.convert<decltype(this->owner)>(value_);
        return;
    }
    if (field_ == "mood") {
        this->mood = from_.convert<decltype(this->mood)>(value_);
        return;
    }
    throw arena::WireError("bad_value", "Walker has no field " + std::string(field_));
}

inline arena::Result<Walker> Walker::walk(const arena::Tile* tile) const {
    return send_action<Walker>({
        {"type", "walk"},
        {"walker", id()},
        {"x", arena::wire_x(arena::given(tile, "tile"))},
        {"y", arena::wire_y(arena::given(tile, "tile"))},
    });
}

/// Return whether a path can cross this tile. By default, a path can cross an empty tile.
inline bool is_passable(const arena::Tile* tile_) {
    return arena::given(tile_, "tile")->world->help<bool>(arena::argument(tile_), "is_passable", arena::arguments({}));
}

/// Return a shortest path to another tile, without this tile; empty if there is no way.
///
/// @param goal The last tile. It can be occupied.
inline std::vector<const arena::Tile*> path_to(const arena::Tile* tile_, const arena::Tile* goal) {
    return arena::given(tile_, "tile")->world->help<std::vector<const arena::Tile*>>(arena::argument(tile_), "path_to", arena::arguments({{"goal", arena::argument(arena::given(goal, "goal")), false}}));
}

/// Return the tiles that can be reached from here, with the number of steps to each. The nearest come first.
///
/// @param limit The largest number of steps.
inline std::vector<std::pair<const arena::Tile*, std::int64_t>> reachable(const arena::Tile* tile_, const std::optional<std::int64_t>& limit = {}) {
    return arena::given(tile_, "tile")->world->help<std::vector<std::pair<const arena::Tile*, std::int64_t>>>(arena::argument(tile_), "reachable", arena::arguments({{"limit", arena::argument(limit), true}}));
}

/// A bot for Stroll. Write a subclass with a method `run_turn`.
class AI : public arena::AI {
  public:
    /// The game, always current.
    const Game* game = nullptr;
    /// Your number, from 0.
    std::int64_t player = 0;

  protected:
    const char* schema_hash() const override { return SCHEMA_HASH; }
    std::unique_ptr<arena::Object> make(std::string_view class_name) const override {
        if (class_name == "Game") return std::make_unique<Game>();
        if (class_name == "Walker") return std::make_unique<Walker>();
        return nullptr;
    }
    void bind(const arena::World& world) override {
        game = dynamic_cast<const Game*>(world.object("game"));
        player = index;
    }
};

}  // namespace stroll
