// SPDX-License-Identifier: MIT
// What servers on the network share, and what each of them has for itself: TLS contexts.
#include "../../host/network.hpp"

#include <filesystem>

#include "../support/certificates.hpp"
#include "../support/run.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/ut.hpp"

namespace network_test {

using namespace hawser;
using testing::certificate_office;

std::shared_ptr<tls_context> context_for(loop& l, network& net, const tls_settings& tls) {
  http_settings where{.url = "https://mcp.example/mcp"};
  where.tls = tls;
  auto made = l.run(net.client_for(where, true));
  return made ? made->tls : nullptr;
}

const suite<"network"> tests = [] {
  "SEC-6 servers with different trust files do not share a TLS context"_test = [] {
    certificate_office one;
    certificate_office other;
    loop l;
    network net{l};
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
    certificate_office one;
    certificate_office other;
    const testing::temporary_folder folder;
    std::filesystem::copy_file(one.root_file(), folder / "roots.pem");
    loop l;
    network net{l};
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
    network net{l};
    const http_settings one{.url = "http://mcp.example/mcp"};
    const http_settings other{.url = "http://mcp.example/other"};
    const auto first = l.run(net.client_for(one, false));
    const auto second = l.run(net.client_for(other, false));
    expect(fatal(first.has_value() and second.has_value()));
    expect(first->zones != nullptr and first->zones == second->zones);
  };

  "SEC-6 servers with different trust folders do not share a TLS context"_test = [] {
    const certificate_office one;
    const certificate_office other;
    loop l;
    network net{l};
    const tls_settings first{.trust_folder = one.folder().path};
    const auto context = context_for(l, net, first);
    expect(fatal(context != nullptr));
    expect(context_for(l, net, first) == context);
    const auto second = context_for(l, net, {.trust_folder = other.folder().path});
    expect(second != nullptr and second != context);
    expect(context_for(l, net, {.trust_folder = "/nonexistent"}) == nullptr);
  };
};

}  // namespace network_test
