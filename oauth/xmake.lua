-- Logging in to servers on the network: OAuth 2.1, and the store in which logins last.
target("oauth")
    set_kind("object")
    add_rules("hawser.instrumented")
    add_batched_files(10, {"**.cpp"})
    add_deps("runtime", "transports")
target_end()
