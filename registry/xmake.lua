-- The table of all tools: names, rows, publication, filters, rendering. No I/O.
target("registry")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"**.cpp"})
    add_deps("runtime")
target_end()
