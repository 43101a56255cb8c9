-- Bytes to JSON-RPC messages and back: framing, envelopes, peers, channels. No MCP beyond the words.
target("transports")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"*.cpp"})
    add_deps("runtime")
    add_packages("llhttp", {public = true})
target_end()
