-- MCP as a client: settings, negotiation, sessions, supervised servers, results of calls, the facade.
target("host")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"**.cpp"})
    add_deps("runtime", "transports", "registry", "oauth")
target_end()
