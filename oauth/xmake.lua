-- Logging in to servers on the network: OAuth 2.1, and the store in which logins last.
target("oauth")
    set_kind("object")
    set_pcxxheader("../tools/pch.hpp")
    add_rules("hawser.instrumented")
    add_files("*.cpp")
    add_deps("runtime", "transports")
target_end()
