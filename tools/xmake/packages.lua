-- Where the dependencies come from. What the system has is used as it is; whatever is missing, xmake fetches from its
-- repository. On a machine that has everything, xmake never asks the network.

local from_system = {
    {name = "libuv", header = "uv.h", pkgconfig = "libuv", least = "1.44"},
    {name = "c-ares", header = "ares.h", pkgconfig = "libcares", least = "1.18"},
    {name = "openssl3", header = "openssl/evp.h", pkgconfig = "openssl", least = "3.0"},
    {name = "cli11", header = "CLI/CLI.hpp"},
    {name = "boost", header = "boost/json.hpp", links = {"boost_json", "boost_url"}, least = "1.83", version_in = "boost/version.hpp", version_as = 'BOOST_LIB_VERSION "([%d_]+)"'},
    {name = "llhttp", header = "llhttp.h", links = {"llhttp"}},
    {name = "jsoncons", header = "jsoncons/json.hpp"},
    {name = "boost_ut", header = "boost/ut.hpp"},
}

-- A header may be there without its library: Boost's all come in one package.
local function has(dependency)
    for _, link in ipairs(dependency.links or {}) do
        local found = 0
        for _, folder in ipairs({"/usr/lib", "/usr/lib/*", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"}) do
            found = found + #os.files(path.join(folder, "lib" .. link .. ".*"))
        end
        if found == 0 then
            return false
        end
    end
    return os.isfile(path.join("/usr/include", dependency.header)) or os.isfile(path.join("/usr/local/include", dependency.header))
end

-- Declares what the system has; true if that is everything.
function system_packages()
    local complete = true
    for _, dependency in ipairs(from_system) do
        if has(dependency) then
            package(dependency.name)
                set_description("the system's " .. dependency.name)
                on_fetch(function (package, opt)
                    import("core.base.semver")
                    local found = {includedirs = {}, links = dependency.links}
                    if dependency.pkgconfig then
                        found = package:find_package("pkgconfig::" .. dependency.pkgconfig, opt)
                    elseif dependency.version_in then
                        for _, folder in ipairs({"/usr/local/include", "/usr/include"}) do
                            local file = path.join(folder, dependency.version_in)
                            if not found.version and os.isfile(file) then
                                found.version = io.readfile(file):match("\n#%s*define%s+" .. dependency.version_as):gsub("_", ".")
                            end
                        end
                    end
                    if found and found.version and semver.compare(found.version, dependency.least) < 0 then
                        raise("the system's " .. dependency.name .. " is version " .. found.version .. ", and Hawser needs " ..
                              dependency.least .. " or newer: update it, or remove its headers, and xmake fetches another")
                    end
                    return found
                end)
            package_end()
        else
            complete = false
        end
    end
    return complete
end
