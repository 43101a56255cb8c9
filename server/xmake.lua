-- MCP as a server: serves a service to clients over stdio or HTTP, in both eras.
target("server")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"**.cpp"})
    add_deps("runtime", "transports")
target_end()
