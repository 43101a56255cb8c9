-- The table of all tools: names, rows, publication, filters, rendering. No I/O.
target("registry")
    set_kind("object")
    set_pcxxheader("../tools/pch.hpp")
    add_rules("hawser.instrumented")
    add_files("*.cpp")
    add_deps("runtime")
target_end()
