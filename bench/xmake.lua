-- The benchmarks, one file each, and their shared code; and hawser-bench, which runs them.
target("benchmarks")
    set_kind("static")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_batched_files(10, {"**.cpp|main.cpp|floors/echo_server.cpp|floors/mcp_server.cpp|floors/http_server.cpp"})
    add_deps("host")
target_end()

target("hawser-bench")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented")
    add_files("main.cpp")
    add_deps("benchmarks")
    add_deps("bench_echo_server", "bench_mcp_server", "bench_http_server", "hawser", {inherit = false})
    add_packages("cli11")
target_end()

-- The neutral servers: as small and fast as possible, so that the cost of the client dominates.
for _, name in ipairs({"echo_server", "mcp_server", "http_server"}) do
    target("bench_" .. name)
        set_kind("binary")
        set_targetdir("$(buildir)/$(mode)/bin")
        add_files("floors/" .. name .. ".cpp")
        if name == "http_server" then
            add_packages("openssl3")
        end
    target_end()
end
