function say(text) { print "{" text "}"; fflush() }
function after(text, key) { return substr(text, index(text, key) + length(key)) }
BEGIN { say("\"type\":\"hello\",\"protocol\":1,\"client\":\"awk\",\"schema\":null,\"legal_actions\":true") }
{ seq = after($0, "\"seq\":") + 0; type = substr(after($0, "\"type\":\""), 1, 4) }
type == "welc" {
    seed = after($0, "\"seed\":\"")
    for (digit = 1; digit <= 7; digit++) number = 16 * number + index("123456789abcdef", substr(seed, digit, 1))
    srand(number)
}
type == "star" { say("\"type\":\"ready\",\"seq\":" seq) }
type == "over" || type == "refu" { exit type != "over" }
index($0, "\"legal_actions\":[{") {
    list = after($0, "\"legal_actions\":[{")
    count = split(substr(list, 1, index(list, "}]") - 1), actions, /\},\{/)
    say("\"type\":\"act\",\"seq\":" seq ",\"actions\":[{" actions[1 + int(rand() * count)] "}]")
}
