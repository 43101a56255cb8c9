-- The lowest layer: coroutines, event loop, I/O, child processes. No JSON, no HTTP, no MCP.

-- The process that starts and supervises children. It links no C++ library and no sanitizer, because it is embedded in
-- programs built with and without them.
target("hawser-keeper")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_files("keeper/*.cpp")
    add_rules("hawser.program_as_bytes", {folder = "$(buildir)/$(mode)/gen", file = "keeper_image.inc"})
    add_cxxflags("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", {force = true})
    add_ldflags("-nostdlib++", "-Wl,--as-needed", {force = true})  -- only the C library is loaded at startup
    set_strip("all")
    set_symbols("none")
    set_prefixdir("/", {bindir = "libexec/hawser"})
target_end()

target("runtime")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_rules("hawser.version", {folder = "$(buildir)/$(mode)/gen/hawser"})
    -- These two change with the commit or the keeper.
    add_batched_files(10, {"**.cpp|keeper/**"}, {"library_version.cpp", "process/detail/keeper_image.cpp"})
    add_includedirs("$(buildir)/$(mode)/gen", {public = true})
    add_deps("hawser-keeper", {inherit = false})
    set_policy("build.across_targets_in_parallel", false)  -- the keeper must be linked before it can be embedded
    add_packages("libuv", "c-ares", "openssl3", "boost", {public = true})
    add_syslinks("pthread", {public = true})
target_end()
