-- Rules that more than one room uses, or that need a word of explanation.

-- g++ before 14 double-frees temporaries beside co_await, clang before 19 could write to a frame that was already resumed
-- elsewhere: a binary that corrupts memory must not come into being. Apple counts clang's versions in its own way.
rule("hawser.compiler_gate")
    on_config(function (target)
        local gcc = target:has_tool("cxx", "gcc", "gxx")
        if not gcc and not target:has_tool("cxx", "clang", "clangxx") then
            return
        end
        local said = os.iorunv(target:tool("cxx"), {gcc and "-dumpfullversion" or "--version"}):trim()
        local version = gcc and said or said:match("clang version ([%d.]+)")
        if version and not said:startswith("Apple") and tonumber(version:match("^%d+")) < (gcc and 14 or 19) then
            raise("Hawser needs clang >= 19 or g++ >= 14: " .. (gcc and "g++ " or "clang++ ") .. version .. " miscompiles " ..
                  "coroutines; choose another compiler with xmake f --toolchain=clang-19")
        end
    end)
rule_end()

-- Writes the linked program as a list of bytes, for a source of another target to include: the compiler's own
-- dependency files then see to it that the bytes are never stale.
rule("hawser.program_as_bytes")
    after_link(function (target)
        local bytes = io.readfile(target:targetfile(), {encoding = "binary"})
        local lines = {}
        for first = 1, #bytes, 32 do
            table.insert(lines, table.concat({bytes:byte(first, math.min(first + 31, #bytes))}, ",") .. ",")
        end
        local listing = table.concat(lines, "\n") .. "\n"
        local file = path.join(target:extraconf("rules", "hawser.program_as_bytes", "folder"), target:extraconf("rules", "hawser.program_as_bytes", "file"))
        if not os.isfile(file) or io.readfile(file) ~= listing then
            io.writefile(file, listing)
        end
    end)
rule_end()

-- xmake's own pkg-config file leaves out what a static library needs besides itself.
rule("hawser.pkgconfig")
    after_install(function (target)
        local requires = target:extraconf("rules", "hawser.pkgconfig", "requires")
        local libs = target:extraconf("rules", "hawser.pkgconfig", "libs")
        io.writefile(path.join(target:installdir(), "lib", "pkgconfig", "hawser.pc"), table.concat({
            "prefix=${pcfiledir}/../..",
            "Name: hawser",
            "Description: a host runtime for the Model Context Protocol",
            "Version: " .. target:version(),
            "Requires: " .. requires,
            "Cflags: -I${prefix}/include",
            "Libs: -L${prefix}/lib -lhawser " .. libs .. " -pthread",
            ""}, "\n"))
    end)
rule_end()

-- A project that includes this one says <hawser/runtime/loop.hpp> as well, whatever our folder is called there.
rule("hawser.include_name")
    on_load(function (target)
        local folder = path.absolute(path.join(target:autogendir(), "include"))
        local link = path.join(folder, "hawser")
        if not os.exists(link) then
            os.mkdir(folder)
            os.ln(path.directory(path.directory(os.scriptdir())), link)
        end
        target:add("includedirs", folder, {public = true})
    end)
rule_end()

-- What is built for the tests stays in the build folder.
rule("hawser.not_installed")
    on_install(function (target) end)
rule_end()
