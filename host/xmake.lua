-- MCP as a client. Today: reading lists of tools.
target("host")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_files("*.cpp")
    add_deps("runtime", "transports", "registry")
target_end()
