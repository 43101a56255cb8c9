// SPDX-License-Identifier: MIT
#include "http_channel_factory.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "../../runtime/loop/offload.hpp"
#include "../../transports/http/http_fields.hpp"
#include "../../transports/streamable_http/http_channel.hpp"
#include "../config/detail/config_checks.hpp"

namespace hawser {

namespace {

http_channel_options::kind channel_kind(http_settings::kind type) {
  switch (type) {
    case http_settings::kind::automatic: break;
    case http_settings::kind::streamable: return http_channel_options::kind::streamable;
    case http_settings::kind::sse: return http_channel_options::kind::sse;
  }
  return http_channel_options::kind::automatic;
}

// Whether the name of a header field suggests a credential.
bool names_credentials(std::string_view header) {
  std::string lower{header};
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* part : {"auth", "key", "token", "secret", "cookie"}) {
    if (lower.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string credentials_in(const std::map<std::string, std::string>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) {
    if (names_credentials(name)) names += (names.empty() ? "header \"" : ", \"") + name + '"';
  }
  return names;
}

// A text that changes when one of the files is changed or replaced.
std::string file_state(const tls_settings& files) {
  std::string all;
  for (const std::string* path :
       {&files.trust_file, &files.trust_folder, &files.ca_file, &files.certificate_file, &files.key_file}) {
    struct stat info{};
    const bool exists = !path->empty() && ::stat(path->c_str(), &info) == 0;
    for (const auto part :
         {static_cast<std::int64_t>(exists), static_cast<std::int64_t>(info.st_dev),
          static_cast<std::int64_t>(info.st_ino), static_cast<std::int64_t>(info.st_size),
          static_cast<std::int64_t>(info.st_mtim.tv_sec), static_cast<std::int64_t>(info.st_mtim.tv_nsec)})
      all += std::to_string(part) + ' ';
  }
  return all;
}

}  // namespace

http_channel_factory::http_channel_factory(loop& event_loop, resolver* names)
    : loop_(event_loop),
      names_(names != nullptr ? *names : own_names_),
      environment_(proxy_rules::from_environment()) {}

task<result<std::unique_ptr<channel>>> http_channel_factory::make_channel(const http_settings& server,
                                                                          const host_limits& limits, authorizer* login,
                                                                          std::string server_name,
                                                                          busy_listener on_busy) {
  http_channel_options options{.type = channel_kind(server.type), .login = login};
  auto url = http_url::parse(server.url);
  if (!url) co_return url.error();
  options.to = *std::move(url);
  for (const auto& [name, value] : server.headers) {
    // Header splitting: the settings may not come from a checked file.
    if (const char* fault = detail::header_name_fault(name); fault != nullptr)
      co_return error{.code = errc::config, .what = "the header \"" + name + "\" " + fault};
    if (!valid_field_value(value))
      co_return error{.code = errc::config, .what = "the header \"" + name + "\" cannot be sent as it is"};
    append_field(options.fields, name, value);
  }
  options.credential_names = credentials_in(server.headers);
  auto client = co_await client_options(server, options.to.tls);
  if (!client) co_return client.error();
  options.client = *std::move(client);
  if (!server.headers.empty())
    options.client.on_cleartext = [this, server, server_name](const http_url& destination) {
      warn_of_cleartext(server_name, server, destination);
    };
  options.limits.max_message = limits.max_message;
  options.limits.size_advice = host_limits::max_message_advice;
  options.client.limits.max_body = limits.max_message;
  options.client.limits.size_advice = host_limits::max_message_advice;
  options.on_busy = std::move(on_busy);
  co_return std::make_unique<http_channel>(loop_, names_, std::move(options));
}

task<result<http_client_options>> http_channel_factory::client_options(const http_settings& server, bool tls) {
  http_client_options options;
  options.zones = zones_;
  if (server.proxy.empty()) {
    options.proxies = environment_;
  } else if (server.proxy != "none") {
    options.proxies = {.for_http = server.proxy, .for_https = server.proxy};
    auto usable = http_proxy::parse(server.proxy);
    if (!usable) co_return usable.error();
  }
  if (!tls) co_return options;
  auto trusted = co_await certificates(server.tls);
  if (!trusted) co_return trusted.error();
  options.tls = *std::move(trusted);
  co_return options;
}

void http_channel_factory::warn_of_cleartext(const std::string& server_name, const http_settings& server,
                                             const http_url& destination) {
  if (!warned_.insert(server_name + ' ' + destination.origin()).second) return;
  std::string names;
  for (const auto& [name, value] : server.headers) names.append(names.empty() ? "" : ", ").append(name);
  loop_.log().write(log_level::warning, server_name,
                    "its headers (" + names + ") are sent to " + destination.origin() +
                        " without encryption, so that others on the network can read them: use an https url");
}

task<result<http_client_options>> http_channel_factory::login_client_options(http_settings server) {
  server.tls.certificate_file = server.oauth.certificate_file;
  server.tls.key_file = server.oauth.certificate_key_file;
  // Authorization servers require TLS, even if the server does not.
  co_return co_await client_options(server, true);
}

task<result<std::shared_ptr<tls_context>>> http_channel_factory::certificates(tls_settings files) {
  // The usual variables of OpenSSL programs.
  const char* const file = std::getenv("SSL_CERT_FILE");
  const char* const folder = std::getenv("SSL_CERT_DIR");
  if (files.trust_file.empty() && file != nullptr) files.trust_file = file;
  if (files.trust_folder.empty() && folder != nullptr) files.trust_folder = folder;
  // Certificates may be replaced while the program runs.
  std::function<result<std::string>()> look = [files] { return result<std::string>{file_state(files)}; };
  auto state = co_await offload(std::move(look));
  if (!state) co_return state.error();
  const auto known = contexts_.find(files);
  if (known != contexts_.end() && known->second.state == *state) co_return known->second.context;
  // Offloaded because it reads hundreds of certificates.
  std::function<result<std::shared_ptr<tls_context>>()> load = [files] { return tls_context::client(files); };
  auto loaded = co_await offload(std::move(load));
  if (!loaded) co_return loaded;
  contexts_.insert_or_assign(files, tls_context_entry{.state = *std::move(state), .context = *loaded});
  co_return loaded;
}

}  // namespace hawser
