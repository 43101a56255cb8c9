-- MCP as a server: sessions that serve a service to one client, in both eras.
target("gateway")
    set_kind("object")
    set_pcxxheader("../tools/pch.hpp")
    add_rules("hawser.instrumented")
    add_files("*.cpp")
    add_deps("runtime", "transports", "registry", "host")
target_end()
