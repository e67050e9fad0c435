// The classes of Shelf. `arena sdk shelf --language cpp` writes this file; do not change it.
#pragma once

#include "arena.hpp"

namespace shelf {

/// The game that these classes belong to.
inline constexpr const char* GAME = "shelf";
/// The version of these classes. The referee refuses a bot whose classes are outdated.
inline constexpr const char* SCHEMA_HASH = "fedcba9876543210";

using arena::Result;
using arena::Tile;

class Game;
class State;

/// A game with an array of each type.
class Game : public arena::Object {
  public:
    /// Some numbers. (int16, any)
    std::vector<std::int16_t> cells{};
    /// Some numbers. (int8, any)
    std::vector<std::int8_t> int8s{};
    /// Some numbers. (uint8, any)
    std::vector<std::uint8_t> uint8s{};
    /// Some numbers. (int16, any)
    std::vector<std::int16_t> int16s{};
    /// Some numbers. (uint16, any)
    std::vector<std::uint16_t> uint16s{};
    /// Some numbers. (int32, any)
    std::vector<std::int32_t> int32s{};
    /// Some numbers. (uint32, any)
    std::vector<std::uint32_t> uint32s{};
    /// Some numbers. (int64, any)
    std::vector<std::int64_t> int64s{};
    /// Some numbers. (uint64, any)
    std::vector<std::uint64_t> uint64s{};
    /// Some numbers. (float32, any)
    std::vector<float> float32s{};
    /// Some numbers. (float64, any)
    std::vector<double> float64s{};

    /// Return a state of the rules to search in, which agrees with what you see. The seed decides the guess at hidden
    /// information, and the dice. Without a seed, each call uses another one.
    State fork(std::optional<std::int64_t> seed = {}) const;

    std::string_view class_name() const override { return "Game"; }
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
    if (field_ == "cells") {
        this->cells = from_.array<decltype(this->cells)>(value_);
        return;
    }
    if (field_ == "int8s") {
        this->int8s = from_.array<decltype(this->int8s)>(value_);
        return;
    }
    if (field_ == "uint8s") {
        this->uint8s = from_.array<decltype(this->uint8s)>(value_);
        return;
    }
    if (field_ == "int16s") {
        this->int16s = from_.array<decltype(this->int16s)>(value_);
        return;
    }
    if (field_ == "uint16s") {
        this->uint16s = from_.array<decltype(this->uint16s)>(value_);
        return;
    }
    if (field_ == "int32s") {
        this->int32s = from_.array<decltype(this->int32s)>(value_);
        return;
    }
    if (field_ == "uint32s") {
        this->uint32s = from_.array<decltype(this->uint32s)>(value_);
        return;
    }
    if (field_ == "int64s") {
        this->int64s = from_.array<decltype(this->int64s)>(value_);
        return;
    }
    if (field_ == "uint64s") {
        this->uint64s = from_.array<decltype(this->uint64s)>(value_);
        return;
    }
    if (field_ == "float32s") {
        this->float32s = from_.array<decltype(this->float32s)>(value_);
        return;
    }
    if (field_ == "float64s") {
        this->float64s = from_.array<decltype(this->float64s)>(value_);
        return;
    }
    throw arena::WireError("bad_value", "Game has no field " + std::string(field_));
}

/// A bot for Shelf. Write a subclass with a method `run_turn`.
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
        return nullptr;
    }
    void bind(const arena::World& world) override {
        game = dynamic_cast<const Game*>(world.object("game"));
        player = index;
    }
};

}  // namespace shelf
