-- Example programs for users; the tests build and run them.
for name, file in pairs({["hawser-demo"] = "demo.cpp", example_embed = "embed.cpp", example_uv_embed = "uv_embed.cpp"}) do
    target(name)
        set_kind("binary")
        set_targetdir("$(buildir)/$(mode)/bin")
        add_rules("hawser.instrumented", "hawser.not_installed")
        add_files(file)
        add_deps("host")
        add_deps("hawser", {inherit = false})
    target_end()
end
