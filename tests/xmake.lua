-- One program per room, from one object per test file; a precompiled header, because ut takes seconds to read.
-- Not instrumented: it stands for somebody else's program, and a sanitizer would change its environment.
target("fixture_child")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.not_installed")
    add_files("support/fixture_child.cpp")
target_end()

target("fixture_host")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("support/fixture_host.cpp", "support/fixture.cpp")
    add_deps("runtime")
target_end()

-- An MCP server with switches for everything that a host has to bear.
target("fixture_server")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("support/fixture_server.cpp")
    add_deps("gateway")
target_end()

-- One of many programs that share a login.
target("fixture_crowd")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("support/fixture_crowd.cpp")
    add_deps("host")
target_end()

-- What the official conformance suite runs as the client under test.
target("conformance_client")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("interop/conformance/conformance_client.cpp")
    add_deps("host")
target_end()

-- ut builds its expressions from temporaries on purpose.
local function allow_what_ut_does()
    add_cxxflags("-Wno-conversion", "-Wno-unused-parameter", "-Wno-unused-function", {force = true})
end

-- What a compiler makes of coroutines has to be seen optimised as well; no header that was precompiled otherwise fits.
local about_the_compiler = {"runtime/compiler_test.cpp", "runtime/task_test.cpp"}
target("compiler_tests")
    set_kind("object")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files(about_the_compiler)
    add_deps("runtime")
    add_packages("boost_ut")
    allow_what_ut_does()
target_end()

-- A room's name for its tests; the target to link, if any.
local function test_program(name, room)
    target(name .. "_test")
        set_kind("binary")
        set_targetdir("$(buildir)/$(mode)/bin")
        add_rules("hawser.instrumented", "hawser.not_installed")
        set_pcxxheader("support/pch.hpp")
        add_files("support/main.cpp", name .. "/*_test.cpp")
        if name == "runtime" then
            remove_files(about_the_compiler)
            add_deps("compiler_tests")
        end
        if room == "transports" then
            add_files("support/json_*.cpp")
        end
        if room then
            add_files("support/fixture.cpp")
            add_deps("fixture_child", "fixture_host", "hawser-keeper", {inherit = false})
        end
        if room == "cli" then
            add_files("cli/hawser_program.cpp")
            add_deps("hawser", {inherit = false})  -- which they run
        end
        if room == "host" or room == "gateway" then
            add_deps("fixture_server", {inherit = false})
        end
        if name == "host" then
            add_deps("fixture_crowd", {inherit = false})
        end
        if room == "gateway" then
            add_deps("hawser", {inherit = false})  -- its demo-server
        end
        if name == "bench" then
            add_deps("fixture_server", "hawser", "hawser-bench", {inherit = false})
        end
        if name == "interop" then
            add_deps("conformance_client", {inherit = false})
            if has_config("bench") then
                add_deps("hawser-bench", {inherit = false})
            end
        end
        add_deps(room or "runtime")
        add_files("support/source_root.cpp", {defines = 'HAWSER_SOURCE_ROOT="' .. os.projectdir() .. '"'})
        add_packages("boost_ut")
        allow_what_ut_does()
        -- What is tested is optimised; the tests themselves only have to be built, and that takes half the time so.
        set_optimize("none")
        add_cxxflags("-Wno-#warnings", "-Wno-cpp", {force = true})  -- glibc: there is no fortifying without optimising
        add_tests("all")
    target_end()
end

test_program("runtime", "runtime")
test_program("transports", "transports")
test_program("registry", "registry")
test_program("oauth", "oauth")
test_program("host", "host")
test_program("interop", "host")
test_program("cli", "cli")
test_program("gateway", "gateway")
if has_config("bench") then
    test_program("bench", "benchmarks")
end
test_program("tree")

-- One program per parser: fuzz/NAME.cpp is the target fuzz_NAME.
if is_mode("fuzz") then
    for _, file in ipairs(os.files(path.join(os.scriptdir(), "fuzz", "*.cpp"))) do
        target("fuzz_" .. path.basename(file))
            set_kind("binary")
            set_group("fuzz")
            set_targetdir("$(buildir)/$(mode)/bin")
            add_rules("hawser.instrumented", "hawser.not_installed")
            add_files(file, "support/json_reference.cpp")
            if path.basename(file) == "escape" then
                add_files("../cli/escape.cpp", "../cli/code_points.cpp")
            end
            if path.basename(file) == "config" then  -- all of host would take long, and most of it is not looked at
                add_files("../host/config.cpp", "../host/detail/config_*.cpp", "../oauth/scopes.cpp", "../registry/filter.cpp", "../registry/names.cpp")
            end
            if path.basename(file) == "challenge" then
                add_files("../oauth/challenge.cpp")
            end
            if path.basename(file) == "token_book" then
                add_files("../oauth/token_book*.cpp", "../oauth/wiped_text.cpp")
            end
            add_deps("transports")
            add_ldflags("-fsanitize=fuzzer", {force = true})
        target_end()
    end
end
