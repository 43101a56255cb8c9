-- One test program per module, and the programs that tests start.

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
    add_deps("server")
target_end()

-- One of many programs that share a login.
target("fixture_crowd")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("support/fixture_crowd.cpp")
    add_deps("host")
target_end()

-- A host that writes down what it was told about each of its calls.
target("fixture_caller")
    set_kind("binary")
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files("support/fixture_caller.cpp", "support/fixture.cpp")
    add_deps("host")
target_end()

-- A server that lets another process speak for it.
target("fixture_handover")
    set_kind("binary")
    set_default(false)
    set_targetdir("$(buildir)/$(mode)/bin")
    add_rules("hawser.not_installed")
    add_files("support/fixture_handover.cpp")
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

-- What a compiler makes of coroutines has to be seen optimised as well.
local about_the_compiler = {"runtime/async/compiler_test.cpp", "runtime/async/task_test.cpp"}
target("compiler_tests")
    set_kind("object")
    add_rules("hawser.instrumented", "hawser.not_installed")
    add_files(about_the_compiler)
    add_deps("runtime")
    add_packages("boost_ut")
    allow_what_ut_does()
target_end()

-- TSan sees the test files in which more than one thread takes part. The others would only take time.
local threaded = {
    runtime = {"task", "loop", "attached_loop", "offload", "file", "file_lock", "dns", "dns_patience", "signal_set", "child_end"},
    transports = {"tls_peer"},
    registry = {"reader"},
    oauth = {"credential_store", "credential_store_sharing"},
    host = {"host", "host_callbacks", "reply", "chaos", "server_requests", "server_tree"},
}
-- Each test file has a namespace of its own, so that batches have no conflicts.
local function add_test_files(name)
    if not is_mode("tsan") then
        add_batched_files(16, {name .. "/**_test.cpp"}, {"host/schema/schema_reference_test.cpp"})  -- jsoncons takes long to compile
        return
    end
    add_rules("c++.unity_build")
    for _, file in ipairs(threaded[name]) do
        add_files(name .. "/**/" .. file .. "_test.cpp", {unity_group = "threaded"})  -- all modes share a folder for batches
    end
end

-- A module's name for its tests; the target to link, if any.
local function test_program(name, module)
    if is_mode("tsan") and not threaded[name] then
        return
    end
    target(name .. "_test")
        set_kind("binary")
        set_targetdir("$(buildir)/$(mode)/bin")
        add_rules("hawser.instrumented", "hawser.not_installed")
        set_group((name == "interop" or name == "guard") and name or "test")
        if name == "guard" then
            set_default(false)  -- measured in release by ./dev check guard, and built for nothing else
            add_files("guard/hostile_case.cpp", "guard/hostile_side.cpp", "guard/machine_speed.cpp", {unity_ignored = true})
            add_deps("fixture_handover", {inherit = false})
        end
        add_test_files(name)
        add_files("support/main.cpp", {unity_ignored = true})
        if name == "runtime" then
            remove_files(about_the_compiler)
            add_deps("compiler_tests")
        end
        if module == "transports" then
            add_files("support/json_reference.cpp", {unity_ignored = true})
        end
        if module then
            add_files("support/fixture.cpp", {unity_ignored = true})
            add_deps("fixture_child", "fixture_host", "hawser-keeper", {inherit = false})
        end
        if module == "cli" then
            add_files("cli/hawser_program.cpp", {unity_ignored = true})
            add_deps("hawser", "example_uv_embed", {inherit = false})  -- which they run
        end
        if module == "host" or module == "server" then
            add_deps("fixture_server", {inherit = false})
        end
        if name == "host" then
            add_packages("jsoncons")
            add_deps("fixture_caller", "fixture_crowd", {inherit = false})
        end
        if module == "server" then
            add_deps("host")                       -- the other side of many tests
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
        add_deps(module or "runtime")
        add_files("support/source_root.cpp", {unity_ignored = true, defines = 'HAWSER_SOURCE_ROOT="' .. os.projectdir() .. '"'})
        add_packages("boost_ut")
        allow_what_ut_does()
        -- What is tested is optimised; the tests themselves only have to be built, and that takes half the time so.
        if name ~= "guard" then  -- it measures, and inline functions of what is tested are compiled with the tests
            set_optimize("none")
        end
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
test_program("server", "server")
if has_config("bench") then
    test_program("bench", "benchmarks")
end
test_program("tree")
test_program("guard", "cli")

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
                add_files("../cli/terminal/escape.cpp", "../cli/terminal/code_points.cpp")
            end
            if path.basename(file) == "config" then  -- all of host would take long, and most of it is not looked at
                add_files("../host/config/**.cpp", "../oauth/scopes.cpp", "../registry/tool_filter.cpp", "../registry/exposed_name.cpp")
            end
            if path.basename(file) == "credential_set" then
                add_deps("oauth")
            end
            add_deps("transports")
            add_ldflags("-fsanitize=fuzzer", {force = true})
        target_end()
    end
end

-- Every public header is included alone by a source of its own.
target("public_headers")
    set_kind("object")
    set_default(false)
    add_rules("hawser.not_installed")
    set_optimize("none")
    add_cxxflags("-Wno-#warnings", "-Wno-cpp", {force = true})
    add_packages("libuv", "c-ares", "openssl3", "boost")
    on_load(function (target)
        local root = path.directory(os.scriptdir())
        for _, module in ipairs({"runtime", "transports", "registry", "oauth", "host", "server"}) do
            for _, header in ipairs(os.files(path.join(root, module, "**.hpp|**/detail/**|detail/**|keeper/**"))) do
                local source = path.join(target:autogendir(), path.relative(header, root) .. ".cpp")
                local text = '#include "' .. path.relative(header, path.absolute(path.directory(source))) .. '"\n'
                if not os.isfile(source) then
                    io.writefile(source, text)
                end
                target:add("files", source)
            end
        end
    end)
target_end()
