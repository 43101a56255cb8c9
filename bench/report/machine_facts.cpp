// SPDX-License-Identifier: MIT
#include "machine_facts.hpp"

#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <boost/version.hpp>
#include <cmath>
#include <ctime>
#include <fstream>

namespace hawser::bench {

namespace {

// The value on the first line that begins with `key`, in the format of /proc/cpuinfo and /etc/os-release.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::string value = line.substr(line.find_first_of(":=") + 1);
    std::erase(value, '"');
    value.erase(0, value.find_first_not_of(" \t"));
    return value;
  }
  return "unknown";
}

std::string compiler() {
#ifdef __clang__
  return std::string{"clang "} + __clang_version__;
#else
  return std::string{"g++ "} + __VERSION__;
#endif
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

std::string memory_size() {
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::to_string(std::lround(bytes / (1 << 30))) + " GiB";
}

}  // namespace

std::vector<std::string> machine_facts() {
  utsname system{};
  uname(&system);
  return {"date: " + today(),
          "machine: " + value_in("/proc/cpuinfo", "model name") + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) +
              " cores, " + memory_size() +
              (value_in("/proc/cpuinfo", "flags").find(" hypervisor") == std::string::npos ? "" : ", virtual"),
          "system: " + value_in("/etc/os-release", "PRETTY_NAME") + ", " + system.sysname + " " + system.release,
          "compiler: " + compiler(),
          std::string{"libraries: Boost "} + std::to_string(BOOST_VERSION / 100'000) + "." +
              std::to_string(BOOST_VERSION / 100 % 1000) + ", " + OpenSSL_version(OPENSSL_VERSION)};
}

}  // namespace hawser::bench
