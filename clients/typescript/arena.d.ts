/**
 * Return a value in MessagePack. Safe integers and BigInts become integers, all other numbers floats. A BigInt must fit
 * into 64 bits.
 * @param {any} value
 * @returns {Buffer}
 */
export function pack(value: any): Buffer;
/**
 * Return the message in some bytes: a map with a `type`, and nothing after the map.
 * @param {Buffer} data
 * @returns {Document}
 */
export function unpack(data: Buffer): Document;
/**
 * Count the steps between two tiles, ignoring obstacles; Infinity if one is null.
 * @param {Tile | null} first
 * @param {Tile | null} second
 */
export function distance(first: Tile | null, second: Tile | null): number;
/**
 * Return a shortest path that goes from tile to neighbouring tile, without `start` and with `goal`. The path is empty
 * if there is no way, or if `start` is `goal`.
 * @param {Tile} start
 * @param {Tile} goal It can be occupied.
 * @param {(tile: Tile) => boolean} [passable] Returns whether a path can cross a tile. Without it, the helper
 *   `is_passable` of the game decides, which the rules service knows.
 * @returns {Tile[]}
 */
export function find_path(start: Tile, goal: Tile, passable?: (tile: Tile) => boolean): Tile[];
/**
 * Connect a bot to its referee, play one match, and end the process with the bot's exit code.
 * @param {new () => AI} Bot
 */
export function run(Bot: new () => AI): Promise<void>;
export namespace ExitCode {
    let FINISHED: number;
    let BOT_RAISED: number;
    let BOT_UNUSABLE: number;
    let CONNECTION_LOST: number;
    let REFUSED: number;
}
/** A mistake of the bot or of its environment. */
export class PlayerError extends Error {
    /** @param {string} message @param {number} exitCode */
    constructor(message: string, exitCode?: number);
    exitCode: number;
}
/** Data that breaks the protocol. `code` is one of the codes in the protocol document. */
export class WireError extends PlayerError {
    /** @param {string} code @param {string} message */
    constructor(code: string, message: string);
    code: string;
}
/**
 * The result of an action. If the action was not carried out, it has not changed the game. An object is always true:
 * ask for `accepted`. Before the end of a batch, reading a result of this batch throws an error.
 * @template [T=undefined]
 */
export class Result<T = undefined> {
    /** Whether the bot has looked at the result. */
    _seen: boolean;
    /** @type {{ code: string, message: string, value: any } | null} */
    _reply: {
        code: string;
        message: string;
        value: any;
    } | null;
    /** True if the action was carried out. */
    get accepted(): boolean;
    /**
     * Empty if accepted, else the game's code for the reason. Two codes come from the kit: "not_tried" (an earlier action
     * of the batch was refused or ended the turn) and "not_your_turn" (your turn was over, so the action was not sent).
     */
    get code(): string;
    /** Empty if accepted, else the reason. */
    get message(): string;
    /** The object that the action returned, such as a new object; or null. @returns {T | null} */
    get value(): T | null;
    #private;
}
/** One object of the game. The kit keeps it current; it is the same object for the whole match. */
export class GameObject {
    /** The object's name on the wire and in replays. */
    id: string;
    /** False if the object has been removed from the game or is out of your sight. */
    present: boolean;
    /** The name of its class in the game's schema. */
    class_name: string;
    /** @type {World} */
    world: World;
    /** The values of its fields on the wire. @type {Document} */
    _known: Document;
}
/** An object that stands on a tile. */
export class PlacedObject extends GameObject {
    /** Column, or null if the object is not on the board. @type {number | null} */
    x: number | null;
    /** Row, or null if the object is not on the board. @type {number | null} */
    y: number | null;
    /** The tile that the object stands on, or null if the object is not on the board. @type {Tile | null} */
    tile: Tile | null;
}
/** One square of the board. x grows to the right, y grows downwards, (0, 0) is top left. */
export class Tile {
    /** @param {number} x @param {number} y @param {World} world */
    constructor(x: number, y: number, world: World);
    /** The next tiles; null at the edge. @type {Tile | null} */
    north: Tile | null;
    /** @type {Tile | null} */
    south: Tile | null;
    /** @type {Tile | null} */
    east: Tile | null;
    /** @type {Tile | null} */
    west: Tile | null;
    /** The tiles to the north, south, east and west that exist, in this order. @type {Tile[]} */
    neighbors: Tile[];
    /** All objects on this tile. @type {readonly PlacedObject[]} */
    things: readonly PlacedObject[];
    /** For the kit. @type {World} */
    world: World;
    x: number;
    y: number;
    /**
     * Return the object of a class on this tile, the last one if there are several, or null: `tile.find(Cowboy)`.
     * @template {PlacedObject} T
     * @param {new () => T} kind
     * @returns {T | null}
     */
    find<T extends PlacedObject>(kind: new () => T): T | null;
}
/** All objects of a match as one player sees them, kept current by the referee's deltas. */
export class World {
    /**
     * @param {Document} welcome The message `welcome`.
     * @param {Record<string, new () => GameObject>} classes
     * @param {(action: Document) => Result<any>} act Sends an action, or queues it in a batch.
     */
    constructor(welcome: Document, classes: Record<string, new () => GameObject>, act: (action: Document) => Result<any>);
    /** @type {Map<string, GameObject>} All objects by id, including removed ones. */
    objects: Map<string, GameObject>;
    /** @type {Tile[]} All tiles, row by row; empty in games without a board. */
    tiles: Tile[];
    /** @type {Document[]} All legal actions of the bot, if it wants them. */
    legal_actions: Document[];
    welcome: Document;
    grid: any;
    classes: Record<string, new () => GameObject>;
    act: (action: Document) => Result<any>;
    /** Return the tile at (x, y), or null if it is off the board. @param {number} x @param {number} y */
    tile(x: number, y: number): Tile | null;
    /**
     * Return a state of the rules that agrees with what the player sees.
     * @param {number} [seed] Without a seed, each call uses another one.
     * @returns {State<any>}
     */
    fork(seed?: number): State<any>;
    /** The legal actions of a player, as the rules list them. @param {number} player @returns {Document[]} */
    legalActions(player: number): Document[];
    /**
     * Return the result of a helper of the game. The rules service computes it from what the player sees, which is sent
     * before if it has changed.
     * @param {GameObject | Tile | null} target Null for the bot.
     * @param {string} name
     * @param {Document} [values] The arguments by name. Those that are undefined are left out.
     * @param {boolean} [has_map] Whether the result has a map whose keys are not texts.
     * @returns {any}
     */
    help(target: GameObject | Tile | null, name: string, values?: Document, has_map?: boolean): any;
    /** Return the game of a state, with objects of its own that nothing keeps current. @param {any[]} view */
    gameOf(view: any[]): GameObject | undefined;
    /** Apply a delta: first new and removed objects, then all fields. @param {any[]} delta */
    apply(delta: any[]): void;
    #private;
}
/** The rules refused an action or a request. `code` is the game's code, or "bad_request". */
export class RulesError extends Error {
    /** @param {string} code @param {string} message */
    constructor(code: string, message: string);
    code: string;
}
/**
 * A state of the rules to search in. It is not connected to the match.
 * @template [G=any] The class of the game.
 */
export class State<G = any> {
    /** @param {World} world @param {Rules} rules @param {string} operation @param {any[]} values */
    constructor(world: World, rules: Rules, operation: string, values: any[]);
    /**
     * Carry out an action. Throw `RulesError` if the rules refuse the action.
     * @param {number} player
     * @param {Document} action
     * @returns {number} The mark for `pop`.
     */
    push(player: number, action: Document): number;
    /** Undo the push that returned `mark`, and all pushes after it. Without `mark`, undo all. @param {number} mark */
    pop(mark?: number): void;
    /**
     * Return the game in this state: `state.game().turn`. What you cannot see is a guess. It stays as it is after later
     * pushes. The whole state is sent for it: call this where you judge a position, not for each action.
     * @returns {G}
     */
    game(): G;
    /**
     * Return all legal actions of a player; without a player, those of the first player to move.
     * @param {number} [player]
     * @returns {Document[]}
     */
    legal_actions(player?: number): Document[];
    /** Return the players who are allowed to act; none if the game is over. @returns {number[]} */
    to_move(): number[];
    /** Return the outcome as in `Outcome.document`, or null while the game goes on. @returns {Document | null} */
    outcome(): Document | null;
    /** Return each player's score. @returns {number[]} */
    scores(): number[];
    /**
     * Return a copy. The copy cannot undo the pushes made before.
     * @param {number} seed The seed of the copy's dice.
     * @returns {State<G>}
     */
    clone(seed?: number): State<G>;
    /**
     * Return a state with a new guess at what a player does not see.
     * @param {number} player
     * @param {number} seed Decides the guess, and the dice.
     * @returns {State<G>}
     */
    determinize(player: number, seed: number): State<G>;
    /** Remove this state from the rules service, to save memory. It cannot be used afterwards. */
    free(): void;
    /**
     * Carry out many requests in one message, which is faster: `batch([["push", 0, action], ["scores"], ["pop", 0]])`.
     * The documentation of the rules service lists the requests; leave out the number of the state.
     * @param {any[][]} requests
     * @returns {any[][]} For each request [true, value] or [false, code, message].
     */
    batch(requests: any[][]): any[][];
    #private;
}
/** Random numbers from a seed. From the same seed, `self.random` in the Python kit gives the same numbers. */
export class Random {
    /** @param {string} seed A whole number in hexadecimal digits. */
    constructor(seed: string);
    /** Return a number from 0 (included) to 1 (excluded). */
    random(): number;
    /** Return an integer from 0 to `count` - 1. @param {number} count From 1 to 4,294,967,295. */
    below(count: number): number;
    /** Return one of the items. @template T @param {readonly T[]} items */
    choice<T>(items: readonly T[]): T;
    /** Put the items into a random order. @param {unknown[]} items */
    shuffle(items: unknown[]): void;
    #private;
}
/** @typedef {Tile | PlacedObject | [number, number]} Place A tile, an object on a tile, or a pair measured in tiles. */
/**
 * Draws on the board of the replay, for debugging. Other bots never get your drawings. A colour is a name such as
 * "red", or #rrggbb.
 */
export class Draw {
    /** @type {Document[]} */
    shapes: Document[];
    /** Draw a dot. @param {Place} at @param {string} color */
    point(at: Place, color?: string): void;
    /** Draw a line. @param {Place} start @param {Place} end @param {string} color */
    line(start: Place, end: Place, color?: string): void;
    /**
     * Draw a frame around the tiles from `first` to `second`. Pairs are corners.
     * @param {Place} first
     * @param {Place} second
     * @param {string} color
     */
    rectangle(first: Place, second?: Place, color?: string): void;
    /** Write a short text, at most 200 characters. @param {Place} at @param {unknown} text @param {string} color */
    text(at: Place, text: unknown, color?: string): void;
    #private;
}
/** The result of a match. */
export class Outcome {
    /** @param {Document} document The outcome in the game's own terms. @param {string[]} endings @param {number} index */
    constructor(document: Document, endings: string[], index: number);
    document: Document;
    /** How the match ended for each player, in order. */
    endings: string[];
    /** How the match ended for this bot: "won", "lost", "drawn", "timed_out" and so on. */
    ending: string;
    won: boolean;
}
/** A bot. Bots extend the `AI` of their game's module, which extends this class. */
export class AI {
    /** @type {string | null} */
    static schema_hash: string | null;
    /** @type {Record<string, new () => any>} */
    static classes: Record<string, new () => any>;
    /** Set to true in your class to get `legal_actions`. This makes each move slower. */
    wants_legal_actions: boolean;
    /** Your number, from 0. */
    index: number;
    /** The number of the turn being played. */
    turn: number;
    /** The values given with `--bot-option NAME=VALUE`. @type {Record<string, string>} */
    settings: Record<string, string>;
    /** The options of this match. @type {Document} */
    options: Document;
    /** What happened since the last update, as maps with a `kind`. @type {Document[]} */
    events: Document[];
    /** All your legal actions while it is your move, if `wants_legal_actions` is set. Else empty. @type {Document[]} */
    legal_actions: Document[];
    /** The players who are out of the match: eliminated, or failed. As of the beginning of your turn. @type {number[]} */
    out: number[];
    /** Random numbers: the same numbers if the match is played again with its seed. */
    random: Random;
    /** Draws on the board in the replay. */
    draw: Draw;
    /** @type {Session} */
    _session: Session;
    _log: string;
    /**
     * Return one of your legal actions at random, while it is your move. If the action is a form, in which a list
     * has `choices`, this method also chooses at most one item of each group (exactly one if `all` is true).
     * Without `wants_legal_actions`, the rules list the actions, as in `game.fork()`, which is slow.
     * @returns {Document}
     */
    random_action(): Document;
    /** Prepare for the match. Called once before the first turn; the game is complete. @returns {void | Promise<void>} */
    start(): void | Promise<void>;
    /**
     * Play your turn: call actions, and return when you are done. If it is still your move when this method returns, and
     * the game has the action `end_turn`, the kit sends `end_turn`. If it is still your move after that, the kit calls
     * this method again. But if this method has sent no action, the bot ends with an error.
     * @returns {void | Promise<void>}
     */
    run_turn(): void | Promise<void>;
    /** React to a change of the game, in your turn or in another player's turn. You cannot act here. */
    game_updated(): void;
    /**
     * React to a refused action.
     * @param {Document} _action
     * @param {Result<any>} _result
     */
    refused(_action: Document, _result: Result<any>): void;
    /**
     * React to the end of the match. Called once, if the match has begun.
     * @param {Outcome} _outcome
     * @returns {void | Promise<void>}
     */
    end(_outcome: Outcome): void | Promise<void>;
    /** All tiles, row by row. */
    get tiles(): Tile[];
    /** Return the tile at (x, y), or null if it is off the board. @param {number} x @param {number} y */
    tile(x: number, y: number): Tile | null;
    /** Seconds left for this turn; null if there is no time limit. */
    get time_left(): number | null;
    /**
     * Write a line into the replay. Other bots never get it. The kit sends the line with your next action.
     * @param {unknown[]} values
     */
    log(...values: unknown[]): void;
    /** Send an action in the form of the game's specification: {type: ..., ...}. @param {Document} action */
    act(action: Document): Result<any>;
    /**
     * Send all actions that `actions()` calls at once, which is faster than one by one. The referee carries out the
     * actions in order and stops at the first refused one, unless `keep_going` is true.
     * @param {() => void} actions
     * @param {{ keep_going?: boolean }} [options]
     * @returns {Result<any>[]} A result for each action.
     */
    batch(actions: () => void, { keep_going }?: {
        keep_going?: boolean;
    }): Result<any>[];
    /** @param {World} _world */
    _bind(_world: World): void;
}
/**
 * A map in a message.
 */
export type Document = Record<string, any>;
/**
 * A tile, an object on a tile, or a pair measured in tiles.
 */
export type Place = Tile | PlacedObject | [number, number];
export type Pending = {
    document: Document;
    result: Result<any>;
};
/** The process that runs the rules of the game: see "The rules as a service" in the documentation of the framework. */
declare class Rules {
    states: number;
    input: Stream;
    output: Stream;
    reader: Unpacker;
    /** Send requests in one message, and return a result for each. @param {any[][]} requests @returns {any[][]} */
    ask(requests: any[][]): any[][];
}
/** Plays one match with one bot: which messages are sent and received, and in which order. */
declare class Session {
    /** @param {AI} ai @param {Link} link */
    constructor(ai: AI, link: Link);
    /** @type {World} */
    world: World;
    ai: AI;
    link: Link;
    /** Play from `hello` to `over`. */
    play(): Promise<void>;
    timeLeft(): number | null;
    /** @param {Document} document @returns {Result<any>} */
    act(document: Document): Result<any>;
    /** @param {() => void} actions @param {boolean} keepGoing */
    batch(actions: () => void, keepGoing: boolean): Result<any>[];
    #private;
}
/**
 * A stream of Node.js that blocks: reads and writes wait, as in the other kits. To wait in the event loop for each
 * message would take twice the time.
 */
declare class Stream {
    /** @param {any} socket A socket or pipe, from which nothing has been read yet. */
    constructor(socket: any);
    socket: any;
    handle: any;
    /** Return the next bytes; none at the end or after an error. The bytes are valid until the next call. */
    read(): Buffer<ArrayBuffer>;
    /** @param {Buffer} data */
    write(data: Buffer): void;
    #private;
}
/** Reads values in MessagePack. */
declare class Unpacker {
    /** @param {Buffer} data @param {(() => Buffer) | null} more Returns the next bytes of a stream. */
    constructor(data: Buffer, more?: (() => Buffer) | null);
    data: Buffer<ArrayBufferLike>;
    more: (() => Buffer) | null;
    /** The number of bytes that are left. */
    get left(): number;
    /** Return the next value. @param {number} depth @returns {any} */
    read(depth?: number): any;
    #private;
}
/** The client's end of a ZeroMQ PAIR connection (ZMTP 3.0) over a socket of Node.js. */
declare class Link {
    /** @param {string} endpoint ipc://PATH or tcp://HOST:PORT */
    static open(endpoint: string): Promise<Link>;
    /** @param {Stream} stream */
    constructor(stream: Stream);
    stream: Stream;
    buffer: Buffer<ArrayBuffer>;
    ready: true;
    /** @param {Document[]} messages */
    send(messages: Document[]): void;
    /** Wait for the next message. */
    receive(): Document;
    #private;
}
export {};
