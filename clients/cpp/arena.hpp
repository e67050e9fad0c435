// Write a bot for an Arena game in C++20. This file is the whole kit: it needs a compiler and no libraries.
//
// A bot includes the classes of its game, which `arena sdk GAME --language cpp` writes beside this file:
//
//     #include "saloon.hpp"
//     struct Bot : saloon::AI {
//         void run_turn() override { player->young_gun->call_in("Brawler"); }
//     };
//     int main() { return arena::run<Bot>(); }
//
// The kit follows docs/protocol.md of the framework. It is for Linux and macOS.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <cxxabi.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// `arena play --debug` builds a bot with sanitizers: they name the line of a crash, and the stack of an exception.
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_SANITIZED
#endif
#endif
#ifdef ARENA_SANITIZED
#include <sanitizer/common_interface_defs.h>
extern "C" inline __attribute__((used)) const char* __asan_default_options() { return "detect_leaks=0:print_legend=0"; }
#endif

namespace arena {

// --- errors ----------------------------------------------------------------------------------------------------------

/// Exit codes of a bot's process, the same in every language.
enum ExitCode { FINISHED = 0, BOT_RAISED = 1, BOT_UNUSABLE = 2, CONNECTION_LOST = 3, REFUSED = 4 };

/// A mistake of the bot or of its environment.
struct PlayerError : std::runtime_error {
    int exit_code;
    explicit PlayerError(const std::string& message, int code = BOT_UNUSABLE)
        : std::runtime_error(message), exit_code(code) {}
};

/// Data that breaks the protocol. `code` is one of the codes in the protocol document.
struct WireError : PlayerError {
    std::string code;
    WireError(std::string name, const std::string& message)
        : PlayerError("The referee sent an invalid message: " + message + ".", CONNECTION_LOST),
          code(std::move(name)) {}
};

/// Return the type and the text of the exception that is handled, such as "std::out_of_range: map::at".
inline std::string current_exception_in_words() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (!type) return "an exception of an unknown type";
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
    std::string text = name ? name.get() : type->name();
    try {
        throw;
    } catch (const std::exception& error) {
        text += std::string(": ") + error.what();
    } catch (const std::string& message) {
        text = "std::string: " + message;
    } catch (const char* message) {
        text += std::string(": ") + message;
    } catch (...) {
    }
    return text;
}

#ifdef ARENA_SANITIZED
/// Sends what the bot has logged so far. The end of a sanitized program calls it.
inline std::function<void()> before_end = [] {};

/// Ends a sanitized program after an exception that nothing has caught, while the stack of its `throw` is still there.
[[noreturn]] inline void end_with_stack() {
    std::cerr << "The bot threw " << current_exception_in_words() << std::endl;
    __sanitizer_print_stack_trace();
    before_end();
    std::_Exit(BOT_RAISED);
}
#endif

/// Leaves `run_turn` when the match ends during the turn. Do not catch it.
struct MatchOver {};

// --- values ----------------------------------------------------------------------------------------------------------

/// A value of the wire: null, bool, integer, number, text, bytes, list or map. Used for options, events and outcomes.
/// The methods `as_...` throw `std::logic_error` if the value has another type.
class Value {
  public:
    using List = std::vector<Value>;
    using Map = std::vector<std::pair<std::string, Value>>;
    struct Bytes {
        std::string data;
        bool operator==(const Bytes&) const = default;
    };

    Value() = default;
    Value(std::nullptr_t) {}
    template <class T>
        requires std::is_same_v<T, bool>
    Value(T value) : data_(value) {}
    template <class T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    Value(T value) : data_(static_cast<std::int64_t>(value)) {}
    Value(double value) : data_(value) {}
    Value(const char* value) : data_(std::string(value)) {}
    Value(std::string value) : data_(std::move(value)) {}
    Value(Bytes value) : data_(std::move(value)) {}
    Value(List value) : data_(std::move(value)) {}
    Value(Map value) : data_(std::move(value)) {}

    bool is_map() const { return std::holds_alternative<Map>(data_); }
    bool is_null() const { return std::holds_alternative<std::nullptr_t>(data_); }
    template <class T> bool is() const { return std::holds_alternative<T>(data_); }
    bool as_bool() const { return get<bool>("a bool"); }
    std::int64_t as_int() const { return get<std::int64_t>("an integer"); }
    double as_number() const { return is<std::int64_t>() ? static_cast<double>(as_int()) : get<double>("a number"); }
    const std::string& as_string() const { return get<std::string>("a text"); }
    const std::string& as_bytes() const { return get<Bytes>("binary").data; }
    const List& as_list() const { return get<List>("a list"); }
    const Map& as_map() const { return get<Map>("a map"); }

    /// Return the entry of a map, or null if the map has no such key. Throw `std::logic_error` if this is not a map.
    const Value& operator[](std::string_view key) const {
        static const Value none;
        for (const auto& [name, value] : as_map())
            if (name == key) return value;
        return none;
    }
    bool operator==(const Value& other) const { return data_ == other.data_; }

  private:
    template <class T> const T& get(const char* what) const {
        if (const T* found = std::get_if<T>(&data_)) return *found;
        throw std::logic_error(std::string("A value is not ") + what + ".");
    }
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Bytes, List, Map> data_;
};

// --- text ------------------------------------------------------------------------------------------------------------

/// Return the length of the UTF-8 character at the start of `text`, or 0 if there is none.
inline std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    const unsigned first = byte(0);
    if (first < 0x80) return text.empty() ? 0 : 1;
    const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) return 0;
    for (std::size_t at = 1; at < size; ++at)
        if ((byte(at) & 0xC0) != 0x80) return 0;
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate || (first == 0xF4 && byte(1) > 0x8F) ? 0 : size;
}

/// Split any bytes into valid pieces of at most `limit` characters. Invalid bytes become question marks. With
/// `one_line`, characters that control a terminal become question marks too.
inline std::vector<std::string> pieces(std::string_view text, std::size_t limit, bool one_line = false) {
    std::vector<std::string> found(1);
    for (std::size_t count = 0; !text.empty(); ++count) {
        const std::size_t size = character_size(text);
        const std::string_view one = text.substr(0, std::max<std::size_t>(size, 1));
        text.remove_prefix(one.size());
        const bool control = one.size() == 1 ? (one[0] >= 0 && one[0] < 32) || one[0] == 127
                                             : one < "\xC2\xA0" || (one >= "\xE2\x80\x8B" && one <= "\xE2\x80\x8F") ||
                                                   (one >= "\xE2\x80\xA8" && one <= "\xE2\x80\xAE") ||
                                                   (one >= "\xE2\x81\xA0" && one <= "\xE2\x81\xA9") || one == "\xEF\xBB\xBF";
        if (count && count % limit == 0) found.emplace_back();
        found.back() += size == 0 || (control && one_line) ? "?" : one;
    }
    return found;
}

// --- MessagePack -----------------------------------------------------------------------------------------------------

/// Append a value in MessagePack to `out`.
inline void pack(const Value& value, std::string& out) {
    const auto put = [&out](unsigned head, std::uint64_t number, int bytes) {
        out += static_cast<char>(head);
        while (bytes--) out += static_cast<char>(number >> (8 * bytes));
    };
    const auto size = [&put](std::size_t count, unsigned fix, unsigned most, unsigned head8, unsigned head16) {
        if (count <= most) put(fix | static_cast<unsigned>(count), 0, 0);
        else if (head8 && count <= 0xFF) put(head8, count, 1);
        else if (count <= 0xFFFF) put(head16, count, 2);
        else put(head16 + 1, count, 4);
    };
    if (value.is_null()) put(0xC0, 0, 0);
    else if (value.is<bool>()) put(value.as_bool() ? 0xC3 : 0xC2, 0, 0);
    else if (value.is<std::int64_t>()) {
        const std::int64_t number = value.as_int();
        if (number >= -32 && number <= 127) put(static_cast<unsigned>(number) & 0xFF, 0, 0);
        else put(0xD3, static_cast<std::uint64_t>(number), 8);
    } else if (value.is<double>()) {
        if (!std::isfinite(value.as_number())) throw std::invalid_argument("Numbers must be finite.");
        put(0xCB, std::bit_cast<std::uint64_t>(value.as_number()), 8);
    } else if (value.is<std::string>()) {
        size(value.as_string().size(), 0xA0, 31, 0xD9, 0xDA);
        out += value.as_string();
    } else if (value.is<Value::Bytes>()) {
        put(0xC6, value.as_bytes().size(), 4);
        out += value.as_bytes();
    } else if (value.is<Value::List>()) {
        size(value.as_list().size(), 0x90, 15, 0, 0xDC);
        for (const Value& item : value.as_list()) pack(item, out);
    } else {
        size(value.as_map().size(), 0x80, 15, 0, 0xDE);
        for (const auto& [key, item] : value.as_map()) pack(key, out), pack(item, out);
    }
}

/// Reads one value in MessagePack.
class Unpacker {
  public:
    explicit Unpacker(std::string_view data) : rest_(data) {}
    /// Read from a stream: `more` returns its next bytes.
    explicit Unpacker(std::function<std::string()> more) : more_(std::move(more)) {}

    /// Return the next value.
    Value next() { return read(0); }

    /// Return the message in `data`: a map with a `type`, and nothing after the map.
    static Value message(std::string_view data) {
        Unpacker reader(data);
        Value value = reader.read(0);
        if (!reader.rest_.empty()) throw WireError("garbled", "bytes follow the message");
        if (!value.is<Value::Map>() || !value["type"].is<std::string>())
            throw WireError("not_a_message", "it is not a map with a type");
        return value;
    }

  private:
    static constexpr int DEPTH = 16;
    std::function<std::string()> more_;
    std::string read_;
    std::string_view rest_;

    std::string_view take(std::size_t count) {
        while (count > rest_.size()) {
            if (!more_) throw WireError("garbled", "the message is cut short");
            rest_ = read_ = std::string(rest_) + more_();
        }
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::uint64_t number(int bytes) {
        std::uint64_t value = 0;
        for (const char byte : take(static_cast<std::size_t>(bytes))) value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    }
    std::int64_t whole(int bytes) {  // with sign
        const int shift = 64 - 8 * bytes;
        return static_cast<std::int64_t>(number(bytes) << shift) >> shift;
    }
    double real(double value) {
        if (!std::isfinite(value)) throw WireError("bad_value", "a number is not finite");
        return value;
    }
    std::string text(std::size_t size) {
        const std::string_view bytes = take(size);
        for (std::size_t at = 0; at < size;) {
            const std::size_t step = static_cast<signed char>(bytes[at]) >= 0 ? 1 : character_size(bytes.substr(at));
            if (!step) throw WireError("garbled", "a text is not UTF-8");
            at += step;
        }
        return std::string(bytes);
    }
    Value read(int depth) {
        const unsigned head = static_cast<unsigned>(number(1));
        if (head < 0x80) return head;
        if (head >= 0xE0) return static_cast<std::int64_t>(head) - 256;
        if (head < 0x90) return map(head & 15, depth);
        if (head < 0xA0) return list(head & 15, depth);
        if (head < 0xC0) return text(head & 31);
        switch (head) {
            case 0xC0: return nullptr;
            case 0xC2: return false;
            case 0xC3: return true;
            case 0xC4: case 0xC5: case 0xC6: return Value::Bytes{std::string(take(number(1 << (head - 0xC4))))};
            case 0xCA: return real(std::bit_cast<float>(static_cast<std::uint32_t>(number(4))));
            case 0xCB: return real(std::bit_cast<double>(number(8)));
            case 0xCC: case 0xCD: case 0xCE: return number(1 << (head - 0xCC));
            case 0xCF: {
                const std::uint64_t value = number(8);
                if (value >> 63) throw WireError("bad_value", "an integer is too large");
                return value;
            }
            case 0xD0: case 0xD1: case 0xD2: case 0xD3: return whole(1 << (head - 0xD0));
            case 0xD9: case 0xDA: case 0xDB: return text(number(1 << (head - 0xD9)));
            case 0xDC: case 0xDD: return list(number(head == 0xDC ? 2 : 4), depth);
            case 0xDE: case 0xDF: return map(number(head == 0xDE ? 2 : 4), depth);
            default: throw WireError("garbled", "it has extension values");
        }
    }
    void enter(std::size_t count, int depth) const {
        if (depth >= DEPTH) throw WireError("too_deep", "it is nested too deeply");
        if (!more_ && count > rest_.size()) throw WireError("garbled", "the message is cut short");
    }
    Value list(std::size_t count, int depth) {
        enter(count, depth);
        Value::List items;
        items.reserve(count);
        while (count--) items.push_back(read(depth + 1));
        return items;
    }
    Value map(std::size_t count, int depth) {
        enter(count, depth);
        Value::Map entries;
        entries.reserve(count);
        while (count--) {
            Value key = read(depth + 1);
            if (!key.is<std::string>()) throw WireError("garbled", "a key is not a text");
            for (const auto& entry : entries)
                if (entry.first == key.as_string()) throw WireError("duplicate_key", "a map has the same key twice");
            Value value = read(depth + 1);
            entries.emplace_back(key.as_string(), std::move(value));
        }
        return entries;
    }
};

// --- the connection --------------------------------------------------------------------------------------------------

/// The longest message of a bot, in bytes.
inline constexpr std::size_t most_bytes = 262144;

/// The client's end of a ZeroMQ PAIR connection (ZMTP 3.0). It needs neither libzmq nor a thread.
class Link {
  public:
    /// Connect to ipc://PATH or tcp://HOST:PORT.
    explicit Link(const std::string& endpoint) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!(endpoint.starts_with("ipc://") ? connect_unix(endpoint.substr(6)) : connect_tcp(endpoint))) {
            if (std::chrono::steady_clock::now() > end)
                throw PlayerError("No referee answered within 10 s.", CONNECTION_LOST);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        std::string hello("\xFF\0\0\0\0\0\0\0\0\x7F\x03\0NULL", 16);
        hello.resize(64);
        hello += std::string("\x04\x27\x05READY\x0BSocket-Type\0\0\0\x04PAIR\x08Identity\0\0\0\0", 41);
        send_bytes(hello);
        need(64);
        if (in_[0] != '\xFF' || in_[9] != '\x7F' || in_[10] < 3) throw WireError("garbled", "it is not ZeroMQ");
        in_.erase(0, 64);
        while (!ready_) next_frame();
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() { close(); }

    /// Add a message to those that `flush` sends.
    void add(const Value& message) {
        std::string body;
        pack(message, body);
        if (body.size() > most_bytes) throw std::invalid_argument("A message of the bot is longer than 262,144 bytes.");
        out_ += static_cast<char>(body.size() < 256 ? 0 : 2);
        for (int shift = body.size() < 256 ? 0 : 56; shift >= 0; shift -= 8) out_ += static_cast<char>(body.size() >> shift);
        out_ += body;
    }
    void flush() {
        std::cout.flush();  // what the bot printed belongs to this turn
        send_bytes(out_);
        out_.clear();
    }
    /// Wait for the next message.
    Value receive() {
        std::optional<std::string> data;
        while (!(data = next_frame())) {}
        return Unpacker::message(*data);
    }

  private:
    static constexpr std::uint64_t MOST = 16u << 20;
    int socket_ = -1;
    bool ready_ = false;
    std::string in_, out_;

    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }
    bool connect_to(int family, const sockaddr* address, socklen_t size) {
        close();
        socket_ = ::socket(family, SOCK_STREAM, 0);
        if (socket_ >= 0) ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
        return socket_ >= 0 && ::connect(socket_, address, size) == 0;
    }
    bool connect_unix(const std::string& path) {
        sockaddr_un address{};
        if (path.size() >= sizeof address.sun_path) throw PlayerError("The path of the endpoint is too long.", CONNECTION_LOST);
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, path.size());
        return connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    bool connect_tcp(const std::string& endpoint) {
        const std::size_t colon = endpoint.rfind(':');
        if (!endpoint.starts_with("tcp://") || colon < 6)
            throw PlayerError("ARENA_ENDPOINT is not ipc://PATH or tcp://HOST:PORT: " + endpoint, CONNECTION_LOST);
        addrinfo hints{}, *found = nullptr;
        hints.ai_socktype = SOCK_STREAM;
        const std::string host = endpoint.substr(6, colon - 6);
        if (getaddrinfo(host.c_str(), endpoint.substr(colon + 1).c_str(), &hints, &found) != 0) return false;
        const bool connected = connect_to(found->ai_family, found->ai_addr, found->ai_addrlen);
        freeaddrinfo(found);
        const int yes = 1;
        if (connected) setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        return connected;
    }
    void send_bytes(std::string_view data) {
        while (!data.empty()) {
            const ssize_t sent = ::send(socket_, data.data(), data.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) throw PlayerError("The connection to the referee is lost.", CONNECTION_LOST);
            data.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    void need(std::size_t count) {
        std::array<char, 65536> part;
        while (in_.size() < count) {
            const ssize_t got = ::recv(socket_, part.data(), part.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) throw PlayerError("The connection to the referee is lost.", CONNECTION_LOST);
            in_.append(part.data(), static_cast<std::size_t>(got));
        }
    }
    /// Read one frame; return a message's bytes, or nothing if it was a command of ZeroMQ.
    std::optional<std::string> next_frame() {
        need(2);
        const unsigned flags = static_cast<unsigned char>(in_[0]);
        std::size_t start = 2;
        std::uint64_t size = static_cast<unsigned char>(in_[1]);
        if (flags & 2) {
            need(start = 9);
            size = 0;
            for (std::size_t at = 1; at < 9; ++at) size = size << 8 | static_cast<unsigned char>(in_[at]);
        }
        if ((flags & ~6u) || size > MOST) throw WireError("garbled", "it sent an unexpected frame");
        need(start + size);
        std::string body = in_.substr(start, size);
        in_.erase(0, start + size);
        if (!(flags & 4)) return body;
        if (body.starts_with("\x05READY")) ready_ = true;
        if (body.starts_with("\x04PING")) {
            const std::string pong = "\x04PONG" + body.substr(std::min<std::size_t>(7, body.size()));
            send_bytes(std::string{'\x04', static_cast<char>(pong.size())} + pong);
        }
        return std::nullopt;
    }
};

// --- results ---------------------------------------------------------------------------------------------------------

class Object;

/// The referee's answer to one action.
struct Reply {
    bool settled = false;
    std::string code, message;
    const Object* value = nullptr;
};

/// The result of an action. It is true if the action was carried out. Otherwise the action has not changed the game.
/// Before the end of a batch, reading a result of this batch throws `std::logic_error`.
template <class T = void> class Result {
  public:
    explicit Result(std::shared_ptr<const Reply> reply) : reply_(std::move(reply)) {}
    template <class U> Result(const Result<U>& other) : reply_(other.reply_) {}

    explicit operator bool() const { return accepted(); }
    /// True if the action was carried out.
    bool accepted() const { return get().code.empty(); }
    /// Empty if accepted, else the game's code for the reason. Two codes come from the kit: "not_tried" (an earlier
    /// action of the batch was refused or ended the turn) and "not_your_turn" (your turn was over, so the action was
    /// not sent).
    const std::string& code() const { return get().code; }
    /// Empty if accepted, else the reason.
    const std::string& message() const { return get().message; }
    /// The object that the action returned, such as a new object; or null.
    const T* value() const { return static_cast<const T*>(get().value); }

  private:
    template <class U> friend class Result;
    std::shared_ptr<const Reply> reply_;
    const Reply& get() const {
        if (!reply_->settled) throw std::logic_error("A batch is sent at its end. Use its results after it.");
        return *reply_;
    }
};
template <class T> inline constexpr bool is_result = false;
template <class T> inline constexpr bool is_result<Result<T>> = true;

// --- looking ahead ---------------------------------------------------------------------------------------------------

/// The rules refused an action or a request. `code` is the game's code, or "bad_request".
struct RulesError : std::runtime_error {
    std::string code;
    RulesError(std::string name, const std::string& message) : std::runtime_error(message), code(std::move(name)) {}
};

/// The process that runs the rules of the game: see "The rules as a service" in the documentation of the framework.
class Rules {
  public:
    Rules() : reader_([this] { return read(); }) {
        const char* python = std::getenv("ARENA_PYTHON");
        if (!python || !*python)
            throw PlayerError(
                "fork(), helpers and random_action() need the rules of the game. Write `rules = true` into bot.toml.");
        int in[2], out[2];
        if (::pipe(in) || ::pipe(out)) throw PlayerError("The rules of the game cannot be started: there is no pipe.");
        for (const int end : {in[0], in[1], out[0], out[1]}) ::fcntl(end, F_SETFD, FD_CLOEXEC);
        const pid_t child = ::fork();
        if (child < 0) throw PlayerError("The rules of the game cannot be started: there is no process.");
        if (child == 0) {
            ::dup2(in[0], 0), ::dup2(out[1], 1);
            ::execl(python, python, "-B", "-P", "-s", "-S", "-m", "arena_player.rules", nullptr);
            ::_exit(127);
        }
        ::close(in[0]), ::close(out[1]);
        in_ = in[1], out_ = out[0];
    }
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;
    ~Rules() { ::close(in_), ::close(out_); }  // the process ends with its input

    std::int64_t states = 0;           ///< The number of states that were made so far.
    std::vector<std::int64_t> unused;  ///< The numbers of the states that the bot does not use any more.

    /// Send requests in one message, and return a result for each. The message also frees the unused states.
    Value::List ask(Value::List requests) {
        const std::size_t count = requests.size();
        for (const std::int64_t number : std::exchange(unused, {})) requests.push_back(Value::List{"free", number});
        std::string message;
        pack(requests, message);
        for (std::string_view rest = message; !rest.empty();) {
            const ssize_t sent = ::write(in_, rest.data(), rest.size());
            if (sent < 0 && errno == EINTR) continue;
            if (sent <= 0) throw stopped();
            rest.remove_prefix(static_cast<std::size_t>(sent));
        }
        Value::List results = reader_.next().as_list();
        results.resize(std::min(count, results.size()));
        return results;
    }

  private:
    int in_ = -1, out_ = -1;
    Unpacker reader_;

    static PlayerError stopped() { return PlayerError("The rules of the game have stopped. Their message is above."); }
    std::string read() {
        std::string part(65536, '\0');
        ssize_t got;
        do got = ::read(out_, part.data(), part.size());
        while (got < 0 && errno == EINTR);
        if (got <= 0) throw stopped();
        part.resize(static_cast<std::size_t>(got));
        return part;
    }
};

/// A state of the rules to search in. It is not connected to the match.
class State {
  public:
    /// Makes the objects of a view, and returns the game.
    using GameOf = std::function<std::shared_ptr<const Object>(const Value&)>;

    /// For the kit: make a state with an operation of the service. In the request, the number of the new state comes
    /// between the values of `before` and of `after`.
    State(std::shared_ptr<Rules> rules, GameOf game_of, Value::List before, const Value::List& after)
        : handle_(new Handle{std::move(rules), std::move(game_of), 0}) {
        before.emplace_back(handle_->number = handle_->rules->states++);
        before.insert(before.end(), after.begin(), after.end());
        value(std::move(before));
    }

    /// Carry out an action, and return the mark for `pop`. Throw `RulesError` if the rules refuse the action.
    std::int64_t push(std::int64_t player, const Value& action) { return ask("push", {player, action}).as_int() - 1; }
    /// Undo the push that returned `mark`, and all pushes after it. Without `mark`, undo all pushes.
    void pop(std::int64_t mark = 0) { ask("pop", {mark}); }
    /// Return all legal actions of a player; without a player, those of the first player to move.
    Value::List legal_actions(std::optional<std::int64_t> player = {}) const {
        return ask("legal_actions", {player ? Value(*player) : Value()}).as_list();
    }
    /// Return the players who are allowed to act; none if the game is over.
    Value::List to_move() const { return ask("to_move", {}).as_list(); }
    /// Return the outcome as in `Outcome::document`, or null while the game goes on.
    Value outcome() const { return ask("outcome", {}); }
    /// Return each player's score.
    std::vector<double> scores() const {
        std::vector<double> all;
        for (const Value& one : ask("scores", {}).as_list()) all.push_back(one.as_number());
        return all;
    }
    /// Return a copy. The copy cannot undo the pushes made before. `seed` is the seed of the copy's dice.
    State clone(std::int64_t seed = 0) const {
        return {handle_->rules, handle_->game_of, {"clone", handle_->number}, {seed}};
    }
    /// Return a state with a new guess at what a player does not see. `seed` decides the guess, and the state's dice.
    State determinize(std::int64_t player, std::int64_t seed) const {
        return {handle_->rules, handle_->game_of, {"determinize", handle_->number}, {player, seed}};
    }
    /// Carry out many requests in one message, which is faster: `batch({{"push", 0, action}, {"scores"}, {"pop", 0}})`.
    /// The documentation of the rules service lists the requests; leave out the number of the state. Return for each
    /// request a list: true and the value, or false, a code and a message.
    Value::List batch(const std::vector<Value::List>& requests) {
        Value::List numbered;
        for (Value::List request : requests) {
            request.insert(request.begin() + 1, handle_->number);
            numbered.emplace_back(std::move(request));
        }
        return handle_->rules->ask(std::move(numbered));
    }

  protected:
    template <class Game> std::shared_ptr<const Game> game_as() const {
        return std::static_pointer_cast<const Game>(handle_->game_of(ask("view", {})));
    }

  private:
    struct Handle {
        std::shared_ptr<Rules> rules;
        GameOf game_of;
        std::int64_t number;
        ~Handle() { rules->unused.push_back(number); }
    };
    std::unique_ptr<Handle> handle_;

    Value value(Value::List request) const {
        const Value::List result = handle_->rules->ask(Value::List(1, std::move(request))).at(0).as_list();
        if (!result.at(0).as_bool()) throw RulesError(result.at(1).as_string(), result.at(2).as_string());
        return result.at(1);
    }
    Value ask(const char* name, const Value::List& arguments) const {
        Value::List request{name, handle_->number};
        request.insert(request.end(), arguments.begin(), arguments.end());
        return value(std::move(request));
    }
};

// --- the game --------------------------------------------------------------------------------------------------------

class World;
struct Tile;

/// The distance to something that is not on the board.
inline constexpr std::int64_t FAR_AWAY = std::numeric_limits<std::int64_t>::max();

/// One object of the game. The kit keeps it current; it is the same object for the whole match.
class Object {
  public:
    virtual ~Object() = default;
    /// The object's name on the wire and in replays.
    const std::string& id() const { return id_; }
    /// False if the object has been removed from the game or is out of your sight.
    bool present() const { return present_; }
    /// The name of its class in the game's schema.
    virtual std::string_view class_name() const = 0;
    /// Set a field to a value from the referee. For the kit.
    virtual void set(std::string_view field, const Value& value, const World& world) = 0;

  protected:
    template <class T> Result<T> send_action(Value::Map action) const;
    template <class T> T call_helper(const char* name, Value::Map arguments) const;
    State fork_state(std::optional<std::int64_t> seed) const;

  private:
    friend class World;
    Value::Map known_;  // its fields as on the wire
    std::string id_;
    bool present_ = false;
    World* world_ = nullptr;
};

/// An object that stands on a tile.
class PlacedObject : public Object {
  public:
    /// Column and row; without value if the object is not on the board.
    std::optional<std::int64_t> x, y;
    /// The tile that the object stands on, or null if the object is not on the board.
    const Tile* tile = nullptr;
};

/// One square of the board. x grows to the right, y grows downwards, (0, 0) is top left.
struct Tile {
    std::int64_t x = 0, y = 0;
    /// The next tiles; null at the edge.
    const Tile *north = nullptr, *south = nullptr, *east = nullptr, *west = nullptr;
    /// The tiles to the north, south, east and west that exist, in this order.
    std::vector<const Tile*> neighbors;
    /// All objects on this tile.
    std::vector<const PlacedObject*> things;
    World* world = nullptr;  ///< For the kit.

    /// Return the object of a class on this tile, the last one if there are several, or null: `tile->find<Cowboy>()`.
    template <class T> const T* find() const {
        const T* found = nullptr;
        for (const PlacedObject* thing : things)
            if (const T* one = dynamic_cast<const T*>(thing)) found = one;
        return found;
    }
};

/// Count the steps between two tiles, ignoring obstacles; `FAR_AWAY` if one is null.
inline std::int64_t distance(const Tile* first, const Tile* second) {
    return first && second ? std::abs(first->x - second->x) + std::abs(first->y - second->y) : FAR_AWAY;
}

/// Return a shortest path that goes from tile to neighbouring tile, without `start` and with `goal`. The path is empty
/// if there is no way, or if `start` is `goal`. `passable` returns whether a path can cross a tile. The goal can be
/// occupied. Neither tile can be null.
template <class Passable> std::vector<const Tile*> find_path(const Tile* start, const Tile* goal, Passable passable) {
    // Of two equally good tiles, the counter prefers the tile added later, as in the other kits.
    using Entry = std::tuple<std::int64_t, std::int64_t, const Tile*>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::unordered_map<const Tile*, std::pair<std::int64_t, const Tile*>> reached{{start, {0, nullptr}}};
    std::int64_t counter = 0;
    queue.emplace(distance(start, goal), 0, start);
    while (!queue.empty()) {
        const Tile* tile = std::get<2>(queue.top());
        queue.pop();
        if (tile == goal) {
            std::vector<const Tile*> path;
            for (; tile != start; tile = reached[tile].second) path.push_back(tile);
            std::reverse(path.begin(), path.end());
            return path;
        }
        const std::int64_t steps = reached[tile].first + 1;
        for (const Tile* near : tile->neighbors) {
            const auto known = reached.find(near);
            if ((known != reached.end() && known->second.first <= steps) || !(near == goal || passable(near))) continue;
            reached[near] = {steps, tile};
            queue.emplace(steps + distance(near, goal), --counter, near);
        }
    }
    return {};
}

/// All objects of a match as one player sees them, kept current by the referee's deltas.
class World {
  public:
    using Make = std::function<std::unique_ptr<Object>(std::string_view)>;
    using Act = std::function<std::shared_ptr<Reply>(Value::Map)>;

    /// `make` makes an object of a class by name, or returns null.
    World(Value welcome, Make make, Act send) : act(std::move(send)), welcome_(std::move(welcome)), make_(std::move(make)) {
        if (const Value& grid = welcome_["schema"]["grid"]; !grid.is_null())
            width_name_ = grid["width"].as_string(), height_name_ = grid["height"].as_string();
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    Act act;
    Value::List legal_actions;  ///< All legal actions of the bot, if it wants them.

    /// Return the object with this id, or null.
    const Object* object(const std::string& id) const {
        const auto found = objects_.find(id);
        return found == objects_.end() ? nullptr : found->second.get();
    }
    /// Return all objects in the order in which they appeared, including removed ones.
    const std::vector<const Object*>& objects() const { return order_; }
    /// Return all tiles, row by row; empty in games without a board.
    const std::vector<const Tile*>& tiles() const { return tile_list_; }
    /// Return the tile at (x, y), or null if it is off the board.
    const Tile* tile(std::int64_t x, std::int64_t y) const { return at(x, y); }

    /// Return a state of the rules that agrees with what the player sees. Without a seed, each call uses another one.
    State fork(std::optional<std::int64_t> seed) {
        if (welcome_.is_null()) throw std::logic_error("This is the game of a state. Copy the state with `state.clone`.");
        if (!rules_) rules_ = std::make_shared<Rules>();
        const Value& schema = welcome_["schema"];
        const std::int64_t chosen = seed ? *seed : forks_++;
        return {rules_, [this](const Value& seen) { return game_of(seen); }, {"fork"},
                {schema["game"], schema["version"], welcome_["options"], view(false), welcome_["player"], chosen}};
    }

    /// Return the result of a helper of the game. The rules service computes it from what the player sees, which is sent
    /// before if it has changed. The target is an object, a tile, or null for the bot, each as in `argument`.
    template <class T> T help(Value target, const char* name, Value::Map arguments) {
        if (welcome_.is_null()) throw std::logic_error("This is the game of a state. Helpers are for the game as it is now.");
        if (!rules_) rules_ = std::make_shared<Rules>();
        const Value& schema = welcome_["schema"];
        Value::List requests;
        if (!watched_)
            requests.push_back(Value::List{"watch", schema["game"], schema["version"], welcome_["options"], welcome_["player"],
                                           view(true), legal_actions});
        else if (changed_) requests.push_back(Value::List{"update", std::move(news_), legal_actions});
        requests.push_back(Value::List{"help", std::move(target), name, std::move(arguments)});
        const Value::List results = rules_->ask(std::move(requests));
        watched_ = results.front().as_list().at(0).as_bool() || results.size() == 1;
        changed_ = false, news_.clear();
        for (const Value& one : results)
            if (const Value::List& result = one.as_list(); !result.at(0).as_bool())
                throw RulesError(result.at(1).as_string(), result.at(2).as_string());
        const Value& value = results.back().as_list().at(1);
        if constexpr (is_result<T>) return T(carry_out(value["acts"].as_list()));
        else return answer<T>(value);
    }

    /// Apply a delta: first new and removed objects, then all fields.
    void apply(const Value& delta) {
        try {
            fold(delta.as_list());
            changed_ = true;
            if (watched_) news_.insert(news_.end(), delta.as_list().begin(), delta.as_list().end());
            if (news_.size() > MOST_NEWS) watched_ = false, news_.clear();
        } catch (const std::logic_error& error) {  // a value of another type, or a list that is too short
            throw WireError("bad_value", std::string("a delta does not fit the schema (") + error.what() + ")");
        }
    }

    /// Convert a value of the wire to the type of a field. Null becomes an empty value.
    template <class T> T convert(const Value& value) const {
        if (value.is_null()) return T{};
        if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
            if constexpr (requires(T list) { list.push_back({}); }) {
                T list;
                for (const Value& item : value.as_list()) list.push_back(convert<typename T::value_type>(item));
                return list;
            } else return convert<typename T::value_type>(value);
        } else if constexpr (std::is_same_v<T, const Tile*>) {
            return at(value.as_list().at(0).as_int(), value.as_list().at(1).as_int());
        } else if constexpr (std::is_pointer_v<T>) return static_cast<T>(object(value.as_string()));
        else if constexpr (std::is_same_v<T, bool>) return value.as_bool();
        else if constexpr (std::is_same_v<T, std::int64_t>) return value.as_int();
        else if constexpr (std::is_same_v<T, double>) return value.as_number();
        else if constexpr (std::is_same_v<T, std::string>) return value.as_string();
        else return value;
    }

    /// Convert a result of a helper, in which maps stand for objects, tiles and maps.
    template <class T> T answer(const Value& value) const {
        if (value.is_null()) return T{};
        if constexpr (std::is_same_v<T, Value>) return plain(value);
        else if constexpr (std::is_same_v<T, const Tile*>) return convert<T>(value["tile"]);
        else if constexpr (std::is_pointer_v<T>) return dynamic_cast<T>(object(value["id"].as_string()));
        else if constexpr (requires { T::from_fields(value, *this); }) return T::from_fields(value["fields"], *this);
        else if constexpr (requires { typename T::value_type::first_type; }) {
            T table;
            for (const Value& entry : plain_entries(value))
                table.emplace_back(answer<typename T::value_type::first_type>(entry.as_list().at(0)),
                                   answer<typename T::value_type::second_type>(entry.as_list().at(1)));
            return table;
        } else if constexpr (requires(T list, typename T::value_type item) { list.push_back(item); } &&
                             !std::is_same_v<T, std::string>) {
            T list;
            for (const Value& item : value.as_list()) list.push_back(answer<typename T::value_type>(item));
            return list;
        } else if constexpr (requires(T optional) { optional.has_value(); }) return answer<typename T::value_type>(value);
        else return convert<T>(value);
    }

    /// Return the numbers of an array; none for null. The bytes need no swap: all supported machines are little-endian.
    template <class T> static T array(const Value& value) {
        const std::string bytes = value.is_null() ? "" : value.as_bytes();
        T numbers(bytes.size() / sizeof(typename T::value_type));
        if (bytes.size() % sizeof(typename T::value_type)) throw WireError("bad_value", "an array is cut short");
        if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
        return numbers;
    }

  private:
    Value welcome_;
    Make make_;
    std::shared_ptr<Rules> rules_;
    std::int64_t forks_ = 0;
    static constexpr std::size_t MOST_NEWS = 9000;  // 3,000 changes: the whole view of most games is shorter
    bool watched_ = false, changed_ = false;  // whether the rules service has a view, and whether `news_` came after it
    Value::List news_;

    /// Return what the player sees as flat triples. With `all`, also the objects that are not present any more.
    Value::List view(bool all) const {
        Value::List triples;
        for (const Object* thing : order_) {
            if (!all && !thing->present()) continue;
            triples.insert(triples.end(), {thing->id(), "+", std::string(thing->class_name())});
            for (const auto& [field, value] : thing->known_) triples.insert(triples.end(), {thing->id(), field, value});
            if (!thing->present()) triples.insert(triples.end(), {thing->id(), "-", Value()});
        }
        return triples;
    }
    /// Carry out the actions of a helper up to the first refused one, and return the last reply.
    std::shared_ptr<Reply> carry_out(const Value::List& acts) const {
        auto reply = std::make_shared<Reply>(Reply{true, "", "", nullptr});
        for (const Value& action : acts) {
            reply = act(action.as_map());
            if (reply->settled && !reply->code.empty()) break;
        }
        return reply;
    }
    /// Return the pairs of a map in a result of a helper.
    static Value::List plain_entries(const Value& value) {
        if (!value["map"].is_null()) return value["map"].as_list();
        Value::List pairs;
        for (const auto& [key, item] : value["fields"].as_map()) pairs.push_back(Value::List{key, item});
        return pairs;
    }
    /// Return a result of a helper without the marks: lists and maps. An object is its id, and a tile a pair.
    static Value plain(const Value& value) {
        if (value.is<Value::List>()) {
            Value::List items;
            for (const Value& item : value.as_list()) items.push_back(plain(item));
            return items;
        }
        if (!value.is_map()) return value;
        if (!value["id"].is_null() || !value["tile"].is_null()) return value.as_map().front().second;
        if (!value["map"].is_null()) return plain(value["map"]);
        Value::Map entries;
        for (const auto& [key, item] : value["fields"].as_map()) entries.emplace_back(key, plain(item));
        return entries;
    }
    std::string width_name_, height_name_;
    std::int64_t width_ = 0, height_ = 0;

    /// The objects of a state, which nothing keeps current.
    World(const World& match, const Value& view)
        : act([](Value::Map) -> std::shared_ptr<Reply> {
              throw std::logic_error("This is the game of a state. Carry out its actions with `state.push`.");
          }),
          make_(match.make_), width_name_(match.width_name_), height_name_(match.height_name_) {
        apply(view);
    }
    std::shared_ptr<const Object> game_of(const Value& view) const {
        const std::shared_ptr<const World> world(new World(*this, view));
        return {world, world->object("game")};
    }

    std::vector<Tile> tiles_;
    std::vector<const Tile*> tile_list_;
    std::unordered_map<std::string, std::unique_ptr<Object>> objects_;
    std::vector<const Object*> order_;

    void fold(const Value::List& list) {
        if (list.size() % 3) throw WireError("bad_value", "a delta is not made of triples");
        for (std::size_t i = 0; i < list.size(); i += 3) come_or_go(list[i].as_string(), list[i + 1].as_string(), list[i + 2]);
        if (tile_list_.empty() && !width_name_.empty()) lay_out(list);
        std::vector<PlacedObject*> moved;
        for (std::size_t i = 0; i < list.size(); i += 3) {
            const std::string& field = list[i + 1].as_string();
            if (field == "+" || field == "-") continue;
            Object& thing = known(list[i].as_string());
            const Value& value = remember(thing, field, list[i + 2]);
            auto* placed = field == "x" || field == "y" ? dynamic_cast<PlacedObject*>(&thing) : nullptr;
            if (!placed) {
                thing.set(field, value, *this);
                continue;
            }
            (field == "x" ? placed->x : placed->y) = convert<std::optional<std::int64_t>>(value);
            moved.push_back(placed);
        }
        for (PlacedObject* thing : moved) take_off(*thing);
        for (PlacedObject* thing : moved) {
            Tile* tile = thing->x && thing->y && thing->present() ? at(*thing->x, *thing->y) : nullptr;
            if (tile && thing->tile != tile) tile->things.push_back(thing), thing->tile = tile;
        }
    }
    Tile* at(std::int64_t x, std::int64_t y) const {
        const bool inside = x >= 0 && y >= 0 && x < width_ && y < height_;
        return inside ? const_cast<Tile*>(&tiles_[static_cast<std::size_t>(y * width_ + x)]) : nullptr;
    }
    Object& known(const std::string& id) const {
        const auto found = objects_.find(id);
        if (found == objects_.end()) throw WireError("bad_value", "a delta names the unknown object " + id);
        return *found->second;
    }
    /// Keep the new value of a field as on the wire, and return it. For an array, a list has the changed spans.
    static const Value& remember(Object& thing, const std::string& field, const Value& value) {
        auto& fields = thing.known_;
        auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.first == field; });
        if (found == fields.end()) found = fields.emplace(found, field, Value());
        if (!found->second.is<Value::Bytes>() || !value.is<Value::List>()) return found->second = value;
        std::string bytes = found->second.as_bytes();
        const Value::List& spans = value.as_list();
        for (std::size_t i = 0; i < spans.size(); i += 2) {
            const std::string& part = spans.at(i + 1 < spans.size() ? i + 1 : i).as_bytes();
            const auto at = static_cast<std::size_t>(spans[i].as_int());
            if (at > bytes.size() || part.size() > bytes.size() - at) throw WireError("bad_value", "a span is outside of the array");
            bytes.replace(at, part.size(), part);
        }
        return found->second = Value::Bytes{std::move(bytes)};
    }
    void come_or_go(const std::string& id, const std::string& field, const Value& value) {
        if (field == "-") {
            known(id).present_ = false;
            if (auto* placed = dynamic_cast<PlacedObject*>(&known(id))) take_off(*placed);
        }
        if (field != "+") return;
        std::unique_ptr<Object>& thing = objects_[id];
        if (!thing) {
            if (!(thing = make_(value.as_string()))) throw WireError("bad_value", "the schema has no class " + value.as_string());
            thing->id_ = id, thing->world_ = this;
            order_.push_back(thing.get());
        }
        thing->present_ = true;
    }
    static void take_off(PlacedObject& thing) {
        if (thing.tile) std::erase(const_cast<Tile*>(thing.tile)->things, &thing);
        thing.tile = nullptr;
    }
    void lay_out(const Value::List& delta) {
        for (std::size_t i = 0; i < delta.size(); i += 3) {
            if (delta[i] != Value("game")) continue;
            if (delta[i + 1] == Value(width_name_)) width_ = delta[i + 2].as_int();
            if (delta[i + 1] == Value(height_name_)) height_ = delta[i + 2].as_int();
        }
        tiles_.resize(static_cast<std::size_t>(width_ * height_));
        for (std::int64_t i = 0; i < width_ * height_; ++i) {
            Tile& tile = tiles_[static_cast<std::size_t>(i)];
            tile.x = i % width_, tile.y = i / width_, tile.world = this;
            tile.north = at(tile.x, tile.y - 1), tile.south = at(tile.x, tile.y + 1);
            tile.east = at(tile.x + 1, tile.y), tile.west = at(tile.x - 1, tile.y);
            for (const Tile* near : {tile.north, tile.south, tile.east, tile.west})
                if (near) tile.neighbors.push_back(near);
            tile_list_.push_back(&tile);
        }
    }
};

template <class T> Result<T> Object::send_action(Value::Map action) const {
    return Result<T>(world_->act(std::move(action)));
}

inline State Object::fork_state(std::optional<std::int64_t> seed) const { return world_->fork(seed); }

/// Return the value of an argument of an action on the wire. For generated classes.
inline Value wire(const Value& value) { return value; }
inline Value wire(const Object* thing) { return thing ? Value(thing->id()) : Value(); }
inline Value wire(const Tile* tile) { return tile ? Value(Value::List{tile->x, tile->y}) : Value(); }
template <class T> Value wire(const std::optional<T>& value) { return value ? wire(*value) : Value(); }
template <class T> Value wire(const std::vector<T>& items) {
    Value::List list;
    for (const T& item : items) list.push_back(wire(item));
    return list;
}
/// A tile or an object: an argument of a helper that takes both.
struct Thing {
    Value value;
    Thing(const Tile* tile) : value(tile ? Value(Value::Map{{"tile", Value::List{tile->x, tile->y}}}) : Value()) {}
    Thing(const Object* object) : value(object ? Value(Value::Map{{"id", object->id()}}) : Value()) {}
};
/// Return the value of an argument of a helper on the wire. For generated classes.
inline Value argument(const Value& value) { return value; }
inline Value argument(const Thing& thing) { return thing.value; }
inline Value argument(const Object* thing) { return Thing(thing).value; }
inline Value argument(const Tile* tile) { return Thing(tile).value; }
template <class T> Value argument(const std::optional<T>& value) { return value ? argument(*value) : Value(); }
template <class T> Value argument(const std::vector<T>& items) {
    Value::List list;
    for (const T& item : items) list.push_back(argument(item));
    return list;
}
/// Return the arguments of a helper by name. Those that can be left out, and are null or empty, are left out.
struct Argument {
    const char* name;
    Value value;
    bool has_default;
};
inline Value::Map arguments(std::initializer_list<Argument> all) {
    Value::Map given;
    for (const auto& [name, value, has_default] : all)
        if (!has_default || !(value.is_null() || value == Value(Value::List{}))) given.emplace_back(name, value);
    return given;
}
template <class T> T Object::call_helper(const char* name, Value::Map arguments) const {
    return world_->help<T>(argument(this), name, std::move(arguments));
}
/// Refuse a null argument.
template <class T> T given(T argument, const char* name) {
    return argument ? argument : throw std::invalid_argument(std::string(name) + " is null.");
}
/// The same path, if a path can cross the tiles that the helper `is_passable` of the game allows. It asks the rules service.
inline std::vector<const Tile*> find_path(const Tile* start, const Tile* goal) {
    World& world = *given(start, "start")->world;
    return world.help<std::vector<const Tile*>>(argument(start), "path_to", {{"goal", argument(given(goal, "goal"))}});
}
inline Value wire_x(const Tile* tile) { return tile ? Value(tile->x) : Value(); }
inline Value wire_y(const Tile* tile) { return tile ? Value(tile->y) : Value(); }

// --- random numbers --------------------------------------------------------------------------------------------------

/// Random numbers from a seed. From the same seed, `self.random` in the Python kit gives the same numbers.
class Random {
  public:
    /// `seed` is a whole number in hexadecimal digits.
    explicit Random(std::string seed) {
        std::vector<std::uint32_t> key;
        for (; !seed.empty(); seed.resize(seed.size() - std::min<std::size_t>(8, seed.size())))
            key.push_back(static_cast<std::uint32_t>(std::stoul(seed.substr(seed.size() - std::min<std::size_t>(8, seed.size())), nullptr, 16)));
        while (key.size() > 1 && key.back() == 0) key.pop_back();
        state_[0] = 19650218u;
        for (std::uint32_t i = 1; i < 624; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ state_[i - 1] >> 30) + i;
        std::size_t i = 1;
        const auto mix = [&](std::uint32_t factor) {
            const std::uint32_t mixed = state_[i] ^ (state_[i - 1] ^ state_[i - 1] >> 30) * factor;
            if (++i == 624) i = 1;
            return mixed;
        };
        for (std::size_t k = 0, j = 0; k < 624; ++k, j = (j + 1) % key.size()) {
            const std::size_t at = i;
            state_[at] = mix(1664525u) + key[j] + static_cast<std::uint32_t>(j);
            if (i == 1) state_[0] = state_[623];
        }
        for (std::size_t k = 0; k < 623; ++k) {
            const std::size_t at = i;
            state_[at] = mix(1566083941u) - static_cast<std::uint32_t>(at);
            if (i == 1) state_[0] = state_[623];
        }
        state_[0] = 0x80000000u;
    }
    /// Return a number from 0 (included) to 1 (excluded).
    double random() {
        const std::uint32_t high = next() >> 5, low = next() >> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }
    /// Return an integer from 0 to `count` - 1. `count` is from 1 to 4,294,967,295.
    std::int64_t below(std::int64_t count) {
        if (count < 1 || count > 0xFFFFFFFF) throw std::invalid_argument("below() takes 1 to 4294967295.");
        const int bits = 64 - std::countl_zero(static_cast<std::uint64_t>(count));
        for (;;)
            if (const std::int64_t value = next() >> (32 - bits); value < count) return value;
    }
    /// Return one of the items.
    template <class T> const T& choice(const std::vector<T>& items) {
        return items.at(static_cast<std::size_t>(below(static_cast<std::int64_t>(items.size()))));
    }
    /// Put the items into a random order.
    template <class T> void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i-- > 1;)
            std::swap(items[i], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(i) + 1))]);
    }

  private:
    std::array<std::uint32_t, 624> state_{};
    std::size_t at_ = 624;
    std::uint32_t next() {  // the Mersenne Twister
        if (at_ == 624) {
            for (std::size_t i = 0; i < 624; ++i) {
                const std::uint32_t mixed = (state_[i] & 0x80000000u) | (state_[(i + 1) % 624] & 0x7FFFFFFFu);
                state_[i] = state_[(i + 397) % 624] ^ mixed >> 1 ^ (mixed & 1 ? 0x9908B0DFu : 0);
            }
            at_ = 0;
        }
        std::uint32_t y = state_[at_++];
        y ^= y >> 11, y ^= y << 7 & 0x9D2C5680u, y ^= y << 15 & 0xEFC60000u;
        return y ^ y >> 18;
    }
};

// --- logs and drawings -----------------------------------------------------------------------------------------------

/// A place on the board: a tile, an object on a tile, or a pair {x, y} measured in tiles. The constructors throw
/// `std::invalid_argument` for a place off the board.
struct Place {
    double x, y;
    double margin = 0.5;  // in a rectangle, a tile or an object means its whole tile
    Place(double x_, double y_) : x(x_), y(y_), margin(0) {
        if (!std::isfinite(x) || !std::isfinite(y)) throw std::invalid_argument("Coordinates must be finite numbers.");
    }
    Place(const Tile* tile) : Place(tile ? tile : throw std::invalid_argument("Nothing can be drawn off the board."), 0) {}
    Place(const PlacedObject* thing) : Place(thing ? thing->tile : nullptr) {}

  private:
    Place(const Tile* tile, int) : x(static_cast<double>(tile->x) + 0.5), y(static_cast<double>(tile->y) + 0.5) {}
};

/// Draws on the board of the replay, for debugging. Other bots never get your drawings. A colour is a name or #rrggbb.
class Draw {
  public:
    /// Draw a dot.
    void point(Place at, const std::string& color = "") { add("point", {{"x", at.x}, {"y", at.y}}, color); }
    /// Draw a line.
    void line(Place start, Place end, const std::string& color = "") {
        add("line", {{"x", start.x}, {"y", start.y}, {"x2", end.x}, {"y2", end.y}}, color);
    }
    /// Draw a frame around the tiles from `a` to `b`. Pairs are corners.
    void rectangle(Place a, Place b, const std::string& color = "") {
        add("rectangle",
            {{"x", std::min(a.x - a.margin, b.x - b.margin)}, {"y", std::min(a.y - a.margin, b.y - b.margin)},
             {"x2", std::max(a.x + a.margin, b.x + b.margin)}, {"y2", std::max(a.y + a.margin, b.y + b.margin)}},
            color);
    }
    /// Write a short text, at most 200 characters.
    void text(Place at, const std::string& text, const std::string& color = "") {
        add("text", {{"x", at.x}, {"y", at.y}, {"text", pieces(text, 200, true)[0]}}, color);
    }

  private:
    friend class Session;
    Value::List shapes_;
    void add(const char* kind, Value::Map shape, const std::string& color) {
        if (shapes_.size() >= 800) return;  // the limit of the kits for one move
        shape.insert(shape.begin(), {"kind", kind});
        if (!color.empty()) shape.emplace_back("color", pieces(color, 32, true)[0]);
        shapes_.push_back(std::move(shape));
    }
};

// --- the bot ---------------------------------------------------------------------------------------------------------

/// The result of a match.
struct Outcome {
    bool won = false;
    std::string ending;                ///< For this bot: "won", "lost", "drawn", "timed_out" and so on.
    std::vector<std::string> endings;  ///< The same for all players, in order.
    Value document;                    ///< The outcome in the game's own terms.
};

/// A bot. Bots derive from the `AI` of their game's header, which derives from this class.
class AI {
  public:
    virtual ~AI() = default;
    /// Prepare for the match. Called once before the first turn, when the game is complete.
    virtual void start() {}
    /// Play your turn: call actions, and return when you are done. If it is still your move when this method returns,
    /// and the game has the action `end_turn`, the kit sends `end_turn`. If it is still your move after that, the kit
    /// calls this method again. But if this method has sent no action, the bot ends with an error.
    virtual void run_turn() = 0;
    /// React to a change of the game, in your turn or in another player's turn. You cannot act here.
    virtual void game_updated() {}
    /// React to a refused action.
    virtual void refused(const Value& /*action*/, const Result<>& /*result*/) {}
    /// React to the end of the match. Called once, if the match has begun.
    virtual void end(const Outcome& /*outcome*/) {}

    /// Set to true in your constructor to get `legal_actions`. This makes each move slower.
    bool wants_legal_actions = false;
    std::int64_t index = 0;                       ///< Your number, from 0.
    std::int64_t turn = 0;                        ///< The number of the turn being played.
    std::map<std::string, std::string> settings;  ///< The values given with `--bot-option NAME=VALUE`.
    Value options = Value::Map{};                 ///< The options of this match.
    Value::List events;                           ///< What happened since the last update, as maps with a `kind`.
    Value::List legal_actions;                    ///< All your legal actions, if `wants_legal_actions` is set.
    Value::List out;                              ///< The players who are out, as of the beginning of your turn.
    Random random{"0"};                           ///< The same numbers if the match is played again with its seed.
    Draw draw;                                    ///< Draws on the board in the replay.

    /// Return one of your legal actions at random, while it is your move. If the action is a form, in which a list
    /// has `choices`, this also chooses at most one item of each group (exactly one if `all` is true).
    /// Without `wants_legal_actions`, the rules list the actions, as in `game->fork()`, which is slow.
    Value::Map random_action() {
        const Value::List actions = wants_legal_actions ? legal_actions : world_->fork({}).legal_actions(index);
        if (actions.empty()) throw std::logic_error("random_action() has no action, because it is not your move.");
        Value::Map action = random.choice(actions).as_map();
        for (auto& [key, value] : action) {
            if (!value.is<Value::Map>() || value["choices"].is_null()) continue;
            const Value& all = value["all"];
            const std::int64_t skip = !all.is_null() && all.as_bool() ? 0 : 1;  // one more choice: no item of the group
            Value::List chosen;
            for (const Value& group : value["choices"].as_list()) {
                const auto size = static_cast<std::int64_t>(group.as_list().size());
                const std::int64_t number = random.below(size + skip);
                if (number < size) chosen.push_back(group.as_list()[static_cast<std::size_t>(number)]);
            }
            value = std::move(chosen);
        }
        return action;
    }
    /// Return all tiles, row by row.
    const std::vector<const Tile*>& tiles() const { return world_->tiles(); }
    /// Return the tile at (x, y), or null if it is off the board.
    const Tile* tile(std::int64_t x, std::int64_t y) const { return world_->tile(x, y); }

    /// Write a line into the replay. Other bots never get it. The kit sends the line with your next action.
    template <class... Values> void log(const Values&... values) {
        std::ostringstream line;
        ((line << values << ' '), ...);
        if (log_.size() < 32000) log_ += (log_.empty() ? "" : "\n") + line.str().substr(0, line.str().size() - 1);
    }
    /// Send an action in the form of the game's specification: {{"type", ...}, ...}.
    Result<> act(Value::Map action) { return Result<>(world_->act(std::move(action))); }
    /// Send all actions that `actions()` calls at once, which is faster than one by one. The referee carries out the
    /// actions in order and stops at the first refused one, unless `keep_going` is true. Return a result for each action.
    std::vector<Result<>> batch(const std::function<void()>& actions, bool keep_going = false) {
        return batch_(actions, keep_going);
    }
    /// Return the seconds left for this turn; nothing if there is no time limit.
    std::optional<double> time_left() const { return time_left_(); }

  protected:
    template <class T> T call_helper(const char* name, Value::Map arguments) const {
        return world_->help<T>(Value(), name, std::move(arguments));
    }
    virtual const char* schema_hash() const = 0;
    virtual std::unique_ptr<Object> make(std::string_view class_name) const = 0;
    virtual void bind(const World& world) = 0;

  private:
    friend class Session;
    std::string log_;
    World* world_ = nullptr;
    std::function<std::vector<Result<>>(const std::function<void()>&, bool)> batch_;
    std::function<std::optional<double>()> time_left_;
};

/// Plays one match with one bot: which messages are sent and received, and in which order.
class Session {
  public:
    Session(AI& ai, Link& link) : ai_(ai), link_(link) {}

    /// Play from `hello` to `over`.
    void play() {
        if (!enter()) return;
        for (;;) {
            Value message = receive();
            try {
                if (is(message, "turn")) {
                    take_turn(message);
                    continue;
                }
                if (is(message, "start")) {
                    world_->apply(message["view"]);
                    ai_.bind(*world_);
                    seq_ = message["seq"].as_int();
                    ai_.start();
                    send({{"type", "ready"}, {"seq", seq_}});
                    continue;
                }
            } catch (const MatchOver&) {
                message = std::move(last_);
            }
            if (!is(message, "over")) unexpected(message);
            return finish(message);
        }
    }

  private:
    using Pending = std::pair<Value, std::shared_ptr<Reply>>;
    AI& ai_;
    Link& link_;
    std::unique_ptr<World> world_;
    std::int64_t seq_ = 0, sent_ = 0;
    bool your_move_ = false, in_turn_ = false, ends_turns_ = false, in_batch_ = false;
    std::vector<Pending> queue_;
    Value last_;
    std::optional<double> left_;
    std::chrono::steady_clock::time_point read_at_;

    static bool is(const Value& message, const char* type) { return message["type"] == Value(type); }
    [[noreturn]] static void unexpected(const Value& message) {
        throw PlayerError("The referee sent an unexpected message: " + message["type"].as_string() + ".", CONNECTION_LOST);
    }
    void send(Value::Map message) {
        link_.add(std::move(message));
        link_.flush();
    }
    Value receive() {
        Value message = link_.receive();
        if (is(message, "refused")) throw PlayerError("The referee refused the bot: " + message["message"].as_string(), REFUSED);
        return message;
    }
    bool enter() {
        send({{"type", "hello"}, {"protocol", 1}, {"client", "arena-player cpp"}, {"schema", ai_.schema_hash()},
              {"legal_actions", ai_.wants_legal_actions}});
        const Value welcome = receive();
        if (is(welcome, "over")) return false;  // another bot did not start
        if (!is(welcome, "welcome")) unexpected(welcome);
        const Value& schema = welcome["schema"];
        const Value& end = schema["classes"][schema["root"].as_string()]["actions"];
        ends_turns_ = !end.is_null() && !end["end_turn"].is_null() && end["end_turn"]["parameters"].as_list().empty();
        world_ = std::make_unique<World>(
            welcome, [this](std::string_view name) { return ai_.make(name); },
            [this](Value::Map action) { return act(std::move(action)); });
        ai_.world_ = world_.get();
        ai_.batch_ = [this](const std::function<void()>& actions, bool keep_going) { return batch(actions, keep_going); };
        ai_.time_left_ = [this] { return time_left(); };
        ai_.index = welcome["player"].as_int();
        ai_.options = welcome["options"];
        if (!welcome["seed"].is_null()) ai_.random = Random(welcome["seed"].as_string());
        for (const auto& [name, value] : welcome["settings"].as_map()) ai_.settings[name] = value.as_string();
        return true;
    }
    /// Call the bot. If it fails, send what it has logged before.
    void take_turn() {
#ifdef ARENA_SANITIZED
        before_end = [this] {
            if (your_move_) add_notes(), link_.flush();
        };
        ai_.run_turn();
        before_end = [] {};
#else
        try {
            ai_.run_turn();
        } catch (const MatchOver&) {
            throw;
        } catch (...) {
            if (your_move_) add_notes(), link_.flush();
            throw;
        }
#endif
    }
    void take_turn(const Value& message) {
        seq_ = message["seq"].as_int();
        ai_.turn = message["turn"].as_int();
        your_move_ = true;
        take_in(message);
        while (your_move_) {
            sent_ = 0;
            in_turn_ = true;
            take_turn();
            in_turn_ = false;
            if (!your_move_) return;
            std::string why;
            if (ends_turns_) {
                std::vector<Pending> end{{Value::Map{{"type", "end_turn"}}, std::make_shared<Reply>()}};
                exchange(end.data(), 1, false);
                if (!end[0].second->code.empty()) why = " and end_turn was refused: " + end[0].second->message;
            }
            if (your_move_ && !sent_)
                throw PlayerError("run_turn returned without an action although it is your move" + why + ".", BOT_RAISED);
        }
    }
    void finish(const Value& message) {
        your_move_ = in_turn_ = false;
        take_in(message);
        Outcome outcome;
        outcome.document = message["outcome"];
        for (const Value& player : message["players"].as_list()) outcome.endings.push_back(player["ending"].as_string());
        if (static_cast<std::size_t>(ai_.index) < outcome.endings.size())
            outcome.ending = outcome.endings[static_cast<std::size_t>(ai_.index)];
        outcome.won = outcome.ending == "won";
        ai_.end(outcome);
    }
    void take_in(const Value& message) {
        world_->apply(message["delta"]);
        ai_.events = message["events"].as_list();
        const Value& legal = message["legal_actions"];
        ai_.legal_actions = legal.is_null() ? Value::List{} : legal.as_list();
        world_->legal_actions = ai_.legal_actions;
        if (message["type"] == Value("turn")) ai_.out = message["out"].is_null() ? Value::List{} : message["out"].as_list();
        left_.reset();
        if (const Value& clock = message["clock"]; !clock.is_null())
            for (const auto& [name, value] : clock.as_map())
                if (!value.is_null()) left_ = std::min(left_.value_or(value.as_number()), value.as_number());
        read_at_ = std::chrono::steady_clock::now();
        const bool in_turn = std::exchange(in_turn_, false);
        ai_.game_updated();
        in_turn_ = in_turn;
    }
    std::optional<double> time_left() const {
        if (!left_) return std::nullopt;
        const std::chrono::duration<double> used = std::chrono::steady_clock::now() - read_at_;
        return std::max(0.0, *left_ - (your_move_ ? used.count() : 0.0));
    }
    void add_notes() {
        if (!ai_.log_.empty())
            for (std::string& text : pieces(std::exchange(ai_.log_, ""), 2000))
                link_.add(Value::Map{{"type", "log"}, {"seq", seq_}, {"text", std::move(text)}});
        Value::List shapes = std::exchange(ai_.draw.shapes_, {});
        for (auto part = shapes.begin(); part < shapes.end(); part += std::min<std::ptrdiff_t>(50, shapes.end() - part))
            link_.add(Value::Map{{"type", "draw"}, {"seq", seq_},
                                 {"shapes", Value::List(part, part + std::min<std::ptrdiff_t>(50, shapes.end() - part))}});
    }
    std::shared_ptr<Reply> act(Value::Map action) {
        Pending one{std::move(action), std::make_shared<Reply>()};
        if (in_batch_) queue_.push_back(one);
        else send_actions(&one, 1);
        return one.second;
    }
    std::vector<Result<>> batch(const std::function<void()>& actions, bool keep_going) {
        if (in_batch_) throw std::logic_error("A batch cannot be opened inside another batch.");
        in_batch_ = true;
        try {
            actions();
        } catch (...) {
            in_batch_ = false, queue_.clear();
            throw;
        }
        in_batch_ = false;
        std::vector<Pending> queue = std::exchange(queue_, {});
        send_actions(queue.data(), queue.size(), keep_going);
        std::vector<Result<>> results;
        for (const Pending& one : queue) results.emplace_back(one.second);
        return results;
    }
    static constexpr std::size_t most_actions = 1000;  // in one message
    static constexpr std::size_t around_actions = 64;  // bytes of an `act` without its actions, rounded up

    /// Return how many of the first actions one `act` can carry, at least 1.
    static std::size_t fitting(const Pending* actions, std::size_t count) {
        count = std::min(most_actions, count);
        std::string body;
        for (std::size_t at = 0; count > 1 && at < count; ++at) {
            pack(actions[at].first, body);
            if (body.size() > most_bytes - around_actions) return std::max<std::size_t>(at, 1);
        }
        return count;
    }
    static void settle(const Pending& one, const std::string& code, const std::string& message, const Object* value = nullptr) {
        *one.second = {true, code, message, value};
    }
    void send_actions(Pending* actions, std::size_t count, bool keep_going = false) {
        if (!in_turn_) throw std::logic_error("Actions can only be called from run_turn.");
        bool refused = false;
        for (std::size_t done = 0, part; done < count; done += part) {
            part = fitting(actions + done, count - done);
            if (your_move_ && !refused) {
                sent_ += static_cast<std::int64_t>(part);
                exchange(actions + done, part, keep_going);
                refused = !keep_going && !actions[done + part - 1].second->code.empty();
            } else
                for (std::size_t at = done; at < done + part; ++at)
                    settle(actions[at], your_move_ ? "not_tried" : "not_your_turn",
                           your_move_ ? "an earlier action of the batch was refused" : "your turn is over");
        }
    }
    /// Send one `act` and handle its `result`.
    void exchange(Pending* actions, std::size_t count, bool keep_going) {
        add_notes();
        Value::List documents;
        for (std::size_t at = 0; at < count; ++at) documents.push_back(actions[at].first);
        Value::Map act{{"type", "act"}, {"seq", seq_}, {"actions", std::move(documents)}};
        if (keep_going) act.emplace_back("keep_going", true);
        send(std::move(act));
        Value message = receive();
        if (is(message, "over")) {
            last_ = std::move(message);
            throw MatchOver();
        }
        if (!is(message, "result")) unexpected(message);
        seq_ = message["seq"].as_int();
        your_move_ = message["your_move"].as_bool();
        take_in(message);
        const Value::List& results = message["results"].as_list();
        const bool ended = !results.empty() && !results.back().is_map();
        for (std::size_t at = 0; at < count; ++at) {
            if (at >= results.size())
                settle(actions[at], "not_tried", ended ? "an earlier action ended the turn"
                                                       : "an earlier action of the batch was refused");
            else if (results[at].is_map())
                settle(actions[at], results[at]["code"].as_string(), results[at]["message"].as_string());
            else
                settle(actions[at], "", "", results[at].is_null() ? nullptr : world_->object(results[at].as_string()));
        }
        for (std::size_t at = 0; at < std::min(count, results.size()); ++at)
            if (results[at].is_map()) ai_.refused(actions[at].first, Result<>(actions[at].second));
    }
};

/// Connect a bot to its referee, play one match, and return the exit code of the process.
template <class Bot> int run() {
    std::signal(SIGPIPE, SIG_IGN);  // the referee stops reading from a bot that prints too much
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a line is not lost in a crash, and is recorded in its turn
#ifdef ARENA_SANITIZED
    std::set_terminate(end_with_stack);
#endif
    try {
        const char* endpoint = std::getenv("ARENA_ENDPOINT");
        if (!endpoint || !*endpoint)
            throw PlayerError("ARENA_ENDPOINT is not set: the referee starts the bots.\n"
                              "Play with: arena play GAME YOUR_BOT OTHER_BOT", CONNECTION_LOST);
        Bot bot;
        Link link(endpoint);
        Session(bot, link).play();
        return FINISHED;
    } catch (const PlayerError& error) {
        std::cerr << error.what() << std::endl;
        return error.exit_code;
#ifndef ARENA_SANITIZED
    } catch (...) {
        std::cerr << "The bot threw " << current_exception_in_words() << std::endl;
        std::cerr << "`arena play ... --debug` shows the line." << std::endl;
        return BOT_RAISED;
#endif
    }
}

}  // namespace arena
