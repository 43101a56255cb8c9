-- The project, its modes, its dependencies and its modules. What a module is made of stands in its own xmake.lua.
set_project("hawser")
set_version("0.2.0")
set_xmakever("2.9.9")
set_languages("c++20")

includes("tools/xmake/packages.lua", "tools/xmake/modes.lua", "tools/xmake/rules.lua")
local main_project = os.projectdir() == os.scriptdir()
hawser_modes(main_project)
if system_packages() then
    set_policy("network.mode", "private")  -- nothing to fetch: do not even look
end

-- A program that includes Hawser wants the library, not its tests.
option("tests", {default = main_project, description = "build the tests"})
option("bench", {default = main_project, description = "build hawser-bench"})

add_requires("libuv", "c-ares", "openssl3", "llhttp", "cli11")
add_requires("boost", {configs = {json = true, url = true, container = true, system = true}})
if has_config("tests") then
    add_requires("boost_ut", "jsoncons")
end

add_rules("hawser.compiler_gate")

includes("runtime", "transports", "registry", "oauth", "host", "server")

-- The modules in one archive, which is what other programs link.
target("libhawser")
    set_kind("static")
    set_basename("hawser")
    add_deps("runtime", "transports", "registry", "oauth", "host", "server")
    set_targetdir("$(buildir)/$(mode)/lib")
    for _, module in ipairs({"runtime", "transports", "registry", "oauth", "host", "server"}) do
        for _, header in ipairs(os.files(path.join(os.scriptdir(), module, "**.hpp|**/detail/**|detail/**|keeper/**"))) do
            add_headerfiles("(" .. path.relative(header, os.scriptdir()) .. ")", {prefixdir = "hawser"})
        end
    end
    -- Private headers that templates or members of public ones need.
    add_headerfiles("(runtime/detail/check.hpp)", "(runtime/detail/list.hpp)", "(runtime/async/detail/join_group.hpp)",
                    "(runtime/loop/detail/posted_function.hpp)", "(runtime/io/detail/unique_fd.hpp)",
                    "(transports/json/detail/plain_run.hpp)", "(registry/detail/table_publisher.hpp)",
                    "(registry/detail/name_index.hpp)", {prefixdir = "hawser"})
    add_headerfiles("$(buildir)/$(mode)/gen/(hawser/version.hpp)")
    add_rules("utils.inherit.links")  -- which xmake gives only to targets with sources of their own
    add_rules("hawser.include_name")
    add_rules("hawser.pkgconfig", {requires = "libuv libcares libssl libcrypto", libs = "-lboost_json -lboost_url -lllhttp"})
target_end()

includes("cli")
if has_config("tests") then
    includes("tests", "examples")
end
if has_config("bench") then
    includes("bench")
end
