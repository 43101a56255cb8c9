-- MCP as a server: sessions that serve a service to one client, in both eras.
target("gateway")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"*.cpp"})
    add_deps("runtime", "transports", "registry", "host")
target_end()
