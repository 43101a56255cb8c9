-- hawser-bench: one program, one file a question.
target("hawser-bench")
    set_kind("binary")
    set_pcxxheader("../tools/pch.hpp")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented")
    add_files("*.cpp|echo_server.cpp|mcp_server.cpp")
    add_deps("host")
    add_deps("bench_echo_server", "bench_mcp_server", {inherit = false})
    add_packages("cli11")
target_end()

-- The other side of every exchange: as small and as fast as can be, so that the client's cost shows.
target("bench_echo_server")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_files("echo_server.cpp")
target_end()

target("bench_mcp_server")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_files("mcp_server.cpp")
target_end()
