-- Bytes to JSON-RPC messages and back: JSON, JSON-RPC, stdio, HTTP, TLS. Of MCP only the protocol constants.
target("transports")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"**.cpp"})
    add_deps("runtime")
    add_packages("llhttp", {public = true})
target_end()
