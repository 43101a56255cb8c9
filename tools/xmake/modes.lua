-- The modes: debug release asan (with UBSan) tsan fuzz coverage.

-- What a file sets in its root scope stays in that file, so the project calls this.
function hawser_modes(main_project)
    -- These two reach every file: a project that includes this one has modes of its own.
    if main_project then
        set_allowedmodes("release", "debug", "asan", "tsan", "fuzz", "coverage")
        set_defaultmode("release")
    end

    -- Debian's clang is called clang++-19; a user's own --toolchain goes first.
    if not get_config("toolchain") and os.isfile("/usr/bin/clang++-19") then
        set_toolchains("clang-19")
    end

    set_warnings("allextra", "pedantic", "error")
    -- To g++, a parameter that is called like a member shadows it, too.
    add_cxxflags("-Wshadow", {force = true, tools = {"clang", "clangxx"}})
    add_cxxflags("-Wshadow=local", {force = true, tools = {"gcc", "gxx"}})
    add_cxxflags("-Wold-style-cast", "-Wcast-align", "-Woverloaded-virtual", "-Wconversion",
                 "-Wno-sign-conversion", "-Wno-missing-field-initializers", {force = true})
    -- g++ warns of protected destructors, too, where a class has friends.
    add_cxxflags("-Wnon-virtual-dtor", {force = true, tools = {"clang", "clangxx"}})
    -- What g++ believes of strings and frames that it has inlined is often not so.
    add_cxxflags("-Wno-array-bounds", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-Wno-restrict",
                 "-Wno-maybe-uninitialized", {force = true, tools = {"gcc", "gxx"}})
    -- It takes the sources that a batch includes for headers.
    add_cxxflags("-Wno-subobject-linkage", {force = true, tools = {"gcc", "gxx"}})
    -- Where nothing else is optimised, too: without it g++ keeps every frame of a chain of awaits on the stack.
    add_cxxflags("-foptimize-sibling-calls", {force = true, tools = {"gcc", "gxx"}})
    -- Position-independent everywhere: the archive must fit into a shared library, too.
    add_cxflags("-fPIC", "-gdwarf-4", {force = true})  -- DWARF 4: Debian 12's valgrind reads no other
    if is_mode("debug") then
        set_symbols("debug")
    else
        -- Files and lines for a stack trace; a description of every type would take a fifth of the build.
        add_cxflags("-g1", {force = true})
    end

    if is_mode("debug", "coverage") then
        set_optimize("none")
    elseif is_mode("asan") then
        -- A third of the time to build that -O1 takes, and nothing that is wrong is optimised away.
        add_cxflags("-O0", "-fno-omit-frame-pointer", {force = true})
    elseif is_mode("tsan", "fuzz") then
        add_cxflags("-O1", "-fno-omit-frame-pointer", {force = true})
    else  -- release, or a mode that only the project that includes this one knows
        set_optimize("faster")
        add_defines("NDEBUG")
        add_cxflags("-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2", {force = true})
        add_ldflags("-pie", "-Wl,-z,relro", "-Wl,-z,now", {force = true})
    end
end

local sanitizers = {asan = "address,undefined", tsan = "thread", fuzz = "address,undefined,fuzzer-no-link"}
local sanitizer = sanitizers[get_config("mode") or ""]

-- For every target but the keeper, whose image is started by the others and must not depend on their runtime.
rule("hawser.instrumented")
    on_load(function (target)
        if sanitizer then
            target:add("cxflags", "-fsanitize=" .. sanitizer, "-fno-sanitize-recover=all", {force = true})
            target:add("ldflags", "-fsanitize=" .. sanitizer:gsub(",fuzzer%-no%-link", ""), {force = true})
        elseif is_mode("coverage") then
            target:add("cxflags", "-fprofile-instr-generate", "-fcoverage-mapping", {force = true})
            target:add("ldflags", "-fprofile-instr-generate", {force = true})
        end
    end)
rule_end()

-- Sources that are compiled in batches, each batch as one translation unit: most of the time goes into headers. Within a
-- target, helpers in anonymous namespaces therefore need unique names. Sorted, so that every clone has the same batches
-- and finds them in the compiler cache. Those in `alone` are not batched.
function add_batched_files(batchsize, patterns, alone)
    local files = {}
    for _, pattern in ipairs(patterns) do
        for _, file in ipairs(os.files(path.join(os.scriptdir(), pattern))) do
            table.insert(files, path.relative(file, os.scriptdir()))
        end
    end
    table.sort(files)
    add_rules("c++.unity_build", {batchsize = batchsize})
    for _, file in ipairs(files) do
        add_files(file, {unity_ignored = table.contains(alone or {}, file)})
    end
end
