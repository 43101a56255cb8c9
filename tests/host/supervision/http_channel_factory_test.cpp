// SPDX-License-Identifier: MIT
// What servers on the network share, and what each of them has for itself: TLS contexts.
#include "../../../host/supervision/http_channel_factory.hpp"

#include <filesystem>

#include "../../support/certificates.hpp"
#include "../../support/run.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/ut.hpp"

namespace http_channel_factory_test {

using namespace hawser;
using testing::certificate_authority;

std::shared_ptr<tls_context> context_for(loop& l, http_channel_factory& net, const tls_settings& tls) {
  http_settings where{.url = "https://mcp.example/mcp"};
  where.tls = tls;
  auto made = l.run(net.client_options(where, true));
  return made ? made->tls : nullptr;
}

const suite<"network"> tests = [] {
  "SEC-6 servers with different trust files do not share a TLS context"_test = [] {
    certificate_authority one;
    certificate_authority other;
    loop l;
    http_channel_factory net{l};
    const tls_settings first{.trust_file = one.root_file()};
    const auto context = context_for(l, net, first);
    expect(fatal(context != nullptr));
    expect(context_for(l, net, first) == context) << "the same files share one context";
    const auto second = context_for(l, net, {.trust_file = other.root_file()});
    expect(second != nullptr and second != context);
    expect(context_for(l, net, {.trust_file = "/nonexistent/roots.pem"}) == nullptr)
        << "a file that cannot be read is an error, whatever was loaded before";
  };

  "SEC-6 a trust file that was replaced is read again for the next connection"_test = [] {
    certificate_authority one;
    certificate_authority other;
    const testing::temporary_folder folder;
    std::filesystem::copy_file(one.root_file(), folder / "roots.pem");
    loop l;
    http_channel_factory net{l};
    const tls_settings files{.trust_file = folder / "roots.pem"};
    const auto before = context_for(l, net, files);
    expect(fatal(before != nullptr));
    expect(context_for(l, net, files) == before);
    std::filesystem::copy_file(other.root_file(), folder / "next.pem");
    std::filesystem::rename(folder / "next.pem", folder / "roots.pem");
    const auto after = context_for(l, net, files);
    expect(after != nullptr and after != before);
    expect(context_for(l, net, files) == after);
  };

  "SEC-5 all connections of a host remember together where a name led at first"_test = [] {
    loop l;
    http_channel_factory net{l};
    const http_settings one{.url = "http://mcp.example/mcp"};
    const http_settings other{.url = "http://mcp.example/other"};
    const auto first = l.run(net.client_options(one, false));
    const auto second = l.run(net.client_options(other, false));
    expect(fatal(first.has_value() and second.has_value()));
    expect(first->zones != nullptr and first->zones == second->zones);
  };

  "SEC-6 servers with different trust folders do not share a TLS context"_test = [] {
    const certificate_authority one;
    const certificate_authority other;
    loop l;
    http_channel_factory net{l};
    const tls_settings first{.trust_folder = one.folder().path};
    const auto context = context_for(l, net, first);
    expect(fatal(context != nullptr));
    expect(context_for(l, net, first) == context);
    const auto second = context_for(l, net, {.trust_folder = other.folder().path});
    expect(second != nullptr and second != context);
    expect(context_for(l, net, {.trust_folder = "/nonexistent"}) == nullptr);
  };
};

}  // namespace http_channel_factory_test
