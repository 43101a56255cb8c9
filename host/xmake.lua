-- MCP as a client: settings, negotiation, sessions, supervised servers, results of calls, the facade.
target("host")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"*.cpp", "detail/*.cpp"}, {"schema_check.cpp"})  -- jsoncons takes half a minute to compile
    add_deps("runtime", "transports", "registry", "oauth")
    add_packages("jsoncons")
target_end()
